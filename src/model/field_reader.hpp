#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>

#include "model/document.hpp"

namespace mirab {

/// Where one of what runs stands in its list.
struct RunningPlace {
  std::size_t entry;
  std::optional<std::string> server;  ///< of an entry with `tasks` by server
  int line;

  /// The key in the file of a part of it: `.user`, `.tasks`.
  std::string key(std::string_view part) const;
};

/// Takes the values of a document as what they should be. Remembers the first thing that is wrong, with its
/// key and line, after which answers are empty or 0; who reads asks now and then. One owner.
class FieldReader {
 public:
  explicit FieldReader(std::string file) : file_(std::move(file)) {}

  bool failed() const { return error_.has_value(); }
  const std::optional<Error>& error() const { return error_; }
  const std::string& file() const { return file_; }

  void fail(std::string key, std::string message, int line);

  /// The value under a key that must be there.
  const Node& required(const Node& map, const std::string& key, std::string_view name);

  /// Is it a map, and does it hold known keys only? Without `keys` any are allowed.
  bool expect_map(const Node& node, const std::string& key, std::span<const std::string_view> keys = {});

  const std::vector<Node::Entry>& list(const Node& node, const std::string& key);

  std::string text(const Node& node, const std::string& key);

  /// A list of texts, or one text alone.
  std::vector<std::string> texts(const Node& node, const std::string& key);

  /// `true` or `false`.
  bool truth(const Node& node, const std::string& key);

  Quantity amount(const Node& node, const std::string& key);

  /// An amount for each resource; one that is left out is 0.
  ResourceVector amounts(const Node& node, const std::string& key, std::span<const std::string> resources);

  /// Which resource an entry is for; nothing, and an error, when there is no such resource.
  std::optional<std::size_t> resource(const Node::Entry& entry, const std::string& key,
                                      std::span<const std::string> resources);

  /// The list of what is placed now: of a cluster file, and of an allocation file. An entry whose tasks are a
  /// map of servers and numbers is several. `places`: where each stands.
  std::vector<Running> running(const Node& node, const std::string& key, std::vector<RunningPlace>& places);

  /// From 1 to 2^63 - 1.
  std::int64_t whole(const Node& node, const std::string& key);

  /// Labels and their values.
  std::map<std::string, std::string> labels(const Node& node, const std::string& key);

  /// Labels and what each must be: a value, a list of values, or the parts of a condition by name.
  std::map<std::string, LabelCondition> conditions(const Node& node, const std::string& key);

  /// Texts like `dedicated=ml:NoExecute`, or maps as Kubernetes has them; one alone, or a list.
  std::vector<Taint> taints(const Node& node, const std::string& key);

  /// Texts like `dedicated=ml`, `gpu` or `*`, or maps as Kubernetes has them; one alone, or a list.
  std::vector<Toleration> tolerations(const Node& node, const std::string& key);

  /// Labels and the values of each that will do.
  std::map<std::string, std::vector<std::string>> choices(const Node& node, const std::string& key);

 private:
  LabelCondition condition(const Node& node, const std::string& key);
  Taint taint(const Node& node, const std::string& key);
  Toleration toleration(const Node& node, const std::string& key);

  std::string file_;
  std::optional<Error> error_;
};

}  // namespace mirab
