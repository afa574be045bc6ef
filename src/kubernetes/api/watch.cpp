#include "kubernetes/api/watch.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "kubernetes/objects.hpp"
#include "model/names.hpp"

namespace mirab::kubernetes {
namespace {

std::string text_of(const Node& object, std::string_view pointer) {
  const Node* const node = value_at(object, pointer);
  return node == nullptr ? std::string() : node->text;
}

ApiStatus status_of(const Node& object) {
  ApiStatus status{.reason = text_of(object, "/reason"), .message = text_of(object, "/message")};
  const std::string code = text_of(object, "/code");
  std::from_chars(code.data(), code.data() + code.size(), status.code);
  return status;
}

/// Nothing where the type is unknown.
std::optional<WatchEvent::Type> type_of(std::string_view written) {
  using Type = WatchEvent::Type;
  constexpr std::array<std::pair<std::string_view, Type>, 5> kTypes = {{{"ADDED", Type::added},
                                                                        {"MODIFIED", Type::modified},
                                                                        {"DELETED", Type::deleted},
                                                                        {"BOOKMARK", Type::bookmark},
                                                                        {"ERROR", Type::error}}};
  const auto found =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& each) { return each.first == written; });
  return found == kTypes.end() ? std::nullopt : std::optional(found->second);
}

/// Nothing for a line that is passed over.
Result<std::optional<WatchEvent>> read_event(std::string_view line, const std::string& name, int number) {
  Result<Node> event = read_json_line(line, name, number, kManagedFields);
  if (!event) return std::move(event).error();
  Node* const type = value_at(*event, "/type");
  Node* const object = value_at(*event, "/object");
  const auto wrong = [&](const char* key, const char* message) {
    return Error{.message = message, .key = key, .file = name, .line = number};
  };
  if (type == nullptr || type->kind != Node::Kind::scalar) return wrong("type", "missing");
  const std::optional<WatchEvent::Type> known = type_of(type->text);
  if (!known) return std::optional<WatchEvent>();
  if (object == nullptr || object->kind != Node::Kind::map) return wrong("object", "must be an object");
  if (*known == WatchEvent::Type::error)
    return std::optional(WatchEvent{.type = *known, .object = {}, .status = status_of(*object)});
  std::string version = text_of(*object, "/metadata/resourceVersion");
  if (version.empty()) return wrong("object.metadata.resourceVersion", "missing");
  return std::optional(
      WatchEvent{.type = *known, .object = std::move(*object), .version = std::move(version)});
}

}  // namespace

ApiStatus read_status(int code, std::string_view body) {
  constexpr std::size_t kShown = 200;
  if (const Result<Node> object = read_json_line(body, "", 0);
      object && text_of(*object, "/kind") == "Status") {
    ApiStatus status = status_of(*object);
    status.code = code;
    return status;
  }
  return {.code = code, .message = printable(trimmed(body.substr(0, kShown)))};
}

Check WatchReader::take(std::string_view bytes, const std::function<void(WatchEvent event)>& each) {
  const auto fail = [&](Error error) {
    is_failed_ = true;
    line_.clear();
    return Check(std::move(error));
  };
  while (!bytes.empty() && !is_failed_) {
    const std::size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    if (line_.size() + piece.size() > kLongestLine)
      return fail({.message = fmt::format("a line has more than {} bytes", kLongestLine),
                   .file = name_,
                   .line = number_ + 1});
    line_ += piece;
    if (end == std::string_view::npos) return {};
    bytes.remove_prefix(end + 1);
    ++number_;
    const std::string line = std::exchange(line_, {});
    if (trimmed(line).empty()) continue;
    Result<std::optional<WatchEvent>> event = read_event(line, name_, number_);
    if (!event) return fail(std::move(event).error());
    if (*event) each(**std::move(event));
  }
  return {};
}

Result<ListPage> read_list_page(std::string_view body, const std::string& name) {
  Result<Node> list = read_json_line(body, name, 1, kManagedFields);
  if (!list) return std::move(list).error();
  const auto wrong = [&](std::string key, const char* message) {
    return Error{.message = message, .key = std::move(key), .file = name};
  };
  Node* const items = value_at(*list, "/items");
  ListPage page{.items = {},
                .version = text_of(*list, "/metadata/resourceVersion"),
                .continued = text_of(*list, "/metadata/continue")};
  if (!text_of(*list, "/kind").ends_with("List")) return wrong("kind", "is not that of a list");
  if (page.version.empty()) return wrong("metadata.resourceVersion", "missing");
  if (items == nullptr || items->kind == Node::Kind::null) return page;  // Go writes an empty list so
  if (items->kind != Node::Kind::list) return wrong("items", "must be a list");
  for (Node::Entry& item : items->entries) {
    if (item.value.kind != Node::Kind::map)
      return wrong(fmt::format("items[{}]", page.items.size()), "must be an object");
    page.items.push_back(std::move(item.value));
  }
  return page;
}

}  // namespace mirab::kubernetes
