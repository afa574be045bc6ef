#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/registry.hpp"

namespace mirab::report {
namespace {

constexpr std::string_view kOpening =
    "<!-- Made by `mirab mechanisms --format markdown`; a test compares the two. -->\n"
    "\n"
    "# Mechanisms, disciplines and placements\n"
    "\n"
    "`mirab allocate` divides a cluster by a *mechanism*; tasks are divisible there. `mirab fill` places "
    "whole tasks, one\n"
    "after the other: a *discipline* says whom to serve next, a *placement* on which server.\n"
    "\n"
    "Options follow the name after a colon: `alpha-fair:alpha=2`. Claims are what is said of a mechanism "
    "under the "
    "conditions\n"
    "named, by the source in the last column. The conformance tests try what is claimed to hold on random "
    "problems, and what is\n"
    "claimed not to hold by stored counterexamples. Each mechanism has a page with its formula, and with "
    "what it guarantees and\n"
    "what fails by examples that can be checked by hand.\n"
    "\n"
    "Weights count in every mechanism and in every discipline but `fifo`, `mlf-drs` and `mrfs`.\n";

/// A text as one cell of a table.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char byte : text) {
    if (byte == '|') escaped += '\\';
    escaped += byte;
  }
  return escaped;
}

std::string options_list(std::span<const OptionInfo> options) {
  std::string text;
  for (const OptionInfo& option : options) {
    const std::string preset =
        option.fallback.empty() ? "must be given" : fmt::format("default `{}`", option.fallback);
    text += fmt::format("- option `{}` ({}): {}\n", option.name, preset, option.meaning);
  }
  return text;
}

std::string claims_list(std::span<const Claim> claims) {
  if (claims.empty()) return {};
  std::string text = "\n| property | claimed | by |\n|---|---|---|\n";
  for (const Claim& claim : claims) {
    text += fmt::format("| {} | {}{} | {} |\n", property_name(claim.property),
                        claim.refuted ? "said to hold, and refuted"
                        : claim.holds ? "holds"
                                      : "does not hold",
                        conditions_words(claim.conditions), cell(claim.source));
  }
  return text;
}

std::string section(const Mechanism& row) {
  std::vector<std::string> aliases;
  for (const std::string_view alias : row.aliases) aliases.push_back(fmt::format("`{}`", alias));
  std::vector<std::string_view> honoured;
  for (const Acceptance& acceptance : acceptances(row.accepts)) {
    if (acceptance.honoured) honoured.push_back(acceptance.name);
  }
  return fmt::format("\n### `{}`{}: {}\n\n{}\n\n", row.name,
                     aliases.empty() ? "" : fmt::format(" ({})", fmt::join(aliases, ", ")), row.title,
                     sentence(row.summary)) +
         fmt::format("- scope: {}\n- maximises {}\n- u_n = {}\n", scope_words(row.scope), objective(row),
                     row.yardstick) +
         fmt::format("- accepts {}\n", fmt::join(honoured, ", ")) + options_list(row.options) +
         fmt::format("- source: {}\n", row.source) + claims_list(row.claims);
}

template <class Row>
std::string section(const Row& row) {
  return fmt::format("\n### `{}`\n\n{}\n\n", row.name, sentence(row.summary)) + options_list(row.options) +
         fmt::format("- source: {}\n", row.source);
}

/// A mechanism has a page of its own, docs/mechanisms/NAME.md; a discipline or placement has its section.
std::string linked_name(const Mechanism& row) { return fmt::format("[`{0}`](mechanisms/{0}.md)", row.name); }
template <class Row>
std::string linked_name(const Row& row) {
  return fmt::format("`{}`", row.name);
}

/// The rows at a glance.
template <class Row>
std::string overview(const std::vector<const Row*>& rows) {
  std::string text = "\n| name | what it does |\n|---|---|\n";
  for (const Row* row : rows)
    text += fmt::format("| {} | {} |\n", linked_name(*row), cell(sentence(row->summary)));
  return text;
}

template <class Row>
std::string chapter(const std::string& heading, const std::vector<const Row*>& rows) {
  if (rows.empty()) return {};
  std::string text = fmt::format("\n## {}\n", heading) + overview(rows);
  for (const Row* row : rows) text += section(*row);
  return text;
}

}  // namespace

std::string registry_markdown(const Registry& registry) {
  return std::string(kOpening) + chapter("Mechanisms", registry.mechanisms) +
         chapter("Disciplines", registry.disciplines) + chapter("Placements", registry.placements);
}

}  // namespace mirab::report
