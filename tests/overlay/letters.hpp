// Letters for the tests of the wire: one of each kind with no field at its default, and random ones.
#pragma once

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include <mirab/model/random.hpp>
#include <mirab/overlay/wire.hpp>

#include "overlay/wire_format.hpp"

namespace mirab::overlay {

inline constexpr Time kSent{std::chrono::milliseconds(3'600'001)};

/// One of each kind, in the order of their codes.
inline std::vector<Message> one_of_each() {
  const std::vector<Descriptor> offered = {{7, 0, -0.25}, {300, 2, 0}, {70'000, 129, Descriptor{}.utility}};
  const TaskId id{1001, 5};
  const Task task{id, {2, 0, 4096}, std::chrono::microseconds(1500), 4};
  const ProposalId proposal{1'000'000'007, 33};
  return {PeerRequest{offered},
          PeerAnswer{offered},
          GradientRequest{Slope::free, offered},
          GradientAnswer{Slope::free, offered},
          PushSumShare{3, 0.5, {12.25, -1}},
          Climb{{7, 1, -0.25}, 3},
          ShareRequest{},
          ShareAnswer{-0.125},
          LoadRequest{},
          LoadAnswer{0.75},
          ConfirmRequest{17, {3, 4, 260}},
          ConfirmAnswer{17, true},
          Register{true},
          Peers{{260, 3, 4}},
          ServerRequest{6, 12, true},
          ServerAnswer{6, 14},
          Submit{task, 7},
          Pause{6, 5, {2, 0, 4096}, 7},
          Received{5, true},
          Walk{task, 12, 2, 400, 14, 1.5},
          Placed{id, 2},
          NoRoom{id, 2},
          Copy{task},
          Free{1'000'000'007, 9, {0, 128}},
          Propose{5, proposal},
          Accept{5, proposal},
          Reject{5, proposal},
          Allocated{5, proposal},
          Refused{5, proposal},
          Ended{5, proposal},
          EndSeen{5, proposal},
          Renew{8},
          Running{8, 1'000'000'007, {1, 2, 5, 1000}}};
}

/// Fills the fields of a message with anything that they may be: a port of the field list in wire_format.hpp.
class RandomFields {
 public:
  template <class Value>
  using Side = Value&;

  explicit RandomFields(Random& random) : random_(random) {}

  template <class Number>
  void number(Number& n) {  // of any length on the wire
    n = static_cast<Number>(random_.bits() >> random_.below(64));
  }
  void amount(std::int64_t& a) { a = static_cast<std::int64_t>(random_.bits() >> (1 + random_.below(63))); }
  void duration(Duration& d) {
    std::int64_t nanoseconds = 0;
    amount(nanoseconds);
    d = Duration(nanoseconds);
  }
  void flag(bool& b) { b = random_.below(2) == 1; }
  template <class Enum>
  void choice(Enum& e, Enum last) {
    e = static_cast<Enum>(random_.below(static_cast<std::uint64_t>(last) + 1));
  }
  template <class Holds>
  void real(double& x, Holds holds) {
    do x = std::bit_cast<double>(random_.bits());
    while (!holds(x));
  }
  template <class Value, class Each>
  void list(std::vector<Value>& values, std::size_t, Each each) {
    values.resize(random_.below(30));
    for (Value& value : values) each(value);
  }
  template <class Number>
  void ascending(std::vector<Number>& values) {
    list(values, 1, [this](Number& value) { number(value); });
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
  }
  void some_positive(std::vector<std::int64_t>& amounts) {
    if (amounts.empty()) amounts.push_back(0);
    amounts[random_.below(amounts.size())] = 1;
  }

 private:
  Random& random_;
};

template <std::size_t Kind = 0>
Message random_message(std::size_t kind, Random& random) {
  if constexpr (Kind < kMessageKinds) {
    if (kind != Kind) return random_message<Kind + 1>(kind, random);
    std::variant_alternative_t<Kind, Message> message;
    RandomFields port(random);
    const MessageFields fields(port);
    fields(message);
    return message;
  }
  return {};
}

inline AddressedMessage random_letter(Random& random) {
  NodeId from = 0, to = 0;
  RandomFields(random).number(from);
  RandomFields(random).number(to);
  const Time sent(std::chrono::milliseconds(random.below(1ULL << random.below(40))));
  return {from, to, sent, random_message(random.below(kMessageKinds), random)};
}

}  // namespace mirab::overlay
