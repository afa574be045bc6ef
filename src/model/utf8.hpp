#pragma once

#include <string_view>

namespace mirab {

/// Is the text well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF)?
/// O(length).
bool is_utf8(std::string_view text);

}  // namespace mirab
