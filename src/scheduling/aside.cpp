#include "scheduling/aside.hpp"

#include <algorithm>

namespace mirab::scheduling {

void Aside::add(std::uint32_t shape, double key, std::span<const std::int64_t> least) {
  const std::size_t at = size();
  shapes_.push_back(shape);
  keys_.push_back(key);
  amounts_.insert(amounts_.end(), least.begin(), least.end());
  bool coarser = false;
  for (std::size_t r = 0; r < resources_; ++r) coarser = rows_.cover(r, least[r]) || coarser;
  for (std::size_t row = coarser ? 0 : at; row <= at; ++row) rows_.set(row, amounts(row));
}

void Aside::remove(std::size_t at) {
  const std::size_t last = size() - 1;
  if (at != last) {
    shapes_[at] = shapes_[last];
    keys_[at] = keys_[last];
    std::copy_n(amounts_.begin() + static_cast<std::ptrdiff_t>(last * resources_), resources_,
                amounts_.begin() + static_cast<std::ptrdiff_t>(at * resources_));
    rows_.set(at, amounts(at));
  }
  rows_.clear(last);
  shapes_.pop_back();
  keys_.pop_back();
  amounts_.resize(last * resources_);
}

}  // namespace mirab::scheduling
