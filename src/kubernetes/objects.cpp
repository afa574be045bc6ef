#include "kubernetes/objects.hpp"

#include <charconv>
#include <fmt/format.h>
#include <utility>

namespace mirab::kubernetes {
namespace {

std::string_view text_at(const Node& map, std::string_view key) {
  const Node* value = map.find(key);
  return value == nullptr ? std::string_view() : std::string_view(value->text);
}

void collect(const Node& node, std::string_view implied_kind, const std::string& pointer,
             std::size_t document, std::vector<Object>& objects) {
  if (node.kind != Node::Kind::map) return;
  const std::string_view written = text_at(node, "kind");
  const std::string_view kind = written.empty() ? implied_kind : written;
  const Node* items = node.find("items");
  if (!kind.ends_with("List") || items == nullptr || items->kind != Node::Kind::list) {
    objects.push_back({.kind = std::string(kind), .root = &node, .pointer = pointer, .document = document});
    return;
  }
  for (std::size_t i = 0; i < items->entries.size(); ++i) {
    collect(items->entries[i].value, kind.substr(0, kind.size() - 4), fmt::format("{}/items/{}", pointer, i),
            document, objects);
  }
}

// One step down; an index into a list or a key of a map.
const Node* step(const Node& node, std::string_view name) {
  if (node.kind != Node::Kind::list) return node.find(name);
  std::size_t index = 0;
  const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), index);
  const bool there =
      failure == std::errc{} && end == name.data() + name.size() && index < node.entries.size();
  return there ? &node.entries[index].value : nullptr;
}

// Calls `visit` with each step of a pointer, while it returns true.
template <class Visit>
void for_each_step(std::string_view pointer, const Visit& visit) {
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string_view name = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(name.size());
    if (!visit(name)) return;
  }
}

}  // namespace

std::string_view Object::metadata(std::string_view key) const {
  const Node* map = root->find("metadata");
  return map == nullptr ? std::string_view() : text_at(*map, key);
}

std::string Object::key(std::string_view within) const {
  const std::string own = key_of(pointer);
  return own.empty() ? std::string(within) : fmt::format("{}.{}", own, within);
}

bool is_name(std::string_view text) {
  return text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-.") == std::string_view::npos;
}

std::vector<Object> objects_of(const std::vector<Node>& documents) {
  std::vector<Object> objects;
  for (std::size_t i = 0; i < documents.size(); ++i) collect(documents[i], "", "", i, objects);
  return objects;
}

const Node* value_at(const Node& root, std::string_view pointer) {
  const Node* node = &root;
  for_each_step(pointer, [&](std::string_view name) { return (node = step(*node, name)) != nullptr; });
  return node;
}

Node* value_at(Node& root, std::string_view pointer) {
  return const_cast<Node*>(value_at(std::as_const(root), pointer));
}

std::string key_of(std::string_view pointer) {
  std::string key;
  for_each_step(pointer, [&](std::string_view name) {
    const bool index = name.find_first_not_of("0123456789") == std::string_view::npos;
    key += index ? fmt::format("[{}]", name) : fmt::format("{}{}", key.empty() ? "" : ".", name);
    return true;
  });
  return key;
}

}  // namespace mirab::kubernetes
