// The pool of servers: capacities and free amounts in exact units, and the proportions of the free amounts,
// which best-fit compares.
#include "scheduling/ledger/server_pool.hpp"

#include <cmath>
#include <iterator>

#include <mirab/model/assert.hpp>

// Distances of 64 servers, once for every processor and twice with the vector instructions of some. Each
// server's sum is taken over the resources in their order, so all give the same doubles.

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace mirab::scheduling {
namespace {

using Distances = Proportions::Distances;
using Instructions = Columns::Instructions;
using DistanceKernel = Proportions::Kernel;
using Lane = Proportions::Lane;

std::uint64_t portable_distances(const Lane* lanes, std::span<const double> a, double than,
                                 Distances& distances) {
  distances.fill(0);
  for (std::size_t r = 0; r < a.size(); ++r) {
    for (std::size_t k = 0; k < distances.size(); ++k) distances[k] += std::abs(a[r] - lanes[r].parts[k]);
  }
  std::uint64_t nearer = 0;
  for (std::size_t k = 0; k < distances.size(); ++k)
    nearer |= static_cast<std::uint64_t>(distances[k] < than) << k;
  return nearer;
}

#if defined(__x86_64__)

/// The number of resources where it is small and known beforehand, so that the inner loop has no branches;
/// elsewhere dynamic_extent.
template <std::size_t known>
[[gnu::target("avx2")]] std::uint64_t avx2_distances(const Lane* lanes, std::span<const double> demand,
                                                     double than, Distances& distances) {
  const std::span<const double, known> a(demand.data(), demand.size());
  const __m256d sign = _mm256_set1_pd(-0.0);
  std::uint64_t nearer = 0;
  for (std::size_t k = 0; k < distances.size(); k += 4) {
    __m256d sum = _mm256_setzero_pd();
    for (std::size_t r = 0; r < a.size(); ++r) {
      const __m256d gap = _mm256_sub_pd(_mm256_set1_pd(a[r]), _mm256_load_pd(lanes[r].parts.data() + k));
      sum = _mm256_add_pd(sum, _mm256_andnot_pd(sign, gap));
    }
    _mm256_storeu_pd(distances.data() + k, sum);
    const int less = _mm256_movemask_pd(_mm256_cmp_pd(sum, _mm256_set1_pd(than), _CMP_LT_OQ));
    nearer |= static_cast<std::uint64_t>(less) << k;
  }
  return nearer;
}

template <std::size_t known>
[[gnu::target("avx512f")]] std::uint64_t avx512_distances(const Lane* lanes, std::span<const double> demand,
                                                          double than, Distances& distances) {
  const std::span<const double, known> a(demand.data(), demand.size());
  std::uint64_t nearer = 0;
  for (std::size_t k = 0; k < distances.size(); k += 8) {
    __m512d sum = _mm512_setzero_pd();
    for (std::size_t r = 0; r < a.size(); ++r) {
      const __m512d gap = _mm512_sub_pd(_mm512_set1_pd(a[r]), _mm512_load_pd(lanes[r].parts.data() + k));
      sum = _mm512_add_pd(sum, _mm512_abs_pd(gap));
    }
    _mm512_storeu_pd(distances.data() + k, sum);
    const __mmask8 less = _mm512_cmp_pd_mask(sum, _mm512_set1_pd(than), _CMP_LT_OQ);
    nearer |= std::uint64_t{less} << k;
  }
  return nearer;
}

#endif

DistanceKernel kernel(Instructions instructions, std::size_t resources) {
#if defined(__x86_64__)
  constexpr auto kAny = std::dynamic_extent;
  constexpr DistanceKernel kAvx512[] = {avx512_distances<kAny>, avx512_distances<1>, avx512_distances<2>,
                                        avx512_distances<3>, avx512_distances<4>};
  constexpr DistanceKernel kAvx2[] = {avx2_distances<kAny>, avx2_distances<1>, avx2_distances<2>,
                                      avx2_distances<3>, avx2_distances<4>};
  const std::size_t known = resources < std::size(kAvx2) ? resources : 0;
  if (instructions == Instructions::avx512) return kAvx512[known];
  if (instructions == Instructions::avx2) return kAvx2[known];
#endif
  MIRAB_ASSERT(instructions == Instructions::portable, "the processor lacks the instructions");
  return portable_distances;
}

}  // namespace

Proportions::Proportions(std::size_t resources, FitDistance distance, Instructions instructions)
    : distance_(distance), kernel_(kernel(instructions, resources)), per_unit_(resources, 0.0) {}

void Proportions::reset(std::size_t servers, std::span<const std::int64_t> pool) {
  for (std::size_t r = 0; r < per_unit_.size(); ++r) {
    per_unit_[r] = pool[r] > 0 ? 1 / static_cast<double>(pool[r]) : 0;
  }
  lanes_.resize((servers + Columns::kBlock - 1) / Columns::kBlock * pool.size());
}

template <class Write>
void Proportions::divide(std::span<const std::int64_t> amounts, Write write) const {
  const auto part = [&](std::size_t r) { return static_cast<double>(amounts[r]) * per_unit_[r]; };
  const double per_whole = 1 / fairness::length_of(distance_, part, amounts.size(), 0);
  for (std::size_t r = 0; r < amounts.size(); ++r) write(r, part(r) * per_whole);
}

void Proportions::of(std::span<const std::int64_t> amounts, std::span<double> result) const {
  divide(amounts, [&](std::size_t r, double part) { result[r] = part; });
}

void Proportions::set(ServerIndex server, std::span<const std::int64_t> free) {
  const std::size_t row = server.number();
  Lane* lanes = lanes_.data() + row / Columns::kBlock * per_unit_.size();
  divide(free, [&](std::size_t r, double part) { lanes[r].parts[row % Columns::kBlock] = part; });
}

std::uint64_t Proportions::nearer(std::size_t block, std::span<const double> a, double than,
                                  Distances& distances) const {
  return kernel_(lanes_.data() + block * per_unit_.size(), a, than, distances);
}

ServerPool::ServerPool(std::size_t resources)
    : pool_(resources, 0),
      excess_(resources, 0),
      capacity_(resources),
      taken_(resources),
      held_(resources),
      free_(resources),
      rounded_free_(resources),
      by_coarseness_(resources),
      capacity_bound_(resources, Columns::largest_of(0)),
      proportions_{Kept{.proportions = Proportions(resources, FitDistance::of_proportions)},
                   Kept{.proportions = Proportions(resources, FitDistance::to_first_resource)}} {}

ServerIndex ServerPool::next_index() {
  if (!vacant_.empty()) {
    const ServerIndex server = vacant_.top();
    vacant_.pop();
    return server;
  }
  MIRAB_ASSERT(size() < UINT32_MAX, "more servers than there are numbers");
  const ServerIndex server = states_.push_back(State::vacant);
  capacity_.resize(size());
  taken_.resize(size());
  held_.resize(size());
  free_.resize(size());
  return server;
}

ServerIndex ServerPool::add(std::span<const std::int64_t> capacity) {
  const ServerIndex server = next_index();
  states_[server] = State::open;
  set_capacity(server, capacity);
  return server;
}

void ServerPool::remove(ServerIndex server) {
  MIRAB_ASSERT(is_present(server), "a server is removed that is not there");
  count_no_longer(capacity(server));
  for (std::size_t r = 0; r < resource_count(); ++r) {
    MIRAB_ASSERT(taken_[server][r] == 0, "a server is removed with tasks on it");
    pool_[r] -= capacity_[server][r];
    capacity_[server][r] = held_[server][r] = free_[server][r] = 0;
  }
  for (Kept& kept : proportions_) kept.current = false;
  states_[server] = State::vacant;
  vacant_.push(server);
  rounded_free_.clear(server.number());
  if (bound_capacities()) show_all();
}

void ServerPool::resize(ServerIndex server, std::span<const std::int64_t> capacity) {
  for (std::size_t r = 0; r < resource_count(); ++r)
    MIRAB_ASSERT(capacity[r] >= taken_[server][r], "a server has less than is taken there");
  resize_below_use(server, capacity);
}

void ServerPool::resize_below_use(ServerIndex server, std::span<const std::int64_t> capacity) {
  MIRAB_ASSERT(is_present(server), "a server is resized that is not there");
  count_no_longer(this->capacity(server));
  set_capacity(server, capacity);
}

void ServerPool::count(std::span<const std::int64_t> capacity) {
  for (std::size_t r = 0; r < resource_count(); ++r) ++by_coarseness_[r][Columns::coarseness(capacity[r])];
}

void ServerPool::count_no_longer(std::span<const std::int64_t> capacity) {
  for (std::size_t r = 0; r < resource_count(); ++r) --by_coarseness_[r][Columns::coarseness(capacity[r])];
}

/// Columns are as coarse as the largest capacity needs, no more: one huge server that has gone would make
/// small amounts look alike for all time. True when they have changed.
bool ServerPool::bound_capacities() {
  bool changed = false;
  for (std::size_t r = 0; r < resource_count(); ++r) {
    std::size_t largest = Columns::kCoarsest;
    while (largest > 0 && by_coarseness_[r][largest] == 0) --largest;
    capacity_bound_[r] = Columns::largest_of(largest);
    if (rounded_free_.cover(r, capacity_bound_[r])) changed = true;
    if (rounded_free_.refine(r, capacity_bound_[r])) changed = true;
  }
  return changed;
}

/// What neither tasks nor others have of it.
std::int64_t ServerPool::room(ServerIndex server, std::size_t r) const {
  const std::int64_t left = capacity_[server][r] - taken_[server][r];
  return left > held_[server][r] ? left - held_[server][r] : 0;
}

std::vector<std::int64_t> ServerPool::balance(ServerIndex server) const {
  std::vector<std::int64_t> balance;
  for (std::size_t r = 0; r < resource_count(); ++r) {
    const std::int64_t left = capacity_[server][r] - taken_[server][r];
    const std::int64_t held = held_[server][r];
    balance.push_back(left < INT64_MIN + held ? INT64_MIN : left - held);
  }
  return balance;
}

void ServerPool::set_capacity(ServerIndex server, std::span<const std::int64_t> capacity) {
  count(capacity);
  for (std::size_t r = 0; r < resource_count(); ++r) {
    pool_[r] -= capacity_[server][r];
    excess_[r] -= excess(server, r);
    MIRAB_ASSERT(capacity[r] <= INT64_MAX - pool_[r], "the pool passes 2^63");
    pool_[r] += capacity[r];
    capacity_[server][r] = capacity[r];
    excess_[r] += excess(server, r);
    free_[server][r] = room(server, r);
  }
  for (Kept& kept : proportions_) kept.current = false;
  if (bound_capacities()) return show_all();
  show(server);
}

void ServerPool::close(ServerIndex server) {
  MIRAB_ASSERT(is_present(server), "a server is closed that is not there");
  states_[server] = State::closed;
  rounded_free_.clear(server.number());
}

void ServerPool::open(ServerIndex server) {
  MIRAB_ASSERT(is_present(server), "a server is opened that is not there");
  states_[server] = State::open;
  show(server);
}

void ServerPool::show(ServerIndex server) {
  if (is_open(server)) rounded_free_.set(server.number(), free(server));
}

void ServerPool::show_all() {
  for (const ServerIndex server : indices()) show(server);
}

void ServerPool::show_change(ServerIndex server) {
  show(server);
  for (Kept& kept : proportions_) {
    if (kept.current) kept.proportions.set(server, free(server));
  }
}

const Proportions& ServerPool::proportions(FitDistance distance) const {
  Kept& kept = proportions_[static_cast<std::size_t>(distance)];
  if (kept.current) return kept.proportions;
  kept.proportions.reset(size(), pool_);
  for (const ServerIndex server : indices()) kept.proportions.set(server, free(server));
  kept.current = true;
  return kept.proportions;
}

void ServerPool::take(ServerIndex server, std::span<const std::int64_t> demand) {
  MIRAB_ASSERT(is_present(server), "a task is placed on a server that is not there");
  for (std::size_t r = 0; r < resource_count(); ++r) {
    std::int64_t& free = free_[server][r];
    MIRAB_ASSERT(demand[r] >= 0 && demand[r] <= free, "a task is placed where it does not fit");
    free -= demand[r];
    taken_[server][r] += demand[r];
  }
  show_change(server);
}

void ServerPool::adopt(ServerIndex server, std::span<const std::int64_t> demand) {
  MIRAB_ASSERT(is_present(server), "a task is adopted on a server that is not there");
  for (std::size_t r = 0; r < resource_count(); ++r) {
    MIRAB_ASSERT(demand[r] >= 0 && demand[r] <= INT64_MAX - taken_[server][r], "what is taken passes 2^63");
    excess_[r] -= excess(server, r);
    taken_[server][r] += demand[r];
    excess_[r] += excess(server, r);
    MIRAB_ASSERT(excess_[r] <= INT64_MAX - pool_[r], "the pool and what is taken beyond it pass 2^63");
    free_[server][r] = room(server, r);
  }
  show_change(server);
}

void ServerPool::hold(ServerIndex server, std::span<const std::int64_t> amounts) {
  MIRAB_ASSERT(is_present(server), "a server is held that is not there");
  for (std::size_t r = 0; r < resource_count(); ++r) {
    held_[server][r] = amounts[r];
    free_[server][r] = room(server, r);
  }
  show_change(server);
}

void ServerPool::give(ServerIndex server, std::span<const std::int64_t> demand) {
  MIRAB_ASSERT(is_present(server), "a task ends on a server that is not there");
  for (std::size_t r = 0; r < resource_count(); ++r) {
    std::int64_t& taken = taken_[server][r];
    MIRAB_ASSERT(demand[r] >= 0 && demand[r] <= taken, "a task gives back more than was taken");
    std::int64_t& free = free_[server][r];
    if (free > 0) {  // neither tasks nor others have more than there is
      free += demand[r];
      taken -= demand[r];
      continue;
    }
    excess_[r] -= excess(server, r);
    taken -= demand[r];
    excess_[r] += excess(server, r);
    free = room(server, r);
  }
  show_change(server);
}

std::optional<ServerIndex> ServerPool::first_with_room(const SearchAlternative& alternative,
                                                       ServerIndex from) const {
  std::optional<ServerIndex> first;
  any_with_room(alternative, from, [&](ServerIndex server) {
    first = server;
    return true;
  });
  return first;
}

}  // namespace mirab::scheduling
