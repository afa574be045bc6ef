#include "model/amount_text.hpp"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <span>

#include <mirab/model/assert.hpp>

namespace mirab {
namespace {

constexpr double kKibibyte = 1 << 10;
constexpr double kMebibyte = 1 << 20;
/// More than any count of CPUs.
constexpr double kBytes = 1e9;
/// Far below what any table shows, far above what sums leave of a whole number.
constexpr double kLeftBySums = 1e-9;

/// Is the amount a whole number of units, within what sums leave?
bool is_whole_in(double unit, double amount, double within) {
  return std::abs(amount - std::round(amount / unit) * unit) <= within * amount;
}

/// Was it written with a binary suffix? Whole in Mi; or in Ki, as kubectl prints the memory of nodes, where
/// 64G is whole too, which M divides.
bool is_binary(double amount) {
  constexpr double kMega = 1e6;
  constexpr double kLastDigits = 1e-12;
  return amount >= kMebibyte &&
         (is_whole_in(kMebibyte, amount, kLeftBySums) ||
          (is_whole_in(kKibibyte, amount, kLastDigits) && !is_whole_in(kMega, amount, kLastDigits)));
}

/// To the nearest, halves upwards. The pages round by the same two operations, so that the last digit agrees.
double rounded(double value, int decimals) {
  const double digits = std::pow(10, decimals);
  return std::round(value * digits) / digits;
}

constexpr double kLastDigits = 1e-12;

double upwards(double value, int decimals) {
  const double digits = std::pow(10, decimals);
  return std::ceil(value * digits * (1 - kLastDigits)) / digits;
}

double downwards(double value, int decimals) {
  const double digits = std::pow(10, decimals);
  return std::floor(value * digits * (1 + kLastDigits)) / digits;
}

struct SuffixOfText {
  const char* text;
  double size;
};
constexpr std::array<SuffixOfText, 4> kBinarySuffixes{
    {{"Pi", 0x1p50}, {"Ti", 0x1p40}, {"Gi", 0x1p30}, {"Mi", kMebibyte}}};
constexpr std::array<SuffixOfText, 5> kDecimalSuffixes{
    {{"E", 1e18}, {"P", 1e15}, {"T", 1e12}, {"G", 1e9}, {"M", 1e6}}};

bool reaches(double value, double size) { return value >= size * (1 - kLeftBySums); }

/// With the largest of the suffixes that it reaches, rounded by `round`; without one where it reaches none.
std::string with_suffix(std::span<const SuffixOfText> suffixes, double value, double (*round)(double, int)) {
  int decimals = value < 1000 ? 4 : 2;
  const char* text = "";
  for (const SuffixOfText& suffix : suffixes) {
    if (!reaches(value, suffix.size)) continue;
    value /= suffix.size;
    decimals = value < 1000 ? 2 : 0;
    text = suffix.text;
    break;
  }
  return without_trailing_zeros(fmt::format("{:.{}f}", round(value, decimals), decimals)) + text;
}

}  // namespace

std::string without_trailing_zeros(std::string number) {
  if (number.find('.') == std::string::npos) return number;
  number.erase(number.find_last_not_of('0') + 1);
  if (number.back() == '.') number.pop_back();
  return number;
}

std::string amount_text(double value, double all) {
  if (reaches(value, kMebibyte) && is_binary(all)) return with_suffix(kBinarySuffixes, value, rounded);
  return with_suffix(kDecimalSuffixes, value, rounded);
}

std::string service_amount_text(double value) {
  return amount_text(value, value >= kBytes ? kMebibyte : value);
}

std::string service_amount_text(double value, Rounding rounding) {
  return value >= kBytes ? bytes_text(value, rounding) : service_amount_text(value);
}

std::string bytes_text(double value, Rounding rounding) {
  MIRAB_ASSERT(value >= kMebibyte, "only Mi and more have a binary suffix");
  return with_suffix(kBinarySuffixes, value, rounding == Rounding::up ? upwards : downwards);
}

}  // namespace mirab
