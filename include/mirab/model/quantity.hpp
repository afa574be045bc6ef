#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <mirab/model/result.hpp>

namespace mirab {

/// An exact non-negative decimal number, digits · 10^exponent: an amount of a resource, a weight, a number of
/// tasks.
///
/// Integer bookkeeping (the ledger of placed tasks) starts from it, so nothing is rounded on the way in:
/// `500m` is 5 · 10^-1, `64Gi` is 68719476736, `0.2493` is 2493 · 10^-4. Kept normalised: no trailing zeros
/// in the digits, and zero is 0 · 10^0, so equal amounts are equal members.
class Quantity {
 public:
  constexpr Quantity() = default;

  /// Requires value ≥ 0.
  explicit Quantity(std::int64_t value);

  /// Reads a plain number (`16`, `0.5`, `1e3`) or a Kubernetes quantity (`500m`, `64Gi`, `2k`): suffixes n u
  /// m k M G T P E and Ki Mi Gi Ti Pi Ei. Errors (message only): not a number, negative, not finite, more
  /// than 2^63 - 1, or more digits than 63 bits hold.
  static Result<Quantity> parse(std::string_view text);

  /// The shortest decimal that reads back as `value`: 0.1 becomes 1 · 10^-1. Errors as for parse.
  static Result<Quantity> from(double value);

  std::int64_t digits() const { return digits_; }
  int exponent() const { return exponent_; }
  bool is_zero() const { return digits_ == 0; }

  /// The nearest double.
  double value() const;

  /// The plain decimal, without a suffix: `0.2493`, `68719476736`.
  std::string text() const;

  friend bool operator==(const Quantity&, const Quantity&) = default;

 private:
  std::int64_t digits_ = 0;
  int exponent_ = 0;
};

/// Exact order of the amounts.
std::strong_ordering operator<=>(const Quantity& a, const Quantity& b);

/// How exactly a quantity is counted in units of 10^exponent, rounded when it is not a multiple of one.
enum class Rounding { down, up };

/// quantity / 10^exponent as an integer, rounded as asked; no value when it exceeds 2^63 - 1.
std::optional<std::int64_t> count_units(const Quantity& quantity, int exponent, Rounding rounding);

}  // namespace mirab
