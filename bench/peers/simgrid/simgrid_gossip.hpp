#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace mirab::bench {

/// The exchange of overlay/gossiper.hpp on SimGrid: a star of hosts, an actor on each with a mailbox of its
/// own, messages handed over as they lie in memory and charged with the size that they would have as bytes. A
/// process can have one only, since SimGrid's engine cannot be made twice.
class SimgridGossip {
 public:
  SimgridGossip(std::size_t nodes, std::uint64_t seed);
  ~SimgridGossip();

  /// Runs for `ticks` more ticks.
  void run(std::int64_t ticks);

  std::int64_t heard() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mirab::bench
