// The search in blocks of 64 rows, once for every processor and twice with the vector instructions of some.
// A row that is not there holds -1: less than every bound as a signed number, more than every bound as an
// unsigned one.
#include "scheduling/ledger/columns.hpp"

#include <algorithm>
#include <utility>

#include <mirab/model/assert.hpp>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace mirab::scheduling {
namespace {

using Block = Columns::Block;
using Kernel = Columns::Kernel;
using Scan = Columns::Scan;

constexpr std::int16_t kAbsent = -1;

enum class Side { at_least, at_most };

template <Side side>
bool holds(std::int16_t row, std::int16_t bound) {
  if constexpr (side == Side::at_least) return row >= bound;
  return static_cast<std::uint16_t>(row) <= static_cast<std::uint16_t>(bound);
}

/// Which of the block's rows are asked about at all?
std::uint64_t asked(const Scan& scan, std::size_t block) {
  return scan.among == nullptr ? ~std::uint64_t{0} : scan.among[block];
}

template <Side side, std::size_t bounds>
Block portable(const Scan& scan) {
  for (std::size_t index = scan.from; index < scan.end; ++index) {
    std::array<std::uint8_t, Columns::kBlock> found;
    found.fill(1);
    for (std::size_t b = 0; b < bounds; ++b) {
      const auto& rows = scan.lanes[index * scan.width + scan.bounds[b].column].rows;
      const std::int16_t value = scan.bounds[b].value;
      for (std::size_t k = 0; k < rows.size(); ++k) {
        found[k] &= static_cast<std::uint8_t>(holds<side>(rows[k], value));
      }
    }
    std::uint64_t rows = 0;
    for (std::size_t k = 0; k < found.size(); ++k) rows |= std::uint64_t{found[k]} << k;
    rows &= asked(scan, index);
    if (rows != 0) return {.index = index, .rows = rows};
  }
  return {.index = scan.end, .rows = 0};
}

#if defined(__x86_64__)

template <Side side>
[[gnu::target("avx2")]] inline __m256i holds(__m256i rows, __m256i bound) {
  if constexpr (side == Side::at_least) return _mm256_cmpeq_epi16(_mm256_max_epi16(rows, bound), rows);
  return _mm256_cmpeq_epi16(_mm256_max_epu16(rows, bound), bound);
}

/// One bit for each of 32 rows, from two vectors of all ones or zeros for 16 rows each.
[[gnu::target("avx2")]] inline std::uint64_t bits(__m256i low, __m256i high) {
  const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0b11'01'10'00);
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(bytes));
}

template <Side side, std::size_t bounds>
[[gnu::target("avx2")]] Block avx2(const Scan& scan) {
  __m256i values[bounds];
  for (std::size_t b = 0; b < bounds; ++b) values[b] = _mm256_set1_epi16(scan.bounds[b].value);
  for (std::size_t index = scan.from; index < scan.end; ++index) {
    __m256i found[4];
    std::fill_n(found, 4, _mm256_set1_epi16(-1));
    for (std::size_t b = 0; b < bounds; ++b) {
      const auto* rows = reinterpret_cast<const __m256i*>(
          scan.lanes[index * scan.width + scan.bounds[b].column].rows.data());
      for (std::size_t k = 0; k < 4; ++k) {
        found[k] = _mm256_and_si256(found[k], holds<side>(_mm256_load_si256(rows + k), values[b]));
      }
    }
    const __m256i any =
        _mm256_or_si256(_mm256_or_si256(found[0], found[1]), _mm256_or_si256(found[2], found[3]));
    if (_mm256_testz_si256(any, any) != 0) continue;
    const std::uint64_t rows =
        (bits(found[0], found[1]) | bits(found[2], found[3]) << 32) & asked(scan, index);
    if (rows != 0) return {.index = index, .rows = rows};
  }
  return {.index = scan.end, .rows = 0};
}

template <Side side>
[[gnu::target("avx512bw")]] inline __mmask32 holds(__mmask32 mask, __m512i rows, __m512i bound) {
  if constexpr (side == Side::at_least) return _mm512_mask_cmpge_epi16_mask(mask, rows, bound);
  return _mm512_mask_cmple_epu16_mask(mask, rows, bound);
}

template <Side side, std::size_t bounds>
[[gnu::target("avx512bw")]] Block avx512(const Scan& scan) {
  __m512i values[bounds];
  for (std::size_t b = 0; b < bounds; ++b) values[b] = _mm512_set1_epi16(scan.bounds[b].value);
  for (std::size_t index = scan.from; index < scan.end; ++index) {
    __mmask32 low = ~__mmask32{0}, high = low;
    for (std::size_t b = 0; b < bounds; ++b) {
      const auto* rows = scan.lanes[index * scan.width + scan.bounds[b].column].rows.data();
      low = holds<side>(low, _mm512_load_si512(rows), values[b]);
      high = holds<side>(high, _mm512_load_si512(rows + 32), values[b]);
    }
    if ((low | high) == 0) continue;
    const std::uint64_t rows = (std::uint64_t{low} | std::uint64_t{high} << 32) & asked(scan, index);
    if (rows != 0) return {.index = index, .rows = rows};
  }
  return {.index = scan.end, .rows = 0};
}

