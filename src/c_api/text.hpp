#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <string_view>
#include <type_traits>

#include <mirab/model/result.hpp>

namespace mirab::c_api {

/// As much of the text as fits into so many bytes, and a zero; nothing into none.
inline void write(std::string_view text, char* to, std::size_t size) {
  if (to == nullptr || size == 0) return;
  const std::size_t length = std::min(text.size(), size - 1);
  std::copy_n(text.begin(), length, to);
  to[length] = '\0';
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
