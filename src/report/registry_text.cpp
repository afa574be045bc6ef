#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/csv.hpp"
#include "report/registry.hpp"
#include "report/table.hpp"
#include "report/text_width.hpp"

namespace mirab::report {
namespace {

constexpr std::size_t kTextIndent = 12;

std::string names_of(const Mechanism& row) {
  return row.aliases.empty() ? std::string(row.name)
                             : fmt::format("{}, {}", row.name, fmt::join(row.aliases, ", "));
}

/// A heading, and below it two columns: the name and what it stands for.
template <class Row>
std::string listing(const std::string& heading, const std::vector<const Row*>& rows) {
  if (rows.empty()) return {};
  Table table{.columns = {{.min_width = 12}, {}}, .rows = {}};
  for (const Row* row : rows) {
    bool first = true;
    for (const std::string& line : wrap(sentence(row->summary), kPageWidth - 20)) {
      table.rows.push_back({{first ? "  " + std::string(row->name) : ""}, {line}});
      first = false;
    }
  }
  return heading + "\n" + render(table);
}

/// `what` in a column of its own, and beside it the text, wrapped.
std::string paragraph(const std::string& what, std::string_view text) {
  std::string result;
  std::string label = what;
  for (const std::string& line : wrap(text, kPageWidth - kTextIndent - 2)) {
    result += fmt::format("  {:<{}}{}\n", label, kTextIndent, line);
    label.clear();
  }
  return result;
}

std::string options_text(std::span<const OptionInfo> options) {
  std::string text;
  for (const OptionInfo& option : options) {
    const std::string preset =
        option.fallback.empty() ? "must be given" : fmt::format("default {}", option.fallback);
    text += paragraph(text.empty() ? "options" : "",
                      fmt::format("{}: {} ({})", option.name, option.meaning, preset));
  }
  return text;
}

std::string claims_text(std::span<const Claim> claims) {
  std::string text;
  for (const Claim& claim : claims) {
    const std::string said =
        claim.refuted ? fmt::format("{}: said, and refuted", property_name(claim.property))
        : claim.holds ? fmt::format("{}{}", property_name(claim.property), conditions_words(claim.conditions))
                      : fmt::format("not {}", property_name(claim.property));
    const std::string source = claim.source.empty() ? "" : fmt::format(" [{}]", claim.source);
    text += paragraph(text.empty() ? "claims" : "", said + source);
  }
  return text;
}

std::string accepts_text(const Accepts& accepts) {
  std::vector<std::string_view> honoured;
  for (const Acceptance& acceptance : acceptances(accepts)) {
    if (acceptance.honoured) honoured.push_back(acceptance.name);
  }
  return paragraph("accepts", fmt::format("{}", fmt::join(honoured, ", ")));
}

std::string details(const Mechanism& row) {
  return fmt::format("mechanism {}: {}\n", names_of(row), row.title) + paragraph("", sentence(row.summary)) +
         paragraph("scope", scope_words(row.scope)) + paragraph("maximises", objective(row)) +
         paragraph("u_n", row.yardstick) + accepts_text(row.accepts) + options_text(row.options) +
         claims_text(row.claims) + paragraph("source", row.source);
}

template <class Row>
std::string details(const std::string& kind, const Row& row) {
  return fmt::format("{} {}\n", kind, row.name) + paragraph("", sentence(row.summary)) +
         options_text(row.options) + paragraph("source", row.source);
}

}  // namespace

std::string registry_table(const Registry& registry) {
  std::string text;
  if (!registry.mechanisms.empty()) {
    Table table{.columns = {{.min_width = 12}, {}, {}}, .rows = {}};
    for (const Mechanism* row : registry.mechanisms) {
      bool first = true;
      for (const std::string& line : wrap(sentence(row->summary), kPageWidth - 34)) {
        table.rows.push_back({{first ? "  " + names_of(*row) : ""},
                              {first ? std::string(scope_words(row->scope)) : ""},
                              {line}});
        first = false;
      }
    }
    text += "Mechanisms (allocate --mechanism)\n" + render(table) + "\n";
  }
  text += listing("Disciplines: whom to serve next (fill --discipline)", registry.disciplines) + "\n";
  text += listing("Placements: where its task goes (fill --placement)", registry.placements);
  return text + "\n'mirab mechanisms NAME' says everything about one.\n";
}

std::string registry_details(const Registry& registry) {
  std::vector<std::string> parts;
  for (const Mechanism* row : registry.mechanisms) parts.push_back(details(*row));
  for (const DisciplineInfo* row : registry.disciplines) parts.push_back(details("discipline", *row));
  for (const PlacementInfo* row : registry.placements) parts.push_back(details("placement", *row));
  return fmt::format("{}", fmt::join(parts, "\n"));
}

std::string registry_csv(const Registry& registry) {
  std::string csv = csv_record({"kind", "name", "aliases", "scope", "title", "summary", "source"});
  for (const Mechanism* row : registry.mechanisms) {
    csv += csv_record({"mechanism", std::string(row->name), fmt::format("{}", fmt::join(row->aliases, " ")),
                       std::string(scope_name(row->scope)), std::string(row->title),
                       std::string(row->summary), std::string(row->source)});
  }
  const auto add = [&](const std::string& kind, const auto& rows) {
    for (const auto* row : rows) {
      csv += csv_record(
          {kind, std::string(row->name), "", "", "", std::string(row->summary), std::string(row->source)});
    }
  };
  add("discipline", registry.disciplines);
  add("placement", registry.placements);
  return csv;
}

}  // namespace mirab::report
