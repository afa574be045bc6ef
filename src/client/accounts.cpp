#include "client/accounts.hpp"

#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <vector>

#include "client/words.hpp"
#include "model/wall.hpp"
#include "report/text/format.hpp"
#include "report/text/table.hpp"

namespace mirab::client {
namespace {

const Json& list_at(const Json& json, const std::string& key) {
  static const Json kEmpty = Json::array();
  const Json& found = at(json, key);
  return found.is_array() ? found : kEmpty;
}

/// `2027-03-01T08:00:00Z` of seconds since 1970.
std::string moment(const Json& second) {
  constexpr std::int64_t kYear10000 = 253'402'300'800;
  if (!second.is_number_integer() || second < 0 || second >= kYear10000) return report::kNone;
  return text_of(Wall(std::chrono::seconds(second.get<std::int64_t>()))).substr(0, 19) + "Z";
}

/// The rows of a usage: whose, and the hours of each resource, written by `number`, or `none`.
std::vector<std::vector<std::string>> usage_rows(const Json& usage, std::string (*number)(double),
                                                 const std::string& none) {
  std::vector<std::vector<std::string>> rows;
  for (const Json& item : list_at(usage, "items")) {
    rows.push_back({word(at(item, text_at(usage, "by")))});
    for (const Json& resource : list_at(usage, "resources")) {
      const Json& hours = at(at(item, "hours"), word(resource));
      rows.back().push_back(hours.is_number() ? number(hours.get<double>()) : none);
    }
  }
  return rows;
}

std::vector<std::string> usage_head(const Json& usage) {
  std::vector<std::string> head = {word(at(usage, "by"))};
  for (const Json& resource : list_at(usage, "resources")) head.push_back(word(resource));
  return head;
}

/// Each step with its value, null where there is none.
template <class Visit>
void for_each_step(const Json& history, Visit visit) {
  const Json& times = list_at(history, "t");
  const Json& values = list_at(history, "v");
  for (std::size_t i = 0; i < times.size() && i < values.size(); ++i) visit(times[i], values[i]);
}

}  // namespace

std::string usage_table(const Json& usage, std::size_t width) {
  std::vector<std::vector<std::string>> rows = usage_rows(usage, service_amount_text, report::kNone);
  const std::string span = fmt::format("from {} until {}", word(at(usage, "from")), word(at(usage, "until")));
  if (rows.empty()) return "nothing was used " + span + "\n";
  for (std::vector<std::string>& row : rows) {
    if (row[0].empty()) row[0] = "(no group)";
  }
  return report::grid(usage_head(usage), rows, width) + fmt::format("\namount times hours, {}\n", span);
}

std::string usage_csv(const Json& usage) {
  std::string text = report::csv_record(usage_head(usage));
  for (const auto& row : usage_rows(usage, report::csv_number, {})) text += report::csv_record(row);
  return text;
}

Json in_units(Json history, const Json& cluster) {
  for (const Json& resource : list_at(cluster, "resources")) {
    const Json& exponent = at(resource, "base_exponent");
    if (at(resource, "name") != at(history, "resource") || !exponent.is_number_integer()) continue;
    for (Json& value : history["v"]) {
      if (value.is_number()) value = value.get<double>() * std::pow(10.0, exponent.get<int>());
    }
  }
  return history;
}

std::string history_table(const Json& history, std::size_t width) {
  const std::string series = word(at(history, "series"));
  std::vector<std::vector<std::string>> rows;
  for_each_step(history, [&](const Json& time, const Json& value) {
    rows.push_back({moment(time), series == "share"   ? share(value)
                                  : value.is_number() ? service_amount_text(value.get<double>())
                                                      : report::kNone});
  });
  if (rows.empty()) return "there is no step in this time\n";
  return report::grid({"time", series}, rows, width) +
         fmt::format("\nmeans of {} s each; {}: not known\n", word(at(history, "step")), report::kNone);
}

std::string history_csv(const Json& history) {
  std::string text = report::csv_record({"time", word(at(history, "series"))});
  for_each_step(history, [&](const Json& time, const Json& value) {
    text +=
        report::csv_record({moment(time), value.is_number() ? report::csv_number(value.get<double>()) : ""});
  });
  return text;
}

}  // namespace mirab::client
