#pragma once

#include <Eigen/Core>
#include <compare>
#include <gmpxx.h>
#include <limits>
#include <type_traits>
#include <utility>

namespace mirab::numerics {

/// A floating-point number with at least kBits bits of mantissa and practically no limits of exponent, for
/// where doubles cannot tell what is small from what is rounding. Infinity has no sign; what is divided by 0
/// is infinite, and what has an infinite part is too. Some 50 times as slow as a double.
class BigFloat {
 public:
  static constexpr mp_bitcnt_t kBits = 640;

  BigFloat() { mpf_init2(value_, kBits); }
  BigFloat(double value) : BigFloat() { set(value); }  // NOLINT(google-explicit-constructor): a scalar
  BigFloat(int value) : BigFloat() { mpf_set_si(value_, value); }  // NOLINT(google-explicit-constructor)
  explicit BigFloat(const mpq_class& value) : BigFloat() { mpf_set_q(value_, value.get_mpq_t()); }
  BigFloat(const BigFloat& other) : BigFloat() { *this = other; }
  BigFloat(BigFloat&& other) noexcept : BigFloat() { swap(other); }
  BigFloat& operator=(const BigFloat& other) {
    mpf_set(value_, other.value_);
    infinite_ = other.infinite_;
    return *this;
  }
  BigFloat& operator=(BigFloat&& other) noexcept {
    swap(other);
    return *this;
  }
  ~BigFloat() { mpf_clear(value_); }

  static BigFloat infinity();
  bool is_finite() const { return !infinite_; }
  /// The double next to it on the side of 0: tasks that fit do so still.
  explicit operator double() const;

  BigFloat& operator+=(const BigFloat& other);
  BigFloat& operator-=(const BigFloat& other);
  BigFloat& operator*=(const BigFloat& other);
  BigFloat& operator/=(const BigFloat& other);
  friend BigFloat operator+(BigFloat a, const BigFloat& b) { return std::move(a += b); }
  friend BigFloat operator-(BigFloat a, const BigFloat& b) { return std::move(a -= b); }
  friend BigFloat operator*(BigFloat a, const BigFloat& b) { return std::move(a *= b); }
  friend BigFloat operator/(BigFloat a, const BigFloat& b) { return std::move(a /= b); }
  friend BigFloat operator-(BigFloat a) {
    mpf_neg(a.value_, a.value_);
    return a;
  }
  friend BigFloat abs(BigFloat a) {
    mpf_abs(a.value_, a.value_);
    return a;
  }
  friend BigFloat abs2(const BigFloat& a) { return a * a; }
  friend bool isfinite(const BigFloat& a) { return a.is_finite(); }

  friend std::weak_ordering operator<=>(const BigFloat& a, const BigFloat& b) {
    if (a.infinite_ || b.infinite_) return a.infinite_ <=> b.infinite_;
    return mpf_cmp(a.value_, b.value_) <=> 0;
  }
  friend bool operator==(const BigFloat& a, const BigFloat& b) { return (a <=> b) == 0; }

 private:
  void set(double value);
  void swap(BigFloat& other) noexcept {
    mpf_swap(value_, other.value_);
    std::swap(infinite_, other.infinite_);
  }

  mpf_t value_;
  bool infinite_ = false;
};

template <class Number>
Number infinity_of() {
  if constexpr (std::is_same_v<Number, double>)
    return std::numeric_limits<double>::infinity();
  else
    return Number::infinity();
}

/// What counts as rounding: in doubles, or what corresponds to it in longer numbers, its eighth power.
template <class Number>
Number tolerance(double of_doubles) {
  if constexpr (std::is_same_v<Number, double>) {
    return of_doubles;
  } else {
    Number power = of_doubles;
    for (int doubling = 0; doubling < 3; ++doubling) power *= Number(power);
    return power;
  }
}

}  // namespace mirab::numerics

/// What Eigen has to know of it.
template <>
struct Eigen::NumTraits<mirab::numerics::BigFloat> : Eigen::GenericNumTraits<mirab::numerics::BigFloat> {
  using Real = mirab::numerics::BigFloat;
  using NonInteger = mirab::numerics::BigFloat;
  using Literal = mirab::numerics::BigFloat;
  using Nested = mirab::numerics::BigFloat;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 10,
    AddCost = 50,
    MulCost = 100
  };
};
