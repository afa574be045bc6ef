// The table of all experiments in the order of the papers, and how one is chosen, run and judged.
#include "lab/experiments/registry.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include <mirab/model/assert.hpp>
#include <mirab/model/choice.hpp>

#include "lab/experiments/experiment.hpp"

namespace mirab::experiments {

// The table of all experiments, in the order of the papers: 002 (random traffic), 001 (PS-DSF), 003 (the
// slides), 004 (MLF-DRS and its family), 000 (Östman); then what we claim of trees
// of teams.

std::span<const Experiment> experiments() {
  static const std::vector<Experiment> rows = {
      // Bonald and Roberts
      pf_fig1a_row(),
      pf_fig1b_row(),
      pf_fig2a_row(),
      pf_fig2b_row(),
      pf_fig3a_row(),
      pf_fig3b_row(),
      pf_fig4_row(),
      pf_fig5a_row(),
      pf_fig5b_row(),
      pf_fig6a_row(),
      pf_fig6b_row(),
      // PS-DSF and αPF-VDS
      psdsf_fig1_row(),
      psdsf_fig2_row(),
      psdsf_table1_row(),
      psdsf_bitbrains_row(),
      psdsf_time_row(),
      psdsf_google_row(),
      // the slides
      slides_table1_row(),
      slides_comparison_row(),
      slides_properties_row(),
      slides_two_servers_row(),
      // Hamzeh
      hamzeh_4_2_row(),
      hamzeh_4_3_row(),
      hamzeh_4_4_row(),
      hamzeh_4_7_row(),
      hamzeh_7_4_row(),
      hamzeh_4_11_row(),
      hamzeh_mlf_row(),
      hamzeh_queue_row(),
      hamzeh_ffmra_row(),
      hamzeh_hffmra_row(),
      hamzeh_mrfs_row(),
      hamzeh_minikube_row(),
      // Östman
      ostman_table_3_1_row(),
      ostman_fig_3_1_row(),
      ostman_fig_3_2_row(),
      ostman_5_1_row(),
      ostman_5_4_row(),
      ostman_fig_5_6_row(),
      ostman_fig_5_7_row(),
      ostman_5_8_row(),
      ostman_5_9_row(),
      ostman_5_11_row(),
      ostman_5_12_row(),
      ostman_push_sum_row(),
      ostman_gradient_row(),
      ostman_beyond_ending_row(),
      ostman_beyond_churn_row(),
      ostman_beyond_pause_row(),
      ostman_beyond_fit_row(),
      ostman_beyond_level_row(),
      // trees of teams
      teams_convergence_row(),
  };
  return rows;
}

// Which experiments are meant, how one is run, and what its findings amount to.

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
  const bool is_prefix = name.ends_with('*');
  const std::string near = is_prefix ? "" : nearest_names(name, known);
  return {
      .message = fmt::format("{} '{}'{}", is_prefix ? "no experiment begins with" : "there is no experiment",
                             name.substr(0, name.size() - (is_prefix ? 1 : 0)),
                             near.empty() ? "; 'mirab reproduce --list' lists them" : near),
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

namespace {

struct NoFiles {
  std::string_view beginning;  ///< of IDs
  std::string_view why;
};

constexpr NoFiles kNoFiles[] = {
    {"pf-fig4", "it solves exact chains with a job that never leaves, and simulates nothing"},
    {"pf-fig5", "it compares four claims, each a scenario of its own: 'claims' of a class of kind: traffic"},
    {"psdsf-table1", "it tries random clusters: mirab audit --random does so"},
    {"psdsf-bitbrains",
     "it divides the demands of drawn instants of a table in the library, one cluster each"},
    {"psdsf-time",
     "it divides the demands of drawn instants of a table in the library, and measures the time"},
    {"psdsf-google", "its jobs are drawn from a table in the library, which gives no workload file"},
    {"slides-", "it has small clusters, which its findings name; examples/textbook.yaml is the first"},
    {"hamzeh-4.",
     "it has small clusters, which its findings name; examples/textbook.yaml is that of tables 4.2 and 4.4"},
    {"hamzeh-7.4", "it is one iteration in numbers, on servers and demands of its own"},
    {"hamzeh-mlf",
     "it has several series of demands, and measures of its own over them; examples/demands-thesis.yaml is "
     "such a series"},
    {"hamzeh-ffmra",
     "it has several series of demands, and measures of its own over them; examples/demands-thesis.yaml is "
     "such a series"},
    {"hamzeh-queue", "it serves tasks by a queue of its own, which no command has"},
    {"hamzeh-mrfs", "it places tasks in rounds, which no command has"},
    {"hamzeh-minikube", "it divides pods: mirab limits examples/pods/two-pods.yaml"},
    {"ostman-table-3.1", "it is a worked example with fixed links, which no scenario has"},
    {"ostman-fig-3", "it is a worked example with fixed links, which no scenario has"},
    {"ostman-push-sum", "it runs gossip in rounds without schedulers, which no scenario has"},
    {"ostman-gradient", "it runs gossip in rounds without schedulers, which no scenario has"},
    {"ostman-beyond-",
     "what joins, leaves, ends or pauses is drawn for each cluster; examples/ has scenarios with such keys"},
    {"teams-", "it fills clusters that grow, by teams that no single file has"},
};

}  // namespace

std::string_view why_no_files(const Experiment& experiment) {
  MIRAB_ASSERT(experiment.own_files == nullptr, "an experiment without files");
  const auto row = std::find_if(std::begin(kNoFiles), std::end(kNoFiles), [&](const NoFiles& each) {
    return experiment.id.starts_with(each.beginning);
  });
  MIRAB_ASSERT(row != std::end(kNoFiles), "every experiment has files, or a reason why not");
  return row->why;
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
    case Verdict::undecided:
      return "undecided";
    case Verdict::differs:
      break;
  }
  return "differs";
}

Verdict verdict_of(std::span<const Finding> findings, std::string_view data) {
  const auto fails = [](const Finding& finding) { return !finding.holds && !finding.undecided; };
  const auto is_undecided = [](const Finding& finding) { return finding.undecided; };
  if (std::any_of(findings.begin(), findings.end(), fails)) return Verdict::differs;
  if (std::any_of(findings.begin(), findings.end(), is_undecided)) return Verdict::undecided;
  const auto is_printed = [](const Finding& finding) { return finding.printed.has_value(); };
  const auto is_corrected = [](const Finding& finding) { return finding.corrected; };
  const bool as_printed = std::any_of(findings.begin(), findings.end(), is_printed) &&
                          std::none_of(findings.begin(), findings.end(), is_corrected);
  return as_printed && data == kAsPublished ? Verdict::agrees : Verdict::shape_agrees;
}

}  // namespace mirab::experiments
