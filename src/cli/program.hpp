#pragma once

#include <span>
#include <string>

#include "cli/command.hpp"

namespace mirab::cli {

/// The whole command line.
Program make_program();

/// Reads the arguments (the program's name first), does what they ask for, and says how it went.
Exit run(std::span<const char* const> arguments);

}  // namespace mirab::cli
