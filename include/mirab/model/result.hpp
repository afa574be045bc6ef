#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <mirab/model/assert.hpp>

namespace mirab {

/// Why an input cannot be used, and where it stands.
struct Error {
  std::string message;   ///< what is wrong, and what would be right
  std::string key = {};  ///< the key in the input: `users[3].demand.cpu`; empty when the whole input is meant
  std::string file = {};  ///< the file as the caller named it; empty when the input did not come from a file
  int line = 0;           ///< from 1; 0 when unknown
};

/// Where an input says something.
struct FilePosition {
  std::string key =
      {};  ///< as in an error: of a shape `users[1].shapes[0]`, of a group `groups[0].groups[2]`
  std::string file = {};  ///< empty when it is known from elsewhere, or there is none
  int line = 0;           ///< 0 when it is unknown, as for standard input
};

/// What is wrong there.
Error error_at(const FilePosition& position, std::string message);

/// `file:line: key: message`, without the parts that are empty.
std::string describe(const Error& error);

/// A value, or the reason why there is none. Reading the wrong one is a broken invariant.
template <class T>
class [[nodiscard]] Result {
 public:
  // Implicit, so that a function returns a value or an error as it stands.
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }

  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(value()); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

  const Error& error() const& {
    MIRAB_ASSERT(!*this, "error() of a Result that holds a value");
    return std::get<1>(state_);
  }
  Error&& error() && { return std::move(const_cast<Error&>(std::as_const(*this).error())); }

 private:
  const T& value() const {
    MIRAB_ASSERT(static_cast<bool>(*this), "the value of a Result that holds an error");
    return std::get<0>(state_);
  }
  T& value() { return const_cast<T&>(std::as_const(*this).value()); }

  std::variant<T, Error> state_;
};

/// For functions that only check: nothing, or the first error.
using Check = std::optional<Error>;

}  // namespace mirab
