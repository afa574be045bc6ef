// Draws by inversion, one or more uniform draws each, always the same number for the same law:
//
//   exponential        -ln(1 - U)
//   Erlang-s           (1/s) Σ of s exponentials, a squared coefficient of variation of 1/s
//   deterministic      1
//   hyperexponential   exponential of mean 1/(2p) with probability p, of mean 1/(2(1 - p)) else: balanced
//                      means, each phase is half of the mean; p = (1 + √((c² - 1)/(c² + 1)))/2 for cv2 = c²
//
// Source of the last: Morse, Queues, Inventories and Maintenance, 1958; Law, Simulation Modeling and
// Analysis, chapter 8.
#include "simulation/traffic/sizes.hpp"

#include <cmath>

#include <mirab/model/assert.hpp>

namespace mirab::simulation {
namespace {

double draw_erlang(int stages, Random& random) {
  double sum = 0;
  for (int stage = 0; stage < stages; ++stage) sum += draw_exponential(random);
  return sum / stages;
}

double draw_hyperexponential(double cv2, Random& random) {
  const double p = (1 + std::sqrt((cv2 - 1) / (cv2 + 1))) / 2;
  const double phase = random.unit() < p ? p : 1 - p;
  return draw_exponential(random) / (2 * phase);
}

}  // namespace

double draw_exponential(Random& random) { return -std::log1p(-random.unit()); }

double draw_size(const Sizes& sizes, Random& random) {
  switch (sizes.law) {
    case Sizes::Law::exponential:
      return draw_exponential(random);
    case Sizes::Law::erlang:
      return draw_erlang(sizes.stages, random);
    case Sizes::Law::deterministic:
      return 1;
    case Sizes::Law::hyperexponential:
      return draw_hyperexponential(sizes.cv2, random);
  }
  MIRAB_ASSERT(false, "a law of sizes");
  return 1;
}

double cv2_of(const Sizes& sizes) {
  switch (sizes.law) {
    case Sizes::Law::exponential:
      return 1;
    case Sizes::Law::erlang:
      return 1.0 / sizes.stages;
    case Sizes::Law::deterministic:
      return 0;
    case Sizes::Law::hyperexponential:
      return sizes.cv2;
  }
  MIRAB_ASSERT(false, "a law of sizes");
  return 1;
}

Check check_sizes(const Sizes& sizes) {
  if (sizes.law == Sizes::Law::erlang && sizes.stages < 1)
    return Error{.message = "an Erlang law has at least one stage", .key = "sizes"};
  if (sizes.law == Sizes::Law::hyperexponential && !(sizes.cv2 >= 1 && sizes.cv2 <= kMostCv2))
    return Error{.message = "the cv2 of a hyperexponential law must be a number from 1 to 10000",
                 .key = "sizes"};
  return {};
}

}  // namespace mirab::simulation
