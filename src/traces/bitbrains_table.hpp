#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <mirab/model/result.hpp>

/// Virtual machines of the Bitbrains trace and their rows.
namespace mirab::traces::bitbrains {

struct Sample {
  std::uint64_t time;  ///< Unix seconds
  double cores;        ///< used
  double bytes;        ///< used
};

struct VirtualMachine {
  std::string name;
  double cores = 0;  ///< provisioned, the most of all rows
  double bytes = 0;
  std::vector<Sample> samples;  ///< by time, at least one
};

/// In the order in which they first appear. Errors: as of read_rows; another heading; a negative or bad
/// number; times of a machine that go backwards; no row.
Result<std::vector<VirtualMachine>> read_table(const std::string& path);

}  // namespace mirab::traces::bitbrains
