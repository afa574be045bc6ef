// Lists: in the order of their keys, filtered, a page at a time. The cursor of a page holds the last key that
// was looked at and the revision of the first page. A page ends when enough was looked at or shown, whatever
// was found, so that none takes long.
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <set>

#include "live/views.hpp"

namespace mirab::live {
namespace {

constexpr std::int64_t kMostOfPage = 1'000;
constexpr std::int64_t kPage = 100;
constexpr std::size_t kMostRows = 10'000 * kRowsOfLook;     // of a page: so much is looked at
constexpr std::size_t kMostBytes = std::size_t{64} << 10U;  // of a page: so much is shown, about

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

  /// Looks at a thing that takes as long as this number of rows, and shows it where it is asked for; false
  /// when the page has ended before it.
  template <class Item>
  bool take(std::size_t rows, bool is_asked, Item item) {
    const bool is_full = items_.size() == most_ || bytes_ >= kMostBytes;
    if (rows_ >= kMostRows || (is_asked && is_full)) {
      more_ = true;
      return false;
    }
    rows_ += rows;
    if (!is_asked) return true;
    items_.push_back(item());
    bytes_ += bytes_of(items_.back());
    return true;
  }
  /// What was looked at besides, which depends on what is shown.
  void add_rows(std::size_t rows) { rows_ += rows; }
  /// What is looked at for the page as a whole: it ends no page.
  void add_looks(std::size_t looks) { other_looks_ += looks; }
  /// Where there is more, the next page begins behind this key.
  void goes_on_behind(std::string key) { last_ = std::move(key); }

  Answer answer(const Reading& reading) && {
    const Revision present = reading.state.last.revision;
    Json body = {{"items", std::move(items_)}, {"revision", present}};
    const Revision first = from_.revision == 0 ? present : from_.revision;
    body["first_revision"] = first;
    if (more_) body["page"] = cursor_text(Cursor{.revision = first, .after = last_});
    const std::size_t looks = (rows_ + kRowsOfLook - 1) / kRowsOfLook + other_looks_;
    return {.status = 200,
            .body = std::move(body),
            .revision = present,
            .looks = static_cast<std::int64_t>(looks)};
  }

 private:
  Cursor from_;
  std::size_t most_;
  Json items_ = Json::array();
  std::size_t bytes_ = 0;  ///< of the items
  std::size_t rows_ = 0;
  std::size_t other_looks_ = 0;
  std::string last_ = {};
  bool more_ = false;
};

Problem bad_page() { return bad_request("/page", "this is no page of a list that was given here"); }

using LabelsAsked = std::vector<std::pair<std::string, std::string>>;

/// `label=key=value`, each of which must hold; each once.
Parsed<LabelsAsked> labels_asked(const Query& query) {
  std::set<std::pair<std::string, std::string>> labels;
  const auto [first, last] = query.given.equal_range("label");
  for (auto each = first; each != last; ++each) {
    const std::size_t equals = each->second.find('=');
    if (equals == std::string::npos) return bad_request("/label", "a label is asked for as label=key=value");
    labels.emplace(each->second.substr(0, equals), each->second.substr(equals + 1));
    if (labels.size() > kMostLabels)
      return bad_request("/label", fmt::format("at most {} labels are asked for at once, as many as a thing "
                                               "may have",
                                               kMostLabels));
  }
  return LabelsAsked(labels.begin(), labels.end());
}

/// How many rows a look at a thing counts as, whose labels are compared with these.
std::size_t rows_of_look(const LabelsAsked& labels) {
  return kRowsOfLook * std::max<std::size_t>(1, labels.size());
}

bool has_labels(const Labels& labels, const LabelsAsked& asked) {
  return std::all_of(asked.begin(), asked.end(), [&](const auto& each) {
    const auto found = labels.find(each.first);
    return found != labels.end() && found->second == each.second;
  });
}

/// Of things by name, a look at which counts as this number of rows: `shows` says whether one is asked for,
/// `item` what is shown of it.
template <class Map, class Shows, class Item>
void page_of(const Map& map, const std::string& part, Page& page, std::size_t rows, Shows shows, Item item) {
  for (auto each = map.upper_bound(page.after()); each != map.end(); ++each) {
    const std::string& name = each->first;
    const bool is_asked = name.find(part) != std::string::npos && shows(name, each->second);
    if (!page.take(rows, is_asked, [&] { return item(name, each->second); })) return;
    page.goes_on_behind(name);
  }
}

/// The same of things of which the caller sees a part: null where none.
template <class Map, class View>
void page_of(const Map& map, const std::string& part, Page& page, View view) {
  Json seen;
  page_of(
      map, part, page, kRowsOfLook,
      [&](const auto& name, const auto& thing) {
        seen = view(name, thing);
        return !seen.is_null();
      },
      [&](const auto&, const auto&) { return std::move(seen); });
}

std::string state_of(const Server& server) {
  return !server.id ? "lost" : server.drained ? "drained" : "open";
}

void list_servers(const Reading& reading, Page& page, const std::string& part,
                  const std::optional<std::string>& state, const LabelsAsked& labels) {
  page_of(
      reading.state.servers, part, page, rows_of_look(labels),
      [&](const std::string&, const Server& server) {
        return (!state || *state == state_of(server)) && has_labels(server.content.labels, labels);
      },
      [&](const std::string& name, const Server& server) {
        Json seen = reading.server(name, server);
        page.add_rows(seen.value("tasks", std::size_t{0}));  // which were counted
        return seen;
      });
}

void list_jobs(const Reading& reading, const Queue& queue, Page& page, const std::string& part,
               const std::optional<std::string>& state, const LabelsAsked& labels) {
  page_of(
      queue.jobs, part, page, rows_of_look(labels),
      [&](const std::string&, const Job& job) {
        return !reading.state.is_forgotten(job) && (!state || *state == word_of(job.state())) &&
               has_labels(job.labels, labels);
      },
      [&](const std::string&, const Job& job) { return job_json(reading.state, job); });
}

/// Where a page of tasks goes on: in the order of queues and jobs. Of a job those that run come first, the
/// newest of them first, and then those that are over, in the order in which they ended: both as they are
/// kept, so that a page begins where the last one ended and passes over no task before it.
struct TaskPlace {
  std::string queue = {};
  std::string job = {};
  std::optional<TaskKey> task = {};  ///< behind this one; none: behind all tasks of the job
  bool is_over = false;

