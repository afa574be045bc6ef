// Explanations: the verdict first, then the one step that would help, then what they are drawn from.
#include <algorithm>
#include <fmt/format.h>

#include "client/tables.hpp"
#include "client/words.hpp"
#include "report/text/format.hpp"
#include "report/text/table.hpp"
#include "report/text/width.hpp"

namespace mirab::client {
namespace {

/// An explanation, read leniently: what is missing or of another type is not shown.
class Evidence {
 public:
  explicit Evidence(const Json& json) : json_(&json) {}

  Evidence at(const char* key) const {
    static const Json kNull;
    if (!json_->is_object()) return Evidence(kNull);
    const auto found = json_->find(key);
    return Evidence(found == json_->end() ? kNull : *found);
  }
  bool is_there() const { return !json_->is_null(); }
  std::string text() const {
    if (json_->is_number_float()) return fmt::format("{:.6g}", json_->get<double>());
    return json_->is_string() ? json_->get<std::string>() : json_->is_null() ? "" : json_->dump();
  }
  std::int64_t count() const { return json_->is_number_integer() ? json_->get<std::int64_t>() : 0; }
  /// Servers by resource: `gpu on 20, cpu on 4`.
  std::string counts() const {
    std::string text;
    if (!json_->is_object()) return text;
    for (const auto& [resource, servers] : json_->items())
      text += fmt::format("{}{} on {}", text.empty() ? "" : ", ", resource, word(servers));
    return text;
  }
  std::string needed() const { return client::amounts(*json_, Rounding::up); }
  std::string free() const { return client::amounts(*json_, Rounding::down); }
  const Json& json() const { return *json_; }

 private:
  const Json* json_;
};

class Lines {
 public:
  void add(const std::string& what, const std::string& value) {
    if (!value.empty()) table_.rows.push_back({{.text = what}, {.text = value}});
  }
  std::string text() const { return report::render(table_); }

 private:
  report::Table table_{.columns = {{}, {}}, .rows = {}};
};

/// ` (launcher 1 of 1, worker 2 of 4)`: how many tasks of each role find room.
std::string roles_of(const Json& roles) {
  std::string text;
  if (!roles.is_array()) return text;
  for (const Json& role : roles)
    text += fmt::format("{}{} {} of {}", text.empty() ? "" : ", ", Evidence(role).at("role").text(),
                        Evidence(role).at("room").count(), Evidence(role).at("together").count());
  return text.empty() ? text : " (" + text + ")";
}

std::string tasks_of(std::int64_t count) {
  return report::counted(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)), "task");
}

/// `14: 5 full, 9 too small`.
std::string servers_of(const Evidence& servers) {
  if (!servers.is_there()) return {};
  std::string parts;
  for (const auto& [key, what] : {std::pair{"with_room", "with room"},
                                  {"full", "full"},
                                  {"too_small", "too small"},
                                  {"not_allowed", "excluded by its wishes"},
                                  {"drained", "drained"},
                                  {"silent", "silent"},
                                  {"kept", "kept for others"},
                                  {"pack", "excluded by pack"},
                                  {"per_server", "at its limit per server"},
                                  {"spread", "excluded by spread"}}) {
    if (const std::int64_t count = servers.at(key).count(); count > 0)
      parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", count, what);
  }
  return fmt::format("{}{}{}", servers.at("total").count(), parts.empty() ? "" : ": ", parts);
}

std::string ahead_of(const Evidence& ahead) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (const auto queues = ahead.at("queues").count(); queues > 0)
    add(report::counted(static_cast<std::size_t>(queues), "queue"));
  if (const auto tied = ahead.at("tied").count(); tied > 0)
    add(fmt::format("{} with the same key", report::counted(static_cast<std::size_t>(tied), "queue")));
  if (const auto own = ahead.at("own").count(); own > 0)
    add(fmt::format("at least {} of the same queue", report::counted(static_cast<std::size_t>(own), "job")));
  if (ahead.at("next").is_there()) add("next is " + ahead.at("next").text());
  return text;
}

/// `alice 83.3% (20 gpu), bob 16.7%`: who holds most of what the full servers lack.
std::string holders_of(const Json& holders) {
  std::string text;
  if (!holders.is_array()) return text;
  for (const Json& each : holders) {
    const Evidence holder(each);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", holder.at("queue").text(),
                        share(holder.at("share").json()));
    if (holder.at("holds").is_there()) text += " (" + holder.at("holds").text() + ")";
  }
  return text;
}

/// `2 tasks, the latest t-3 on n1: exit code 1, out of memory`.
std::string failures_of(const Evidence& failures) {
  if (!failures.is_there()) return {};
  const Evidence latest = failures.at("latest");
  std::string how;
  if (latest.at("exit_code").is_there()) how = "exit code " + latest.at("exit_code").text();
  if (latest.at("reason").is_there()) how += (how.empty() ? "" : ", ") + latest.at("reason").text();
  return fmt::format("{}, the latest {} on {}{}{}", tasks_of(failures.at("tasks").count()),
                     latest.at("task").text(), latest.at("server").text(), how.empty() ? "" : ": ", how);
}

