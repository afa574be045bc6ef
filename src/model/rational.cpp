#include "model/rational.hpp"

#include <cstdlib>

namespace mirab {

mpq_class rational(const Quantity& quantity) {
  mpz_class power;
  mpz_ui_pow_ui(power.get_mpz_t(), 10, static_cast<unsigned long>(std::abs(quantity.exponent())));
  const mpz_class digits{static_cast<long>(quantity.digits())};
  if (quantity.exponent() >= 0) return mpq_class{digits * power};
  mpq_class value{digits, power};
  value.canonicalize();
  return value;
}

}  // namespace mirab
