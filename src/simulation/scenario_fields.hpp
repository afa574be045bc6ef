#pragma once

// The values of a scenario file, key by key: each reader takes what it expects, and the first thing that is
// wrong is remembered with its file, line and key.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/choice.hpp>
#include <mirab/model/result.hpp>
#include <mirab/model/time.hpp>

#include "model/document.hpp"

namespace mirab::simulation {

/// After the first error every further answer is empty; Fields::error says whether there was one.
class Fields {
 public:
  using Words = std::span<const std::string_view>;

  explicit Fields(std::string file) : file_(std::move(file)) {}

  const std::optional<Error>& error() const { return error_; }
  void fail(std::string key, std::string message, int line);

  /// Is it a map, and does it hold known keys only? Without `known` any are allowed.
  bool expect_map(const Node& node, const std::string& key, Words known = {});

  const Node& required(const Node& map, const std::string& key, std::string_view name);
  const std::vector<Node::Entry>& list(const Node& node, const std::string& key);

  std::string text(const Node& node, const std::string& key);
  std::size_t word(const Node& node, const std::string& key, Words words);

  /// An amount of a resource: a plain number or a Kubernetes quantity.
  double amount(const Node& node, const std::string& key);

  /// An amount for each of these resources; one that is left out is 0.
  std::vector<double> amounts(const Node& node, const std::string& key,
                              const std::vector<std::string>& resources);

  /// A number > 0.
  double positive(const Node& node, const std::string& key);
  std::int64_t whole(const Node& node, const std::string& key, std::int64_t least, std::int64_t most);

  /// A time > 0: a number of seconds, or one with the unit ms, s, min, h or d.
  Duration duration(const Node& node, const std::string& key);

  /// A file, relative to the folder of the scenario.
  std::string path(const Node& node, const std::string& key);

  /// Something that a registry knows by name.
  Choice choice(const Node& node, const std::string& key, Result<Choice> (*choose)(std::string_view));
  std::vector<Choice> choices(const Node& node, const std::string& key,
                              Result<Choice> (*choose)(std::string_view));

 private:
  std::string file_;
  std::optional<Error> error_;
};

/// `classes[3]`, `classes[3].demand`.
std::string item_key(std::string_view list, std::size_t index);
std::string key_of(const std::string& map, std::string_view name);

}  // namespace mirab::simulation
