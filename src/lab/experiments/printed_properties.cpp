// Tables of who has which fairness property, measured: what `slides-properties` and `psdsf-table1` share.
#include <fmt/format.h>

#include <mirab/audit/audit.hpp>

#include "lab/experiments/findings.hpp"

namespace mirab::experiments {
namespace {

std::vector<Choice> choices(const std::vector<std::string_view>& mechanisms) {
  std::vector<Choice> chosen;
  for (const std::string_view name : mechanisms) chosen.push_back(*choose_mechanism(name));
  return chosen;
}

bool is_refuted(const PrintedProperty& row, std::size_t mechanism) {
  return !row.refuted.empty() && row.refuted[mechanism];
}

std::string words(const mirab::Verdict& verdict) {
  if (!verdict.holds) return (verdict.smallest ? verdict.smallest : verdict.witness)->words;
  return fmt::format("no counterexample in {} attempts", verdict.tried);
}

Finding finding(const PrintedProperty& row, std::size_t mechanism, std::string_view name,
                const mirab::Verdict& verdict) {
  const bool refuted = is_refuted(row, mechanism);
  const bool printed = row.holds[mechanism];
  return {.what = fmt::format("{}: {}", name, row.name),
          .printed = printed ? 1 : 0,
          .ours = verdict.holds ? 1.0 : 0.0,
          .holds = verdict.decided && verdict.holds == (printed != refuted),
          .note = refuted ? words(verdict) : "",
          .reading = Reading::yes_no,
          .corrected = refuted};
}

const char* sign(bool holds) { return holds ? "✓" : "✗"; }

}  // namespace

void check_properties(const PrintedProperties& printed, const SearchBudget& lookout,
                      const RunOptions& options, Reproduction& result) {
  AuditOptions audit{.budget = lookout.attempts,
                     .seed = options.seed,
                     .conditions = printed.conditions,
                     .threads = options.threads};
  for (const PrintedProperty& row : printed.rows) audit.properties.push_back(row.property);
  if (options.progress) {
    audit.progress = [&](std::uint64_t done, std::uint64_t of) {
      options.progress(of == 0 ? 1 : static_cast<double>(done) / static_cast<double>(of));
    };
  }
  const std::vector<MechanismAudit> found =
      audit_random(choices(printed.mechanisms), lookout.clusters, audit);

  Table table{.title = "Printed and found", .head = {"property"}, .rows = {}};
  for (const std::string_view name : printed.mechanisms) {
    table.head.push_back(fmt::format("{}: printed", name));
    table.head.emplace_back("found");
  }
  Table witnesses{.title = "Counterexamples that were found",
                  .head = {"mechanism", "property", "counterexample"},
                  .rows = {}};
  for (std::size_t p = 0; p < printed.rows.size(); ++p) {
    const PrintedProperty& row = printed.rows[p];
    std::vector<std::string> cells{std::string(row.name)};
    for (std::size_t m = 0; m < found.size(); ++m) {
      const mirab::Verdict& verdict = found[m].verdicts[p];
      result.findings.push_back(finding(row, m, printed.mechanisms[m], verdict));
      cells.emplace_back(sign(row.holds[m]));
      cells.emplace_back(sign(verdict.holds));
      if (!verdict.holds)
        witnesses.rows.push_back({std::string(printed.mechanisms[m]), std::string(row.name), words(verdict)});
    }
    table.rows.push_back(std::move(cells));
  }
  result.tables.push_back(std::move(table));
  result.tables.push_back(std::move(witnesses));
}

}  // namespace mirab::experiments
