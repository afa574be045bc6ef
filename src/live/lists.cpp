// Lists: in the order of their keys, filtered, a page at a time. The cursor of a page holds the last key and
// the revision of the first page.
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <functional>

#include "live/views.hpp"

namespace mirab::live {
namespace {

constexpr std::int64_t kMostOfPage = 1'000;
constexpr std::int64_t kPage = 100;

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
  bool is_full() const { return items_.size() == most_; }

  /// Takes an item, or notes that there is one more; false when that is enough.
  bool add(const std::string& key, const std::function<Json()>& item) {
    if (is_full()) {
      more_ = true;
      return false;
    }
    items_.push_back(item());
    last_ = key;
    return true;
  }

  Answer answer(const Reading& reading) && {
    const Revision present = reading.state.last.revision;
    Json body = {{"items", std::move(items_)}, {"revision", present}};
    const Revision first = from_.revision == 0 ? present : from_.revision;
    body["first_revision"] = first;
    if (more_) body["page"] = cursor_text(Cursor{.revision = first, .after = last_});
    return {.status = 200, .body = std::move(body), .revision = present};
  }

 private:
  Cursor from_;
  std::size_t most_;
  Json items_ = Json::array();
  std::string last_ = {};
  bool more_ = false;
};

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

/// Of things by name: those whose names hold `part`.
template <class Map, class Visit>
void page_of(const Map& map, const std::string& part, Page& page, Visit visit) {
  for (auto each = map.upper_bound(page.after()); each != map.end(); ++each) {
    if (page.after().empty() && each->first.empty()) continue;
    if (each->first.find(part) == std::string::npos) continue;
    if (!visit(each->first, each->second)) return;
  }
}

std::string state_of(const Server& server) {
  return !server.id ? "lost" : server.drained ? "drained" : "open";
}

void list_jobs(const Reading& reading, const Query& query, Page& page,
               const std::optional<std::string>& state,
               const std::vector<std::pair<std::string, std::string>>& labels) {
  const Queue& queue = *reading.queue(query.queue);
  page_of(queue.jobs, given(query, "name").value_or(""), page, [&](const std::string& name, const Job& job) {
    if (reading.state.job(query.queue, name) == nullptr) return true;  // its name is free again
    if (state && *state != word_of(job.state())) return true;
    if (!labels.empty() && !has_labels(content_of(reading.state, job).labels, labels)) return true;
    return page.add(name, [&] { return job_json(reading.state, job); });
  });
}

/// The tasks of the caller's queues, those that are over and still known too. All that is asked for must
/// hold.
void list_tasks(const Reading& reading, const Query& query, Page& page, const std::string& of_job,
                const std::optional<std::string>& wanted,
                const std::vector<std::pair<std::string, std::string>>& labels) {
  const State& state = reading.state;
  const auto key_text = [](TaskKey key) { return fmt::format("{:010}-{:020}", key.epoch, key.number); };
  const auto server = given(query, "server");
  const auto of_queue = given(query, "queue");
  const auto is_asked = [&](const Job& job) {
    return (!of_queue || *of_queue == job.queue) && (of_job.empty() || of_job == job.label()) &&
           (labels.empty() || has_labels(content_of(state, job).labels, labels));
  };
  std::map<std::string, State::TaskView> found;
  const auto take = [&](const State::TaskView& view) {
    if (server && *server != view.server) return;
    const std::string word = view.past != nullptr ? std::string(word_of(view.past->outcome))
                             : view.has_begun     ? "running"
                                                  : "placed";
    if (wanted && *wanted != word) return;
    std::string key = key_text(view.key);
    if (key <= page.after()) return;
    found.emplace(std::move(key), view);
    if (found.size() > static_cast<std::size_t>(kMostOfPage) + 1) found.erase(std::prev(found.end()));
  };
  for (const auto& [queue_name, queue] : state.queues) {
    if (!reading.owns(queue)) continue;
    for (const auto& [name, job] : queue.jobs) {
      if (!is_asked(job)) continue;
      if (job.id) state.engine.for_each_task(*job.id, [&](const auto& task) { take(state.view_of(task)); });
      for (const Past& past : job.past) take(state.view_of(job, past));
    }
  }
  for (const auto& each : found) {
    if (!page.add(each.first, [&] { return task_json(state, each.second); })) return;
  }
}

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
    if (!read) return reading.refuse(bad_request("/page", "this is no page of a list that was given here"));
    cursor = *read;
  }
  const auto labels_read = labels_asked(query);
  if (const auto* const problem = std::get_if<Problem>(&labels_read)) return reading.refuse(*problem);
  const auto& labels = std::get<0>(labels_read);
  const auto wanted = given(query, "state");
  const std::string part = given(query, "name").value_or("");
  Page page(std::move(cursor), static_cast<std::size_t>(std::get<std::int64_t>(limit)));
  switch (query.what) {
    case Ask::servers:
      page_of(state.servers, part, page, [&](const std::string& name, const Server& server) {
        if (wanted && *wanted != state_of(server)) return true;
        if (!has_labels(server.content.labels, labels)) return true;
        return page.add(name, [&] { return reading.server(name, server); });
      });
      break;
    case Ask::tenants:
      page_of(state.tenants, part, page, [&](const std::string& name, const Tenant& tenant) {
        return page.add(name, [&] { return tenant_json(state, name, tenant); });
      });
      break;
    case Ask::groups:
      page_of(state.groups, part, page, [&](const std::string& name, const Group& group) {
        const Json body = reading.group(name, group);
        return body.is_null() || page.add(name, [&] { return body; });
      });
      break;
    case Ask::queues:
      page_of(state.queues, part, page, [&](const std::string& name, const Queue& queue) {
        const Json body = reading.queue_view(name, queue);
        return body.is_null() || page.add(name, [&] { return body; });
      });
      break;
    case Ask::tokens:
      page_of(state.tokens, part, page, [&](const std::string& name, const Token& token) {
        return page.add(name, [&] { return token_json(name, token); });
      });
      break;
    case Ask::jobs:
      if (reading.queue(query.queue) == nullptr) return reading.refuse(not_found());
      list_jobs(reading, query, page, wanted, labels);
      break;
    default: {
      const auto job = job_asked(given(query, "queue").value_or(""), given(query, "job").value_or(""));
      if (const auto* const problem = std::get_if<Problem>(&job)) return reading.refuse(*problem);
      list_tasks(reading, query, page, std::get<std::string>(job), wanted, labels);
    }
  }
  return std::move(page).answer(reading);
}

}  // namespace mirab::live
