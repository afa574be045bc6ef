// Weights and shares as exact fractions.
#include "fairness/exact_part.hpp"

#include "model/exact.hpp"

namespace mirab::fairness {

Result<Weight> weight_from(const Quantity& quantity) {
  if (quantity.is_zero()) return Error{.message = "a weight must be above 0", .key = "weight"};
  const mpq_class exact = rational(quantity);
  if (!exact.get_num().fits_ulong_p() || !exact.get_den().fits_ulong_p()) {
    return Error{.message = "the weight has more digits than shares can be compared with; round it to 18",
                 .key = "weight"};
  }
  return Weight{.numerator = exact.get_num().get_ui(), .denominator = exact.get_den().get_ui()};
}

Part::operator mpq_class() const {
  mpq_class part(numerator, denominator);
  part.canonicalize();
  return part * mpq_class(scale);
}

mpq_class per_weight(const mpq_class& share, const Weight& weight) {
  return share * mpq_class(weight.denominator, weight.numerator);
}

}  // namespace mirab::fairness
