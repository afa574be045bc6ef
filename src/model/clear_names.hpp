#pragma once

#include <string_view>

namespace mirab {

/// Does a name look like what it is? Not with a control character, one that turns the direction of the text
/// or separates lines, nor with a blank at an end. Requires UTF-8.
bool is_clear_name(std::string_view name);

}  // namespace mirab
