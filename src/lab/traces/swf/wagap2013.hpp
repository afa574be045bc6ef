#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/quantity.hpp>
#include <mirab/model/result.hpp>

/// What a job of `wagap-2013` asks for: field 21 of its log.
namespace mirab::traces::wagap2013 {

/// One part of `8:ppn=8:x86_64:cl_zegox#excl+1:ppn=2`.
struct Part {
  std::int64_t nodes = 1;
  Quantity cpus{1};                   ///< of each node
  std::vector<std::string> wanted;    ///< `cl_zegox`, `x86_64`, …
  std::vector<std::string> rejected;  ///< without the `^`
};

struct Asked {
  std::vector<Part> parts;
  bool exclusive = false;  ///< whole nodes, whatever of them is used
};

/// Errors (message only): no number where one belongs.
Result<Asked> read_asked(std::string_view text);

}  // namespace mirab::traces::wagap2013
