// Two ports of wire_fields.hpp for who writes: how many bytes a message takes at most, and its bytes. What
// decode would not take is not written: that is asserted.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include <mirab/model/assert.hpp>
#include <mirab/model/time.hpp>

static_assert(std::endian::native == std::endian::little,
              "doubles and checksums go out as they lie in memory");

namespace mirab::overlay {

/// The longest varint of a type: 7 bits a byte.
template <class Number>
inline constexpr std::size_t kLongestVarint = (8 * sizeof(Number) + 6) / 7;

/// Adds up the most that each field can take.
class WireRoom {
 public:
  template <class Value>
  using Side = const Value&;

  template <class Number>
  void number(Number) {
    bytes_ += kLongestVarint<Number>;
  }
  void amount(std::int64_t) { bytes_ += kLongestVarint<std::uint64_t>; }
  void duration(Duration) { bytes_ += kLongestVarint<std::uint64_t>; }
  void flag(bool) { ++bytes_; }
  template <class Enum>
  void choice(Enum, Enum) {
    ++bytes_;
  }
  template <class Holds>
  void real(double, Holds) {
    bytes_ += sizeof(double);
  }
  template <class Value, class Each>
  void list(const std::vector<Value>& values, std::size_t, Each each) {
    bytes_ += kLongestVarint<std::uint64_t>;
    for (const Value& value : values) each(value);
  }
  template <class Number>
  void ascending(const std::vector<Number>& values) {
    bytes_ += kLongestVarint<std::uint64_t> + values.size() * kLongestVarint<Number>;
  }
  void some_positive(const std::vector<std::int64_t>&) {}

  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
};

/// Writes from `at` on; whoever makes it has seen to the room.
class WireWriter {
 public:
  template <class Value>
  using Side = const Value&;

  explicit WireWriter(std::uint8_t* at) : at_(at) {}

  void byte(std::uint8_t value) { *at_++ = value; }
  template <class Number>
  void number(Number n) {
    static_assert(std::is_unsigned_v<Number>);
    for (; n >= 0x80; n >>= 7) byte(static_cast<std::uint8_t>(n | 0x80));
    byte(static_cast<std::uint8_t>(n));
  }
  void amount(std::int64_t a) {
    MIRAB_ASSERT(a >= 0, "amounts on the wire are not negative");
    number(static_cast<std::uint64_t>(a));
  }
  void duration(Duration d) { amount(d.count()); }
  void flag(bool b) { byte(b ? 1 : 0); }
  template <class Enum>
  void choice(Enum e, Enum) {
    byte(static_cast<std::uint8_t>(e));
  }
  template <class Holds>
  void real(double x, Holds holds) {
    MIRAB_ASSERT(holds(x), "a number that cannot be said");
    as_in_memory(x);
  }
  template <class Value, class Each>
  void list(const std::vector<Value>& values, std::size_t, Each each) {
    number(values.size());
    for (const Value& value : values) each(value);
  }
  template <class Number>
  void ascending(const std::vector<Number>& values) {
    number(values.size());
    Number before = 0;
    for (std::size_t i = 0; i < values.size(); before = values[i++]) {
      MIRAB_ASSERT(i == 0 || values[i] > before, "the list ascends");
      number(static_cast<Number>(values[i] - before));
    }
  }
  void some_positive(const std::vector<std::int64_t>& amounts) {
    MIRAB_ASSERT(std::ranges::any_of(amounts, [](std::int64_t a) { return a > 0; }), "a demand for nothing");
  }
  template <class Value>
  void as_in_memory(Value value) {
    std::memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
  }

  std::uint8_t* at() const { return at_; }

 private:
  std::uint8_t* at_;
};

}  // namespace mirab::overlay
