// Manifests with the new limits written into them, all other bytes unchanged.
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/kubernetes/manifests.hpp>

#include "kubernetes/objects.hpp"
#include "model/document.hpp"

namespace mirab::kubernetes {

/// A key with what it shall hold: a text, or more keys.
struct Setting {
  std::string key;
  std::string scalar = {};  ///< when `below` is empty
  std::vector<Setting> below = {};
};

/// Settings for one map of a text.
struct MapEdit {
  Node* map;
  std::vector<Setting> settings;
};

/// The YAML text with these keys set, and every other byte as it was: comments, order, quotes. The maps are
/// those of the documents that were read from this very text. A text that the YAML allows in other ways than
/// people write it may come out wrong, so read the result again before it is used.
std::string edited_yaml(std::string_view text, const std::vector<MapEdit>& edits);

// Edits a YAML text where it stands, by the lines and columns of its parser: a library that rewrites a
// document would lose its comments.
//
// A value is replaced in its place, quotes kept. New keys of a block go after the plain values at its head
// (a container's name and image), or above its first key, with its indentation; those of a map in braces
// right after the brace. An empty value is filled in on its line.

namespace {

constexpr std::size_t kIndent = 2;  // blanks, as kubectl writes YAML

struct Replacement {
  std::size_t at;
  std::size_t length;
  std::string text;
};

std::string in_braces(const std::vector<Setting>& settings) {
  std::string text;
  for (const Setting& each : settings) {
    const std::string value = each.below.empty() ? each.scalar : in_braces(each.below);
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", each.key, value);
  }
  return "{" + text + "}";
}

class Editor {
 public:
  explicit Editor(std::string_view text) : text_(text) {
    line_starts_.push_back(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
    for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
      line_starts_.push_back(at + 1);
    const std::size_t end = text.find('\n');
    if (end != std::string_view::npos && end > 0 && text[end - 1] == '\r') line_end_ = "\r\n";
  }

  void set(const Node& map, const std::vector<Setting>& settings) {
    std::vector<Setting> missing;
    for (const Setting& setting : settings) {
      const auto entry = std::find_if(map.entries.begin(), map.entries.end(),
                                      [&](const Node::Entry& each) { return each.key == setting.key; });
      if (entry == map.entries.end()) {
        missing.push_back(setting);
      } else if (!setting.below.empty() && !entry->value.entries.empty()) {
        set(entry->value, setting.below);
      } else {
        replace_value(*entry, setting);
      }
    }
    if (missing.empty()) return;
    if (const std::size_t at = value_start(map); at < text_.size() && text_[at] == '{') {
      add_in_braces(map, at, missing);
    } else {
      add_in_block(map, missing);
    }
  }

  std::string result() {
    std::stable_sort(replacements_.begin(), replacements_.end(),
                     [](const Replacement& a, const Replacement& b) { return a.at > b.at; });
    std::string text(text_);
    for (const Replacement& each : replacements_) text.replace(each.at, each.length, each.text);
    return text;
  }

 private:
  std::size_t offset(int line, int column) const {
    const auto index = static_cast<std::size_t>(line - 1);
    if (index >= line_starts_.size()) return text_.size();
    return std::min(text_.size(), line_starts_[index] + static_cast<std::size_t>(column - 1));
  }

  // Where a value begins, after its anchor or tag.
  std::size_t value_start(const Node& node) const {
    std::size_t at = offset(node.line, node.column);
    while (at < text_.size() && (text_[at] == '&' || text_[at] == '!')) {
      at = std::min(text_.size(), text_.find_first_of(" \t\r\n", at));
      at = std::min(text_.size(), text_.find_first_not_of(" \t\r\n", at));
    }
    return at;
  }

  // Behind a scalar or key that begins here.
  std::size_t scalar_end(std::size_t at, std::string_view stops) const {
    const char quote = at < text_.size() ? text_[at] : '\0';
    if (quote != '"' && quote != '\'') return std::min(text_.size(), text_.find_first_of(stops, at));
    for (++at; at < text_.size(); ++at) {
      if (quote == '"' && text_[at] == '\\') {
        ++at;
      } else if (text_[at] == quote) {
        if (quote == '"' || at + 1 == text_.size() || text_[at + 1] != quote) return at + 1;
        ++at;
      }
    }
    return text_.size();
  }

  void replace_value(const Node::Entry& entry, const Setting& setting) {
    const std::string value = setting.below.empty() ? setting.scalar : in_braces(setting.below);
    const std::size_t colon = text_.find(':', scalar_end(offset(entry.line, entry.column), ": \t\r\n"));
    if (colon == std::string_view::npos) return;
    if (entry.value.kind == Node::Kind::null) {
      const std::size_t at = std::min(text_.size(), text_.find_first_not_of(" \t", colon + 1));
      const std::string_view rest = text_.substr(at);
      const std::size_t written = rest.starts_with("null") ? 4 : rest.starts_with("~") ? 1 : 0;
      if (written > 0) {
        replacements_.push_back({at, written, value});
      } else {
        replacements_.push_back({colon + 1, 0, " " + value});
      }
      return;
    }
    const std::size_t at = value_start(entry.value);
    if (entry.value.kind == Node::Kind::map) {  // an empty one
      const std::size_t end = text_.find('}', at);
      if (end != std::string_view::npos) replacements_.push_back({at, end + 1 - at, value});
      return;
    }
    const bool quoted = at < text_.size() && (text_[at] == '"' || text_[at] == '\'');
    const std::string quote = quoted ? std::string(1, text_[at]) : "";
    replacements_.push_back({at, scalar_end(at, " \t\r\n,]}#") - at, quote + value + quote});
  }

  void add_in_braces(const Node& map, std::size_t brace, const std::vector<Setting>& missing) {
    std::string inside = in_braces(missing);
    inside = inside.substr(1, inside.size() - 2);
    if (map.entries.empty()) return replacements_.push_back({brace + 1, 0, inside});
    const std::size_t first = std::min(text_.size(), text_.find_first_not_of(" \t", brace + 1));
    const bool on_this_line =
        first < text_.size() && std::string_view("\r\n#").find(text_[first]) == std::string_view::npos;
    replacements_.push_back({on_this_line ? first : brace + 1, 0, inside + (on_this_line ? ", " : ",")});
  }

  void add_in_block(const Node& map, const std::vector<Setting>& missing) {
    if (map.entries.empty()) return;
    const auto indent = static_cast<std::size_t>(map.entries.front().column - 1);
    std::string lines;
    append_block(missing, indent, lines);
    const std::optional<std::size_t> at = place_for_keys(map);
    if (!at) return;
    if (*at == text_.size() && !text_.ends_with('\n')) {
      lines.erase(lines.size() - line_end_.size());
      lines.insert(0, line_end_);
    }
    replacements_.push_back({*at, 0, lines});
  }

  void append_block(const std::vector<Setting>& settings, std::size_t indent, std::string& lines) const {
    for (const Setting& each : settings) {
      lines += std::string(indent, ' ') + each.key + ":";
      if (each.below.empty()) {
        lines += " " + each.scalar + line_end_;
      } else {
        lines += line_end_;
        append_block(each.below, indent + kIndent, lines);
      }
    }
  }

  // The start of a line: after the plain values at the head of the block, or above its first key that has a
  // line of its own and the comments of that key.
  std::optional<std::size_t> place_for_keys(const Node& map) const {
    int line = 0;
    for (const Node::Entry& entry : map.entries) {
      const std::size_t at = value_start(entry.value);
      const bool plain = entry.value.kind == Node::Kind::scalar && entry.value.line == entry.line &&
                         at < text_.size() && text_[at] != '|' && text_[at] != '>';
      if (!plain) break;
      line = entry.line + 1;
    }
    if (line > 0) return offset(line, 1);
    for (const Node::Entry& entry : map.entries) {
      const std::size_t start = offset(entry.line, 1);
      const std::string_view before = text_.substr(start, static_cast<std::size_t>(entry.column - 1));
      if (before.find_first_not_of(' ') != std::string_view::npos) continue;
      int above = entry.line;
      while (above > 1 && is_comment(above - 1)) --above;
      return offset(above, 1);
    }
    return std::nullopt;
  }

  bool is_comment(int line) const {
    const std::size_t at = text_.find_first_not_of(" \t", offset(line, 1));
    return at != std::string_view::npos && text_[at] == '#';
  }

  std::string_view text_;
  std::vector<std::size_t> line_starts_;
  std::string line_end_ = "\n";
  std::vector<Replacement> replacements_;
};

}  // namespace

std::string edited_yaml(std::string_view text, const std::vector<MapEdit>& edits) {
  Editor editor(text);
  for (const MapEdit& edit : edits) editor.set(*edit.map, edit.settings);
  return editor.result();
}

namespace {

using Json = nlohmann::ordered_json;

// What a container's manifest shall hold.
std::vector<Setting> settings_of(const std::vector<std::string>& resources, const Container& container,
                                 const std::vector<Units>& limits) {
  Setting limited{.key = "limits"}, requested{.key = "requests"};
  for (std::size_t r = 0; r < resources.size(); ++r) {
    const Need& need = container.needs[r];
    limited.below.push_back({.key = resources[r], .scalar = units_text(resources[r], limits[r])});
    if (!need.request_written)
      requested.below.push_back({.key = resources[r], .scalar = units_text(resources[r], need.request)});
  }
  Setting all{.key = "resources", .below = {std::move(limited)}};
  if (!requested.below.empty()) all.below.push_back(std::move(requested));
  return {std::move(all)};
}

void set(Json& json, const std::vector<Setting>& settings) {
  for (const Setting& each : settings) {
    if (each.below.empty()) {
      json[each.key] = each.scalar;
    } else {
      set(json[each.key], each.below);
    }
  }
}

// Calls `visit` with every container and its settings.
template <class Visit>
void for_each_container(const Pods& pods, const Limits& limits, const Visit& visit) {
  for (std::size_t w = 0; w < pods.workloads.size(); ++w) {
    const Workload& workload = pods.workloads[w];
    for (std::size_t c = 0; c < workload.containers.size(); ++c) {
      visit(workload, workload.containers[c],
            settings_of(pods.resources, workload.containers[c], limits.workloads[w].limits[c]));
    }
  }
}

void set(Node& map, const std::vector<Setting>& settings) {
  map.kind = Node::Kind::map;
  for (const Setting& each : settings) {
    auto entry = std::find_if(map.entries.begin(), map.entries.end(),
                              [&](const Node::Entry& other) { return other.key == each.key; });
    if (entry == map.entries.end()) {
      map.entries.push_back({.key = each.key, .line = 0, .column = 0, .value = {}});
      entry = map.entries.end() - 1;
    }
    if (!each.below.empty()) {
      set(entry->value, each.below);
      continue;
    }
    entry->value.kind = Node::Kind::scalar;
    entry->value.text = each.scalar;
  }
}

// Do both hold the same, wherever it stands and whatever the order of keys?
bool same(const Node& one, const Node& other) {
  if (one.kind != other.kind || one.text != other.text || one.entries.size() != other.entries.size())
    return false;
  for (std::size_t i = 0; i < one.entries.size(); ++i) {
    const bool keyed = one.kind == Node::Kind::map;
    const Node* counterpart = keyed ? other.find(one.entries[i].key) : &other.entries[i].value;
    if (counterpart == nullptr || !same(one.entries[i].value, *counterpart)) return false;
  }
  return true;
}

// The text edited, and read again: it must hold the same documents with the settings in them, and no more.
std::optional<std::string> edited_and_read_again(std::string_view text, std::vector<Node>& documents,
                                                 const std::vector<MapEdit>& edits) {
  std::string edited = edited_yaml(text, edits);
  const Result<std::vector<Node>> again = read_documents(edited, Syntax::yaml, "");
  for (const MapEdit& edit : edits) set(*edit.map, edit.settings);
  if (!again || !std::equal(documents.begin(), documents.end(), again->begin(), again->end(), same))
    return std::nullopt;
  return edited;
}

Result<std::string> edited_json(const std::string& text, const std::string& file, const Pods& pods,
                                const Limits& limits) {
  std::vector<Json> documents;
  std::istringstream input(text);
  while (input >> std::ws, !input.eof()) {
    documents.emplace_back();
    try {
      input >> documents.back();
    } catch (const Json::exception&) {
      return Error{.message = "is not JSON", .file = file};
    }
  }
  for_each_container(pods, limits,
                     [&](const Workload& workload, const Container& container, const auto& settings) {
                       set(documents[workload.document][Json::json_pointer(container.pointer)], settings);
                     });
  constexpr int kIndentOfKubectl = 4;
  std::string edited;
  for (const Json& document : documents) edited += document.dump(kIndentOfKubectl) + "\n";
  return edited;
}

}  // namespace

Result<std::string> with_limits(std::string_view text, Syntax syntax, const std::string& file,
                                const Pods& pods, const Limits& limits) {
  if (!limits.recalculated) return std::string(text);
  const ObjectsText objects = objects_text(text, syntax);
  if (objects.syntax == Syntax::json) return edited_json(objects.text, file, pods, limits);
  Result<std::vector<Node>> documents = read_object_documents(text, syntax, file);
  if (!documents) return std::move(documents).error();
  std::vector<MapEdit> edits;
  for_each_container(pods, limits, [&](const Workload& workload, const Container& container, auto settings) {
    Node* map = value_at((*documents)[workload.document], container.pointer);
    edits.push_back({map, std::move(settings)});
  });
  if (std::optional<std::string> edited = edited_and_read_again(text, *documents, edits))
    return *std::move(edited);
  return Error{.message = "the limits cannot be written into this text; print them with --patch instead",
               .file = file};
}

}  // namespace mirab::kubernetes
