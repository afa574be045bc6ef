#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <mirab/model/result.hpp>

namespace mirab {

/// By what a file is packed, as its first bytes say: `gzip`, `xz`, `bzip2`, `zstd`, `zip`. Nothing of a text.
std::optional<std::string_view> packing_of(std::string_view bytes);

/// The text of a file packed by gzip, of one stream or several. Errors (message only): the file is damaged,
/// goes on after its last stream or has no end; the text has more than `most` bytes.
Result<std::string> unpacked(std::string_view gzip, std::size_t most);

/// Its first bytes, at most that many; fewer where the rest cannot be read.
std::string unpacked_beginning(std::string_view gzip, std::size_t most);

}  // namespace mirab
