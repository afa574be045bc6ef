// Work that waits: tenants in turn, so that one that sends much delays itself alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "service/full.hpp"

namespace mirab::service {

/// Deficit round robin (Shreedhar and Varghese 1995): in a turn each tenant gets as much as the others. Sizes
/// are in any unit: commands, or what a question may cost. Not for several threads: its owner locks.
template <class Work>
class Turns {
 public:
  /// The works that wait have at most the size `most` together; a tenant's turn is `quantum`.
  explicit Turns(std::size_t most, std::size_t quantum = 64) : most_(most), quantum_(quantum) {}

  /// Why there is no room for works of this size together; nothing: there is. No tenant fills it alone: half
  /// of it stays for the others. What is larger than all the room has room while nothing else waits.
  std::optional<Full> refusal(const std::string& tenant, std::size_t size) const {
    if (waiting_ > 0 && waiting_ + size > most_) return Full::all;
    const auto line = lines_.find(tenant);
    if (!tenant.empty() && line != lines_.end() && line->second.waiting + size > most_ / 2)
      return Full::tenant;
    return std::nullopt;
  }

  /// Takes the work, whether there is room or not. `tenant` may be a part of it.
  void add(Work& work, const std::string& tenant, std::size_t size) {
    Line& line = lines_[tenant];
    line.waiting += size;
    waiting_ += size;
    if (line.works.empty()) turn_.push_back(tenant);
    line.works.push_back({std::move(work), size});
  }

  /// Takes the work, unless there is no room.
  std::optional<Full> push(Work& work, const std::string& tenant, std::size_t size) {
    if (const auto full = refusal(tenant, size)) return full;
    add(work, tenant, size);
    return std::nullopt;
  }

  /// Moves works of about `most` together to the end of `taken`; at least one where there are any, but for
  /// one that is larger than a turn: that is taken in one of the next. Returns their size.
  std::size_t take(std::size_t most, std::vector<Work>& taken) {
    std::size_t count = 0;
    while (!turn_.empty() && count < most) {
      const std::string tenant = std::move(turn_.front());
      turn_.pop_front();
      Line& line = lines_[tenant];
      line.credit += quantum_;
      while (!line.works.empty() && count < most) {
        const std::size_t size = line.works.front().second;
        const std::size_t price = std::max<std::size_t>(1, size);
        if (price > line.credit) break;
        line.credit -= price;
        count += price;
        line.waiting -= size;
        waiting_ -= size;
        taken.push_back(std::move(line.works.front().first));
        line.works.pop_front();
      }
      if (line.works.empty()) {
        lines_.erase(tenant);
      } else {
        turn_.push_back(tenant);
      }
    }
    return count;
  }

  bool is_empty() const { return turn_.empty(); }
  std::size_t size() const { return waiting_; }

 private:
  struct Line {
    std::deque<std::pair<Work, std::size_t>> works;
    std::size_t waiting = 0;
    std::size_t credit = 0;  ///< what it may still take in this turn
  };

  std::size_t most_;
  std::size_t quantum_;
  std::map<std::string, Line> lines_;
  std::deque<std::string> turn_;  ///< tenants with work, the next first
  std::size_t waiting_ = 0;       ///< the size of all
};

}  // namespace mirab::service
