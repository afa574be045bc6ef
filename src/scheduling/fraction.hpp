#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <gmp.h>

namespace mirab::scheduling {

/// A fraction of products of up to three 64-bit numbers each, compared exactly and without allocation: shares
/// over weights, whose cross products no integer of the compiler holds.
class Fraction {
 public:
  /// numerator / denominator. Requires denominator > 0.
  Fraction(std::uint64_t numerator, std::uint64_t denominator)
      : numerator_{numerator, 0, 0}, denominator_{denominator, 0, 0} {}

  /// Times numerator / denominator, at most twice. Requires denominator > 0.
  Fraction& times(std::uint64_t numerator, std::uint64_t denominator) {
    mpn_mul_1(numerator_.data(), numerator_.data(), kLimbs, numerator);
    mpn_mul_1(denominator_.data(), denominator_.data(), kLimbs, denominator);
    return *this;
  }

  friend std::strong_ordering operator<=>(const Fraction& a, const Fraction& b) {
    std::array<mp_limb_t, 2 * kLimbs> left;
    std::array<mp_limb_t, 2 * kLimbs> right;
    mpn_mul_n(left.data(), a.numerator_.data(), b.denominator_.data(), kLimbs);
    mpn_mul_n(right.data(), b.numerator_.data(), a.denominator_.data(), kLimbs);
    return mpn_cmp(left.data(), right.data(), 2 * kLimbs) <=> 0;
  }
  friend bool operator==(const Fraction& a, const Fraction& b) { return (a <=> b) == 0; }

 private:
  static constexpr mp_size_t kLimbs = 3;
  static_assert(sizeof(mp_limb_t) == sizeof(std::uint64_t) && GMP_NAIL_BITS == 0);

  std::array<mp_limb_t, kLimbs> numerator_;
  std::array<mp_limb_t, kLimbs> denominator_;
};

}  // namespace mirab::scheduling
