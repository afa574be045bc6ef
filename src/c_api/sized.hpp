#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <type_traits>

// Structs of the C API that may grow at the end: the caller writes into `size` how many bytes of one it
// knows, which may be fewer than this version knows, or more.

namespace mirab::c_api {

/// What the caller's struct says, with 0 for what it does not know yet; what only a later version knows is
/// left out. Nothing when it is smaller than the first version was.
template <class Sized>
std::optional<Sized> read_sized(const Sized& from, std::size_t first_version) {
  static_assert(std::is_trivially_copyable_v<Sized>);
  const std::size_t size = from.size;
  if (size < first_version) return std::nullopt;
  Sized known{};
  std::memcpy(&known, &from, std::min(size, sizeof known));
  return known;
}

/// Writes no further than the caller's struct reaches, and keeps its size.
template <class Sized>
void write_sized(const Sized& value, Sized& to) {
  static_assert(std::is_trivially_copyable_v<Sized>);
  const std::size_t size = to.size;
  std::memcpy(&to, &value, std::min(size, sizeof value));
  to.size = size;
}

}  // namespace mirab::c_api
