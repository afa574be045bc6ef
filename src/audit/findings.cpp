// What a check reports: verdicts, witnesses and their words; and the search over many attempts that finds
// them.
#include "audit/findings.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace mirab {

// The words and numbers of verdicts.

namespace {

constexpr double kSmallestPlain = 1e-4;  // smaller numbers would begin with more than three zeros
constexpr double kLargestPlain = 1e15;   // Derived: below 2^53 every digit before the point is known.

// At least this many significant digits, and all that stand before the point.
std::string with_digits(double value, int digits) {
  const double size = std::abs(value);
  if (size != 0 && (size < kSmallestPlain || size >= kLargestPlain))
    return fmt::format("{:.{}g}", value, digits);
  const int whole = size < 1 ? 0 : static_cast<int>(std::floor(std::log10(size))) + 1;
  std::string text = fmt::format("{:.{}f}", value, std::max(1, digits - whole));
  while (text.back() == '0' && text[text.size() - 2] != '.') text.pop_back();
  return text;
}

constexpr int kDigits = 4;      // they show a gain of Tolerances::least_gain, 1e-3
constexpr int kMaxDigits = 12;  // Derived: more are rounding, as the certificates are at best 1e-12.

}  // namespace

double slack(const Outcome& outcome, const Tolerances& tolerances) {
  const Certificate& certificate = outcome.certificate;
  const bool of_objective = certificate.kind.ends_with("gap") || certificate.kind.ends_with("regret");
  const double open = of_objective ? std::sqrt(certificate.value) : certificate.value;
  return tolerances.certificates * std::max(0.0, open) + tolerances.least;
}

double shortfall(double low, double high) { return high > low ? (high - low) / high : 0; }

std::string number_words(double value) { return with_digits(value, kDigits); }

std::pair<std::string, std::string> distinct_words(double a, double b) {
  for (int digits = kDigits; digits < kMaxDigits; ++digits) {
    std::pair words(with_digits(a, digits), with_digits(b, digits));
    if (words.first != words.second) return words;
  }
  return {with_digits(a, kMaxDigits), with_digits(b, kMaxDigits)};
}

std::string part_words(double part) {
  constexpr double kSamePart = 1e-12;  // Derived: thousands of roundings; 1/3 itself is rounded
  constexpr std::pair<double, const char*> kNamed[] = {
      {1.0, "all of"}, {0.5, "its half of"}, {1.0 / 3, "its third of"}, {0.25, "its quarter of"}};
  for (const auto& [size, words] : kNamed) {
    if (std::abs(part - size) < kSamePart) return words;
  }
  return fmt::format("its {:.1f}% of", 100 * part);
}

std::string amounts_words(const std::vector<std::string>& resources, const ResourceVector& amounts) {
  std::string text;
  for (std::size_t r = 0; r < amounts.size(); ++r)
    text += fmt::format("{}{} {}", r == 0 ? "" : ", ", resources[r], amounts[r].text());
  return text;
}

Verdict violated(Property property, Witness witness) {
  return {.property = property, .holds = false, .witness = std::move(witness)};
}

Verdict vacuous(Property property, std::string why) {
  return {.property = property, .vacuous = true, .tried = 0, .note = std::move(why)};
}

Verdict undecided(Property property, std::string why) {
  return {.property = property, .decided = false, .tried = 0, .note = std::move(why)};
}

std::optional<Outcome> comparable(const Rule& rule, const Problem& problem) {
  Result<Outcome> outcome = rule.divide(problem);
  if (!outcome || outcome->status == Status::not_converged) return {};
  return *std::move(outcome);
}

Verdict incomparable(Property property) {
  return undecided(property, "the cluster's own division has not converged");
}

Verdict verdict_on(Property property, SearchResult sought) {
  if (sought.tried == 0) {
    Verdict verdict =
        undecided(property, sought.ended_early ? "no time was left to divide a changed cluster"
                                               : "no changed cluster could be divided and compared");
    verdict.ended_early = sought.ended_early;
    return verdict;
  }
  Verdict verdict{.property = property, .scope = VerdictScope::searched};
  verdict.ended_early = sought.ended_early;
  if (sought.worst) verdict = violated(property, *std::move(sought.worst));
  verdict.tried = sought.tried;
  return verdict;
}

}  // namespace mirab
