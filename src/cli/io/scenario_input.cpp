#include "cli/io/scenario_input.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include <mirab/model/cluster_file.hpp>
#include <mirab/model/workload_file.hpp>

#include "cli/io/input.hpp"
#include "lab/simulation/overlay/check.hpp"
#include "lab/simulation/scenario.hpp"
#include "model/document.hpp"
#include "model/lines.hpp"
#include "report/text/width.hpp"

namespace mirab::cli {
namespace {

/// An error of the file, which is read again for it, with the line of its key.
Error with_line_in(const std::string& file, Error error) {
  if (error.file != file) return error;
  const Result<InputText> input = read_input(file);
  return input ? with_line(std::move(error), *input) : error;
}

/// The error of a file that a scenario names under `key`: of one that cannot be read, where it is named.
Error named_by(const std::string& scenario, const std::string& key, Error error) {
  if (!error.message.starts_with("cannot be read")) return error;
  return {.message = fmt::format("'{}' {}", error.file, error.message), .key = key, .file = scenario};
}

}  // namespace

Result<Inputs> read_inputs(const InputFiles& files, const std::optional<Duration>& duration) {
  Result<Problem> cluster = read_cluster_file(files.cluster);
  if (!cluster)
    return named_by(files.scenario, "cluster", explain_wrong_kind(cluster.error(), FileKind::cluster));
  Result<Workload> workload = read_workload_file(files.workload);
  if (!workload)
    return named_by(files.scenario, "workload", explain_wrong_kind(workload.error(), FileKind::workload));
  Inputs inputs{*std::move(cluster), *std::move(workload)};
  if (!files.teams.empty()) {
    std::vector<std::string> users;
    for (const Submitter& user : inputs.workload.users) users.push_back(user.name);
    Result<Teams> teams = read_teams_file(files.teams, inputs.cluster, users, "users");
    if (!teams) return named_by(files.scenario, "teams", teams.error());
    inputs.teams = *std::move(teams);
  }
  if (duration) inputs.workload = simulation::cut_off(std::move(inputs.workload), *duration);
  return inputs;
}

Result<Problem> read_overlay_cluster(const simulation::OverlayScenario& overlay, const InputText& scenario) {
  Result<Problem> cluster = read_cluster_file(overlay.cluster);
  if (!cluster)
    return with_line(
        named_by(scenario.name, "cluster", explain_wrong_kind(cluster.error(), FileKind::cluster)), scenario);
  const auto placed = [&](Error error) {
    error = with_line(with_file(std::move(error), {scenario.name, overlay.cluster}), scenario);
    return with_line_in(overlay.cluster, std::move(error));
  };
  if (Check wrong = simulation::check_overlay(*cluster, overlay)) return placed(*std::move(wrong));
  for (const Error& notice : simulation::notices(*cluster, overlay))
    fmt::print(stderr, "mirab: note: {}\n", report::printable(describe(placed(notice))));
  return cluster;
}

Error with_file(Error error, const InputFiles& files) {
  static constexpr std::array<std::string_view, 7> kKeysOfWorkload = {
      "resources", "users", "requests", "usages", "jobs", "changes", "span"};
  const std::string_view key = std::string_view(error.key).substr(0, error.key.find_first_of(".["));
  const bool in_workload =
      std::find(kKeysOfWorkload.begin(), kKeysOfWorkload.end(), key) != kKeysOfWorkload.end();
  if (error.file.empty() && in_workload) error.file = files.workload;
  const bool in_cluster = key == "servers" || key == "users";  // these, where there is no workload
  if (error.file.empty() && in_cluster) error.file = files.cluster;
  if (error.file.empty()) error.file = files.scenario;
  return error;
}

Error with_workload_line(Error error, const InputFiles& files) {
  constexpr std::string_view kChanges = "changes[";
  if (error.file != files.workload || error.line > 0 || !error.key.starts_with(kChanges)) return error;
  std::size_t after = 0;  // changes before the one that is meant
  std::from_chars(error.key.data() + kChanges.size(), error.key.data() + error.key.size(), after);
  Result<Lines> lines = Lines::open(files.workload, Lines::kLongestWorkloadLine);
  while (lines) {
    const auto line = lines->next();
    if (!line || !line->has_value()) break;
    if ((*line)->empty()) continue;
    const Result<Node> node = read_json_line(**line, files.workload, lines->number());
    if (!node) break;
    const bool is_change = node->find("job") == nullptr && node->find("server") != nullptr;
    if (!is_change || after-- > 0) continue;
    error.line = lines->number();
    break;
  }
  return error;
}

Error with_line(Error error, const InputText& input) {
  if (error.file != input.name || error.key.empty() || error.line > 0) return error;
  const Result<Node> root = read_document(input.text, input.syntax, input.name);
  if (root) error.line = line_of(*root, error.key);
  return error;
}

}  // namespace mirab::cli
