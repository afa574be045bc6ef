#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/experiments/experiment.hpp>

namespace mirab::report {

/// An experiment and what came out of it.
struct Reproduced {
  experiments::Experiment experiment;
  experiments::Reproduction result;
};

/// Are the seconds that each experiment took told? They are all that differs between two runs with the same
/// seed.
enum class Times { untold, told };

/// What was reproduced, in the order of the table, and how.
struct Reproductions {
  std::uint64_t seed = 1;
  experiments::Effort effort = experiments::Effort::full;
  Times times = Times::untold;
  std::vector<Reproduced> results;
};

/// What a person reads, no wider than `width` where that can be: the verdicts at a glance, then of each
/// experiment its findings, tables, curves and remarks.
std::string reproductions_table(const Reproductions& reproductions, std::size_t width);

/// docs/schema/reproduction.schema.json.
nlohmann::ordered_json reproductions_json(const Reproductions& reproductions);

/// One record a finding.
std::string reproductions_csv(const Reproductions& reproductions);

/// The page docs/reproduced.md. `images` is the folder of the pictures of reproduction_pictures, as a link
/// from the page, with a slash at its end; when it is empty, curves stand in tables.
std::string reproductions_markdown(const Reproductions& reproductions, const std::string& images = {});

/// A picture of a figure: the name of its file, and the SVG in it.
struct Picture {
  std::string file;
  std::string svg;
};

/// One for each figure.
std::vector<Picture> reproduction_pictures(const Reproductions& reproductions);

/// The report page with the reproductions embedded: reproductions_json with `kind`, `title` and `command`.
std::string reproductions_html(std::string_view page, const Reproductions& reproductions,
                               const std::string& command);

/// What can be reproduced: a table for people, docs/schema/experiments.schema.json, a record each, a table in
/// Markdown.
std::string experiments_table(std::span<const experiments::Experiment> experiments, std::size_t width);
nlohmann::ordered_json experiments_json(std::span<const experiments::Experiment> experiments);
std::string experiments_csv(std::span<const experiments::Experiment> experiments);
std::string experiments_markdown(std::span<const experiments::Experiment> experiments);

/// `quick`, `full`.
std::string_view effort_name(experiments::Effort effort);

}  // namespace mirab::report
