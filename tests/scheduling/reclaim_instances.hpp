// Small random clusters with teams, and what runs on them, for the oracle of reclaim.
#pragma once

#include <string>

#include <mirab/model/random.hpp>

#include "scheduling/reclaim_oracle.hpp"

namespace mirab::scheduling::oracle {

/// What may be drawn.
struct Drawn {
  std::size_t levels = 3;  ///< of nodes below the cluster, at most; 1: no groups
  std::size_t users = 5;   ///< at most, at least 2
  std::size_t kinds = 2;   ///< of tasks of a user, at most
  std::size_t resources = 2;
  std::size_t servers = 3;
  std::int64_t capacity = 9;  ///< of a server, at most
  std::int64_t demand = 4;    ///< at most
  bool weights_of_0 = true;
  bool quotas = true;  ///< guarantees, limits, reserves
  bool alike = false;  ///< all tasks take the same
};

struct Instance {
  Cluster cluster;
  std::vector<Waiting> kinds;  ///< of all users
};

Instance instance(Random& random, const Drawn& drawn);

/// Tasks of these kinds wherever they fit and limits and reserves let them, until that many tries.
Running some_running(Random& random, const Instance& instance, std::size_t tries);

std::string describe(const Cluster& cluster, const Running& running);
std::string describe(const Move& move);

}  // namespace mirab::scheduling::oracle