/// `2 tasks: t-5 ended on n1 for a task of ml/a, by a guarantee of the other`.
std::string preempted_of(const Evidence& preempted) {
  if (!preempted.is_there()) return {};
  const Evidence latest = preempted.at("latest");
  const std::string says =
      preempted.at("says").is_there()
          ? preempted.at("says").text()
          : fmt::format("the latest {} on {}", latest.at("task").text(), latest.at("server").text());
  return fmt::format("{}, at {}: {}", tasks_of(preempted.at("tasks").count()), latest.at("ended").text(),
                     says);
}

/// How a key is compared. `last`: a node of weight 0 on the path, which comes after its siblings.
std::string order_by(const Evidence& last) {
  if (!last.is_there()) return "; the lower comes first";
  return fmt::format("; but {} has weight 0 and comes last beyond its guarantee", last.text());
}

std::string over_budget_of(const Evidence& over) {
  const std::string tasks = tasks_of(over.at("tasks").count());
  if (!over.at("free_at").is_there()) return tasks + " would end, more than its budget";
  const Evidence left = over.at("left");
  return fmt::format("{} would end; the budget {}allows that at {}", tasks,
                     left.is_there() ? fmt::format("has {} left, and ", left.count()) : "",
                     over.at("free_at").text());
}

/// A sentence of an explanation, each of its lines without control characters.
std::string sentences(const std::string& text) {
  std::string lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines += report::printable(std::string_view(text).substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return lines;
}

}  // namespace

std::string why_text(const Json& explanation) {
  const Evidence why(explanation);
  std::string text = sentences(fmt::format("{}: {}", why.at("verdict").text(), why.at("says").text()));
  if (why.at("next_step").is_there()) text += sentences("next step: " + why.at("next_step").text());
  Lines lines;
  lines.add("job", fmt::format("{}: {} run, {} wait", why.at("job").text(), why.at("running").count(),
                               why.at("waiting").count()));
  lines.add("failed", failures_of(why.at("failures")));
  lines.add("preempted", preempted_of(why.at("preempted")));
  lines.add("condition", why.at("condition").at("message").text());
  lines.add("servers", servers_of(why.at("servers")));
  lines.add("full servers lack", why.at("servers").at("lacking").counts());
  lines.add("too small in", why.at("servers").at("too_small_in").counts());
  if (const Evidence miss = why.at("nearest_miss"); miss.is_there())
    lines.add("nearest",
              fmt::format("{}, with {} more", miss.at("server").text(), miss.at("to_free").needed()));
  lines.add("held by", holders_of(why.at("holders").json()));
  lines.add("ahead", ahead_of(why.at("ahead")));
  lines.add("wishes", why.at("wishes").text());
  if (why.at("constraints").json().is_array()) {
    for (const Json& each : why.at("constraints").json()) {
      const Evidence constraint(each);
      lines.add("wish " + constraint.at("wish").text(),
                fmt::format("excludes {}, {} of them alone", constraint.at("excludes").count(),
                            constraint.at("alone").count()));
    }
  }
  if (const Evidence gang = why.at("gang"); gang.is_there())
    lines.add("gang", fmt::format("{} together, room for {}{}", tasks_of(gang.at("together").count()),
                                  gang.at("room").count(), roles_of(gang.at("roles").json())));
  if (const Evidence kept = why.at("kept_for_it"); kept.is_there())
    lines.add("kept for it", fmt::format("{} since {}, which lacks {}", kept.at("server").text(),
                                         kept.at("since").text(), kept.at("missing").needed()));
  if (const Evidence key = why.at("key"); key.is_there())
    lines.add("key of its queue", key.text() + order_by(why.at("last")));
  if (const Evidence over = why.at("over_budget"); over.is_there())
    lines.add("preemption", over_budget_of(over));
  lines.add("next with weight", why.at("with_weight").text());
  lines.add("covered by", why.at("covered_by").is_there() ? why.at("covered_by").json().dump() : "");
  return text + "\n" + lines.text();
}

std::string why_not_on_text(const Json& explanation) {
  const Evidence why(explanation);
  std::string text = sentences(fmt::format("{}: {}", why.at("reason").text(), why.at("says").text()));
  Lines lines;
  lines.add("job", why.at("job").text());
  lines.add("server", why.at("server").text());
  lines.add("label", why.at("label").text());
  lines.add("wishes", why.at("wishes").text());
  lines.add("missing", why.at("missing").needed());
  return text + "\n" + lines.text();
}

std::string why_placed_text(const Json& explanation) {
  const Evidence why(explanation);
  std::string text = sentences(why.at("says").text());
  Lines lines;
  lines.add("task", fmt::format("{} of {}", why.at("task").text(), why.at("job").text()));
  lines.add("server", why.at("server").text());
  lines.add("queues", fmt::format("{} waited, {} had a task that fits", why.at("queues_waiting").count(),
                                  why.at("queues_fitting").count()));
  lines.add("servers with room", why.at("servers_with_room").text());
  if (const Evidence next = why.at("runner_up"); next.is_there())
    lines.add("next would have been", next.at("queue").text());
  lines.add("free before", why.at("free_before").free());
  lines.add("free after", why.at("free_after").free());
  return text + "\n" + lines.text();
}

}  // namespace mirab::client
