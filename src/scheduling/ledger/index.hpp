#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <mirab/scheduling/events.hpp>

#include "scheduling/ledger/huge_pages.hpp"

namespace mirab::scheduling {

/// The index of no row, of whatever kind.
struct NoIndex {};
inline constexpr NoIndex kNone;

/// The number of a row of one kind: indices of different kinds do not mix, and there is no arithmetic. The
/// default is that of no row.
template <class Tag>
class Index {
 public:
  constexpr Index() = default;
  constexpr Index(NoIndex /*none*/) {}  // NOLINT(google-explicit-constructor): kNone is of every kind
  constexpr explicit Index(std::uint32_t number) : number_(number) {}

  constexpr std::uint32_t number() const { return number_; }

  friend constexpr bool operator==(Index, Index) = default;
  friend constexpr auto operator<=>(Index, Index) = default;

 private:
  std::uint32_t number_ = UINT32_MAX;
};

/// The largest number of a row.
inline constexpr std::uint32_t kMaxNumber = UINT32_MAX - 1;

using ServerIndex = Index<ServerId>;
using UserIndex = Index<UserId>;
using JobIndex = Index<JobId>;
using TaskIndex = Index<TaskId>;
using QueueIndex = Index<struct QueueTag>;              ///< of the tasks of a user that look alike
using TaskClassIndex = Index<struct TaskClassTag>;      ///< of tasks that ask for the same
using AlternativeIndex = Index<struct AlternativeTag>;  ///< of the demands of a task class
using SelectionIndex = Index<struct SelectionTag>;      ///< of the servers that a job may use
using DescriptionIndex = Index<struct DescriptionTag>;  ///< of servers with the same name and labels
using ServerClassIndex = Index<struct ServerClassTag>;  ///< of servers with equal capacities

/// The indices 0 … size − 1.
template <class I>
class Indices {
 public:
  class Iterator {
   public:
    using value_type = I;
    using reference = I;
    using pointer = void;
    using iterator_category = std::input_iterator_tag;
    using difference_type = std::ptrdiff_t;
    constexpr Iterator() = default;
    constexpr explicit Iterator(std::uint32_t at) : at_(at) {}
    constexpr I operator*() const { return I(at_); }
    constexpr Iterator& operator++() { return ++at_, *this; }
    constexpr Iterator operator++(int) { return Iterator(at_++); }
    friend constexpr bool operator==(Iterator, Iterator) = default;

   private:
    std::uint32_t at_ = 0;
  };

  constexpr explicit Indices(std::size_t size) : size_(static_cast<std::uint32_t>(size)) {}
  constexpr Iterator begin() const { return Iterator(0); }
  constexpr Iterator end() const { return Iterator(size_); }
  constexpr std::size_t size() const { return size_; }
  constexpr bool holds(I index) const { return index.number() < size_; }

 private:
  std::uint32_t size_;
};

/// A vector that takes only indices of one kind. A large one lies on huge pages.
template <class I, class Row>
class IndexedVector {
 public:
  IndexedVector() = default;
  explicit IndexedVector(std::size_t size, const Row& row = Row()) : rows_(size, row) {}

  decltype(auto) operator[](I index) { return rows_[index.number()]; }
  decltype(auto) operator[](I index) const { return rows_[index.number()]; }

  bool holds(I index) const { return index.number() < rows_.size(); }

  /// Makes room for the index.
  void cover(I index) {
    if (!holds(index)) rows_.resize(std::size_t{index.number()} + 1);
  }

  /// The index of the new row.
  I push_back(Row row) {
    rows_.push_back(std::move(row));
    return I(static_cast<std::uint32_t>(rows_.size() - 1));
  }

  Indices<I> indices() const { return Indices<I>(rows_.size()); }
  I end_index() const { return I(static_cast<std::uint32_t>(rows_.size())); }  ///< above every index
  I last_index() const { return I(static_cast<std::uint32_t>(rows_.size() - 1)); }

  std::size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }
  void resize(std::size_t size) { rows_.resize(size); }
  void pop_back() { rows_.pop_back(); }
  decltype(auto) back() { return rows_.back(); }
  decltype(auto) back() const { return rows_.back(); }
  auto begin() { return rows_.begin(); }
  auto begin() const { return rows_.begin(); }
  auto end() { return rows_.end(); }
  auto end() const { return rows_.end(); }

  friend bool operator==(const IndexedVector&, const IndexedVector&) = default;
  friend auto operator<=>(const IndexedVector&, const IndexedVector&) = default;

 private:
  std::vector<Row, HugePageAllocator<Row>> rows_;
};

/// Amounts of every resource for each index, one row after the other. [index × m]
template <class I>
class IndexedAmounts {
 public:
  explicit IndexedAmounts(std::size_t resources) : resources_(resources) {}

  std::span<std::int64_t> operator[](I index) {
    return std::span(amounts_).subspan(index.number() * resources_, resources_);
  }
  std::span<const std::int64_t> operator[](I index) const {
    return std::span(amounts_).subspan(index.number() * resources_, resources_);
  }

  /// New rows are 0.
  void resize(std::size_t rows) { amounts_.resize(rows * resources_, 0); }

 private:
  std::size_t resources_;
  std::vector<std::int64_t, HugePageAllocator<std::int64_t>> amounts_;
};

/// A value that stays where it is while its owner moves, or none. A copy has a value of its own.
template <class Value>
class OwnCopy {
 public:
  OwnCopy() = default;
  explicit OwnCopy(std::unique_ptr<Value> value) : value_(std::move(value)) {}
  OwnCopy(const OwnCopy& other) : value_(other.value_ ? std::make_unique<Value>(*other.value_) : nullptr) {}
  OwnCopy(OwnCopy&&) noexcept = default;
  OwnCopy& operator=(OwnCopy other) noexcept { return value_ = std::move(other.value_), *this; }

  explicit operator bool() const { return value_ != nullptr; }
  Value* get() const { return value_.get(); }
  Value* operator->() const { return value_.get(); }
  Value& operator*() const { return *value_; }

 private:
  std::unique_ptr<Value> value_;
};

}  // namespace mirab::scheduling

template <class Tag>
struct std::hash<mirab::scheduling::Index<Tag>> {
  std::size_t operator()(mirab::scheduling::Index<Tag> index) const noexcept {
    return std::hash<std::uint32_t>()(index.number());
  }
};
