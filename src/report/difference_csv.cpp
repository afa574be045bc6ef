#include "report/csv.hpp"
#include "report/difference.hpp"

namespace mirab::report {
namespace {

void add_share(std::vector<std::string>& record, const std::optional<UserShare>& share) {
  record.push_back(share ? csv_number(share->tasks) : "");
  record.push_back(share ? csv_number(share->dominant_share) : "");
}

}  // namespace

std::string difference_csv(const Diff& diff) {
  std::string csv = csv_record(
      {"user", "tasks_before", "dominant_share_before", "tasks_after", "dominant_share_after", "change"});
  const Difference& difference = diff.difference;
  for (const auto* users : {&difference.users, &difference.gone, &difference.come}) {
    for (const UserChange& user : *users) {
      std::vector<std::string> record{user.user};
      add_share(record, user.before);
      add_share(record, user.after);
      record.push_back(user.before && user.after ? csv_number(user.change) : "");
      csv += csv_record(record);
    }
  }
  return csv;
}

}  // namespace mirab::report
