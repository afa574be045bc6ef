#include "scheduling/plain/share.hpp"

#include <algorithm>
#include <cmath>

#include "model/rational.hpp"

namespace mirab::plain {
namespace {

long bits(const mpz_class& value) { return static_cast<long>(mpz_sizeinbase(value.get_mpz_t(), 2)); }

}  // namespace

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

mpq_class part(const CountedProblem& cluster, std::size_t task, std::size_t resource) {
  mpq_class part{static_cast<long>(cluster.demand(task)[resource]),
                 static_cast<long>(cluster.pool(resource))};
  part.canonicalize();
  return part;
}

mpq_class dominant_share(const CountedProblem& cluster, std::size_t task) {
  mpq_class dominant = 0;
  for (std::size_t r = 0; r < cluster.resource_count(); ++r) {
    if (cluster.pool(r) > 0) dominant = std::max(dominant, part(cluster, task, r));
  }
  return dominant;
}

mpq_class weight(const CountedProblem& cluster, std::size_t user) {
  return rational(cluster.problem().users()[user].weight);
}

}  // namespace mirab::plain
