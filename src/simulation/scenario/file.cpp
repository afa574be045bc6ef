// The scenario file (docs/simulate.md): the keys that every kind has; each kind's own keys are read in
// scenario_<kind>.cpp.

#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <limits>
#include <sstream>
#include <system_error>
#include <utility>

#include "simulation/scenario/kinds.hpp"

namespace mirab::simulation {
namespace {

Outputs read_outputs(const Node& node, ScenarioFields& fields) {
  static constexpr std::array<std::string_view, 4> kKeys = {"table", "json", "csv", "report"};
  Outputs outputs;
  if (!fields.expect_map(node, "outputs", kKeys)) return outputs;
  const std::array<std::string*, 4> files = {&outputs.table, &outputs.json, &outputs.csv, &outputs.report};
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    const std::string key = fmt::format("outputs.{}", kKeys[i]);
    if (const Node* file = node.find(kKeys[i])) *files[i] = fields.path(*file, key);
  }
  return outputs;
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

constexpr std::array<std::string_view, 4> kKinds = {"traffic", "trace", "reallocation", "demands"};
constexpr std::array<ReadKind, 4> kReaders = {read_kind<read_traffic>, read_kind<read_trace>,
                                              read_kind<read_reallocation>, read_kind<read_demands>};

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
  if (const Node* seed = root.find(kSeedKey)) {
    constexpr std::int64_t kMostSeed = std::numeric_limits<std::int64_t>::max();
    scenario.seed = static_cast<std::uint64_t>(fields.whole_between(*seed, "seed", 0, kMostSeed));
  }
  if (const Node* outputs = root.find(kOutputsKey)) scenario.outputs = read_outputs(*outputs, fields);
}

Result<Scenario> read(std::istream& input, Syntax syntax, const std::string& name) {
  const Result<Node> document = read_document(input, syntax, name);
  if (!document) return document.error();
  ScenarioFields fields(name);
  Scenario scenario{.name = name, .seed = {}, .outputs = {}, .what = TrafficScenario{}};
  read_scenario(*document, scenario, fields);
  if (fields.failed()) return *fields.error();
  return scenario;
}

}  // namespace

Result<Scenario> read_scenario_file(const std::string& path) {
  std::ifstream input(path, std::ios::binary);
  // A directory opens, but cannot be read.
  const bool readable = input.is_open() && (input.peek(), !input.bad());
  if (!readable) {
    return Error{.message = fmt::format("cannot be read: {}", std::generic_category().message(errno)),
                 .file = path};
  }
  input.clear();
  return read(input, path.ends_with(".json") ? Syntax::json : Syntax::yaml, path);
}

Result<Scenario> read_scenario_text(std::string_view text, Syntax syntax, const std::string& name) {
  std::istringstream input{std::string(text)};
  return read(input, syntax, name);
}

bool is_scenario(std::string_view text, Syntax syntax) {
  std::istringstream input{std::string(text)};
  const Result<Node> document = read_document(input, syntax, "");
  return document && document->find(kKindKey) != nullptr;
}

}  // namespace mirab::simulation
