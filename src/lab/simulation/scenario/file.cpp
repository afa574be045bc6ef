// The scenario file (docs/reference/simulate.md): the keys that every kind has; each kind's own keys are read
// in kinds.cpp and overlay.cpp.
#include <algorithm>
#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <limits>
#include <numeric>
#include <system_error>
#include <utility>

#include "lab/simulation/scenario/fields.hpp"

namespace mirab::simulation {
namespace {

Outputs read_outputs(const Node& node, ScenarioFields& fields) {
  static constexpr std::array<std::string_view, 5> kKeys = {"table", "json", "csv", "report", "jobs"};
  Outputs outputs;
  if (!fields.expect_map(node, "outputs", kKeys)) return outputs;
  const std::array<std::string*, 5> files = {&outputs.table, &outputs.json, &outputs.csv, &outputs.report,
                                             &outputs.jobs};
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    const std::string key = fmt::format("outputs.{}", kKeys[i]);
    if (const Node* file = node.find(kKeys[i])) *files[i] = fields.path(*file, key);
  }
  return outputs;
}

std::uint64_t read_seed(const Node& node, const std::string& key, ScenarioFields& fields) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::uint64_t>(fields.whole_between(node, key, 0, kMost));
}

// `5` is 1, 2, 3, 4, 5; a list names them.
std::vector<std::uint64_t> read_seeds(const Node& node, ScenarioFields& fields) {
  constexpr std::size_t kMost = 1000;  // a limit on time: every seed is a run of its own
  const std::string key(kSeedsKey);
  std::vector<std::uint64_t> seeds;
  if (node.kind != Node::Kind::list) {
    seeds.resize(static_cast<std::size_t>(fields.whole_between(node, key, 1, kMost)));
    std::iota(seeds.begin(), seeds.end(), std::uint64_t{1});
    return seeds;
  }
  for (const Node::Entry& entry : fields.entries(node, key, kMost)) {
    const std::string entry_key = item_key(key, seeds.size());
    const std::uint64_t seed = read_seed(entry.value, entry_key, fields);
    if (std::find(seeds.begin(), seeds.end(), seed) != seeds.end()) {
      fields.fail(entry_key, fmt::format("{} is listed twice", seed), entry.line);
    }
    seeds.push_back(seed);
  }
  return seeds;
}

// The kind's own keys; then what is wrong with the scenario as such, at the line of its key.
template <auto read>
void read_kind(const Node& root, Scenario& scenario, ScenarioFields& fields) {
  auto what = read(root, fields);
  if constexpr (requires { check(what); }) {
    const Check wrong = fields.failed() ? Check{} : check(what);
    if (wrong) fields.fail(wrong->key, wrong->message, line_of(root, wrong->key));
  }
  scenario.what = std::move(what);
}

using ReadKind = void (*)(const Node& root, Scenario& scenario, ScenarioFields& fields);

constexpr std::array<std::string_view, 5> kKinds = {"traffic", "trace", "reallocation", "demands", "overlay"};
constexpr std::array<ReadKind, 5> kReaders = {read_kind<read_traffic>, read_kind<read_trace>,
                                              read_kind<read_reallocation>, read_kind<read_demands>,
                                              read_kind<read_overlay>};

void read_scenario(const Node& root, Scenario& scenario, ScenarioFields& fields) {
  if (root.kind == Node::Kind::null) {
    return fields.fail(std::string(kKindKey),
                       fmt::format("missing: the file is empty; kinds are {}", fmt::join(kKinds, ", ")), 1);
  }
  if (!fields.expect_map(root, "")) return;
  const std::size_t kind = fields.word(fields.required(root, "", kKindKey), std::string(kKindKey), kKinds);
  if (fields.failed()) return;
  kReaders[kind](root, scenario, fields);
  if (const Node* version = root.find(kVersionKey); version != nullptr && version->text != "1") {
    fields.fail("version", "must be 1, the version of this format", version->line);
  }
  if (const Node* title = root.find(kTitleKey)) scenario.title = fields.name(*title, std::string(kTitleKey));
  const Node* seed = root.find(kSeedKey);
  const Node* seeds = root.find(kSeedsKey);
  if (seed != nullptr) scenario.seeds = {read_seed(*seed, std::string(kSeedKey), fields)};
  if (seed != nullptr && seeds != nullptr) {
    fields.fail(std::string(kSeedsKey), "either this or seed, not both", seeds->line);
  } else if (seeds != nullptr) {
    scenario.seeds = read_seeds(*seeds, fields);
  }
  if (const Node* outputs = root.find(kOutputsKey)) scenario.outputs = read_outputs(*outputs, fields);
  if (!scenario.outputs.jobs.empty() && !std::holds_alternative<TraceScenario>(scenario.what))
    fields.fail("outputs.jobs", "only a scenario of the kind trace has jobs",
                root.find(kOutputsKey)->find("jobs")->line);
}

Result<Scenario> read(const Result<Node>& document, const std::string& name) {
  if (!document) return document.error();
  ScenarioFields fields(name);
  Scenario scenario{.name = name, .title = {}, .seeds = {}, .outputs = {}, .what = TrafficScenario{}};
  read_scenario(*document, scenario, fields);
  if (fields.failed()) return *fields.error();
  return scenario;
}

}  // namespace

Result<Scenario> read_scenario_file(const std::string& path) {
  Result<std::ifstream> input = open_file(path);
  if (!input) return input.error();
  return read(read_document(*input, path.ends_with(".json") ? Syntax::json : Syntax::yaml, path), path);
}

Result<Scenario> read_scenario_text(std::string_view text, Syntax syntax, const std::string& name) {
  return read(read_document(text, syntax, name), name);
}

bool is_scenario(std::string_view text, Syntax syntax) {
  const Result<Node> document = read_document(text, syntax, "");
  return document && document->find(kKindKey) != nullptr;
}

}  // namespace mirab::simulation
