#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scheduling/ledger/index.hpp"

namespace mirab::scheduling {

/// A set of servers, as a bitset that grows with what is put in. Copying costs O(largest number / 64).
class ServerSet {
 public:
  static constexpr std::size_t kWord = 64;  ///< servers in a word

  void insert(ServerIndex server) {
    const std::size_t at = word_of(server);
    if (at >= words_.size()) words_.resize(at + 1, 0);
    words_[at] |= bit(server);
  }

  void erase(ServerIndex server) {
    if (word_of(server) < words_.size()) words_[word_of(server)] &= ~bit(server);
  }

  /// The servers that bits of a word stand for, as word() gives it.
  void insert(std::size_t index, std::uint64_t bits) {
    if (index >= words_.size()) words_.resize(index + 1, 0);
    words_[index] |= bits;
  }
  void erase(std::size_t index, std::uint64_t bits) {
    if (index < words_.size()) words_[index] &= ~bits;
  }

  /// Only those that are in the other one too stay.
  void intersect(const ServerSet& other) {
    words_.resize(std::min(words_.size(), other.words_.size()));
    for (std::size_t index = 0; index < words_.size(); ++index) words_[index] &= other.words_[index];
  }

  bool contains(ServerIndex server) const { return (word(word_of(server)) & bit(server)) != 0; }

  /// The servers 64 index … 64 index + 63, the first in the lowest bit.
  std::uint64_t word(std::size_t index) const { return index < words_.size() ? words_[index] : 0; }

  /// Every word up to the last that was ever used; those beyond are 0.
  std::span<const std::uint64_t> words() const { return words_; }

  /// The first server of those that bits of this word stand for. Requires that there is one.
  static ServerIndex first_of(std::size_t word, std::uint64_t bits) {
    return ServerIndex(static_cast<std::uint32_t>(word * kWord) +
                       static_cast<std::uint32_t>(std::countr_zero(bits)));
  }

 private:
  static std::size_t word_of(ServerIndex server) { return server.number() / kWord; }
  static std::uint64_t bit(ServerIndex server) { return std::uint64_t{1} << (server.number() % kWord); }

  std::vector<std::uint64_t> words_;
};

/// Vectors of amounts, rounded to 15 bits and laid out so that one instruction looks at many: which of them
/// are at least, or at most, a given vector in every component?
///
/// An amount a of column r is kept as q_r(a) = min(⌊a / 2^shift_r⌋, 32766). q_r never decreases, so a ≤ b
/// gives q_r(a) ≤ q_r(b): the rows found include every right one, and some that only the rounding lets in.
/// The caller checks a row exactly. A row that was not set, or was cleared, is never found.
///
/// Cost of a search: O(rows × columns asked for), at some 10^11 amounts a second while they are in the cache.
/// The largest amounts of each block, kept as well to pass blocks by, made fruitless searches faster and all
/// else slower: in a park after long use nearly every block has a server with much of each resource.
class Columns {
 public:
  static constexpr std::size_t kBlock = ServerSet::kWord;  ///< rows in a block

  /// What the processor is asked to do; all give the same answers.
  enum class Instructions { portable, avx2, avx512 };
  static Instructions best_instructions();

  /// Requires width > 0, and instructions that the processor has.
  explicit Columns(std::size_t width, Instructions instructions = best_instructions());

  /// Makes the column coarse enough for the amount. True when it became coarser: then every row must be set
  /// again. O(1).
  bool cover(std::size_t column, std::int64_t amount);
  /// Makes the column no coarser than the amount needs. True when it became finer: then as well. O(1).
  bool refine(std::size_t column, std::int64_t amount);

  /// How coarse the amount makes a column, from 0, and the largest amount that makes it no coarser. Requires
  /// amounts of at least 0.
  static std::size_t coarseness(std::int64_t amount);
  static std::int64_t largest_of(std::size_t coarseness);
  static constexpr std::size_t kCoarsest = 49;  ///< coarseness(INT64_MAX)

  /// Requires amounts of at least 0, one for each column. Amortised O(width).
  void set(std::size_t row, std::span<const std::int64_t> amounts);
  void clear(std::size_t row);

  std::size_t block_count() const { return block_count_; }

  /// A question to the rows, rounded as they are.
  struct Query;

  /// The rows with row ≥ x. Components of x that are 0 ask nothing.
  Query at_least(std::span<const std::int64_t> x) const;
  /// The rows with row ≤ x. Requires x ≥ 0.
  Query at_most(std::span<const std::int64_t> x) const;

  /// The rows 64 index … 64 index + 63 that were found, the first in the lowest bit. No rows: there are none
  /// from there on.
  struct Block {
    std::size_t index;
    std::uint64_t rows;
  };

  /// The first block from `from` on with a row that answers the query and is among those given (nullptr:
  /// all).
  Block next(const Query& query, std::size_t from, const ServerSet* among) const;
  /// The rows of this block that answer the query.
  std::uint64_t rows(const Query& query, std::size_t block) const;

  /// Visits the rows found from row `from` on, in order, until a visit returns true. Returns whether one did.
  template <class Visit>
  bool any(const Query& query, std::size_t from, const ServerSet* among, Visit visit) const;

  struct Lane {
    alignas(64) std::array<std::int16_t, kBlock> rows;  // a block's part of one column
  };
  struct Bound {
    std::uint32_t column;
    std::int16_t value;
  };
  struct Scan {
    const Lane* lanes;
    std::size_t width;
    const Bound* bounds;
    const std::uint64_t* among;  // nullptr: all rows
    std::size_t from, end;       // blocks
  };
  using Kernel = Block (*)(const Scan& scan);

 private:
  static constexpr std::int16_t kMost = INT16_MAX - 1;

  std::int16_t rounded(std::size_t column, std::int64_t amount) const {
    return static_cast<std::int16_t>(std::min<std::int64_t>(amount >> shifts_[column], kMost));
  }
  void write(std::size_t row, std::size_t column, std::int16_t value) {
    lanes_[row / kBlock * width_ + column].rows[row % kBlock] = value;
  }

  std::size_t width_;
  std::size_t block_count_ = 0;
  std::span<const Kernel> at_least_;  // for 1, 2, … bounds
  std::span<const Kernel> at_most_;
  std::vector<int> shifts_;  // [column]
  std::vector<Lane> lanes_;  // [block × width]
};

struct Columns::Query {
  /// Columns beyond these are not looked at: then more rows than need be are found.
  static constexpr std::size_t kMaxBounds = 8;

  std::span<const Kernel> kernels;
  std::size_t count = 0;
  std::array<Bound, kMaxBounds> bounds;

  void add(Bound bound) {
    if (count < kMaxBounds) bounds[count++] = bound;
  }
};

template <class Visit>
bool Columns::any(const Query& query, std::size_t from, const ServerSet* among, Visit visit) const {
  Block block = next(query, from / kBlock, among);
  if (block.index == from / kBlock) block.rows &= ~std::uint64_t{0} << (from % kBlock);
  for (; block.index < block_count(); block = next(query, block.index + 1, among)) {
    for (std::uint64_t rows = block.rows; rows != 0; rows &= rows - 1) {
      if (visit(block.index * kBlock + static_cast<std::size_t>(std::countr_zero(rows)))) return true;
    }
  }
  return false;
}

}  // namespace mirab::scheduling
