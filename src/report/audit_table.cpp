// Properties by mechanisms, in as many tables side by side below each other as the width asks for; then the
// witnesses in words.
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "report/audit.hpp"
#include "report/comparison.hpp"
#include "report/figures.hpp"
#include "report/table.hpp"
#include "report/text_width.hpp"

namespace mirab::report {
namespace {

constexpr std::size_t kPropertyWidth = 24;  // of the longest name
constexpr std::size_t kGap = 2;
const std::string kIndent = "  ";

// Of a verdict that says neither yes nor no; none for the others.
const char* sign_without_answer(const Verdict& verdict) {
  if (!verdict.decided) return "?";
  return verdict.vacuous ? "–" : nullptr;
}

std::string cell(const Verdict& verdict) {
  if (!verdict.holds) return "✗";
  if (const char* sign = sign_without_answer(verdict)) return sign;
  return verdict.scope == VerdictScope::instance ? "✓" : fmt::format("✓ {}", verdict.tried);
}

std::string cell(const MechanismAudit& audit, std::size_t property) {
  return audit.refused ? "n/a" : cell(audit.verdicts[property]);
}

std::size_t column_width(const MechanismAudit& audit) {
  std::size_t width = display_width(audit.mechanism);
  for (const Verdict& verdict : audit.verdicts) width = std::max(width, display_width(cell(verdict)));
  return width;
}

std::string block(const Audited& audited, std::size_t first, std::size_t last) {
  Table table{.columns = {{.min_width = kPropertyWidth}}, .rows = {{{"property"}}}};
  for (std::size_t m = first; m < last; ++m) {
    table.columns.push_back({.align = Align::left, .gap = kGap});
    table.rows[0].push_back({audited.mechanisms[m].mechanism});
  }
  table.add_rule();
  for (std::size_t p = 0; p < audited.properties.size(); ++p) {
    std::vector<Cell> row{{std::string(property_name(audited.properties[p]))}};
    for (std::size_t m = first; m < last; ++m) row.push_back({cell(audited.mechanisms[m], p)});
    table.rows.push_back(std::move(row));
  }
  return render(table) + "\n";
}

std::string matrix(const Audited& audited, std::size_t width) {
  std::string text;
  std::size_t first = 0;
  while (first < audited.mechanisms.size()) {
    std::size_t last = first + 1;
    std::size_t used = kPropertyWidth + kGap + column_width(audited.mechanisms[first]);
    while (last < audited.mechanisms.size()) {
      used += kGap + column_width(audited.mechanisms[last]);
      if (used > width) break;
      ++last;
    }
    text += block(audited, first, last);
    first = last;
  }
  return text;
}

bool any_verdict(const Audited& audited, auto wanted) {
  return std::any_of(audited.mechanisms.begin(), audited.mechanisms.end(), [&](const MechanismAudit& audit) {
    return std::any_of(audit.verdicts.begin(), audit.verdicts.end(), wanted);
  });
}

std::string legend(const Audited& audited, std::size_t width) {
  std::string text = "✓ holds here; ✗ fails, see below";
  if (any_verdict(audited, [](const Verdict& v) { return v.holds && v.scope == VerdictScope::searched; }))
    text += "; ✓ N: searched, no counterexample in N attempts, which is no proof";
  if (any_verdict(audited, [](const Verdict& v) { return v.vacuous; })) text += "; – asks for nothing here";
  if (any_verdict(audited, [](const Verdict& v) { return !v.decided; })) text += "; ? not decided";
  return broken(text, width, kIndent);
}

std::string reasons(const Audited& audited, std::size_t width) {
  std::string text;
  for (const MechanismAudit& audit : audited.mechanisms) {
    if (audit.refused)
      text += broken(fmt::format("n/a: {}", printable(audit.refused->message)), width, kIndent);
    if (audit.status == Status::not_converged)
      text += broken(fmt::format("{}: NOT CONVERGED: what stands here is of an allocation without its "
                                 "certificate",
                                 audit.mechanism),
                     width, kIndent);
  }
  for (std::size_t p = 0; p < audited.properties.size(); ++p) {
    std::set<std::string> said;  // what is true of several mechanisms is said once
    for (const MechanismAudit& audit : audited.mechanisms) {
      if (audit.refused) continue;
      const Verdict& verdict = audit.verdicts[p];
      const char* sign = sign_without_answer(verdict);
      if (sign == nullptr || !said.insert(verdict.note).second) continue;
      text += broken(fmt::format("{} {}: {}", sign, property_name(verdict.property), verdict.note), width,
                     kIndent);
    }
  }
  return text;
}

bool same_cluster(const Cluster& a, const Cluster& b) {
  return a.resources == b.resources && a.servers == b.servers && a.users == b.users;
}

std::string witness_lines(const Audited& audited, std::size_t width) {
  std::string text;
  for (std::size_t p = 0; p < audited.properties.size(); ++p) {
    std::string lines;
    for (const MechanismAudit& audit : audited.mechanisms) {
      if (audit.refused || audit.verdicts[p].holds) continue;
      const Witness& here = *audit.verdicts[p].witness;
      const Witness& small = shown_witness(audit.verdicts[p]);
      const bool smaller = !same_cluster(small.problem, here.problem);
      lines += indented(printable(here.words), 2, width);
      if (!smaller) continue;
      lines += indented("smallest: " + printable(cluster_words(small.problem)), 4, width);
      lines += indented(printable(small.words), 6, width);
    }
    if (!lines.empty()) text += fmt::format("\n{}\n{}", property_name(audited.properties[p]), lines);
  }
  return text;
}

}  // namespace

std::string audit_table(const Audited& audited, std::size_t width) {
  const std::size_t page = std::min(width, kPageWidth);
  return printable(audited.title) + "\n\n" + matrix(audited, page) + legend(audited, page) +
         reasons(audited, page) + witness_lines(audited, page);
}

}  // namespace mirab::report
