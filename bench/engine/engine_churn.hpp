#pragma once

#include <cstdint>
#include <vector>

#include <mirab/scheduling/engine.hpp>

#include "engine/churn.hpp"

namespace mirab::bench {

/// Where the users stand: side by side; or in 1,000 groups, three levels of 10, 100 and 890 under the root.
enum class Shape { flat, tree };

/// May tasks end for others, as many as it takes?
enum class Force { none, preemption };

/// An engine with the machines of the churn and a job of endless tasks of every user.
scheduling::Engine engine_of(const Churn& churn, const char* discipline, const char* placement,
                             Shape shape = Shape::flat, Force force = Force::none);

enum class Until { filled, nothing_fits };

/// An engine in churn: filled, and filled again after each task that finishes.
class EngineChurn {
 public:
  EngineChurn(const Churn& churn, const char* discipline, const char* placement, Until until,
              std::uint64_t seed, Shape shape = Shape::flat, Force force = Force::none);

  /// A running task, drawn at random, finishes.
  void finish();
  /// Places a task where one is to be placed. Did it?
  bool serve();
  void round() {
    finish();
    while (serve()) continue;
  }

  std::int64_t decisions() const { return decisions_; }  ///< since it was filled at first
  std::int64_t preempted() const { return preempted_; }  ///< tasks, since then
  std::size_t running() const { return running_.size(); }

 private:
  struct Running {
    scheduling::TaskId task;
    std::uint32_t user;
  };
  const Churn& churn_;
  scheduling::Engine engine_;
  Until until_;
  Taken taken_;
  Random random_;
  std::vector<Running> running_;
  std::int64_t decisions_ = 0;
  std::int64_t preempted_ = 0;
};

}  // namespace mirab::bench
