#pragma once

#include <string>
#include <string_view>

#include <mirab/model/result.hpp>

namespace mirab::cli {

/// Standard output, as the name of a destination.
inline constexpr const char* kStandardOutput = "-";

/// Standard input, as the name of an input.
inline constexpr const char* kStandardInput = "-";

/// Writes the whole text to standard output or to a file. A file appears whole or not at all: it is written
/// beside its place and then renamed, with the permission bits of the file that it replaces. What is no
/// regular file (a device, a pipe) is written directly. Errors: what the system says.
Check write_text(const std::string& destination, std::string_view text);

/// Would the system let write_text write there? Writes nothing. Errors: what the system says.
Check check_writable(const std::string& destination);

/// Makes the folder, with those above it, unless it is there. Errors: what the system says.
Check make_folder(const std::string& folder);

/// Would the system let make_folder make it, and write_text write in it? Makes nothing. Errors: what the
/// system says.
Check check_folder(const std::string& folder);

/// Would the second of two texts written there replace the first? By whatever name, link or path. Not on a
/// device, which takes both.
bool same_file(const std::string& one, const std::string& other);

/// Would a text written to `destination` replace the file that is read as `input`?
bool would_replace(const std::string& destination, const std::string& input);

/// Makes sure that the first three file descriptors are open, so that no file of ours lands in their place.
/// Writing to a standard output that was closed fails as it should.
void hold_standard_descriptors();

}  // namespace mirab::cli
