#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace mirab {

/// So much at once, and so much a second (token bucket).
struct Rate {
  double per_s;
  double burst;
};

/// One bucket, by a clock of the caller's. Time is given, and never goes back.
template <class ItsClock>
class Bucket {
 public:
  using Clock = ItsClock;
  explicit Bucket(const Rate& rate) : level_(rate.burst) {}

  /// Takes `amount`, or nothing where there is less; then after how many seconds there is enough. What is
  /// larger than the bucket itself is taken from a full one, and paid for afterwards.
  std::optional<double> take(const Rate& rate, double amount, typename Clock::time_point now) {
    level_ = level_at(rate, now);
    at_ = at_ ? std::max(*at_, now) : now;
    const double needed = std::min(amount, rate.burst);
    if (level_ >= needed) {
      level_ -= amount;
      return std::nullopt;
    }
    return (needed - level_) / rate.per_s;
  }

  /// What was found to cost more afterwards: it is paid before anything else is taken. Below 0: it cost less.
  void charge(double amount) { level_ -= amount; }

  /// Is it as a new one?
  bool is_full(const Rate& rate, typename Clock::time_point now) const {
    return level_at(rate, now) >= rate.burst;
  }

 private:
  double level_at(const Rate& rate, typename Clock::time_point now) const {
    if (!at_) return level_;
    const double seconds = std::chrono::duration<double>(now - *at_).count();
    return seconds > 0 ? std::min(rate.burst, level_ + seconds * rate.per_s) : level_;
  }

  double level_;
  std::optional<typename Clock::time_point> at_ = {};
};

}  // namespace mirab
