// The search in blocks of 64 rows, once for every processor and twice with the vector instructions of some.
//
// Over every 64 blocks stands a block of their largest values, so that most of them need not be looked at:
// where one resource is scarce, few blocks have a server with much of it. A row that is not there holds -1,
// less than every bound. To answer "at most", rows and bounds are kept as kMost - q.
#include "scheduling/columns.hpp"

#include <algorithm>
#include <utility>

#include <mirab/model/assert.hpp>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace mirab::scheduling {
namespace {

using Block = Columns::Block;
using Bound = Columns::Bound;
using Kernel = Columns::Kernel;
using Lane = Columns::Lane;
using Scan = Columns::Scan;

/// Which of a block's rows are at least the bounds, the first in the lowest bit.
template <std::size_t bounds>
class Portable {
 public:
  explicit Portable(const Bound* given) { std::copy_n(given, bounds, bounds_.begin()); }

  std::uint64_t operator()(const Lane* lanes) const {
    std::array<std::uint8_t, Columns::kBlock> found;
    found.fill(1);
    for (const Bound bound : bounds_) {
      const auto& rows = lanes[bound.column].rows;
      for (std::size_t k = 0; k < rows.size(); ++k)
        found[k] &= static_cast<std::uint8_t>(rows[k] >= bound.value);
    }
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < found.size(); ++k) word |= std::uint64_t{found[k]} << k;
    return word;
  }

 private:
  std::array<Bound, bounds> bounds_;
};

/// The first block with a row among those asked about that `at_least` finds.
template <class AtLeast>
[[gnu::always_inline]] inline Block first_block(const Scan& scan, const AtLeast& at_least) {
  std::uint64_t ahead = ~std::uint64_t{0} << (scan.from % Columns::kBlock);
  for (std::size_t first = scan.from - scan.from % Columns::kBlock; first < scan.end;
       first += Columns::kBlock) {
    std::uint64_t promising = at_least(scan.tops + first / Columns::kBlock * scan.width) & ahead;
    for (; promising != 0; promising &= promising - 1) {
      const std::size_t index = first + static_cast<std::size_t>(std::countr_zero(promising));
      if (index >= scan.end) break;
      std::uint64_t rows = at_least(scan.lanes + index * scan.width);
      if (scan.among != nullptr) rows &= scan.among[index];
      if (rows != 0) return {.index = index, .rows = rows};
    }
    ahead = ~std::uint64_t{0};
  }
  return {.index = scan.end, .rows = 0};
}

template <std::size_t bounds>
Block portable(const Scan& scan) {
  return first_block(scan, Portable<bounds>(scan.bounds));
}

#if defined(__x86_64__)

template <std::size_t bounds>
class Avx2 {
 public:
  [[gnu::target("avx2")]] explicit Avx2(const Bound* given) {
    for (std::size_t b = 0; b < bounds; ++b) {
      columns_[b] = given[b].column;
      below_[b] = _mm256_set1_epi16(static_cast<std::int16_t>(given[b].value - 1));
    }
  }

  [[gnu::target("avx2")]] std::uint64_t operator()(const Lane* lanes) const {
    __m256i found[4];
    for (std::size_t k = 0; k < 4; ++k) found[k] = at_least(lanes, 0, k);
    for (std::size_t b = 1; b < bounds; ++b) {
      for (std::size_t k = 0; k < 4; ++k) found[k] = _mm256_and_si256(found[k], at_least(lanes, b, k));
    }
    return bits(found[0], found[1]) | bits(found[2], found[3]) << 32;
  }

 private:
  /// All ones where rows 16 k … 16 k + 15 are at least the bound, elsewhere zeros.
  [[gnu::target("avx2")]] __m256i at_least(const Lane* lanes, std::size_t b, std::size_t k) const {
    const auto* rows = reinterpret_cast<const __m256i*>(lanes[columns_[b]].rows.data());
    return _mm256_cmpgt_epi16(_mm256_load_si256(rows + k), below_[b]);
  }

  /// One bit for each of 32 rows.
  [[gnu::target("avx2")]] static std::uint64_t bits(__m256i low, __m256i high) {
    const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0b11'01'10'00);
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(bytes));
  }

  std::size_t columns_[bounds];
  __m256i below_[bounds];  // bound - 1
};

template <std::size_t bounds>
[[gnu::target("avx2")]] Block avx2(const Scan& scan) {
  return first_block(scan, Avx2<bounds>(scan.bounds));
}

