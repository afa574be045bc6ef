#pragma once

#include <string_view>

#include <mirab/model/result.hpp>

namespace mirab::scheduling {

/// The deepest nesting of lists and objects in a snapshot.
inline constexpr int kMaxSnapshotDepth = 12;

/// Is this one whole CBOR item (RFC 8949) of definite lengths, without tags, not nested deeper than a
/// snapshot is? The parser that reads it afterwards recurses and trusts counts: what passes here does not
/// exhaust its stack or its memory. Errors name the byte. O(bytes), without recursion.
Check check_cbor(std::string_view bytes);

}  // namespace mirab::scheduling
