// The scenario file (docs/simulate.md): the keys that every kind has; each kind's own keys are read in
// scenario_<kind>.cpp.

#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <sstream>
#include <system_error>

#include "model/names.hpp"
#include "simulation/scenario_kinds.hpp"

namespace mirab::simulation {
namespace {

constexpr std::array<std::string_view, 2> kKinds = {"traffic", "trace"};

Outputs read_outputs(const Node& node, Fields& fields) {
  static constexpr std::array<std::string_view, 4> kKeys = {"table", "json", "csv", "report"};
  Outputs outputs;
  if (!fields.expect_map(node, "outputs", kKeys)) return outputs;
  const std::array<std::string*, 4> files = {&outputs.table, &outputs.json, &outputs.csv, &outputs.report};
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    const std::string key = key_of("outputs", kKeys[i]);
    if (const Node* file = node.find(kKeys[i])) *files[i] = fields.path(*file, key);
  }
  return outputs;
}

// What is found wrong with the traffic as such, at the line of its key.
void check_traffic(const Node& root, const TrafficScenario& scenario, Fields& fields) {
  if (fields.error()) return;
  const Check wrong = check(scenario);
  if (wrong) fields.fail(wrong->key, wrong->message, line_of(root, wrong->key));
}

Scenario read_scenario(const Node& root, const std::string& name, Fields& fields) {
  Scenario scenario{.name = name, .seed = {}, .outputs = {}, .what = TrafficScenario{}};
  if (root.kind == Node::Kind::null) {
    fields.fail("kind", fmt::format("missing: the file is empty; kinds are {}", first_names(kKinds, 8)), 1);
    return scenario;
  }
  if (!fields.expect_map(root, "")) return scenario;
  const Node& kind = fields.required(root, "", kKindKey);
  const std::string_view word = kKinds[fields.word(kind, "kind", kKinds)];
  if (fields.error()) return scenario;
  if (word == "traffic") scenario.what = read_traffic(root, fields);
  if (word == "trace") scenario.what = read_trace(root, fields);
  if (const Node* version = root.find(kVersionKey); version != nullptr && version->text != "1") {
    fields.fail("version", "must be 1, the version of this format", version->line);
  }
  if (const Node* seed = root.find(kSeedKey)) {
    constexpr std::int64_t kMostSeed = std::numeric_limits<std::int64_t>::max();
    scenario.seed = static_cast<std::uint64_t>(fields.whole(*seed, "seed", 0, kMostSeed));
  }
  if (const Node* outputs = root.find(kOutputsKey)) scenario.outputs = read_outputs(*outputs, fields);
  if (const auto* traffic = std::get_if<TrafficScenario>(&scenario.what)) {
    check_traffic(root, *traffic, fields);
  }
  return scenario;
}

Result<Scenario> read(std::istream& input, Syntax syntax, const std::string& name) {
  const Result<Node> document = read_document(input, syntax, name);
  if (!document) return document.error();
  Fields fields(name);
  Scenario scenario = read_scenario(*document, name, fields);
  if (fields.error()) return *fields.error();
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
