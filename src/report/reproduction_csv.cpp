#include "report/csv.hpp"
#include "report/reproduction.hpp"

namespace mirab::report {
namespace {

std::string truth(bool value) { return value ? "yes" : "no"; }

}  // namespace

std::string reproductions_csv(const Reproductions& reproductions) {
  std::string csv = csv_record({"id", "verdict", "data", "what", "printed", "ours", "low", "high", "holds",
                                "corrected", "note", "effort", "seed"});
  for (const Reproduced& each : reproductions.results) {
    const experiments::Reproduction& result = each.result;
    for (const experiments::Finding& finding : result.findings) {
      csv += csv_record({result.id, std::string(verdict_name(result.verdict)), result.data, finding.what,
                         finding.printed ? csv_number(*finding.printed) : "", csv_number(finding.ours),
                         finding.interval ? csv_number(finding.interval->first) : "",
                         finding.interval ? csv_number(finding.interval->second) : "", truth(finding.holds),
                         truth(finding.corrected), finding.note,
                         std::string(effort_name(reproductions.effort)), std::to_string(reproductions.seed)});
    }
  }
  return csv;
}

std::string experiments_csv(std::span<const experiments::Experiment> experiments) {
  std::string csv = csv_record({"id", "paper", "title", "data"});
  for (const experiments::Experiment& each : experiments)
    csv += csv_record(
        {std::string(each.id), std::string(each.paper), std::string(each.title), std::string(each.data)});
  return csv;
}

}  // namespace mirab::report
