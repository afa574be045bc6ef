#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <mirab/model/assert.hpp>

#include "scheduling/ledger/index.hpp"

namespace mirab::scheduling {

/// The number of the row that an identifier names, or named.
template <class Id>
std::uint32_t number(Id id) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(id));
}

/// The same as an index of such rows.
template <class Id>
Index<Id> index_of(Id id) {
  return Index<Id>(number(id));
}

/// Rows in an array with identifiers that never come again: an identifier is the row's number in its lower
/// half, and how often the number was given before in its upper half. A row that has gone leaves its place to
/// the next.
template <class Row, class Id>
class Slots {
 public:
  using RowIndex = Index<Id>;

  /// The index of the new row. O(1) amortised.
  RowIndex add(Row row) {
    if (vacant_.empty()) {
      MIRAB_ASSERT(slots_.size() < UINT32_MAX, "more rows than numbers");
      ++present_;
      return slots_.push_back({.row = std::move(row), .generation = 0});
    }
    const RowIndex index = vacant_.back();
    vacant_.pop_back();
    fill(index, std::move(row));
    return index;
  }

  /// The same at an index that the caller chose. Requires that it holds no row, and that the indices of all
  /// rows are chosen by the caller.
  void add_at(RowIndex index, Row row) {
    chosen_ = true;
    while (!slots_.holds(index)) slots_.push_back({.row = {}, .generation = kVacant});
    put_back(index, std::move(row));
  }

  void remove(RowIndex index) {
    MIRAB_ASSERT(holds(index), "a row that is not there goes");
    Slot& slot = slots_[index];
    slot.row = Row{};
    slot.generation = (slot.generation + 1) | kVacant;
    --present_;
    // An index whose generations are used up is not given again, nor one that the caller chose.
    if (!chosen_ && (slot.generation & ~kVacant) != (~kVacant & UINT32_MAX)) vacant_.push_back(index);
  }

  Id id(RowIndex index) const {
    return static_cast<Id>(std::uint64_t{slots_[index].generation} << 32 | index.number());
  }

  /// The row's index, if the identifier is that of a row that is there.
  std::optional<RowIndex> find(Id id) const {
    const RowIndex at = index_of(id);
    if (!holds(at) || this->id(at) != id) return {};
    return at;
  }

  bool holds(RowIndex index) const {
    return slots_.holds(index) && (slots_[index].generation & kVacant) == 0;
  }

  /// What there is besides the rows, to put the rows back into the same places with the same identifiers.
  struct Numbers {
    std::vector<std::uint32_t> generations;  ///< how often each index was given before, [index]
    std::vector<RowIndex> vacant;            ///< those to be given again, the last one first
  };
  Numbers numbers() const {
    Numbers numbers{.generations = {}, .vacant = vacant_};
    for (const Slot& slot : slots_) numbers.generations.push_back(slot.generation & ~kVacant);
    return numbers;
  }

  /// Requires that there are no rows. The indices that are not vacant are then filled with put_back(), or
  /// add_at() where the caller chooses them.
  void set_numbers(Numbers numbers) {
    MIRAB_ASSERT(present_ == 0, "numbers are given to rows that have some");
    slots_ = {};
    for (const std::uint32_t generation : numbers.generations)
      slots_.push_back({.row = {}, .generation = generation | kVacant});
    vacant_ = std::move(numbers.vacant);
  }
  void put_back(RowIndex index, Row row) {
    MIRAB_ASSERT(slots_.holds(index) && !holds(index), "a row is put over another, or nowhere");
    fill(index, std::move(row));
  }

  Row& operator[](RowIndex index) { return slots_[index].row; }
  const Row& operator[](RowIndex index) const { return slots_[index].row; }

  std::size_t size() const { return present_; }              ///< rows that are there
  std::size_t index_count() const { return slots_.size(); }  ///< above every number

  /// All indices that were given.
  Indices<RowIndex> indices() const { return slots_.indices(); }

  /// The indices of the rows that are there, in order. Rows may change meanwhile, but not come or go.
  class Present {
   public:
    class Iterator {
     public:
      Iterator(const Slots& slots, std::size_t at) : slots_(&slots), at_(at) { skip(); }
      RowIndex operator*() const { return RowIndex(static_cast<std::uint32_t>(at_)); }
      Iterator& operator++() {
        ++at_;
        skip();
        return *this;
      }
      friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

     private:
      void skip() {
        while (at_ < slots_->index_count() && !slots_->holds(**this)) ++at_;
      }
      const Slots* slots_;
      std::size_t at_;
    };

    explicit Present(const Slots& slots) : slots_(slots) {}
    Iterator begin() const { return Iterator(slots_, 0); }
    Iterator end() const { return Iterator(slots_, slots_.index_count()); }

   private:
    const Slots& slots_;
  };
  Present present() const { return Present(*this); }

 private:
  static constexpr std::uint32_t kVacant = std::uint32_t{1} << 31;

  struct Slot {
    Row row;
    std::uint32_t generation;  // with kVacant set where there is no row
  };

  void fill(RowIndex index, Row row) {
    slots_[index].row = std::move(row);
    slots_[index].generation &= ~kVacant;
    ++present_;
  }

  IndexedVector<RowIndex, Slot> slots_;
  std::vector<RowIndex> vacant_;
  std::size_t present_ = 0;
  bool chosen_ = false;  // the numbers are chosen by the caller
};

}  // namespace mirab::scheduling
