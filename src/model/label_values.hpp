#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace mirab {

/// By label, the values of which any will do: what tasks of workloads and of the engine ask of servers.
using SelectedValues = std::map<std::string, std::vector<std::string>>;

/// Has a server with these labels one of the values of each? (A user's `select` can ask more:
/// model/eligibility.hpp.)
inline bool has_selected_values(const std::map<std::string, std::string>& labels,
                                const SelectedValues& select) {
  return std::all_of(select.begin(), select.end(), [&](const auto& wanted) {
    const auto& [label, values] = wanted;
    const auto own = labels.find(label);
    return own != labels.end() && std::find(values.begin(), values.end(), own->second) != values.end();
  });
}

}  // namespace mirab
