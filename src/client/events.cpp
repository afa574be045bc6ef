#include "client/events.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <thread>

namespace mirab::client {
namespace {

/// Is it a refusal that may pass: too many requests or watches, a service that starts or ends?
bool may_pass(int status) { return status == 429 || status >= 500; }

/// The revision after which the log can be read, as a problem `compacted` says.
std::uint64_t before_oldest(const Json& problem) {
  const auto oldest = problem.find("oldest");
  const bool is_there = oldest != problem.end() && oldest->is_number_unsigned() && *oldest > 0U;
  return is_there ? oldest->get<std::uint64_t>() - 1 : 0;
}

}  // namespace

void MessageReader::read_line(std::string_view line) {
  if (line.starts_with(':')) return;  // a comment: the sign of life
  const std::size_t colon = std::min(line.find(':'), line.size());
  const std::string_view field = line.substr(0, colon);
  std::string_view value = line.substr(std::min(colon + 1, line.size()));
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "event") message_.event = value;
  if (field == "id") std::from_chars(value.data(), value.data() + value.size(), message_.id);
  if (field == "data") message_.data += (message_.data.empty() ? "" : "\n") + std::string(value);
}

bool MessageReader::feed(std::string_view bytes, const std::function<bool(const Message&)>& visit) {
  for (;;) {
    const std::size_t end = bytes.find('\n');
    rest_ += bytes.substr(0, end);
    if (end == std::string_view::npos) return true;
    bytes.remove_prefix(end + 1);
    if (rest_.ends_with('\r')) rest_.pop_back();
    const std::string line = std::exchange(rest_, {});
    if (!line.empty()) {
      read_line(line);
      continue;
    }
    const Message message = std::exchange(message_, {});
    if (!message.data.empty() && !visit(message)) return false;
  }
}

Result<Answer> follow(Service& service, Following following) {
  std::chrono::milliseconds pause{100};
  const auto note = [&](const std::string& sentence) {
    if (following.note) following.note(sentence);
  };
  bool was_reached = following.is_known;
  bool is_lost = false;
  for (;;) {
    bool is_enough = false;
    MessageReader reader;
    const auto take = [&](std::string_view bytes) {
      if (is_lost) note(fmt::format("connected again; this goes on after revision {}", following.after));
      is_lost = false;
      was_reached = true;
      pause = std::chrono::milliseconds(100);
      is_enough = !reader.feed(bytes, [&](const Message& message) {
        following.after = std::max(following.after, message.id);
        if (message.event != "change") return true;
        const Json change = Json::parse(message.data, nullptr, false);
        return !change.is_object() || following.change(change);
      });
      return !is_enough;
    };
    Query query = following.filter;
    query.emplace_back("after", std::to_string(following.after));
    const Result<Answer> answer = service.stream(target_of({"events"}, query), following.silence, take);
    if (is_enough) return Answer{.status = 200};
    if (!answer && !was_reached) return answer;
    if (answer && answer->status == 410 && was_reached) {
      following.after = std::max(following.after, before_oldest(answer->body));
      if (following.gap && !following.gap(following.after)) return Answer{.status = 200};
      std::this_thread::sleep_for(pause);
      continue;
    }
    if (answer && answer->is_problem() && !may_pass(answer->status)) return answer;
    was_reached = true;
    if (!is_lost) {
      note(fmt::format("{}: what is shown is of revision {}; trying again",
                       !answer                ? answer.error().message
                       : answer->is_problem() ? error_of(*answer, {}).message
                                              : "the service ended the stream",
                       following.after));
    }
    is_lost = true;
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::milliseconds(5000));
  }
}

}  // namespace mirab::client
