// Which experiments are meant, how one is run, and what its findings amount to.
#include <algorithm>
#include <fmt/format.h>

#include <mirab/experiments/experiment.hpp>
#include <mirab/model/assert.hpp>
#include <mirab/model/choice.hpp>

namespace mirab::experiments {
namespace {

/// Does the name pick this ID? `pf-*` picks all that begin with `pf-`.
bool picks(std::string_view name, std::string_view id) {
  if (!name.ends_with('*')) return name == id;
  name.remove_suffix(1);
  return id.starts_with(name);
}

Error no_such(const std::string& name) {
  std::vector<std::string_view> known;
  for (const Experiment& experiment : experiments()) known.push_back(experiment.id);
  return {.message = fmt::format("there is no experiment '{}'{}", name, nearest_names(name, known)),
          .key = {}};
}

}  // namespace

Result<std::vector<Experiment>> choose_experiments(std::span<const std::string> names) {
  for (const std::string& name : names) {
    const auto picked = [&](const Experiment& experiment) { return picks(name, experiment.id); };
    if (std::none_of(experiments().begin(), experiments().end(), picked)) return no_such(name);
  }
  std::vector<Experiment> chosen;
  for (const Experiment& experiment : experiments()) {
    const auto picks_it = [&](const std::string& name) { return picks(name, experiment.id); };
    if (std::any_of(names.begin(), names.end(), picks_it)) chosen.push_back(experiment);
  }
  return chosen;
}

Reproduction reproduce(const Experiment& experiment, const RunOptions& options) {
  MIRAB_ASSERT(options.threads >= 1, "a thread to run on");
  Reproduction result = experiment.run(options);
  MIRAB_ASSERT(!result.findings.empty(), "an experiment that finds something");
  result.id = experiment.id;
  if (result.data.empty()) result.data = experiment.data;
  result.verdict = verdict_of(result.findings, result.data);
  return result;
}

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::agrees:
      return "agrees";
    case Verdict::shape_agrees:
      return "shape agrees";
    case Verdict::differs:
      break;
  }
  return "differs";
}

Verdict verdict_of(std::span<const Finding> findings, std::string_view data) {
  const auto holds = [](const Finding& finding) { return finding.holds; };
  if (!std::all_of(findings.begin(), findings.end(), holds)) return Verdict::differs;
  const auto is_printed = [](const Finding& finding) { return finding.printed.has_value(); };
  const auto is_corrected = [](const Finding& finding) { return finding.corrected; };
  const bool as_printed = std::any_of(findings.begin(), findings.end(), is_printed) &&
                          std::none_of(findings.begin(), findings.end(), is_corrected);
  return as_printed && data == kAsPublished ? Verdict::agrees : Verdict::shape_agrees;
}

}  // namespace mirab::experiments
