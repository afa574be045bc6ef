// Exact decimals. A quantity is read digit by digit into an integer and a power of ten; a binary suffix
// multiplies the integer, a decimal one shifts the power. All intermediate arithmetic is in 128 bits, which
// cannot overflow: at most 20 digits (< 2^67) times at most 2^60.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <limits>

#include <mirab/model/quantity.hpp>

namespace mirab {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
constexpr int kSmallestExponent = -60;  // far below any resolution that a resource has

struct Suffix {
  std::string_view text;
  int power_of_ten;
  int power_of_two;
};

// The suffixes of Kubernetes' resource.Quantity.
constexpr std::array kSuffixes = {
    Suffix{"n", -9, 0},  Suffix{"u", -6, 0},  Suffix{"m", -3, 0},  Suffix{"k", 3, 0},   Suffix{"M", 6, 0},
    Suffix{"G", 9, 0},   Suffix{"T", 12, 0},  Suffix{"P", 15, 0},  Suffix{"E", 18, 0},  Suffix{"Ki", 0, 10},
    Suffix{"Mi", 0, 20}, Suffix{"Gi", 0, 30}, Suffix{"Ti", 0, 40}, Suffix{"Pi", 0, 50}, Suffix{"Ei", 0, 60}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// `64G or 64Gi` for 64GB and 64gib; empty where the text is no number with a unit of bytes.
std::string without_bytes(std::string_view text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  std::string unit;
  for (const char c : text.substr(end)) unit += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  if (end == 0 || unit.size() < 2 || unit.size() > 3 || !unit.ends_with('B')) return {};
  if (unit.size() == 3 && unit[1] != 'I') return {};
  if (std::string_view("KMGTPE").find(unit[0]) == std::string_view::npos) return {};
  const char decimal = unit[0] == 'K' ? 'k' : unit[0];
  const std::string_view number = text.substr(0, end);
  return unit.size() == 3 ? fmt::format("{}{}i", number, unit[0])
                          : fmt::format("{}{} or {}{}i", number, decimal, number, unit[0]);
}

Error not_a_quantity(std::string_view text) {
  if (const std::string meant = without_bytes(text); !meant.empty() && text.size() < 40)
    return {.message = fmt::format("'{}' is not an amount; did you mean {}?", text, meant)};
  return {.message = fmt::format(
              "'{}' is not an amount; write a number like 16, 0.5 or 1e3, or one with a suffix like "
              "500m, 2k or 64Gi",
              text.substr(0, 40))};
}

Error too_large(std::string_view text) {
  return {.message = fmt::format("'{}' overflows: the largest amount is {}", text.substr(0, 40), kLargest)};
}

// What stands before the suffix or exponent: an optional sign, digits, an optional fraction.
struct Mantissa {
  Wide digits = 0;
  int exponent = 0;
  bool any_digit = false;
  bool too_many_digits = false;
  std::size_t length = 0;
};

Mantissa read_mantissa(std::string_view text) {
  Mantissa mantissa;
  bool fraction = false;
  int trailing_zeros =
      0;  // not yet multiplied in, so that 1000000000000000000000000 does not count as 25 digits
  int digit_count = 0;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '.' && !fraction) {
      fraction = true;
      continue;
    }
    if (!is_digit(c)) break;
    mantissa.any_digit = true;
    if (fraction) --mantissa.exponent;
    if (c == '0') {
      if (mantissa.digits != 0) ++trailing_zeros;
      continue;
    }
    digit_count += mantissa.digits == 0 ? 1 : trailing_zeros + 1;
    if (digit_count > 20) {
      mantissa.too_many_digits = true;
      continue;
    }
    for (; trailing_zeros > 0; --trailing_zeros) mantissa.digits *= 10;
    mantissa.digits = mantissa.digits * 10 + static_cast<unsigned>(c - '0');
  }
  mantissa.exponent += trailing_zeros;
  mantissa.length = at;
  return mantissa;
}

// The power of ten of `e3` or `E-2`; nothing when the text is not exactly that.
std::optional<int> read_exponent(std::string_view text) {
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return std::nullopt;
  std::string_view number = text.substr(1);
  if (number[0] == '+') number.remove_prefix(1);
  int exponent = 0;
  const auto [end, failure] = std::from_chars(number.data(), number.data() + number.size(), exponent);
  if (failure == std::errc::result_out_of_range && end == number.data() + number.size()) {
    return number[0] == '-' ? -1'000'000 : 1'000'000;
  }
  if (failure != std::errc{} || end != number.data() + number.size()) return std::nullopt;
  return std::clamp(exponent, -1'000'000, 1'000'000);
}

}  // namespace

Quantity::Quantity(std::int64_t value) : digits_(value) {
  MIRAB_ASSERT(value >= 0, "a quantity is not negative");
  for (; digits_ != 0 && digits_ % 10 == 0; digits_ /= 10) ++exponent_;
}

