// Exact fractions of quantities.
#include "model/exact.hpp"

#include <cmath>
#include <cstdlib>
#include <string>

namespace mirab {
namespace {

long bits(const mpz_class& value) { return static_cast<long>(mpz_sizeinbase(value.get_mpz_t(), 2)); }

}  // namespace

mpq_class rational(const Quantity& quantity) {
  mpz_class power;
  mpz_ui_pow_ui(power.get_mpz_t(), 10, static_cast<unsigned long>(std::abs(quantity.exponent())));
  const mpz_class digits{static_cast<long>(quantity.digits())};
  if (quantity.exponent() >= 0) return mpq_class{digits * power};
  mpq_class value{digits, power};
  value.canonicalize();
  return value;
}

double nearest(const mpq_class& value) {
  if (value == 0) return 0;
  mpz_class numerator = value.get_num();
  mpz_class denominator = value.get_den();
  // Scaled so that the whole part of the quotient has 63 or 64 bits, some more than a double holds.
  const long shift = 63 + bits(denominator) - bits(numerator);
  (shift > 0 ? numerator : denominator) <<= static_cast<unsigned long>(std::abs(shift));
  mpz_class quotient;
  mpz_class remainder;
  mpz_fdiv_qr(quotient.get_mpz_t(), remainder.get_mpz_t(), numerator.get_mpz_t(), denominator.get_mpz_t());
  // The lowest bit remembers that something follows, so that the conversion never sees a half where there is
  // none.
  const unsigned long leading = quotient.get_ui() | (remainder == 0 ? 0UL : 1UL);
  return std::ldexp(static_cast<double>(leading), static_cast<int>(-shift));
}

Quantity rounded_down(const mpq_class& value) {
  int places = 18;  // behind the point
  for (mpz_class whole = value.get_num() / value.get_den(); whole > 0 && places > 0; whole /= 10) --places;
  mpz_class power;
  mpz_ui_pow_ui(power.get_mpz_t(), 10, static_cast<unsigned long>(places));
  const mpz_class digits = value.get_num() * power / value.get_den();
  const Result<Quantity> quantity = Quantity::parse(digits.get_str() + "e-" + std::to_string(places));
  MIRAB_ASSERT(static_cast<bool>(quantity), "a part of a capacity is no quantity");
  return *quantity;
}

ExactVector exact(const ResourceVector& amounts) {
  ExactVector fractions;
  fractions.reserve(amounts.size());
  for (const Quantity& amount : amounts) fractions.push_back(rational(amount));
  return fractions;
}

ExactVector exact_pool(const Problem& problem) {
  ExactVector pool(problem.resource_count());
  for (const Server& server : problem.servers()) {
    for (std::size_t r = 0; r < pool.size(); ++r)
      pool[r] += rational(server.capacity[r]) * static_cast<long>(server.count);
  }
  return pool;
}

}  // namespace mirab
