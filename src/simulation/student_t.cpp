// Student's t for a whole number ν of degrees of freedom, by its finite sums. With θ = arctan(t/√ν):
//
//   ν odd:   P(|T| ≤ t) = (2/π) (θ + sin θ (cos θ + 2/3 cos³θ + … + (2·4…(ν-3))/(3·5…(ν-2)) cos^(ν-2) θ))
//   ν even:  P(|T| ≤ t) = sin θ (1 + 1/2 cos²θ + (1·3)/(2·4) cos⁴θ + … + (1·3…(ν-3))/(2·4…(ν-2)) cos^(ν-2) θ)
//
// Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4. The quantile is found
// by halving an interval of θ, in which the sum rises.
#include "simulation/student_t.hpp"

#include <cmath>
#include <numbers>

#include <mirab/model/assert.hpp>

namespace mirab::simulation {
namespace {

double within_angle(double theta, int freedom) {
  const double cosine = std::cos(theta);
  const bool odd = freedom % 2 == 1;
  double term = odd ? cosine : 1;
  double sum = 0;
  for (int power = odd ? 1 : 0; power <= freedom - 2; power += 2) {
    sum += term;
    term *= (power + 1.0) / (power + 2.0) * cosine * cosine;
  }
  const double body = std::sin(theta) * sum;
  return odd ? 2 / std::numbers::pi * (theta + body) : body;
}

}  // namespace

double student_t_within(double t, int freedom) {
  MIRAB_ASSERT(t >= 0 && freedom >= 1, "a distance, and something to estimate a variance from");
  return within_angle(std::atan(t / std::sqrt(freedom)), freedom);
}

double student_t_quantile(double confidence, int freedom) {
  MIRAB_ASSERT(confidence > 0 && confidence < 1 && freedom >= 1, "a confidence that can be had");
  double low = 0;
  double high = std::numbers::pi / 2;
  while (true) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return std::sqrt(freedom) * std::tan(middle);
    (within_angle(middle, freedom) < confidence ? low : high) = middle;
  }
}

}  // namespace mirab::simulation
