// What is printed of the mechanisms beside what was found.
#include <algorithm>
#include <fmt/format.h>

#include "report/audit.hpp"
#include "report/figures.hpp"
#include "report/registry.hpp"
#include "report/table.hpp"
#include "report/text_width.hpp"

namespace mirab::report {
namespace {

// Does what was found contradict what is printed?
bool differs(const ClaimAudit& audit) {
  return audit.claim.holds && !audit.claim.refuted && !audit.verdict.holds;
}

std::string found_words(const ClaimAudit& audit) {
  if (!audit.verdict.holds) return differs(audit) ? "FAILS" : "fails";
  if (!audit.verdict.decided) return "not decided";
  return fmt::format("no counterexample in {}", audit.verdict.tried);
}

std::string printed_words(const Claim& claim) {
  if (claim.refuted) return "holds, but refuted";
  return claim.holds ? "holds" + conditions_words(claim.conditions) : "fails";
}

}  // namespace

std::string claims_table(const AuditedClaims& audited, std::size_t width) {
  const std::size_t page = std::min(width, kPageWidth);
  Table table{.columns = {{}, {}, {}, {}}, .rows = {{{"mechanism"}, {"property"}, {"printed"}, {"found"}}}};
  table.add_rule();
  for (const ClaimAudit& each : audited.claims) {
    table.rows.push_back({{each.mechanism},
                          {std::string(property_name(each.claim.property))},
                          {printed_words(each.claim)},
                          {found_words(each)}});
  }
  std::string witnesses;
  for (const ClaimAudit& each : audited.claims) {
    if (each.verdict.holds) continue;
    const Witness& witness = shown_witness(each.verdict);
    witnesses += fmt::format("\n{}: {}\n", each.mechanism, property_name(each.claim.property));
    witnesses += indented(printable(witness.words), 2, page);
    witnesses += indented("on " + printable(cluster_words(witness.problem)), 2, page);
  }
  const auto against = std::count_if(audited.claims.begin(), audited.claims.end(), differs);
  return fmt::format("{}, each tried on {}: {}\n\n", counted(audited.claims.size(), "claim"),
                     counted(audited.clusters, "random cluster"),
                     against == 0 ? "none fails but those known to be refuted"
                                  : fmt::format("{} fail that were not known to", against)) +
         render(table) + witnesses;
}

}  // namespace mirab::report
