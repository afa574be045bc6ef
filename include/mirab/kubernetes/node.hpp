#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <mirab/kubernetes/amounts.hpp>
#include <mirab/model/result.hpp>
#include <mirab/model/syntax.hpp>

namespace mirab::kubernetes {

/// What the pods of a node may have together.
struct Allocatable {
  std::string node;                    ///< its name; empty when only its capacity is known
  std::vector<std::string> resources;  ///< that are shared
  std::vector<Units> units;            ///< > 0, [r]
};

/// From `cpu=2,memory=1800Mi`. Errors as for read_amounts().
Result<Allocatable> read_capacity(std::string_view text);

/// From `kubectl get node -o json` or `-o yaml`, of one node or several: cpu and memory of
/// status.allocatable. `name` says which, and may be empty when there is only one. Errors name file, line and
/// key.
Result<Allocatable> read_node(std::string_view text, Syntax syntax, const std::string& file,
                              std::string_view name);

}  // namespace mirab::kubernetes
