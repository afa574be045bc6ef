#pragma once

#include <string>
#include <string_view>

namespace mirab::cli {

/// The text as a gzip file (RFC 1952) without a name or a time: the same text gives the same bytes.
std::string gzipped(std::string_view text);

}  // namespace mirab::cli
