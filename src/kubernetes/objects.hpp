#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/document.hpp"

namespace mirab::kubernetes {

/// One API object of a text, alone in its document or an item of a List.
struct Object {
  std::string kind;
  const Node* root;
  std::string pointer;       ///< of the object in its document, a JSON pointer: empty, or `/items/3`
  std::size_t document = 0;  ///< from 0

  /// metadata.name and the like; empty when it is not there.
  std::string_view metadata(std::string_view key) const;
  std::string_view name() const { return metadata("name"); }

  /// A key within the object as errors show it: `items[3].spec.replicas`.
  std::string key(std::string_view within) const;
};

/// Is it made of what Kubernetes allows in names: a-z, 0-9, - and the point? So it needs no quotes anywhere.
bool is_name(std::string_view text);
inline constexpr const char* kNotAName = "is no name that Kubernetes takes: a-z, 0-9, - and . only";

/// All objects of the documents in their order, lists within lists too. An item of a PodList is a Pod, even
/// where it does not say so. Pointers into `documents`.
std::vector<Object> objects_of(const std::vector<Node>& documents);

/// The value at a JSON pointer, without `~` in it; nothing when there is none.
const Node* value_at(const Node& root, std::string_view pointer);
Node* value_at(Node& root, std::string_view pointer);

/// A JSON pointer as errors show it: `/items/3/spec` is `items[3].spec`.
std::string key_of(std::string_view pointer);

}  // namespace mirab::kubernetes
