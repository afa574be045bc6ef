#include "teams/objects.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "model/exact.hpp"
#include "model/names.hpp"

namespace mirab::teams {

using kubernetes::ObjectText;

bool FoundObject::is(std::string_view kind, std::string_view api_group) const {
  const std::string version = text_at("/apiVersion");
  const std::string_view group = std::string_view(version).substr(0, version.find('/'));
  return object.kind == kind && (group == api_group || version.empty());
}

const Node* FoundObject::at(std::string_view pointer) const {
  const Node* const node = kubernetes::value_at(*object.root, pointer);
  return node == nullptr || node->kind == Node::Kind::null ? nullptr : node;
}

std::string FoundObject::text_at(std::string_view pointer) const {
  const Node* const node = at(pointer);
  return node == nullptr || node->kind != Node::Kind::scalar ? std::string() : node->text;
}

FilePosition FoundObject::position(std::string_view pointer) const {
  const Node* const node = at(pointer);
  return {.key = object.key(kubernetes::key_of(pointer)),
          .file = *file,
          .line = node == nullptr ? object.root->line : node->line};
}

std::vector<FoundObject> all_objects(std::span<const ObjectText> texts) {
  std::vector<FoundObject> all;
  for (const ObjectText& text : texts) {
    for (kubernetes::Object& object : kubernetes::objects_of(text.documents))
      all.push_back({.object = std::move(object), .file = &text.file});
  }
  return all;
}

Check check_named(const FoundObject& found) {
  const std::string name = found.name();
  if (name.empty()) return error_at(found.position("/metadata/name"), "missing");
  if (!kubernetes::is_name(name) || !kubernetes::is_name(found.space()))
    return error_at(found.position("/metadata/name"), kubernetes::kNotAName);
  return {};
}

void leave_out(const FoundObject& found, NotKept& not_kept) {
  const std::string& kind = found.object.kind;
  not_kept.add("left out, no queue", "object",
               fmt::format("{} {}", kind.empty() ? "(no kind)" : kind, found.name()));
}

Error no_queues(std::span<const ObjectText> texts, std::span<const FoundObject> objects,
                std::string_view wanted) {
  if (objects.empty())
    return {.message = fmt::format("there are no queues; {}", wanted),
            .file = texts.empty() ? "" : texts.front().file};
  const FoundObject& first = objects.front();
  if (first.object.kind.empty())
    return error_at(first.position("/kind"), fmt::format("is no object of Kubernetes; {}", wanted));
  const std::string version = first.text_at("/apiVersion");
  std::string what = fmt::format("this is a {}", printable(first.object.kind));
  if (const std::size_t slash = version.find('/'); slash != std::string::npos)
    what += fmt::format(" of {}", printable(version.substr(0, slash)));
  return error_at(first.position("/kind"), fmt::format("{}; {}", what, wanted));
}

Amounts read_amounts(FieldReader& fields, const Node* node, const std::string& key) {
  Amounts amounts;
  if (node == nullptr || node->kind == Node::Kind::null || !fields.expect_map(*node, key)) return amounts;
  for (const Node::Entry& entry : node->entries)
    amounts[entry.key] = rational(fields.amount(entry.value, fmt::format("{}.{}", key, entry.key)));
  return amounts;
}

void name_other_keys(const Node* map, std::string_view path, std::span<const std::string_view> kept,
                     std::span<const OwnValue> own, std::string_view word, const std::string& name,
                     NotKept& not_kept) {
  if (map == nullptr || map->kind != Node::Kind::map) return;
  for (const Node::Entry& entry : map->entries) {
    if (std::find(kept.begin(), kept.end(), entry.key) != kept.end()) continue;
    const Node& value = entry.value;
    const bool is_empty = value.kind == Node::Kind::scalar ? value.text.empty() : value.entries.empty();
    const bool is_own = std::any_of(own.begin(), own.end(), [&](const OwnValue& each) {
      return each.key == entry.key && each.value == value.text && value.kind == Node::Kind::scalar;
    });
    if (!is_empty && !is_own)
      not_kept.add(fmt::format("not kept, {}{}", path, printable(entry.key)), word, name);
  }
}

}  // namespace mirab::teams
