#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <mirab/model/assert.hpp>

namespace mirab::scheduling {

/// The number of the row that an identifier names, or named.
template <class Id>
std::uint32_t number(Id id) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(id));
}

/// Rows in an array with identifiers that never come again: an identifier is the row's number in its lower
/// half, and how often the number was given before in its upper half. A row that has gone leaves its place to
/// the next.
template <class Row, class Id>
class Slots {
 public:
  using Number = std::uint32_t;

  /// The number of the new row. O(1) amortised.
  Number add(Row row) {
    if (vacant_.empty()) {
      MIRAB_ASSERT(slots_.size() < UINT32_MAX, "more rows than numbers");
      slots_.push_back({.row = std::move(row), .generation = 0});
      ++present_;
      return static_cast<Number>(slots_.size() - 1);
    }
    const Number number = vacant_.back();
    vacant_.pop_back();
    fill(number, std::move(row));
    return number;
  }

  /// The same at a number that the caller chose. Requires that it holds no row, and that the numbers of all
  /// rows are chosen by the caller.
  void add_at(Number number, Row row) {
    chosen_ = true;
    while (number >= slots_.size()) slots_.push_back({.row = {}, .generation = kVacant});
    put_back(number, std::move(row));
  }

  void remove(Number number) {
    MIRAB_ASSERT(holds(number), "a row that is not there goes");
    Slot& slot = slots_[number];
    slot.row = Row{};
    slot.generation = (slot.generation + 1) | kVacant;
    --present_;
    // A number whose generations are used up is not given again, nor one that the caller chose.
    if (!chosen_ && (slot.generation & ~kVacant) != (~kVacant & UINT32_MAX)) vacant_.push_back(number);
  }

  Id id(Number number) const {
    return static_cast<Id>(std::uint64_t{slots_[number].generation} << 32 | number);
  }

  /// The row's number, if the identifier is that of a row that is there.
  std::optional<Number> find(Id id) const {
    const Number at = number(id);
    if (!holds(at) || this->id(at) != id) return {};
    return at;
  }

  bool holds(Number number) const {
    return number < slots_.size() && (slots_[number].generation & kVacant) == 0;
  }

  /// What there is besides the rows, to put the rows back into the same places with the same identifiers.
  struct Numbers {
    std::vector<std::uint32_t> generations;  ///< how often each number was given before, [number]
    std::vector<Number> vacant;              ///< those to be given again, the last one first
  };
  Numbers numbers() const {
    Numbers numbers{.generations = {}, .vacant = vacant_};
    for (const Slot& slot : slots_) numbers.generations.push_back(slot.generation & ~kVacant);
    return numbers;
  }

  /// Requires that there are no rows. The numbers that are not vacant are then filled with put_back(), or
  /// add_at() where the caller chooses them.
  void set_numbers(Numbers numbers) {
    MIRAB_ASSERT(present_ == 0, "numbers are given to rows that have some");
    slots_.clear();
    for (const std::uint32_t generation : numbers.generations)
      slots_.push_back({.row = {}, .generation = generation | kVacant});
    vacant_ = std::move(numbers.vacant);
  }
  void put_back(Number number, Row row) {
    MIRAB_ASSERT(number < slots_.size() && !holds(number), "a row is put over another, or nowhere");
    fill(number, std::move(row));
  }

  Row& operator[](Number number) { return slots_[number].row; }
  const Row& operator[](Number number) const { return slots_[number].row; }

  std::size_t size() const { return present_; }                      ///< rows that are there
  Number end() const { return static_cast<Number>(slots_.size()); }  ///< above every number

 private:
  static constexpr std::uint32_t kVacant = std::uint32_t{1} << 31;

  struct Slot {
    Row row;
    std::uint32_t generation;  // with kVacant set where there is no row
  };

  void fill(Number number, Row row) {
    slots_[number].row = std::move(row);
    slots_[number].generation &= ~kVacant;
    ++present_;
  }

  std::vector<Slot> slots_;
  std::vector<Number> vacant_;
  std::size_t present_ = 0;
  bool chosen_ = false;  // the numbers are chosen by the caller
};

}  // namespace mirab::scheduling
