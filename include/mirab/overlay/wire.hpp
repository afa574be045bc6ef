#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include <mirab/overlay/message.hpp>

namespace mirab::overlay {

/// The version of the encoding (docs/reference/overlay-messages.md).
inline constexpr std::uint8_t kWireVersion = 1;

/// A message on its way.
struct AddressedMessage {
  NodeId from = 0;
  NodeId to = 0;
  Time sent{};  ///< to the millisecond, rounded down
  Message message;
};

/// Why bytes are not taken for a message.
enum class Drop {
  malformed,  ///< truncated, too long, a value that cannot be, a checksum that is wrong
  other_version,
  wrong_node,       ///< not addressed to the reader
  from_the_future,  ///< sent later than now, and more than the clocks may differ
  too_old,          ///< sent longer ago than a message may live
};
inline constexpr std::size_t kDropCount = 5;
std::string_view name_of(Drop reason);

/// What a reader takes.
struct WireLimits {
  Duration lifetime = std::chrono::seconds(2);   ///< of a message
  Duration skew = std::chrono::milliseconds(5);  ///< by how much clocks may differ
};

/// Appends the bytes of the letter to `bytes` and returns how many they are
/// (docs/reference/overlay-messages.md). Requires values that a reader takes: no NaN, a time from the origin
/// on, amounts ≥ 0. Cost: O(bytes).
std::size_t encode(const AddressedMessage& letter, std::vector<std::uint8_t>& bytes);

/// The letter, or why it is dropped, at the time `now` of the node `reader`. Any bytes may come; none make it
/// allocate more than a small multiple of their number, and what it returns encodes to the very same bytes.
/// Cost: O(bytes), no more.
std::variant<AddressedMessage, Drop> decode(std::span<const std::uint8_t> bytes, NodeId reader, Time now,
                                            const WireLimits& limits);

}  // namespace mirab::overlay
