// Where results go: files, standard output, the terminal; gzip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/result.hpp>

#include "report/text/width.hpp"

namespace mirab::cli {

/// Standard output, as the name of a destination.
inline constexpr const char* kStandardOutput = "-";

/// Standard input, as the name of an input.
inline constexpr const char* kStandardInput = "-";

/// Writes the whole text to standard output or to a file. A file appears whole or not at all: it is written
/// to a temporary file next to it and then renamed, with the permission bits of the file that it replaces.
/// What is no regular file (a device, a pipe) is written directly. Errors: what the system says.
Check write_text(const std::string& destination, std::string_view text);

/// A text and where it goes.
struct Text {
  std::string destination;
  std::string text;
};

/// Writes each as write_text does; when one cannot be written, no file is there that was not before. First
/// the files are written under temporary names, then what is no regular file, and only then the files are
/// renamed.
Check write_texts(std::span<const Text> texts);

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
void reserve_standard_descriptors();

/// A file or folder that is to be written, with the option or key that names it.
struct Destination {
  std::string key;
  std::string file;
};

/// What would keep one of several files from being written, or harm another or what is read: to be asked
/// before the work and before anything is written, so that all of them appear or none. Empty names, of files
/// that were not asked for, are passed over. Errors name the key.
Check check_destinations(const std::vector<Destination>& destinations,
                         const std::vector<std::string>& inputs = {});

/// As check_folder. Errors name the key.
Check check_folder(const Destination& folder);

/// How many columns a text written to `destination` may have: on standard output those that the environment's
/// COLUMNS says, or else those of the terminal; of a pipe without COLUMNS, and of a file, no limit, SIZE_MAX.
std::size_t columns_of(const std::string& destination);

/// The columns, and whether words may be in bold: on a terminal, unless the environment's NO_COLOR is set
/// (no-color.org) or the terminal is a `dumb` one.
report::Terminal terminal_of(const std::string& destination);

/// Is standard error a terminal, on which progress is shown?
bool shows_progress();

/// Shows the text on standard error, in the place of the one before; an empty text clears the line.
void show_progress(const std::string& text);

/// A line of text(done, of) that goes when all is done; nothing without a terminal.
std::function<void(std::uint64_t done, std::uint64_t of)> progress_line(
    std::function<std::string(std::uint64_t done, std::uint64_t of)> text);

/// The text as a gzip file (RFC 1952) without a name or a time: the same text gives the same bytes.
std::string gzipped(std::string_view text);

}  // namespace mirab::cli
