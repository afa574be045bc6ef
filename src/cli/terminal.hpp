#pragma once

#include <cstddef>
#include <string>

namespace mirab::cli {

/// How many columns a text written to `destination` may have: those of the terminal when that is standard
/// output and a terminal (COLUMNS goes before what the terminal itself says), else no limit, SIZE_MAX.
std::size_t columns_of(const std::string& destination);

/// Is somebody there to see progress on standard error?
bool shows_progress();

/// Shows the text on standard error, in the place of the one before; an empty text clears the line.
void show_progress(const std::string& text);

}  // namespace mirab::cli
