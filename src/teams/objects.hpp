#pragma once

// Objects of Kubernetes that describe queues.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/result.hpp>

#include "kubernetes/cluster_import.hpp"
#include "kubernetes/objects.hpp"
#include "model/field_reader.hpp"
#include "teams/imported_teams.hpp"

namespace mirab::teams {

/// An object, and the file that it stands in.
struct FoundObject {
  kubernetes::Object object;
  const std::string* file;

  std::string name() const { return std::string(object.name()); }
  std::string space() const { return std::string(object.metadata("namespace")); }

  /// Is it of this kind, and of this group of APIs, `kueue.x-k8s.io`?
  bool is(std::string_view kind, std::string_view api_group) const;

  /// The value at a JSON pointer; nothing where there is none, or null.
  const Node* at(std::string_view pointer) const;

  /// The text of the scalar there; empty where there is none.
  std::string text_at(std::string_view pointer) const;

  /// Where the key stands, or else the object.
  FilePosition position(std::string_view pointer) const;
};

std::vector<FoundObject> all_objects(std::span<const kubernetes::ObjectText> texts);

/// Kubernetes' names, which every object that is read must have.
Check check_named(const FoundObject& found);

/// Why there is no queue: what the first object is instead. `wanted`: which command prints what is read.
Error no_queues(std::span<const kubernetes::ObjectText> texts, std::span<const FoundObject> objects,
                std::string_view wanted);

/// Names an object that says nothing of queues.
void leave_out(const FoundObject& found, NotKept& not_kept);

/// Amounts by resource; null and what is not there are none.
Amounts read_amounts(FieldReader& fields, const Node* node, const std::string& key);

/// A key of a queue that is not kept, unless it has the value that it has by itself, or a list or map is
/// empty.
struct OwnValue {
  std::string_view key;
  std::string_view value = {};
};

/// Names the keys of a map that are neither `kept` nor what they are by themselves.
void name_other_keys(const Node* map, std::string_view path, std::span<const std::string_view> kept,
                     std::span<const OwnValue> own, std::string_view word, const std::string& name,
                     NotKept& not_kept);

}  // namespace mirab::teams
