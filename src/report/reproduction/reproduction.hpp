#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/experiments/experiment.hpp"
#include "report/page/html.hpp"

namespace mirab::report {

/// An experiment and what came out of it.
struct ReproducedExperiment {
  experiments::Experiment experiment;
  experiments::Reproduction result;
};

/// Are the seconds that each experiment took told? They are all that differs between two runs with the same
/// seed.
enum class Times { hidden, shown };

/// What was reproduced, in the order of the table, and how.
struct Reproductions {
  std::uint64_t seed = 1;
  experiments::Effort effort = experiments::Effort::full;
  Times times = Times::hidden;
  std::vector<ReproducedExperiment> results;
};

/// What a person reads, no wider than `width` where that can be: the verdicts at a glance, then of each
/// experiment its findings, tables, curves and remarks.
std::string reproductions_table(const Reproductions& reproductions, std::size_t width);

/// docs/schema/reproduction.schema.json.
nlohmann::ordered_json reproductions_json(const Reproductions& reproductions);

/// One record a finding.
std::string reproductions_csv(const Reproductions& reproductions);

/// The page build/reproduced/reproduced.md (docs/how-to/reproduce.md). `images` is the folder of the pictures
/// of reproduction_pictures, as a link from the page, with a slash at its end; when it is empty, curves stand
/// in tables.
std::string reproductions_markdown(const Reproductions& reproductions, const std::string& images = {});

/// A picture of a figure: the name of its file, and the SVG in it.
struct Picture {
  std::string file;
  std::string svg;
};

/// One for each figure.
std::vector<Picture> reproduction_pictures(const Reproductions& reproductions);

/// The report page with the reproductions embedded: reproductions_json with `kind`. An empty title is "The
/// papers, reproduced".
std::string reproductions_html(std::string_view page, const Reproductions& reproductions,
                               const std::string& title, const PageOrigin& origin);

/// What can be reproduced: a table for people, docs/schema/experiments.schema.json, a record each, a table in
/// Markdown.
std::string experiments_table(std::span<const experiments::Experiment> experiments, std::size_t width);
nlohmann::ordered_json experiments_json(std::span<const experiments::Experiment> experiments);
std::string experiments_csv(std::span<const experiments::Experiment> experiments);
std::string experiments_markdown(std::span<const experiments::Experiment> experiments);

/// `quick`, `full`.
std::string_view effort_name(experiments::Effort effort);

/// A number of a finding as people read it: five significant digits; what rounding leaves of 0 is 0; `yes`
/// and `no` where that is meant.
std::string finding_number(double value, experiments::Reading reading);

/// `yes`, `no`; `corrected` where what holds is not what is printed.
std::string holds_words(const experiments::Finding& finding);

/// The findings with a heading: what, printed, ours, and the interval where there are any.
experiments::Table findings_as_table(const experiments::Reproduction& result);

/// The curves of a figure side by side: a row for each x that some curve has.
experiments::Table curves_as_table(const experiments::Figure& figure);

/// Do they have so few points in all that tables show them?
bool are_shown_in_rows(const std::vector<experiments::Figure>& figures);

/// `24 of 26 findings hold, 9 of 10 with a printed number`.
std::string tally(const experiments::Reproduction& result);

}  // namespace mirab::report