#endif

/// The kernels for 1, 2, … bounds.
template <Side side, std::size_t... before>
std::span<const Kernel> kernels(Columns::Instructions instructions,
                                std::index_sequence<before...> /*counts*/) {
#if defined(__x86_64__)
  static constexpr Kernel kAvx512[] = {avx512<side, before + 1>...};
  static constexpr Kernel kAvx2[] = {avx2<side, before + 1>...};
  if (instructions == Columns::Instructions::avx512) return kAvx512;
  if (instructions == Columns::Instructions::avx2) return kAvx2;
#endif
  static constexpr Kernel kPortable[] = {portable<side, before + 1>...};
  MIRAB_ASSERT(instructions == Columns::Instructions::portable, "the processor lacks the instructions");
  return kPortable;
}

template <Side side>
std::span<const Kernel> kernels(Columns::Instructions instructions) {
  return kernels<side>(instructions, std::make_index_sequence<Columns::Query::kMaxBounds>());
}

}  // namespace

Columns::Instructions Columns::best_instructions() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512bw")) return Instructions::avx512;
  if (__builtin_cpu_supports("avx2")) return Instructions::avx2;
#endif
  return Instructions::portable;
}

Columns::Columns(std::size_t width, Instructions instructions)
    : width_(width),
      at_least_(kernels<Side::at_least>(instructions)),
      at_most_(kernels<Side::at_most>(instructions)),
      shifts_(width, 0) {
  MIRAB_ASSERT(width > 0, "rows of nothing");
}

std::size_t Columns::coarseness(std::int64_t amount) {
  std::size_t shift = 0;
  while ((amount >> shift) > kMost) ++shift;
  return shift;
}

std::int64_t Columns::largest_of(std::size_t coarseness) {
  if (coarseness >= kCoarsest) return INT64_MAX;
  return ((std::int64_t{kMost} + 1) << coarseness) - 1;
}

bool Columns::cover(std::size_t column, std::int64_t amount) {
  const int before = shifts_[column];
  shifts_[column] = std::max(before, static_cast<int>(coarseness(amount)));
  return shifts_[column] != before;
}

bool Columns::refine(std::size_t column, std::int64_t amount) {
  const int before = shifts_[column];
  shifts_[column] = std::min(before, static_cast<int>(coarseness(amount)));
  return shifts_[column] != before;
}

void Columns::set(std::size_t row, std::span<const std::int64_t> amounts) {
  for (; row >= block_count_ * kBlock; ++block_count_) {
    Lane absent;
    absent.rows.fill(kAbsent);
    lanes_.resize(lanes_.size() + width_, absent);
  }
  for (std::size_t r = 0; r < width_; ++r) write(row, r, rounded(r, amounts[r]));
}

void Columns::clear(std::size_t row) {
  if (row >= block_count() * kBlock) return;
  for (std::size_t r = 0; r < width_; ++r) write(row, r, kAbsent);
}

Columns::Query Columns::at_least(std::span<const std::int64_t> x) const {
  Query query{.kernels = at_least_, .bounds = {}};
  for (std::uint32_t r = 0; r < width_; ++r) {
    if (x[r] > 0) query.add({.column = r, .value = rounded(r, x[r])});
  }
  if (query.count == 0) query.add({.column = 0, .value = 0});
  return query;
}

Columns::Query Columns::at_most(std::span<const std::int64_t> x) const {
  Query query{.kernels = at_most_, .bounds = {}};
  for (std::uint32_t r = 0; r < width_; ++r) query.add({.column = r, .value = rounded(r, x[r])});
  return query;
}

Block Columns::next(const Query& query, std::size_t from, const ServerSet* among) const {
  const std::size_t end = among == nullptr ? block_count() : std::min(block_count(), among->words().size());
  const Block block =
      query.kernels[query.count - 1]({.lanes = lanes_.data(),
                                      .width = width_,
                                      .bounds = query.bounds.data(),
                                      .among = among == nullptr ? nullptr : among->words().data(),
                                      .from = from,
                                      .end = end});
  return block.rows == 0 ? Block{.index = block_count(), .rows = 0} : block;
}

std::uint64_t Columns::rows(const Query& query, std::size_t block) const {
  if (block >= block_count()) return 0;
  return query
      .kernels[query.count - 1]({.lanes = lanes_.data(),
                                 .width = width_,
                                 .bounds = query.bounds.data(),
                                 .among = nullptr,
                                 .from = block,
                                 .end = block + 1})
      .rows;
}

}  // namespace mirab::scheduling
