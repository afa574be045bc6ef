// First come, first served: the key is the number of jobs that came before. Fair to nobody but the first;
// Östman's section 4.1 uses it as the worst case. Weights do not count.
#include "scheduling/disciplines.hpp"

namespace mirab::scheduling {
namespace {

std::uint64_t sequence(const Standing& standing, Entry entry) {
  return standing.accounts.jobs[standing.queue(entry).first_job].sequence;
}

}  // namespace

double fifo_key(const Standing& standing, Entry entry) {
  return static_cast<double>(sequence(standing, entry));
}

std::weak_ordering fifo_compare(const Standing& standing, Entry a, Entry b) {
  return sequence(standing, a) <=> sequence(standing, b);
}

}  // namespace mirab::scheduling