template <std::size_t bounds>
class Avx512 {
 public:
  [[gnu::target("avx512bw")]] explicit Avx512(const Bound* given) {
    for (std::size_t b = 0; b < bounds; ++b) {
      columns_[b] = given[b].column;
      values_[b] = _mm512_set1_epi16(given[b].value);
    }
  }

  [[gnu::target("avx512bw")]] std::uint64_t operator()(const Lane* lanes) const {
    __mmask32 low = ~__mmask32{0}, high = low;
    for (std::size_t b = 0; b < bounds; ++b) {
      const auto* rows = lanes[columns_[b]].rows.data();
      low = _mm512_mask_cmpge_epi16_mask(low, _mm512_load_si512(rows), values_[b]);
      high = _mm512_mask_cmpge_epi16_mask(high, _mm512_load_si512(rows + 32), values_[b]);
    }
    return std::uint64_t{low} | std::uint64_t{high} << 32;
  }

 private:
  std::size_t columns_[bounds];
  __m512i values_[bounds];
};

template <std::size_t bounds>
[[gnu::target("avx512bw")]] Block avx512(const Scan& scan) {
  return first_block(scan, Avx512<bounds>(scan.bounds));
}

#endif

/// The kernels for 1, 2, … bounds.
template <std::size_t... before>
std::span<const Kernel> kernels(Columns::Instructions instructions,
                                std::index_sequence<before...> /*counts*/) {
#if defined(__x86_64__)
  static constexpr Kernel kAvx512[] = {avx512<before + 1>...};
  static constexpr Kernel kAvx2[] = {avx2<before + 1>...};
  if (instructions == Columns::Instructions::avx512) return kAvx512;
  if (instructions == Columns::Instructions::avx2) return kAvx2;
#endif
  static constexpr Kernel kPortable[] = {portable<before + 1>...};
  MIRAB_ASSERT(instructions == Columns::Instructions::portable, "the processor lacks the instructions");
  return kPortable;
}

}  // namespace

Columns::Instructions Columns::best_instructions() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512bw") != 0) return Instructions::avx512;
  if (__builtin_cpu_supports("avx2") != 0) return Instructions::avx2;
#endif
  return Instructions::portable;
}

Columns::Columns(std::size_t width, Side side, Instructions instructions)
    : width_(width),
      side_(side),
      kernels_(kernels(instructions, std::make_index_sequence<Query::kMostBounds>())),
      shifts_(width, 0) {
  MIRAB_ASSERT(width > 0, "rows of nothing");
}

bool Columns::cover(std::size_t column, std::int64_t amount) {
  int& shift = shifts_[column];
  const int before = shift;
  while ((amount >> shift) > kMost) ++shift;
  return shift != before;
}

void Columns::grow() {
  Lane absent;
  absent.rows.fill(kAbsent);
  if (block_count_ % kBlock == 0) tops_.resize(tops_.size() + width_, absent);
  lanes_.resize(lanes_.size() + width_, absent);
  ++block_count_;
}

void Columns::set(std::size_t row, std::span<const std::int64_t> amounts) {
  while (row >= block_count() * kBlock) grow();
  for (std::size_t r = 0; r < width_; ++r) write(row, r, rounded(r, amounts[r]));
}

void Columns::clear(std::size_t row) {
  if (row >= block_count() * kBlock) return;
  for (std::size_t r = 0; r < width_; ++r) write(row, r, kAbsent);
}

Columns::Query Columns::query(std::span<const std::int64_t> x) const {
  Query query;
  for (std::uint32_t r = 0; r < width_ && query.count < Query::kMostBounds; ++r) {
    if (side_ == Side::at_least && x[r] == 0) continue;
    query.bounds[query.count++] = {.column = r, .value = rounded(r, x[r])};
  }
  if (query.count == 0) query.bounds[query.count++] = {.column = 0, .value = 0};
  return query;
}

Block Columns::next(const Query& query, std::size_t from, const ServerSet* among) const {
  const std::size_t end = among == nullptr ? block_count() : std::min(block_count(), among->words().size());
  const Block block = kernels_[query.count - 1]({.lanes = lanes_.data(),
                                                 .tops = tops_.data(),
                                                 .width = width_,
                                                 .bounds = query.bounds.data(),
                                                 .among = among == nullptr ? nullptr : among->words().data(),
                                                 .from = from,
                                                 .end = end});
  return block.rows == 0 ? Block{.index = block_count(), .rows = 0} : block;
}

}  // namespace mirab::scheduling
