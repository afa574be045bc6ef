// Distances of 64 servers, once for every processor and twice with the vector instructions of some. Each
// server's sum is taken over the resources in their order, so all give the same doubles.
#include "scheduling/proportions.hpp"

#include <cmath>
#include <iterator>

#include <mirab/model/assert.hpp>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace mirab::scheduling {
namespace {

using Distances = Proportions::Distances;
using Instructions = Columns::Instructions;
using Kernel = Proportions::Kernel;
using Lane = Proportions::Lane;

std::uint64_t portable(const Lane* lanes, std::span<const double> a, double than, Distances& distances) {
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
[[gnu::target("avx2")]] std::uint64_t avx2(const Lane* lanes, std::span<const double> demand, double than,
                                           Distances& distances) {
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
[[gnu::target("avx512f")]] std::uint64_t avx512(const Lane* lanes, std::span<const double> demand,
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

Kernel kernel(Instructions instructions, std::size_t resources) {
#if defined(__x86_64__)
  constexpr auto kAny = std::dynamic_extent;
  constexpr Kernel kAvx512[] = {avx512<kAny>, avx512<1>, avx512<2>, avx512<3>, avx512<4>};
  constexpr Kernel kAvx2[] = {avx2<kAny>, avx2<1>, avx2<2>, avx2<3>, avx2<4>};
  const std::size_t known = resources < std::size(kAvx2) ? resources : 0;
  if (instructions == Instructions::avx512) return kAvx512[known];
  if (instructions == Instructions::avx2) return kAvx2[known];
#endif
  MIRAB_ASSERT(instructions == Instructions::portable, "the processor lacks the instructions");
  return portable;
}

}  // namespace

Proportions::Proportions(std::size_t resources, Scale scale, Instructions instructions)
    : scale_(scale), kernel_(kernel(instructions, resources)), per_unit_(resources, 0.0) {}

void Proportions::reset(std::size_t servers, std::span<const std::int64_t> pool) {
  for (std::size_t r = 0; r < per_unit_.size(); ++r) {
    per_unit_[r] = pool[r] > 0 ? 1 / static_cast<double>(pool[r]) : 0;
  }
  lanes_.resize((servers + Columns::kBlock - 1) / Columns::kBlock * pool.size());
}

template <class Write>
void Proportions::divide(std::span<const std::int64_t> amounts, Write write) const {
  const auto part = [&](std::size_t r) { return static_cast<double>(amounts[r]) * per_unit_[r]; };
  double whole = part(0);
  if (scale_ == Scale::sum) {
    for (std::size_t r = 1; r < amounts.size(); ++r) whole += part(r);
  }
  const double per_whole = 1 / whole;
  for (std::size_t r = 0; r < amounts.size(); ++r) write(r, part(r) * per_whole);
}

void Proportions::of(std::span<const std::int64_t> amounts, std::span<double> result) const {
  divide(amounts, [&](std::size_t r, double part) { result[r] = part; });
}

void Proportions::set(std::size_t server, std::span<const std::int64_t> free) {
  Lane* lanes = lanes_.data() + server / Columns::kBlock * per_unit_.size();
  divide(free, [&](std::size_t r, double part) { lanes[r].parts[server % Columns::kBlock] = part; });
}

std::uint64_t Proportions::nearer(std::size_t block, std::span<const double> a, double than,
                                  Distances& distances) const {
  return kernel_(lanes_.data() + block * per_unit_.size(), a, than, distances);
}

}  // namespace mirab::scheduling
