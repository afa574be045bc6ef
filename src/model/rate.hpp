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
    if (at_) {
      const double seconds = std::chrono::duration<double>(now - *at_).count();
      if (seconds > 0) level_ = std::min(rate.burst, level_ + seconds * rate.per_s);
    }
    at_ = at_ ? std::max(*at_, now) : now;
    const double needed = std::min(amount, rate.burst);
    if (level_ >= needed) {
      level_ -= amount;
      return std::nullopt;
    }
    return (needed - level_) / rate.per_s;
  }

 private:
  double level_;
  std::optional<typename Clock::time_point> at_ = {};
};

}  // namespace mirab
