#include "architecture/layers.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <regex>
#include <sstream>

namespace mirab::architecture {
namespace {

namespace fs = std::filesystem;

struct Include {
  bool quoted;       // "model/x.hpp" rather than <mirab/model/x.hpp>
  std::string path;  // between the quotes or brackets
};

// One file and what its faults begin with.
struct Source {
  std::string name;  // from the root: src/model/x.cpp
  std::string layer;
  bool is_public;
};

std::optional<Include> include_on(const std::string& line) {
  static const std::regex directive(R"(^\s*#\s*include\s*([<"])([^>"]*)[>"])");
  std::smatch match;
  if (!std::regex_search(line, match, directive)) return std::nullopt;
  return Include{.quoted = match[1] == "\"", .path = match[2]};
}

// The first folder, or the first two where these are a layer; the headers for C are at the top, where C
// programs look for them, and of layer c_api.
std::string layer_of(const std::string& path, const Layers& layers) {
  const auto slash = path.find('/');
  if (slash == std::string::npos) return path.ends_with(".h") ? "c_api" : "";
  const std::string two = path.substr(0, path.find('/', slash + 1));
  return layers.contains(two) ? two : path.substr(0, slash);
}

bool is_standard(const std::string& header) {
  return header == "stddef.h" || header == "stdint.h" || header.find_first_of("./") == std::string::npos;
}

bool is_source(const fs::path& path) {
  static const std::set<std::string> endings = {".hpp", ".cpp", ".h", ".cc", ".inc"};
  return endings.contains(path.extension().string());
}

bool may_include(const Layers& layers, const std::string& from, const std::string& target) {
  return from == target || layers.at(from).contains(target);
}

// The layer of a header of Mirab; nothing where it is of the standard library or of somebody else's.
std::optional<std::string> target_of(const Include& include, const Layers& layers) {
  const bool of_mirab = !include.quoted && include.path.starts_with("mirab/");
  if (!of_mirab && !include.quoted) return std::nullopt;
  return layer_of(of_mirab ? include.path.substr(6) : include.path, layers);
}

// What is wrong with one include of a source, if anything.
std::optional<std::string> fault_of(const Include& include, const Source& source, const Layers& layers) {
  const bool of_mirab = !include.quoted && include.path.starts_with("mirab/");
  if (include.path == "mirab/mirab.hpp") return "mirab.hpp is for users of the library";
  if (source.is_public && include.quoted)
    return "a public header may not include the private " + include.path;
  if (source.is_public && !of_mirab && !is_standard(include.path)) {
    return "a public header may not need a library: " + include.path;
  }
  const std::optional<std::string> target = target_of(include, layers);
  if (!target) return std::nullopt;
  if (!layers.contains(*target)) return include.path + " is in no layer";
  if (source.layer.empty() || may_include(layers, source.layer, *target)) return std::nullopt;
  return source.layer + " may not include " + *target + ": " + include.path;
}

void check_file(const fs::path& file, const Source& source, const Layers& layers, Faults& faults) {
  std::ifstream input(file);
  std::string line;
  for (int number = 1; std::getline(input, line); ++number) {
    const auto include = include_on(line);
    if (!include) continue;
    if (const auto fault = fault_of(*include, source, layers)) {
      faults.push_back(source.name + ":" + std::to_string(number) + ": " + *fault);
    }
  }
}

// Checks the files below one of the two trees of layers, and notes the layers that have a folder there.
void check_tree(const fs::path& root, const std::string& tree, const Layers& layers,
                std::set<std::string>& seen, Faults& faults) {
  const bool is_public = tree != "src";
  if (!fs::is_directory(root / tree)) return faults.push_back(tree + " is missing");
  for (const auto& entry : fs::recursive_directory_iterator(root / tree)) {
    if (!entry.is_regular_file() || !is_source(entry.path())) continue;
    const std::string inside = fs::relative(entry.path(), root / tree).generic_string();
    const Source source{
        .name = tree + "/" + inside, .layer = layer_of(inside, layers), .is_public = is_public};
    if (is_public && inside == "mirab.hpp") {
      check_file(entry.path(), source, layers, faults);
    } else if (!layers.contains(source.layer)) {
      faults.push_back(source.name + ": is in no layer");
    } else {
      seen.insert(source.layer);
      check_file(entry.path(), source, layers, faults);
    }
  }
}

}  // namespace

