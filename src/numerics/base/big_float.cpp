// Floating point in GMP's mpf. MPFR would round correctly and has infinities of its own; GMP is here already.
#include "numerics/base/big_float.hpp"

#include <cmath>
#include <limits>

namespace mirab::numerics {

BigFloat BigFloat::infinity() {
  BigFloat value;
  value.infinite_ = true;
  return value;
}

void BigFloat::set(double value) {
  infinite_ = !std::isfinite(value);
  if (!infinite_) mpf_set_d(value_, value);
}

BigFloat::operator double() const {
  return infinite_ ? std::numeric_limits<double>::infinity() : mpf_get_d(value_);
}

BigFloat& BigFloat::operator+=(const BigFloat& other) {
  infinite_ = infinite_ || other.infinite_;
  mpf_add(value_, value_, other.value_);
  return *this;
}

BigFloat& BigFloat::operator-=(const BigFloat& other) {
  infinite_ = infinite_ || other.infinite_;
  mpf_sub(value_, value_, other.value_);
  return *this;
}

BigFloat& BigFloat::operator*=(const BigFloat& other) {
  infinite_ = infinite_ || other.infinite_;
  mpf_mul(value_, value_, other.value_);
  return *this;
}

BigFloat& BigFloat::operator/=(const BigFloat& other) {
  infinite_ = infinite_ || other.infinite_ || mpf_sgn(other.value_) == 0;
  if (!infinite_) mpf_div(value_, value_, other.value_);
  return *this;
}

}  // namespace mirab::numerics
