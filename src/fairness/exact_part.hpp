#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <gmp.h>
#include <gmpxx.h>

#include <mirab/model/quantity.hpp>
#include <mirab/model/result.hpp>

namespace mirab::fairness {

/// Products of two 63-bit amounts, and sums of amounts.
__extension__ using Wide = __int128;

/// φ as a fraction in lowest terms.
struct Weight {
  std::uint64_t numerator = 1;
  std::uint64_t denominator = 1;
  friend bool operator==(const Weight&, const Weight&) = default;
  double value() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
};

/// φ in lowest terms. Errors: zero, or more digits than the comparison of shares holds.
Result<Weight> weight_from(const Quantity& quantity);

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

/// scale · numerator / denominator: a part of a capacity, exactly and without allocation. With a scale of 0
/// it is 0. Requires a numerator of at least 0 and a denominator above 0.
struct Part {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
  std::uint64_t scale = 1;

  explicit operator mpq_class() const;

  [[gnu::always_inline]] friend inline std::strong_ordering operator<=>(const Part& a, const Part& b) {
    if (a.scale == b.scale && a.scale != 0)
      return Wide{a.numerator} * b.denominator <=> Wide{b.numerator} * a.denominator;
    return a.fraction() <=> b.fraction();
  }
  friend bool operator==(const Part& a, const Part& b) { return (a <=> b) == 0; }

  Fraction fraction() const {
    return Fraction(static_cast<std::uint64_t>(numerator), static_cast<std::uint64_t>(denominator))
        .times(scale, 1);
  }
};

/// A part over a weight.
struct PartPerWeight {
  Part part;
  Weight weight;

  [[gnu::always_inline]] friend inline std::strong_ordering operator<=>(const PartPerWeight& a,
                                                                        const PartPerWeight& b) {
    return a.weight == b.weight ? a.part <=> b.part : a.fraction() <=> b.fraction();
  }
  friend bool operator==(const PartPerWeight& a, const PartPerWeight& b) { return (a <=> b) == 0; }

  Fraction fraction() const { return part.fraction().times(weight.denominator, weight.numerator); }
};

// A share over the weight of its holder, in whatever number the share is.

inline double per_weight(double share, const Weight& weight) { return share / weight.value(); }
mpq_class per_weight(const mpq_class& share, const Weight& weight);
inline PartPerWeight per_weight(const Part& share, const Weight& weight) {
  return {.part = share, .weight = weight};
}

}  // namespace mirab::fairness