Layers read_layers(std::string_view document, Faults& faults, std::string_view name) {
  const std::string opening = "```" + std::string(name) + "\n";
  const auto start = document.find(opening);
  if (start == std::string_view::npos) {
    faults.push_back("there is no block of " + std::string(name));
    return {};
  }
  const auto body = document.substr(start + opening.size());
  std::istringstream block{std::string(body.substr(0, body.find("```")))};

  Layers layers;
  for (std::string line; std::getline(block, line);) {
    const auto colon = line.find(':');
    const std::string layer = line.substr(0, colon);
    std::istringstream names(colon == std::string::npos ? "" : line.substr(colon + 1));
    std::set<std::string> below;
    for (std::string name; names >> name;) {
      if (!layers.contains(name))
        faults.push_back(layer + " names " + name + ", which is not declared above it");
      below.insert(name);
    }
    if (!layers.emplace(layer, std::move(below)).second) faults.push_back(layer + " is declared twice");
  }
  return layers;
}

Faults check_includes(const fs::path& root, const Layers& layers) {
  Faults faults;
  std::set<std::string> seen;
  check_tree(root, "include/mirab", layers, seen, faults);
  check_tree(root, "src", layers, seen, faults);
  for (const auto& [layer, below] : layers) {
    if (!seen.contains(layer)) faults.push_back("the layer " + layer + " has no source");
  }
  std::sort(faults.begin(), faults.end());
  return faults;
}

Faults check_rights(const fs::path& root, const Layers& layers) {
  Layers used;
  for (const char* tree : {"include/mirab", "src"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / tree)) {
      if (!entry.is_regular_file() || !is_source(entry.path())) continue;
      const std::string layer = layer_of(fs::relative(entry.path(), root / tree).generic_string(), layers);
      std::ifstream input(entry.path());
      for (std::string line; std::getline(input, line);) {
        const auto include = include_on(line);
        if (const auto target = include ? target_of(*include, layers) : std::nullopt)
          used[layer].insert(*target);
      }
    }
  }
  Faults faults;
  for (const auto& [layer, below] : layers) {
    for (const std::string& each : below) {
      if (!used[layer].contains(each)) faults.push_back(layer + " may include " + each + ", and does not");
    }
  }
  return faults;
}

Faults check_parts(const fs::path& root, const std::string& folder, const Layers& parts,
                   const std::string& top) {
  Faults faults;
  std::set<std::string> seen;
  const auto part_of = [&](const std::string& inside) {
    const auto slash = inside.find('/');
    return slash == std::string::npos ? top : inside.substr(0, slash);
  };
  for (const auto& entry : fs::recursive_directory_iterator(root / "src" / folder)) {
    if (!entry.is_regular_file() || !is_source(entry.path())) continue;
    const std::string inside = fs::relative(entry.path(), root / "src" / folder).generic_string();
    const std::string part = part_of(inside);
    seen.insert(part);
    if (!parts.contains(part)) {
      faults.push_back(folder + "/" + inside + ": is in no part");
      continue;
    }
    std::ifstream input(entry.path());
    std::string line;
    for (int number = 1; std::getline(input, line); ++number) {
      const auto include = include_on(line);
      if (!include || !include->quoted || !include->path.starts_with(folder + "/")) continue;
      const std::string target = part_of(include->path.substr(folder.size() + 1));
      if (target == part || parts.at(part).contains(target)) continue;
      faults.push_back(folder + "/" + inside + ":" + std::to_string(number) + ": " + part +
                       " may not include " + target);
    }
  }
  for (const auto& [part, below] : parts) {
    if (!seen.contains(part)) faults.push_back("the part " + part + " has no source");
  }
  std::sort(faults.begin(), faults.end());
  return faults;
}

}  // namespace mirab::architecture
