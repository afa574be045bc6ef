// The fields of every kind of message in the order of the wire, once for all directions: a port writes them,
// reads them, or says how much room they take (docs/overlay-messages.md has the same as a table).
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

#include <cmath>
#include <limits>

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
