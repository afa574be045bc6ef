// How much of a cluster the mechanisms of paper 001 (Ravi Kiran and Srinuvas) use: what `psdsf-bitbrains` and
// `psdsf-google` share.
//
// Use is what is used over what there is of all servers together. It is the measure that the mechanisms
// determine: DRFH and TSF say how many tasks each user gets, not on which of the servers where it may run, so
// a mean over servers of the part used of each depends on who picks among equally good placements.
#include "experiments/psdsf/mechanism_use.hpp"

#include <fmt/format.h>

#include <mirab/model/assert.hpp>

#include "experiments/means.hpp"
#include "simulation/interval.hpp"

namespace mirab::experiments {

std::vector<double> gains(const Use& use, std::size_t one, std::size_t other) {
  return differences(use[one], use[other]);
}

void hold_use(std::string_view resource, const Use& use, Reproduction& result) {
  constexpr std::array<std::array<std::size_t, 2>, 4> pairs = {
      {{kAlpha1, kAlpha3}, {kAlpha3, kPsDsf}, {kPsDsf, kDrfh}, {kPsDsf, kTsf}}};
  for (const auto& [one, other] : pairs) {
    result.findings.push_back(not_less(fmt::format("{}: use under {} not less than under {}, the difference",
                                                   resource, kContenders[one], kContenders[other]),
                                       gains(use, one, other)));
  }
}

std::string mean_text(const std::vector<double>& values) {
  const simulation::Interval mean = simulation::mean_interval(values);
  return fmt::format("{:.4f} ± {:.4f}", mean.mean, mean.high - mean.mean);
}

Table use_table(std::string title, const std::vector<std::string>& columns, const std::vector<Use>& use) {
  MIRAB_ASSERT(columns.size() == use.size(), "a column for each use");
  Table table{.title = std::move(title), .head = {"mechanism"}, .rows = {}};
  table.head.insert(table.head.end(), columns.begin(), columns.end());
  for (std::size_t m = 0; m < kContenders.size(); ++m) {
    std::vector<std::string> row = {std::string(kContenders[m])};
    for (const Use& of_column : use) row.push_back(mean_text(of_column[m]));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace mirab::experiments
