// The fields of every kind of message in the order of the wire, once for all directions: a port writes them,
// reads them, or says how much room they take (docs/reference/overlay-messages.md has the same as a table).
//
// A port has
//   Side<T>                         T& for who reads, const T& for who writes
//   number(n)                       a varint of n's width
//   amount(a), duration(d)          a varint of an int64 ≥ 0; of nanoseconds ≥ 0
//   flag(b), choice(e, last)        a byte: 0 or 1; an enumerator from 0 to last
//   real(x, holds)                  8 bytes, of a double for which holds(x)
//   list(values, least, each)       a count, then each(value), which takes at least that many bytes
//   ascending(values)               a count, the first, then the difference of each (> 0) to the one before
//   some_positive(amounts)          nothing; one of them is > 0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include <mirab/model/assert.hpp>
#include <mirab/model/time.hpp>
#include <mirab/overlay/message.hpp>

namespace mirab::overlay {

// What a double may be; never NaN.
inline bool is_utility(double u) { return u < std::numeric_limits<double>::infinity(); }
inline bool is_load(double load) { return load >= 0; }
inline bool is_weight(double w) { return w >= 0 && w < std::numeric_limits<double>::infinity(); }
inline bool is_finite(double s) { return std::isfinite(s); }
inline bool is_number(double score) { return !std::isnan(score); }

template <class Port>
class MessageFields {
 public:
  template <class Value>
  using Side = typename Port::template Side<Value>;

  explicit MessageFields(Port& port) : port_(port) {}

  void operator()(Side<PeerRequest> m) const { descriptors(m.offered); }
  void operator()(Side<PeerAnswer> m) const { descriptors(m.offered); }
  void operator()(Side<GradientRequest> m) const { gradient(m); }
  void operator()(Side<GradientAnswer> m) const { gradient(m); }
  void operator()(Side<PushSumShare> m) const {
    numbers(m.epoch);
    port_.real(m.weight, is_weight);
    port_.list(m.sums, sizeof(double), [this](auto& sum) { port_.real(sum, is_finite); });
  }
  void operator()(Side<Climb> m) const {
    descriptor(m.risen);
    numbers(m.hops);
  }
  void operator()(Side<ShareRequest>) const {}
  void operator()(Side<ShareAnswer> m) const { port_.real(m.utility, is_utility); }
  void operator()(Side<LoadRequest>) const {}
  void operator()(Side<LoadAnswer> m) const { port_.real(m.load, is_load); }
  void operator()(Side<ConfirmRequest> m) const {
    numbers(m.round);
    port_.ascending(m.neighbours);
  }
  void operator()(Side<ConfirmAnswer> m) const {
    numbers(m.round);
    port_.flag(m.confirmed);
  }

  void operator()(Side<Register> m) const { port_.flag(m.leaving); }
  void operator()(Side<Peers> m) const {
    port_.list(m.servers, 1, [this](auto& server) { port_.number(server); });
  }

  void operator()(Side<ServerRequest> m) const {
    numbers(m.request, m.home);
    port_.flag(m.silent);
  }
  void operator()(Side<ServerAnswer> m) const { numbers(m.request, m.server); }
  void operator()(Side<Submit> m) const {
    task(m.task);
    numbers(m.sequence);
  }
  void operator()(Side<Pause> m) const {
    numbers(m.number, m.running);
    demand(m.demand);
    numbers(m.sequence);
  }
  void operator()(Side<Received> m) const {
    numbers(m.number);
    port_.flag(m.gone);
  }

  void operator()(Side<Walk> m) const {
    task(m.task);
    numbers(m.home, m.attempt, m.hops_left, m.best);
    port_.real(m.score, is_number);
  }
  void operator()(Side<Placed> m) const { numbers(m.task.user, m.task.number, m.attempt); }
  void operator()(Side<NoRoom> m) const { numbers(m.task.user, m.task.number, m.attempt); }
  void operator()(Side<Copy> m) const { task(m.task); }
  void operator()(Side<Free> m) const {
    numbers(m.incarnation, m.sequence);
    amounts(m.free);
  }

  void operator()(Side<Propose> m) const { proposal(m); }
  void operator()(Side<Accept> m) const { proposal(m); }
  void operator()(Side<Reject> m) const { proposal(m); }
  void operator()(Side<Allocated> m) const { proposal(m); }
  void operator()(Side<Refused> m) const { proposal(m); }
  void operator()(Side<Ended> m) const { proposal(m); }
  void operator()(Side<EndSeen> m) const { proposal(m); }
  void operator()(Side<Renew> m) const { numbers(m.round); }
  void operator()(Side<Running> m) const {
    numbers(m.round, m.incarnation);
    port_.ascending(m.numbers);
  }

 private:
  static constexpr std::size_t kLeastDescriptor = 1 + 1 + sizeof(double);

  template <class... Number>
  void numbers(Number&... n) const {
    (port_.number(n), ...);
  }
  void descriptor(Side<Descriptor> d) const {
    numbers(d.node, d.age);
    port_.real(d.utility, is_utility);
  }
  void descriptors(Side<std::vector<Descriptor>> all) const {
    port_.list(all, kLeastDescriptor, [this](auto& one) { descriptor(one); });
  }
  template <class Shuffle>
  void gradient(Shuffle& m) const {
    port_.choice(m.slope, Slope::free);
    descriptors(m.offered);
  }
  void amounts(Side<Amounts> all) const {
    port_.list(all, 1, [this](auto& amount) { port_.amount(amount); });
  }
  void demand(Side<Amounts> d) const {
    amounts(d);
    port_.some_positive(d);
  }
  void task(Side<Task> t) const {
    numbers(t.id.user, t.id.number);
    demand(t.demand);
    port_.duration(t.runtime);
    numbers(t.running);
  }
  template <class About>
  void proposal(About& m) const {
    numbers(m.number, m.proposal.incarnation, m.proposal.number);
  }

  Port& port_;
};

}  // namespace mirab::overlay

// Two ports of the field list for a writer: how many bytes a message takes at most, and its bytes. What
// decode would not take is not written: that is asserted.

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

/// Writes from `at` on; the caller has reserved the room.
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

// The port of the field list for a reader of bytes that may be anything. Once something is wrong, all that
// follows reads as 0 and takes no time; ask failed() at the end.

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
