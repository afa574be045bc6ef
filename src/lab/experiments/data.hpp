#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mirab::experiments {

/// The bytes of a file of src/lab/experiments/data, as the library holds them: `google2011_jobs.csv.gz`.
/// Requires a name that data.cpp lists.
std::string_view data_file(std::string_view name);

/// The text of such a file, unpacked when its name ends in `.gz`. O(bytes).
std::string data_text(std::string_view name);

/// The rows below the heading of a table of numbers, as in [row][column]; an empty cell is 0. O(bytes).
std::vector<std::vector<double>> data_rows(std::string_view name);

}  // namespace mirab::experiments
