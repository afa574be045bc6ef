// Lists: in the order of their keys, filtered, a page at a time. The cursor of a page holds the last key that
// was looked at and the revision of the first page. A page ends when it has looked at enough, whatever was
// found.
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <functional>

#include "live/views.hpp"

namespace mirab::live {
namespace {

constexpr std::int64_t kMostOfPage = 1'000;
constexpr std::int64_t kPage = 100;
constexpr std::int64_t kMostLooks = 10'000;  // of a page
constexpr std::int64_t kLooksOfShown = 50;   // besides its look, of a thing in the answer: JSON is made of it

struct Cursor {
  Revision revision = 0;
  std::string after = {};  ///< the key of the last item of the page before
};

std::string cursor_text(const Cursor& cursor) {
  std::string text = fmt::format("r{}-", cursor.revision);
  for (const char byte : cursor.after) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

std::optional<Cursor> cursor_of(std::string_view text) {
  Cursor cursor;
  const char* const end = text.data() + text.size();
  if (text.size() < 3 || text[0] != 'r') return {};
  const auto read = std::from_chars(text.data() + 1, end, cursor.revision);
  if (read.ec != std::errc() || read.ptr == end || *read.ptr != '-') return {};
  for (const char* at = read.ptr + 1; at != end; at += 2) {
    unsigned byte = 0;
    if (end - at < 2 || std::from_chars(at, at + 2, byte, 16).ptr != at + 2) return {};
    cursor.after += static_cast<char>(byte);
  }
  return cursor;
}

/// One page as it is filled.
class Page {
 public:
  Page(Cursor from, std::size_t most) : from_(std::move(from)), most_(most) {}

  const std::string& after() const { return from_.after; }
  /// How many things may still be shown.
  std::size_t room() const { return most_ - items_.size(); }

  /// Looks at the thing of this key, and shows it where it is asked for; false when the page has ended before
  /// it.
  bool take(const std::string& key, bool is_asked, const std::function<Json()>& item) {
    if (looks_ >= kMostLooks || (is_asked && room() == 0)) {
      more_ = true;
      return false;
    }
    ++looks_;
    if (is_asked) {
      items_.push_back(item());
      looks_ += kLooksOfShown;
    }
    last_ = key;
    return true;
  }
  /// What is looked at besides, for the page as a whole: it ends no page.
  void add_looks(std::size_t looks) { other_looks_ += static_cast<std::int64_t>(looks); }

  Answer answer(const Reading& reading) && {
    const Revision present = reading.state.last.revision;
    Json body = {{"items", std::move(items_)}, {"revision", present}};
    const Revision first = from_.revision == 0 ? present : from_.revision;
    body["first_revision"] = first;
    if (more_) body["page"] = cursor_text(Cursor{.revision = first, .after = last_});
    return {.status = 200, .body = std::move(body), .revision = present, .looks = looks_ + other_looks_};
  }

 private:
  Cursor from_;
  std::size_t most_;
  Json items_ = Json::array();
  std::string last_ = {};
  std::int64_t looks_ = 0;
  std::int64_t other_looks_ = 0;
  bool more_ = false;
};

Problem bad_page() { return bad_request("/page", "this is no page of a list that was given here"); }

/// `label=key=value`, each of which must hold.
Parsed<std::vector<std::pair<std::string, std::string>>> labels_asked(const Query& query) {
  std::vector<std::pair<std::string, std::string>> labels;
  const auto [first, last] = query.given.equal_range("label");
  for (auto each = first; each != last; ++each) {
    const std::size_t equals = each->second.find('=');
    if (equals == std::string::npos) return bad_request("/label", "a label is asked for as label=key=value");
    labels.emplace_back(each->second.substr(0, equals), each->second.substr(equals + 1));
  }
  return labels;
}

bool has_labels(const Labels& labels, const std::vector<std::pair<std::string, std::string>>& asked) {
  return std::all_of(asked.begin(), asked.end(), [&](const auto& each) {
    const auto found = labels.find(each.first);
    return found != labels.end() && found->second == each.second;
  });
}

/// Of things by name: `shows` says whether one is asked for, `item` what is shown of it.
template <class Map, class Shows, class Item>
void page_of(const Map& map, const std::string& part, Page& page, Shows shows, Item item) {
  for (auto each = map.upper_bound(page.after()); each != map.end(); ++each) {
    const auto& [name, thing] = *each;
    const bool is_asked = name.find(part) != std::string::npos && shows(name, thing);
    if (!page.take(name, is_asked, [&] { return item(name, thing); })) return;
  }
}

/// The same of things of which the caller sees a part: null where none.
template <class Map, class View>
void page_of(const Map& map, const std::string& part, Page& page, View view) {
  Json seen;
  page_of(
      map, part, page,
      [&](const auto& name, const auto& thing) {
        seen = view(name, thing);
        return !seen.is_null();
      },
      [&](const auto&, const auto&) { return std::move(seen); });
}

std::string state_of(const Server& server) {
  return !server.id ? "lost" : server.drained ? "drained" : "open";
}

void list_jobs(const Reading& reading, const Query& query, Page& page,
               const std::optional<std::string>& state,
               const std::vector<std::pair<std::string, std::string>>& labels) {
  const Queue& queue = *reading.queue(query.queue);
  page_of(
      queue.jobs, given(query, "name").value_or(""), page,
      [&](const std::string&, const Job& job) {
        return !reading.state.is_forgotten(job) && (!state || *state == word_of(job.state())) &&
               has_labels(job.labels, labels);
      },
      [&](const std::string&, const Job& job) { return job_json(reading.state, job); });
}

/// Where a page of tasks goes on: in the order of queues, jobs and tasks.
struct TaskPlace {
  std::string queue = {};
  std::string job = {};
  std::optional<TaskKey> task = {};  ///< none: behind all tasks of the job

  std::string text() const { return fmt::format("{}/{}/{}", queue, job, task ? text_of(*task) : ""); }
};

std::optional<TaskPlace> task_place_of(const std::string& text) {
  if (text.empty()) return TaskPlace{};
  const std::size_t first = text.find('/');
  const std::size_t last = text.rfind('/');
  if (first == last) return {};
  TaskPlace place{.queue = text.substr(0, first), .job = text.substr(first + 1, last - first - 1)};
  if (last + 1 == text.size()) return place;
  place.task = task_key_of(std::string_view(text).substr(last + 1));
  return place.task ? std::optional(place) : std::nullopt;
}

/// The tasks of the caller's queues, those that are over and still known too. All that is asked for must
/// hold.
class TaskList {
 public:
  TaskList(const Reading& reading, const Query& query, Page& page, TaskPlace from, std::string job,
           std::optional<std::string> wanted, const std::vector<std::pair<std::string, std::string>>& labels)
      : reading_(reading),
        state_(reading.state),
        page_(page),
        from_(std::move(from)),
        wanted_(std::move(wanted)),
        labels_(labels),
        server_(given(query, "server")),
        queue_(given(query, "queue")),
        job_(std::move(job)) {
    if (!job_.empty() && !queue_) queue_ = job_.substr(0, job_.find('/'));
  }

  void fill() {
    auto queue = state_.queues.lower_bound(queue_ ? std::max(*queue_, from_.queue) : from_.queue);
    for (; queue != state_.queues.end() && (!queue_ || queue->first == *queue_); ++queue) {
      if (!reading_.owns(queue->second)) {
        if (!page_.take(TaskPlace{.queue = queue->first}.text(), false, {})) return;
      } else if (!fill_from(queue->second)) {
        return;
      }
    }
  }

 private:
  /// False when the page has ended.
  bool fill_from(const Queue& queue) {
    const std::map<std::string, Job>& jobs = queue.jobs;
    const auto is_in_first = [&](const Job& job) {
      return job.queue == from_.queue && job.name == from_.job;
    };
    auto job = jobs.begin();
    if (!jobs.empty() && job->second.queue == from_.queue) job = jobs.lower_bound(from_.job);
    for (; job != jobs.end(); ++job) {
      const bool is_first = is_in_first(job->second);
      if (is_first && !from_.task) continue;
      const bool is_asked =
          (job_.empty() || job_ == job->second.label()) && has_labels(job->second.labels, labels_);
      if (is_asked && !fill_from(job->second, is_first ? from_.task : std::nullopt)) return false;
      if (!page_.take(TaskPlace{.queue = job->second.queue, .job = job->first}.text(), false, {}))
        return false;
    }
    return true;
  }

  bool fill_from(const Job& job, const std::optional<TaskKey>& after) {
    // As many of the first as the page may still show, and one more: it has them all, or there is another
    // page.
    const std::size_t most = page_.room() + 1;
    std::vector<State::TaskView> first;
    const auto is_before = [](const auto& a, const auto& b) { return a.key < b.key; };
    std::size_t looked_at = 0;
    const auto look = [&](TaskKey key, const auto& view_of) {
      ++looked_at;
      if ((after && key <= *after) || (first.size() == most && first.front().key < key)) return;
      State::TaskView view = view_of();
      if (!is_wanted(view)) return;
      first.push_back(std::move(view));
      std::push_heap(first.begin(), first.end(), is_before);
      if (first.size() <= most) return;
      std::pop_heap(first.begin(), first.end(), is_before);
      first.pop_back();
    };
    if (job.id) {
      state_.engine.for_each_task(*job.id, [&](const auto& task) {
        look(state_.key_of(task.task), [&] { return state_.view_of(task); });
      });
    }
    for (const Past& past : job.past) look(past.task, [&] { return state_.view_of(job, past); });
    page_.add_looks(looked_at / kRowsOfLook);
    std::sort_heap(first.begin(), first.end(), is_before);
    return std::all_of(first.begin(), first.end(), [&](const State::TaskView& view) {
      return page_.take(TaskPlace{.queue = job.queue, .job = job.name, .task = view.key}.text(), true,
                        [&] { return task_json(state_, view); });
    });
  }

  bool is_wanted(const State::TaskView& view) const {
    if (server_ && *server_ != view.server) return false;
    return !wanted_ || *wanted_ == (view.past != nullptr ? word_of(view.past->outcome)
                                    : view.has_begun     ? "running"
                                                         : "placed");
  }

  const Reading& reading_;
  const State& state_;
  Page& page_;
  TaskPlace from_;
  std::optional<std::string> wanted_;
  const std::vector<std::pair<std::string, std::string>>& labels_;
  std::optional<std::string> server_;
  std::optional<std::string> queue_;
  std::string job_;  ///< empty: any
};

}  // namespace

std::optional<std::string> given(const Query& query, const std::string& name) {
  const auto found = query.given.find(name);
  if (found == query.given.end()) return {};
  return found->second;
}

Parsed<std::int64_t> given_whole(const Query& query, const std::string& name, std::int64_t fallback,
                                 std::int64_t least, std::int64_t most) {
  const auto text = given(query, name);
  if (!text) return fallback;
  std::int64_t value = 0;
  const char* const end = text->data() + text->size();
  const auto read = std::from_chars(text->data(), end, value);
  if (read.ec != std::errc() || read.ptr != end || value < least || value > most)
    return bad_request(pointer_to({}, name),
                       fmt::format("a whole number of {} to {} is expected here", least, most));
  return value;
}

Answer list_of(const Reading& reading, const Query& query) {
  const State& state = reading.state;
  const auto limit = given_whole(query, "limit", kPage, 1, kMostOfPage);
  if (const auto* const problem = std::get_if<Problem>(&limit)) return reading.refuse(*problem);
  Cursor cursor;
  if (const auto text = given(query, "page")) {
    const auto read = cursor_of(*text);
    if (!read) return reading.refuse(bad_page());
    cursor = *read;
  }
  const auto labels_read = labels_asked(query);
  if (const auto* const problem = std::get_if<Problem>(&labels_read)) return reading.refuse(*problem);
  const auto& labels = std::get<0>(labels_read);
  const auto wanted = given(query, "state");
  const std::string part = given(query, "name").value_or("");
  const auto place = query.what == Ask::tasks ? task_place_of(cursor.after) : TaskPlace{};
  if (!place) return reading.refuse(bad_page());
  Page page(std::move(cursor), static_cast<std::size_t>(std::get<std::int64_t>(limit)));
  switch (query.what) {
    case Ask::servers:
      page_of(
          state.servers, part, page,
          [&](const std::string&, const Server& server) {
            return (!wanted || *wanted == state_of(server)) && has_labels(server.content.labels, labels);
          },
          [&](const std::string& name, const Server& server) { return reading.server(name, server); });
      break;
    case Ask::tenants:
      page_of(state.tenants, part, page, [&](const std::string& name, const Tenant& tenant) {
        return tenant_json(state, name, tenant);
      });
      break;
    case Ask::groups: {
      const std::set<std::string> own = reading.groups_above_own();
      page.add_looks(reading.sees_all() ? 0 : state.queues.size());
      page_of(state.groups, part, page, [&](const std::string& name, const Group& group) {
        return reading.group(name, group, own.contains(name));
      });
      break;
    }
    case Ask::queues:
      page_of(state.queues, part, page,
              [&](const std::string& name, const Queue& queue) { return reading.queue_view(name, queue); });
      break;
    case Ask::tokens:
      page_of(state.tokens, part, page,
              [&](const std::string& name, const Token& token) { return token_json(name, token); });
      break;
    case Ask::jobs:
      if (reading.queue(query.queue) == nullptr) return reading.refuse(not_found());
      list_jobs(reading, query, page, wanted, labels);
      break;
    default: {
      const auto job = job_asked(given(query, "queue").value_or(""), given(query, "job").value_or(""));
      if (const auto* const problem = std::get_if<Problem>(&job)) return reading.refuse(*problem);
      TaskList(reading, query, page, *place, std::get<std::string>(job), wanted, labels).fill();
    }
  }
  return std::move(page).answer(reading);
}

}  // namespace mirab::live