  std::string text() const {
    return fmt::format("{}/{}/{}{}", queue, job, is_over ? "over:" : "", task ? text_of(*task) : "");
  }
};

std::optional<TaskPlace> task_place_of(const std::string& text) {
  if (text.empty()) return TaskPlace{};
  const std::size_t first = text.find('/');
  const std::size_t last = text.rfind('/');
  if (first == last) return {};
  TaskPlace place{.queue = text.substr(0, first), .job = text.substr(first + 1, last - first - 1)};
  std::string_view task = std::string_view(text).substr(last + 1);
  if (task.empty()) return place;
  constexpr std::string_view kOver = "over:";
  place.is_over = task.starts_with(kOver);
  if (place.is_over) task.remove_prefix(kOver.size());
  place.task = task_key_of(task);
  return place.task ? std::optional(place) : std::nullopt;
}

/// The tasks of the caller's queues, those that are over and still known too. All that is asked for must
/// hold.
class TaskList {
 public:
  TaskList(const Reading& reading, const Query& query, Page& page, TaskPlace from, std::string job,
           std::optional<std::string> wanted, const LabelsAsked& labels)
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
    if (server_) found_ = state_.server(*server_);
  }

  void fill() {
    auto queue = state_.queues.lower_bound(queue_ ? std::max(*queue_, from_.queue) : from_.queue);
    for (; queue != state_.queues.end() && (!queue_ || queue->first == *queue_); ++queue) {
      if (!reading_.owns(queue->second)) {
        if (!take(kRowsOfLook, TaskPlace{.queue = queue->first})) return;
      } else if (!fill_from(queue->second)) {
        return;
      }
    }
  }

 private:
  static Json nothing() { return {}; }

  /// Looks at something of which nothing is shown; false when the page has ended before it.
  bool take(std::size_t rows, const TaskPlace& place) {
    if (!page_.take(rows, false, nothing)) return false;
    page_.goes_on_behind(place.text());
    return true;
  }

  /// False when the page has ended.
  bool fill_from(const Queue& queue) {
    const std::map<std::string, Job>& jobs = queue.jobs;
    auto job = jobs.begin();
    if (!jobs.empty() && job->second.queue == from_.queue) job = jobs.lower_bound(from_.job);
    for (; job != jobs.end(); ++job) {
      const bool is_first = job->second.queue == from_.queue && job->second.name == from_.job;
      if (is_first && !from_.task) continue;
      const TaskPlace behind{.queue = job->second.queue, .job = job->first};
      if (!page_.take(rows_of_look(labels_), false, nothing)) return false;
      const bool is_asked =
          (job_.empty() || job_ == job->second.label()) && has_labels(job->second.labels, labels_);
      if (is_asked && !fill_from(job->second, is_first)) return false;
      page_.goes_on_behind(behind.text());
    }
    return true;
  }

  bool fill_from(const Job& job, bool is_first) {
    TaskPlace passed{.queue = job.queue, .job = job.name};
    if (is_first) passed = from_;
    bool goes_on = true;
    std::size_t passed_over = 0;
    if (job.id && !passed.is_over) {
      const std::optional<TaskKey> behind = passed.task;
      const auto look = [&](const Engine::TaskState& task) {
        const TaskKey key = state_.key_of(task.task);
        if (behind && key >= *behind) {  // that one is over by now: it is looked for from the newest
          ++passed_over;
          return true;
        }
        goes_on =
            page_.take(1, is_wanted(job, task, key), [&] { return task_json(state_, state_.view_of(task)); });
        if (goes_on) passed.task = key;
        return goes_on;
      };
      state_.engine.for_each_task(*job.id, behind ? state_.id_of(*behind) : std::nullopt, look);
    }
    page_.add_looks(passed_over / kRowsOfLook);
    auto past = passed.is_over ? state_.past_behind(job, *passed.task) : job.past.begin();
    for (; goes_on && past != job.past.end(); ++past) {
      goes_on =
          page_.take(1, is_wanted(*past), [&] { return task_json(state_, state_.view_of(job, *past)); });
      if (!goes_on) break;
      passed.task = past->task;
      passed.is_over = true;
    }
    if (!goes_on && passed.task) page_.goes_on_behind(passed.text());
    return goes_on;
  }

  bool is_wanted(const Job& job, const Engine::TaskState& task, TaskKey key) const {
    if (server_ && (found_ == nullptr || found_->id != task.server)) return false;
    return !wanted_ || *wanted_ == (job.begun.contains(key) ? "running" : "placed");
  }
  bool is_wanted(const Past& past) const {
    return (!server_ || *server_ == past.server) && (!wanted_ || *wanted_ == word_of(past.outcome));
  }

  const Reading& reading_;
  const State& state_;
  Page& page_;
  TaskPlace from_;
  std::optional<std::string> wanted_;
  const LabelsAsked& labels_;
  std::optional<std::string> server_;
  const Server* found_ = nullptr;  ///< the server that is asked for; null: there is none of the name
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
      list_servers(reading, page, part, wanted, labels);
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
      list_jobs(reading, *reading.queue(query.queue), page, part, wanted, labels);
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