Result<Quantity> Quantity::parse(std::string_view text) {
  const std::string_view written = text;
  const bool negative = !text.empty() && text[0] == '-';
  if (negative || (!text.empty() && text[0] == '+')) text.remove_prefix(1);

  const Mantissa mantissa = read_mantissa(text);
  const std::string_view suffix = text.substr(mantissa.length);
  if (!mantissa.any_digit) {
    for (const std::string_view word :
         {"nan", "NaN", ".nan", ".NaN", "inf", "Inf", ".inf", ".Inf", "Infinity"}) {
      if (text == word) return Error{.message = fmt::format("'{}' is not a finite number", written)};
    }
    return not_a_quantity(written);
  }

  Wide digits = mantissa.digits;
  int exponent = mantissa.exponent;
  if (!suffix.empty()) {
    const auto* known =
        std::find_if(kSuffixes.begin(), kSuffixes.end(), [&](const Suffix& s) { return s.text == suffix; });
    if (known != kSuffixes.end()) {
      digits <<= known->power_of_two;
      exponent += known->power_of_ten;
    } else if (const std::optional<int> power = read_exponent(suffix)) {
      exponent += *power;
    } else {
      return not_a_quantity(written);
    }
  }

  if (digits == 0) return Quantity{};
  if (negative)
    return Error{.message = fmt::format("'{}' is negative; an amount is at least 0", written.substr(0, 40))};
  for (; digits % 10 == 0; digits /= 10) ++exponent;
  if (mantissa.too_many_digits && exponent >= 0) return too_large(written);
  if (mantissa.too_many_digits || (digits > Wide{kLargest} && exponent < 0)) {
    return Error{.message =
                     fmt::format("'{}' has more digits than can be counted exactly; at most 18 are safe",
                                 written.substr(0, 40))};
  }
  if (exponent < kSmallestExponent) {
    return Error{.message = fmt::format("'{}' is too small to be counted: below 1e{}", written.substr(0, 40),
                                        kSmallestExponent)};
  }
  Wide whole = digits;
  for (int power = 0; power < exponent; ++power) {
    whole *= 10;
    if (whole > Wide{kLargest}) return too_large(written);
  }
  if (exponent >= 0 && whole > Wide{kLargest}) return too_large(written);

  Quantity quantity;
  quantity.digits_ = static_cast<std::int64_t>(digits);
  quantity.exponent_ = exponent;
  return quantity;
}

Result<Quantity> Quantity::from(double value) {
  if (!std::isfinite(value)) return Error{.message = fmt::format("{} is not a finite number", value)};
  return parse(
      fmt::format("{}", value));  // fmt prints the shortest decimal that reads back as the same double
}

double Quantity::value() const {
  // The nearest double: 2493 · 10^-4 must be 0.2493, not 2493 * 0.0001. Digits and a power of ten that
  // doubles hold exactly leave one rounding, that of the division or product (Clinger 1990); the others go
  // through text.
  constexpr std::int64_t kExactDigits = std::int64_t{1} << 53;
  constexpr double kPower[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                               1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const auto power = static_cast<std::size_t>(exponent_ < 0 ? -exponent_ : exponent_);
  if (digits_ <= kExactDigits && power < std::size(kPower)) {
    const auto digits = static_cast<double>(digits_);
    return exponent_ < 0 ? digits / kPower[power] : digits * kPower[power];
  }
  const std::string decimal = fmt::format("{}e{}", digits_, exponent_);
  double value = 0;
  std::from_chars(decimal.data(), decimal.data() + decimal.size(), value);
  return value;
}

std::string Quantity::text() const {
  std::string digits = std::to_string(digits_);
  if (exponent_ >= 0) return digits + std::string(static_cast<std::size_t>(exponent_), '0');
  const auto decimals = static_cast<std::size_t>(-exponent_);
  if (digits.size() <= decimals) digits.insert(0, decimals - digits.size() + 1, '0');
  digits.insert(digits.size() - decimals, ".");
  return digits;
}

std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) {
  if (a.is_zero() || b.is_zero()) return a.digits() <=> b.digits();
  // Compare by length first; then the difference of the exponents is small enough for 128 bits.
  const auto magnitude = [](const Quantity& q) {
    return static_cast<int>(std::to_string(q.digits()).size()) + q.exponent();
  };
  if (magnitude(a) != magnitude(b)) return magnitude(a) <=> magnitude(b);
  Wide left = static_cast<Wide>(a.digits());
  Wide right = static_cast<Wide>(b.digits());
  for (int shift = a.exponent() - b.exponent(); shift > 0; --shift) left *= 10;
  for (int shift = b.exponent() - a.exponent(); shift > 0; --shift) right *= 10;
  return left <=> right;
}

std::optional<std::int64_t> count_units(const Quantity& quantity, int exponent, Rounding rounding) {
  Wide units = static_cast<Wide>(quantity.digits());
  bool exact = true;
  for (int shift = quantity.exponent() - exponent; shift > 0 && units != 0; --shift) {
    units *= 10;
    if (units > Wide{kLargest}) return std::nullopt;
  }
  for (int shift = exponent - quantity.exponent(); shift > 0 && units != 0; --shift) {
    exact = exact && units % 10 == 0;
    units /= 10;
  }
  if (!exact && rounding == Rounding::up) units += 1;
  if (units > Wide{kLargest}) return std::nullopt;
  return static_cast<std::int64_t>(units);
}

}  // namespace mirab
