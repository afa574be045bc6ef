#pragma once

#include <Eigen/Core>
#include <cmath>
#include <compare>
#include <cstdlib>
#include <gmpxx.h>
#include <limits>
#include <type_traits>
#include <utility>

namespace mirab::numerics {

/// A floating-point number in GMP's mpf (MPFR would round correctly and has infinities of its own; GMP is
/// here already) with at least kBits bits of mantissa and practically no limits of exponent, for where
/// doubles cannot tell what is small from what is rounding. Infinity has no sign; what is divided by 0 is
/// infinite, and what has an infinite part is too. A multiplication and
/// an addition take 0.1 µs, some 50 to 100 times as long as in doubles.
class BigFloat {
 public:
  /// Derived: the smallest tolerance in doubles is 1e-20, its eighth power 1e-160, and 30 digits below that
  /// are left for the rounding of sums: 192 digits.
  static constexpr mp_bitcnt_t kBits = 640;

  BigFloat() { point_to_limbs(); }
  BigFloat(double value) : BigFloat() { set(value); }  // NOLINT(google-explicit-constructor): a scalar
  BigFloat(int value) : BigFloat() { mpf_set_si(value_, value); }  // NOLINT(google-explicit-constructor)
  explicit BigFloat(const mpq_class& value) : BigFloat() { mpf_set_q(value_, value.get_mpq_t()); }
  BigFloat(const BigFloat& other) : BigFloat() { *this = other; }
  BigFloat& operator=(const BigFloat& other) {
    mpf_set(value_, other.value_);
    infinite_ = other.infinite_;
    return *this;
  }
  ~BigFloat() = default;

  static BigFloat infinity();
  bool is_finite() const { return !infinite_; }
  /// The double next to it on the side of 0: tasks that fit do so still.
  explicit operator double() const;

  BigFloat& operator+=(const BigFloat& other);
  BigFloat& operator-=(const BigFloat& other);
  BigFloat& operator*=(const BigFloat& other);
  BigFloat& operator/=(const BigFloat& other);
  friend BigFloat operator+(const BigFloat& a, const BigFloat& b) {
    BigFloat sum;
    sum.infinite_ = a.infinite_ || b.infinite_;
    mpf_add(sum.value_, a.value_, b.value_);
    return sum;
  }
  friend BigFloat operator-(const BigFloat& a, const BigFloat& b) {
    BigFloat difference;
    difference.infinite_ = a.infinite_ || b.infinite_;
    mpf_sub(difference.value_, a.value_, b.value_);
    return difference;
  }
  friend BigFloat operator*(const BigFloat& a, const BigFloat& b) {
    BigFloat product;
    product.infinite_ = a.infinite_ || b.infinite_;
    mpf_mul(product.value_, a.value_, b.value_);
    return product;
  }
  friend BigFloat operator/(const BigFloat& a, const BigFloat& b) {
    BigFloat quotient;
    quotient.infinite_ = a.infinite_ || b.infinite_ || mpf_sgn(b.value_) == 0;
    if (!quotient.infinite_) mpf_div(quotient.value_, a.value_, b.value_);
    return quotient;
  }
  friend BigFloat operator-(const BigFloat& a) {
    BigFloat opposite = a;
    opposite.value_->_mp_size = -opposite.value_->_mp_size;
    return opposite;
  }
  friend BigFloat abs(const BigFloat& a) {
    BigFloat size = a;
    size.value_->_mp_size = std::abs(size.value_->_mp_size);
    return size;
  }
  friend BigFloat abs2(const BigFloat& a) { return a * a; }
  friend bool isfinite(const BigFloat& a) { return a.is_finite(); }

  friend std::weak_ordering operator<=>(const BigFloat& a, const BigFloat& b) {
    if (a.infinite_ || b.infinite_) return a.infinite_ <=> b.infinite_;
    return mpf_cmp(a.value_, b.value_) <=> 0;
  }
  friend bool operator==(const BigFloat& a, const BigFloat& b) { return (a <=> b) == 0; }

 private:
  // As mpf_init2() makes it, but with the limbs inside the object: GMP writes to at most one limb more than
  // the precision, and allocates for mpf_init and mpf_set_prec only. Measured: half of the time went to the
  // heap.
  static constexpr int kPrecision = static_cast<int>((kBits + 2 * GMP_NUMB_BITS - 1) / GMP_NUMB_BITS);
  void point_to_limbs() {
    value_->_mp_prec = kPrecision;
    value_->_mp_size = 0;
    value_->_mp_exp = 0;
    value_->_mp_d = limbs_;
  }
  void set(double value);

  mpf_t value_;
  mp_limb_t limbs_[kPrecision + 1];
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

inline BigFloat BigFloat::infinity() {
  BigFloat value;
  value.infinite_ = true;
  return value;
}

inline void BigFloat::set(double value) {
  infinite_ = !std::isfinite(value);
  if (!infinite_) mpf_set_d(value_, value);
}

inline BigFloat::operator double() const {
  return infinite_ ? std::numeric_limits<double>::infinity() : mpf_get_d(value_);
}

inline BigFloat& BigFloat::operator+=(const BigFloat& other) {
  infinite_ = infinite_ || other.infinite_;
  mpf_add(value_, value_, other.value_);
  return *this;
}

inline BigFloat& BigFloat::operator-=(const BigFloat& other) {
  infinite_ = infinite_ || other.infinite_;
  mpf_sub(value_, value_, other.value_);
  return *this;
}

inline BigFloat& BigFloat::operator*=(const BigFloat& other) {
  infinite_ = infinite_ || other.infinite_;
  mpf_mul(value_, value_, other.value_);
  return *this;
}

inline BigFloat& BigFloat::operator/=(const BigFloat& other) {
  infinite_ = infinite_ || other.infinite_ || mpf_sgn(other.value_) == 0;
  if (!infinite_) mpf_div(value_, value_, other.value_);
  return *this;
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
