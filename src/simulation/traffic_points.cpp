// From batches to service rates. With W_k = Σ_b ∫ n_k dt / Σ_b (jobs that arrived), the mean time that a job
// of class k is there:
//
//   E[n_k] = λ_k W_k (Little),  γ_k = λ_k / E[n_k] = 1 / W_k,  interval  γ_k exp(± h / W_k)
//
// for a ratio's half width h (interval.hpp), by the delta method on ln W: it stays above 0. E[n_k] is had by
// way of W_k since λ_k is known and the number of arrivals is not wasted on guessing it: Glynn and Whitt,
// Indirect Estimation via L = λW, 1989. Arrivals and areas of a batch are not of quite the same jobs; that
// is a job or two in thousands. A class whose jobs are all permanent is told by the mean rate of one.
#include "simulation/traffic_points.hpp"

#include <cmath>
#include <limits>

#include "simulation/interval.hpp"

namespace mirab::simulation {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr double kEndless = std::numeric_limits<double>::infinity();

// One figure of class k, batch by batch.
template <class Figure>
std::vector<double> figures(const TrafficMeasured& measured, const Figure& figure) {
  std::vector<double> values;
  values.reserve(measured.batches.size());
  for (const TrafficBatch& batch : measured.batches) values.push_back(figure(batch));
  return values;
}

// γ_k; no number when no job arrived.
Interval rate_of_arriving(const TrafficMeasured& measured, std::size_t k, double confidence) {
  const auto present = figures(measured, [&](const TrafficBatch& b) { return b.classes[k].present; });
  const auto arrived = figures(measured, [&](const TrafficBatch& b) { return b.classes[k].arrived; });
  double jobs = 0;
  for (const double a : arrived) jobs += a;
  if (jobs == 0) return {.mean = kUnknown, .low = kUnknown, .high = kUnknown};
  const Interval there = ratio_interval(present, arrived, confidence);  // W_k
  const double spread = std::exp((there.high - there.mean) / there.mean);
  const double rate = 1 / there.mean;
  return {.mean = rate, .low = rate / spread, .high = rate * spread};
}

Interval rate_of_permanent(const TrafficMeasured& measured, std::size_t k, double confidence) {
  const auto served = figures(measured, [&](const TrafficBatch& b) { return b.classes[k].served; });
  const auto time = figures(measured, [&](const TrafficBatch& b) { return b.time; });
  return ratio_interval(served, time, confidence);
}

}  // namespace

std::vector<TrafficPoint> points_of(const TrafficRun& run, const TrafficMeasured& measured,
                                    double confidence) {
  std::vector<TrafficPoint> points;
  for (std::size_t k = 0; k < run.arrivals.size(); ++k) {
    const bool arrives = run.arrivals[k] > 0;
    const Interval rate =
        arrives ? rate_of_arriving(measured, k, confidence) : rate_of_permanent(measured, k, confidence);
    const double coming = arrives ? run.arrivals[k] / rate.mean : 0;
    points.push_back({.load = run.load,
                      .mechanism = run.mechanism,
                      .job_class = k,
                      .service_rate = rate.mean,
                      .low = rate.low,
                      .high = rate.high,
                      .jobs = coming + static_cast<double>(run.scenario.classes[k].permanent),
                      .stable = true});
  }
  return points;
}

std::vector<TrafficPoint> unstable_points(const TrafficScenario& scenario, double load,
                                          std::size_t mechanism) {
  std::vector<TrafficPoint> points;
  for (std::size_t k = 0; k < scenario.classes.size(); ++k) {
    const TrafficClass& job_class = scenario.classes[k];
    points.push_back({.load = load,
                      .mechanism = mechanism,
                      .job_class = k,
                      .service_rate = 0,
                      .low = 0,
                      .high = 0,
                      .jobs = job_class.arrivals > 0 ? kEndless : static_cast<double>(job_class.permanent),
                      .stable = false});
  }
  return points;
}

}  // namespace mirab::simulation
