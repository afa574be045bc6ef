#include <nlohmann/json.hpp>

#include "model/names.hpp"
#include "report/comparison.hpp"
#include "report/difference.hpp"

namespace mirab::report {
namespace {

using Json = nlohmann::ordered_json;

Json share_json(const UserShare& share) {
  return {{"tasks", share.tasks}, {"dominant_share", share.dominant_share}};
}

Json side_json(const DiffSide& side, const UserShare& lowest, double tasks) {
  const Outcome& outcome = side.outcome;
  return {{"cluster", side.title},
          {"mechanism", outcome.mechanism},
          {"status", status_name(outcome.status)},
          {"certificate", {{"kind", outcome.certificate.kind}, {"value", outcome.certificate.value}}},
          {"seconds", outcome.seconds},
          {"users", side.problem.user_count()},
          {"servers", total_servers(side.problem)},
          {"tasks", tasks},
          {"lowest", share_json(lowest)},
          {"notices", outcome.notices}};
}

Json users_json(const std::vector<UserChange>& changes) {
  Json users = Json::array();
  for (const UserChange& change : changes) {
    users.push_back({{"name", change.user},
                     {"before", share_json(*change.before)},
                     {"after", share_json(*change.after)},
                     {"change", change.change},
                     {"same_task", change.same_task}});
  }
  return users;
}

Json one_sided_json(const std::vector<UserChange>& changes) {
  Json users = Json::array();
  for (const UserChange& change : changes) {
    Json user = share_json(change.before ? *change.before : *change.after);
    user["name"] = change.user;
    users.push_back(std::move(user));
  }
  return users;
}

}  // namespace

Json difference_json(const Diff& diff) {
  const Difference& difference = diff.difference;
  const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(); };
  Json resources = Json::object();
  for (const UseChange& use : difference.resources) {
    resources[use.resource] = {{"before", number(use.before)}, {"after", number(use.after)}};
  }
  return {{"version", 1},
          {"before", side_json(diff.before, difference.lowest_before, difference.tasks_before)},
          {"after", side_json(diff.after, difference.lowest_after, difference.tasks_after)},
          {"gainers", difference.gainers},
          {"losers", difference.losers},
          {"users", users_json(difference.users)},
          {"only_before", one_sided_json(difference.gone)},
          {"only_after", one_sided_json(difference.come)},
          {"utilization", std::move(resources)}};
}

}  // namespace mirab::report
