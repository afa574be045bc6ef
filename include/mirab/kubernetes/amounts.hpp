#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/cluster_file.hpp>
#include <mirab/model/quantity.hpp>
#include <mirab/model/result.hpp>

namespace mirab::kubernetes {

/// An amount of a resource in the unit in which Kubernetes counts it: thousandths of a CPU, bytes of memory
/// and storage.
using Units = std::int64_t;

/// The largest amount of one container or node: far beyond any machine, and small enough that sums over
/// kMaxContainers of them are exact.
inline constexpr Units kMaxUnits = Units{1} << 47;
inline constexpr std::int64_t kMaxContainers = 30'000;

/// The largest amount that Kubernetes counts: what is more is that.
inline constexpr Units kCapUnits = std::numeric_limits<Units>::max();

/// May containers be given a limit above their request? So it is for cpu, memory and ephemeral-storage; of
/// devices and huge pages a limit is the request.
bool can_be_shared(std::string_view resource);

/// Is the resource an amount of bytes: memory, storage or huge pages?
bool counts_bytes(std::string_view resource);

/// A quantity as Kubernetes writes it, in units. What is no multiple of a unit is rounded: a request up, what
/// a node has down. Errors (message only): not a quantity, or more than kMaxUnits.
Result<Units> read_units(std::string_view resource, std::string_view text, Rounding rounding);

/// The same of a cluster that runs, where one amount beyond all bounds, which the API server takes, shall not
/// keep the others from being read: what is more than kCapUnits is that, and of a node half of it is the
/// most, so that it has no room for such a pod. Errors (message only): not a quantity.
Result<Units> read_capped_units(std::string_view resource, std::string_view text, Rounding rounding);

/// a + b, at most kCapUnits.
Units capped_sum(Units a, Units b);

/// read_units() of what was read already.
Result<Units> units_of(std::string_view resource, const Quantity& quantity, Rounding rounding);

/// The unit of a limit next to a request of this text: whole Mi for `50Mi` or `2Gi`, Ki for Ki, megabytes for
/// M and G, kilobytes for k, otherwise single units.
Units written_in(std::string_view request);

/// The amount as Kubernetes writes it: `720m`, `2`, `81Mi`, `1G`.
std::string units_text(std::string_view resource, Units units);

/// CPUs, or bytes: the plain number of an amount.
double plain_number(std::string_view resource, double units);

/// One amount by name.
struct Amount {
  std::string resource;
  Units units;
};

/// Reads `cpu=2,memory=1800Mi`. Errors (message only): not of that form, a resource twice or one that cannot
/// be shared, an amount of 0.
Result<std::vector<Amount>> read_amounts(std::string_view text, Rounding rounding);

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

/// The same of all nodes of the text. Errors: besides, two nodes of a name.
Result<std::vector<Allocatable>> read_nodes(std::string_view text, Syntax syntax, const std::string& file);

}  // namespace mirab::kubernetes
