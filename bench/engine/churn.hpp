#pragma once

#include <cstdint>
#include <vector>

#include <mirab/model/random.hpp>

namespace mirab::bench {

/// One amount per resource, in millionths of the largest machine's.
using Units = std::vector<std::int64_t>;

/// This many machines drawn from Google's classes and users with tasks drawn about those of the trace. The
/// same seed gives the same.
struct Churn {
  std::vector<Units> machines;
  std::vector<Units> demands;  ///< [user]
};
Churn google_churn(std::size_t machines, std::size_t users, std::uint64_t seed);

/// This many machines with 16 CPUs and 64 GB, and users with tasks of one CPU and 1 to 6 GB.
Churn even_churn(std::size_t machines, std::size_t users, std::uint64_t seed);

/// What is taken of all machines together, and whether that is 90 % of the scarcest resource.
class Taken {
 public:
  explicit Taken(const Churn& churn);
  bool is_filled() const;
  void take(const Units& demand);
  void give(const Units& demand);

 private:
  Units most_;  // 90 % of all machines
  Units taken_;
};

}  // namespace mirab::bench
