#include "report/outcome_csv.hpp"

#include "report/csv.hpp"

namespace mirab::report {
namespace {

/// What every user is granted on all servers together. [n][r]
std::vector<std::vector<double>> bundles(const Problem& problem, const Allocation& allocation) {
  std::vector<std::vector<double>> result(problem.user_count(),
                                          std::vector<double>(problem.resource_count()));
  for (const Grant& grant : allocation.grants) {
    for (std::size_t r = 0; r < grant.resources.size(); ++r) result[grant.user][r] += grant.resources[r];
  }
  return result;
}

}  // namespace

std::string comparison_csv(const Comparison& comparison) {
  const Problem& problem = comparison.problem;
  std::vector<std::string> header{"outcome", "user", "tasks", "dominant_resource", "dominant_share"};
  header.insert(header.end(), problem.resources().begin(), problem.resources().end());
  std::string csv = csv_record(header);

  for (const Contender& contender : comparison.contenders) {
    const auto granted = bundles(problem, contender.allocation);
    for (std::size_t n = 0; n < problem.user_count(); ++n) {
      std::vector<std::string> record{
          contender.label, problem.users()[n].name, csv_number(contender.allocation.tasks[n]),
          problem.resources()[dominant_resource(problem, n)], csv_number(contender.dominant_shares[n])};
      for (const double held : granted[n]) record.push_back(csv_number(held));
      csv += csv_record(record);
    }
  }
  return csv;
}

}  // namespace mirab::report
