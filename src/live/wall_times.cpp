#include "live/wall_times.hpp"

#include <algorithm>

#include <mirab/model/assert.hpp>

namespace mirab::live {
namespace {

using std::chrono::milliseconds;

Wall by(const Moment& moment, Time time) {
  return moment.wall + std::chrono::floor<milliseconds>(time - moment.now);
}

bool is_later(Time time, const Moment& moment) { return time < moment.now; }

}  // namespace

void WallTimes::note(const Moment& moment) {
  if (!moments_.empty()) {
    const milliseconds moved = moment.wall - by(moments_.back(), moment.now);
    if (moved >= -kTolerance && moved <= kTolerance) return;
  }
  moments_.push_back(moment);
  if (moments_.size() > kMost) moments_.pop_front();
}

Wall WallTimes::at(Time time) const {
  MIRAB_ASSERT(!moments_.empty(), "a time is converted before there is any moment");
  const auto next = std::upper_bound(moments_.begin(), moments_.end(), time, is_later);
  return by(next == moments_.begin() ? *next : *std::prev(next), time);
}

void WallTimes::for_each_piece(Time from, Time to,
                               const std::function<void(Wall from, Wall to)>& visit) const {
  MIRAB_ASSERT(!moments_.empty(), "a time is converted before there is any moment");
  auto next = std::upper_bound(moments_.begin(), moments_.end(), from, is_later);
  while (from < to) {
    const Moment& moment = next == moments_.begin() ? *next : *std::prev(next);
    if (next == moments_.begin()) ++next;
    const Time end = next == moments_.end() ? to : std::min(to, next->now);
    visit(by(moment, from), by(moment, end));
    from = end;
    if (next != moments_.end()) ++next;
  }
}

}  // namespace mirab::live
