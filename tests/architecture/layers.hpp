// Who may include whom: the blocks `layers` and `parts` of ARCHITECTURE.md, and what the sources make of
// them.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace mirab::architecture {

/// For every layer, the layers below it that it may include. A layer is a folder, or a folder in a folder:
/// lab/traces.
using Layers = std::map<std::string, std::set<std::string>, std::less<>>;

/// What is wrong, in one line a fault: `src/model/x.cpp:3: model may not include report`.
using Faults = std::vector<std::string>;

/// Reads the block between ```layers, or another name, and ```: one `layer: below below` a line, every name
/// on the right declared further up. Appends a fault for a block that is missing, and for a name that is not
/// declared above its use.
Layers read_layers(std::string_view document, Faults& faults, std::string_view name = "layers");

/// Holds every #include of root/include/mirab and root/src against the layers.
///
/// Faults: an arrow up or sideways; a folder that is no layer; a layer without a folder; a quoted include
/// that does not start at src/; a public header that includes anything but public headers and the standard
/// library; an include of mirab/mirab.hpp.
Faults check_includes(const std::filesystem::path& root, const Layers& layers);

/// Faults: a layer that may include another and does not.
Faults check_rights(const std::filesystem::path& root, const Layers& layers);

/// Holds every quoted #include in root/src/folder against the parts of that folder: a part is a folder in it,
/// and `top` the files that are in none.
Faults check_parts(const std::filesystem::path& root, const std::string& folder, const Layers& parts,
                   const std::string& top);

}  // namespace mirab::architecture
