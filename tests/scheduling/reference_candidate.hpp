#pragma once

#include "scheduling/reference_engine.hpp"

namespace mirab::scheduling {

/// A group in a tournament: a server class of ps-dsf with one of the group's demands there, a line of
/// mlf-drs, else 0.
struct ReferenceEngine::Candidate {
  const Group* group;
  const Job* job;  // the oldest that waits
  std::size_t place;
  Amounts demand;  // of ps-dsf
  mpq_class key;
  std::uint64_t user_order;
};

inline mpq_class ratio(std::int64_t numerator, std::int64_t denominator) {
  mpq_class ratio(numerator, denominator);
  ratio.canonicalize();
  return ratio;
}

}  // namespace mirab::scheduling
