#include "report/outcome_csv.hpp"

#include "report/csv.hpp"

namespace mirab::report {

std::string comparison_csv(const Comparison& comparison) {
  const Problem& problem = comparison.problem;
  std::vector<std::string> header{"outcome", "user", "tasks", "dominant_resource", "dominant_share"};
  header.insert(header.end(), problem.resources().begin(), problem.resources().end());
  std::string csv = csv_record(header);

  const std::vector<std::size_t> dominant = dominant_resources(problem);
  for (const Contender& contender : comparison.contenders) {
    const auto granted = bundles(problem, contender.allocation);
    for (std::size_t n = 0; n < problem.user_count(); ++n) {
      std::vector<std::string> record{
          contender.label, problem.users()[n].name, csv_number(contender.allocation.tasks[n]),
          problem.resources()[dominant[n]], csv_number(contender.dominant_shares[n])};
      for (const double held : granted[n]) record.push_back(csv_number(held));
      csv += csv_record(record);
    }
  }
  return csv;
}

}  // namespace mirab::report
