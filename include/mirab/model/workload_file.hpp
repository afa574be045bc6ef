#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/result.hpp>
#include <mirab/model/workload.hpp>

namespace mirab {

/// Reads a workload file: JSON lines, gzip or plain (docs/reference/workload-file.md). Errors name file, line
/// and key; nothing is read by halves. O(bytes).
Result<Workload> read_workload_file(const std::string& path);

/// The same for plain lines in memory; `name` stands for the file in errors.
Result<Workload> read_workload_text(std::string_view text, const std::string& name);

/// The workload as lines, in the order in which it was given: reading them back gives an equal workload.
/// `provenance` is kept in the head: attribution, licence, what was drawn, the seed.
std::string write_workload(const Workload& workload, const std::vector<std::string>& provenance = {});

}  // namespace mirab
