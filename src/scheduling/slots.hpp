#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <mirab/model/assert.hpp>

namespace mirab::scheduling {

/// Rows in an array with identifiers that never come again: an identifier is the row's number in its lower
/// half, and how often the number was given before in its upper half. A row that has gone leaves its place to
/// the next.
template <class Row, class Id>
class Slots {
 public:
  using Number = std::uint32_t;

  /// O(1) amortised. The lowest part of the identifier is the number of the row.
  Number add(Row row) {
    if (vacant_.empty()) {
      MIRAB_ASSERT(rows_.size() < UINT32_MAX, "more rows than numbers");
      rows_.push_back(std::move(row));
      generations_.push_back(0);
      ++present_;
      return static_cast<Number>(rows_.size() - 1);
    }
    const Number number = vacant_.back();
    vacant_.pop_back();
    rows_[number] = std::move(row);
    generations_[number] &= ~kVacant;
    ++present_;
    return number;
  }

  /// The same at a number that the caller chose. Requires that it holds no row, and that such rows' numbers are
  /// all chosen by the caller.
  void add_at(Number number, Row row) {
    if (number >= rows_.size()) {
      rows_.resize(number + 1);
      generations_.resize(number + 1, kVacant);
    }
    MIRAB_ASSERT(!holds(number), "a row is put over another");
    rows_[number] = std::move(row);
    generations_[number] &= ~kVacant;
    ++present_;
  }

  void remove(Number number) {
    MIRAB_ASSERT(holds(number), "a row that is not there goes");
    rows_[number] = Row{};
    generations_[number] = (generations_[number] + 1) | kVacant;
    --present_;
    // A number whose generations are used up is not given again.
    if ((generations_[number] & ~kVacant) != ~kVacant) vacant_.push_back(number);
  }

  Id id(Number number) const { return static_cast<Id>(std::uint64_t{generations_[number]} << 32 | number); }

  /// The row's number, if the identifier is that of a row that is there.
  std::optional<Number> find(Id id) const {
    const auto number = static_cast<Number>(static_cast<std::uint64_t>(id));
    if (number >= rows_.size() || this->id(number) != id || !holds(number)) return {};
    return number;
  }

  bool holds(Number number) const { return number < rows_.size() && (generations_[number] & kVacant) == 0; }

  Row& operator[](Number number) { return rows_[number]; }
  const Row& operator[](Number number) const { return rows_[number]; }

  std::size_t size() const { return present_; }                              ///< rows that are there
  Number end() const { return static_cast<Number>(rows_.size()); }           ///< above every number

 private:
  static constexpr std::uint32_t kVacant = std::uint32_t{1} << 31;

  std::vector<Row> rows_;
  std::vector<std::uint32_t> generations_;  // with kVacant set where there is no row
  std::vector<Number> vacant_;
  std::size_t present_ = 0;
};

}  // namespace mirab::scheduling
