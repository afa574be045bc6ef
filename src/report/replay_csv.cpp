#include "report/csv.hpp"
#include "report/simulation.hpp"

namespace mirab::report {
namespace {

void add(std::vector<std::string>& record, const simulation::Quantiles& q) {
  for (const double value : {q.mean, q.p10, q.p50, q.p90, q.p99, q.most}) record.push_back(csv_number(value));
}

}  // namespace

std::string simulation_csv(const ReplayRun& run) {
  std::vector<std::string> header = {"discipline", "placement", "user",  "submitted",
                                     "started",    "finished",  "share", "starved"};
  for (const std::string what : {"waiting", "slowdown"}) {
    for (const std::string part : {"mean", "p10", "p50", "p90", "p99", "max"}) {
      header.push_back(what + "_" + part);
    }
  }
  std::string csv = csv_record(header);
  for (const simulation::ReplayOutcome& outcome : run.outcomes) {
    for (const simulation::ReplayUser& user : outcome.users) {
      std::vector<std::string> record = {outcome.discipline,
                                         outcome.placement,
                                         user.name,
                                         std::to_string(user.submitted),
                                         std::to_string(user.started),
                                         std::to_string(user.finished),
                                         csv_number(user.share),
                                         user.starved ? "true" : "false"};
      add(record, user.waiting);
      add(record, user.slowdown);
      csv += csv_record(record);
    }
  }
  return csv;
}

}  // namespace mirab::report
