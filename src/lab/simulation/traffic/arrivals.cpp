// From a load to arrivals, and whether they can be served. With ρ_k = λ_k min_s C_s / a_k,s:
//
//   load of resource r:  Σ_k ρ_k a_k,r / C_r,  λ_k = λ p_k  for class k's part p_k of all arrivals
//   stable:              Σ_k ρ_k a'_k,r < C_r for every r,  a' as claimed
//
// Source: Bonald and Roberts, Enhanced Cluster Computing Performance through Proportional Fairness, 2014,
// sections 3.2 and 3.4. The second holds for every mechanism that wastes nothing that a job could use;
// divisible jobs, that is: whole tasks do not fill a pool, and can pile up below it (points.cpp). And
// permanent jobs leave it as it is, since their part vanishes when many others are there.
#include "lab/simulation/traffic/arrivals.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <span>
#include <utility>

#include <mirab/model/assert.hpp>
#include <mirab/model/choice.hpp>
#include <mirab/model/quantity.hpp>

#include "fairness/share.hpp"

namespace mirab::simulation {
namespace {

// Σ_k λ_k a'_k,r / (C_r max_s a_k,s / C_s): the part of resource r that is asked for, on average.
template <class Asked>
double load_of(const TrafficScenario& scenario, std::span<const double> arrivals, std::size_t r,
               const Asked& asked) {
  double load = 0;
  for (std::size_t k = 0; k < scenario.classes.size(); ++k) {
    const TrafficClass& job_class = scenario.classes[k];
    const double work = 1 / fairness::dominant_share<double>(job_class.demand, scenario.capacity);
    load += arrivals[k] * work * asked(job_class)[r] / scenario.capacity[r];
  }
  return load;
}

std::span<const double> demand_of(const TrafficClass& job_class) { return job_class.demand; }

}  // namespace

std::span<const double> claims_of(const TrafficClass& job_class) {
  return job_class.claims.empty() ? job_class.demand : job_class.claims;
}

std::vector<double> arrival_rates(const TrafficScenario& scenario, double load) {
  std::vector<double> rates(scenario.classes.size());
  for (std::size_t k = 0; k < rates.size(); ++k) rates[k] = scenario.classes[k].arrivals;
  const double one = load_of(scenario, rates, scenario.load_resource, demand_of);
  for (double& rate : rates) rate *= load / one;
  return rates;
}

double highest_load(const TrafficScenario& scenario, double load) {
  const std::vector<double> arrivals = arrival_rates(scenario, load);
  double highest = 0;
  for (std::size_t r = 0; r < scenario.capacity.size(); ++r)
    highest = std::max(highest, load_of(scenario, arrivals, r, claims_of));
  return highest;
}

bool is_stable(const TrafficScenario& scenario, double load) { return highest_load(scenario, load) < 1; }

// The pool and the classes of random traffic as a cluster with users.

namespace {

Result<ResourceVector> exactly(std::span<const double> amounts, std::string key) {
  ResourceVector exact;
  for (const double amount : amounts) {
    Result<Quantity> quantity = Quantity::from(amount);
    if (!quantity) return Error{.message = quantity.error().message, .key = std::move(key)};
    exact.push_back(*std::move(quantity));
  }
  return exact;
}

}  // namespace

Result<Cluster> cluster_of(const TrafficScenario& scenario) {
  Result<ResourceVector> capacity = exactly(scenario.capacity, "capacity");
  if (!capacity) return capacity.error();
  Cluster cluster{.resources = scenario.resources,
                  .servers = {{.name = "pool", .capacity = *std::move(capacity)}},
                  .users = {}};
  for (std::size_t k = 0; k < scenario.classes.size(); ++k) {
    const TrafficClass& job_class = scenario.classes[k];
    Result<ResourceVector> demand = exactly(claims_of(job_class), fmt::format("classes[{}]", k));
    if (!demand) return demand.error();
    cluster.users.push_back({.name = job_class.name, .demand = *std::move(demand)});
  }
  return cluster;
}

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

namespace {

constexpr std::string_view kErlang = "erlang:";
constexpr std::array<OptionInfo, 1> kHyperexponentialOptions = {
    {{"cv2", "", "squared coefficient of variation, 1 to 10000"}}};
constexpr std::array<ChoosableRow, 4> kLaws = {{{"exponential", {}, {}},
                                                {"deterministic", {}, {}},
                                                {"erlang", {}, {}},  // has its stages behind the colon
                                                {"hyperexponential", {}, kHyperexponentialOptions}}};

Result<Sizes> erlang(std::string_view stages) {
  constexpr double kMostStages = 10'000;  // c² is 1e-4 then: sizes are as good as equal
  const Result<Quantity> number = Quantity::parse(stages);
  const double count = number && number->exponent() >= 0 ? number->value() : 0;
  if (count >= 1 && count <= kMostStages) {
    return Sizes{.law = Sizes::Law::erlang, .stages = static_cast<int>(count)};
  }
  return Error{.message = fmt::format("erlang takes a whole number of stages from 1 to {}, like erlang:20, "
                                      "not '{}'",
                                      kMostStages, stages)};
}

Result<Sizes> hyperexponential(const Choice& choice) {
  const Result<double> cv2 = number_option(choice, "cv2", 1);
  if (!cv2) return cv2.error();
  if (!(*cv2 >= 1 && *cv2 <= kMostCv2)) {
    return Error{.message =
                     fmt::format("cv2, the squared coefficient of variation of a hyperexponential, is from "
                                 "1 to {}, not {}",
                                 kMostCv2, *cv2)};
  }
  return Sizes{.law = Sizes::Law::hyperexponential, .cv2 = *cv2};
}

}  // namespace

Result<Sizes> parse_sizes(std::string_view text) {
  if (text.starts_with(kErlang)) return erlang(text.substr(kErlang.size()));
  if (text == "erlang") return erlang("");
  const Result<Choice> choice = choose(text, "law of sizes", kLaws);
  if (!choice) return choice.error();
  if (choice->name == "hyperexponential") return hyperexponential(*choice);
  return Sizes{.law = choice->name == "exponential" ? Sizes::Law::exponential : Sizes::Law::deterministic};
}

std::string sizes_text(const Sizes& sizes) {
  switch (sizes.law) {
    case Sizes::Law::exponential:
      return "exponential";
    case Sizes::Law::erlang:
      return fmt::format("erlang:{}", sizes.stages);
    case Sizes::Law::deterministic:
      return "deterministic";
    case Sizes::Law::hyperexponential:
      return fmt::format("hyperexponential:cv2={}", sizes.cv2);
  }
  return {};
}

}  // namespace mirab::simulation
