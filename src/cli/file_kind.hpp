#pragma once

#include <string>
#include <string_view>

#include <mirab/model/result.hpp>

namespace mirab::cli {

/// What a file of Mirab's own can be.
enum class FileKind { cluster, workload, scenario };

/// Is it gzip, or is the first key of its first line that of a workload's head?
bool is_workload(std::string_view text);

/// Why a file could not be read. Where it is a good file of another kind than was wanted, the error says so,
/// and where such a file belongs. Reads the file that the error names once more; errors of others stay.
Error of_wrong_kind(Error error, FileKind wanted);

}  // namespace mirab::cli
