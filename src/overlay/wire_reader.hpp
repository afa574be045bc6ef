// The port of wire_fields.hpp for who reads bytes that may be anything. Once something is wrong, all that
// follows reads as 0 and takes no time; ask failed() at the end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include <mirab/model/time.hpp>

namespace mirab::overlay {

class WireReader {
 public:
  template <class Value>
  using Side = Value&;

  explicit WireReader(std::span<const std::uint8_t> bytes)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool failed() const { return failed_; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  std::uint8_t byte() {
    if (at_ == end_) return fail(), std::uint8_t{0};
    return *at_++;
  }
  /// Of several ways to write a number only the shortest is taken.
  template <class Number>
  void number(Number& n) {
    static_assert(std::is_unsigned_v<Number>);
    n = byte();
    if (n >= 0x80) n = longer(n);
  }
  void amount(std::int64_t& a) {
    std::uint64_t n = 0;
    number(n);
    if (n > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) n = fail();
    a = static_cast<std::int64_t>(n);
  }
  void duration(Duration& d) {
    std::int64_t nanoseconds = 0;
    amount(nanoseconds);
    d = Duration(nanoseconds);
  }
  void flag(bool& b) {
    const std::uint8_t value = byte();
    if (value > 1) fail();
    b = value == 1;
  }
  template <class Enum>
  void choice(Enum& e, Enum last) {
    const std::uint8_t value = byte();
    if (value > static_cast<std::uint8_t>(last)) fail();
    e = failed_ ? Enum{} : Enum{value};
  }
  template <class Holds>
  void real(double& x, Holds holds) {
    as_in_memory(x);
    if (!holds(x)) fail();
  }
  template <class Value, class Each>
  void list(std::vector<Value>& values, std::size_t least, Each each) {
    values.resize(count(least));
    for (Value& value : values) each(value);
  }
  template <class Number>
  void ascending(std::vector<Number>& values) {
    values.resize(count(1));
    Number before = 0;
    for (std::size_t i = 0; i < values.size(); before = values[i++]) {
      Number difference = 0;
      number(difference);
      if (i > 0 && difference == 0) fail();
      if (difference > std::numeric_limits<Number>::max() - before) fail();
      values[i] = before + difference;
    }
  }
  void some_positive(const std::vector<std::int64_t>& amounts) {
    if (std::ranges::none_of(amounts, [](std::int64_t a) { return a > 0; })) fail();
  }
  template <class Value>
  void as_in_memory(Value& value) {
    if (left() < sizeof value) {
      value = {};
      fail();
      return;
    }
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
  }

 private:
  std::uint8_t fail() {
    failed_ = true;
    at_ = end_;
    return 0;
  }
  // The rest of a varint whose first byte is n.
  template <class Number>
  Number longer(Number n) {
    n &= 0x7f;
    for (unsigned shift = 7; shift < std::numeric_limits<Number>::digits; shift += 7) {
      const std::uint8_t next = byte();
      const Number bits = next & 0x7f;
      n |= static_cast<Number>(bits << shift);
      if (static_cast<Number>(n >> shift) != bits) return fail();  // more than the width holds
      if (next < 0x80) return next == 0 ? Number{fail()} : n;
    }
    return fail();
  }
  // How many follow: never more than the bytes that are left could hold.
  std::size_t count(std::size_t least) {
    std::uint64_t n = 0;
    number(n);
    return n > left() / least ? fail() : static_cast<std::size_t>(n);
  }

  const std::uint8_t* at_;
  const std::uint8_t* end_;
  bool failed_ = false;
};

}  // namespace mirab::overlay
