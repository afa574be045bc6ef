// Texts, handles and structs that cross the boundary of the C API.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <mirab/model/result.hpp>

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

/// As much of the text as fits into `size` bytes, and a zero; nothing when `size` is 0.
inline void write(std::string_view text, char* to, std::size_t size) {
  if (to == nullptr || size == 0) return;
  const std::size_t length = std::min(text.size(), size - 1);
  std::copy_n(text.begin(), length, to);
  to[length] = '\0';
}

/// A pointer that must not be NULL, by the name that the header gives it.
struct Required {
  const char* name;
  const void* pointer;
};

inline Error null_argument(std::string name) {
  return {.message = "must not be NULL", .key = std::move(name)};
}

/// The first of the arguments that is NULL, as an error.
inline Check check_arguments(std::initializer_list<Required> arguments) {
  for (const Required& argument : arguments)
    if (argument.pointer == nullptr) return null_argument(argument.name);
  return {};
}

/// An array of `count` texts, none of them NULL. An empty array may be NULL itself.
inline Check check_texts(const char* name, const char* const* texts, std::size_t count) {
  if (count > 0 && texts == nullptr) return null_argument(name);
  for (std::size_t k = 0; k < count; ++k)
    if (texts[k] == nullptr) return null_argument(fmt::format("{}[{}]", name, k));
  return {};
}

/// What `make` gives, a Result of a pointer; or NULL, and why in `error`.
template <class Make>
auto made(const Make& make, char* error, std::size_t size) noexcept {
  using Handle = std::remove_cvref_t<decltype(*make())>;
  try {
    const Result<Handle> handle = make();
    if (handle) return *handle;
    write(describe(handle.error()), error, size);
  } catch (const std::exception& failure) {
    write(failure.what(), error, size);
  }
  return Handle{nullptr};
}

}  // namespace mirab::c_api
