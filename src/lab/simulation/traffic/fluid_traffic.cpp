// Jobs that are divisible: processor sharing within each class, at a speed that depends on who is there.
//
// Source: Bonald and Roberts, Enhanced Cluster Computing Performance through Proportional Fairness, 2014,
// section 3: jobs of class k arrive at λ_k; each is served at φ_k(n) μ_k, and φ changes with every arrival
// and departure.
//
// Every job of a class is served at the same speed, so that a class has one clock: the service that a job got
// which has been there since the class was last empty. A job that arrives at clock v with size s leaves at
// clock v + s, whatever happens in between: a heap of these is all that is kept of the jobs. The sizes are
// drawn as they arrive, exponential ones too, so that all mechanisms serve the same jobs (common random
// numbers). Time is a real number here; nothing happens at the same time but by chance, and then departures
// come before arrivals, lower classes before higher.
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <limits>

#include "fairness/share.hpp"
#include "lab/simulation/traffic/arrivals.hpp"
#include "lab/simulation/traffic/points.hpp"

namespace mirab::simulation {
namespace {

constexpr double kNoEvent = std::numeric_limits<double>::infinity();

/// A class while it is simulated.
struct Flow {
  double arrival_rate;  // λ_k
  double alone;         // tasks of a job that is alone: μ_k = 1 for it
  bool has_permanent;   // then the rate of one of them is reported
  Random arrivals;
  Random sizes;
  double next_arrival = kNoEvent;    // in time
  double speed = 0;                  // of one job, φ_k μ_k
  double clock = 0;                  // ∫ speed dt since the class was last empty
  std::vector<double> leaving = {};  // clocks at which jobs leave, the earliest in front
};

class FluidTraffic {
 public:
  FluidTraffic(const TrafficRun& run, FluidRates& rates)
      : run_(run), rates_(rates), not_converged_before_(rates.not_converged()), jobs_(run.arrivals.size()) {
    const TrafficScenario& scenario = run.scenario;
    for (std::size_t k = 0; k < jobs_.size(); ++k) {
      flows_.push_back(
          {.arrival_rate = run.arrivals[k],
           .alone = 1 / fairness::dominant_share<double>(scenario.classes[k].demand, scenario.capacity),
           .has_permanent = scenario.classes[k].permanent > 0,
           .arrivals = arrival_stream(run.seed, run.load, k),
           .sizes = size_stream(run.seed, run.load, k)});
      jobs_[k] = scenario.classes[k].permanent;
      await_arrival(flows_[k]);
    }
    share();
  }

  TrafficMeasured simulate() {
    const std::int64_t jobs = run_.scenario.jobs;
    run_until(warm_up_jobs(jobs));
    for (std::size_t b = 0; b < kTrafficBatches; ++b) {
      measured_.batches.push_back({.time = 0, .classes = std::vector<ClassBatch>(flows_.size())});
      batch_ = &measured_.batches.back();
      run_until(warm_up_jobs(jobs) + batch_end(jobs, b));
      if (run_.progress) run_.progress(part_done(jobs, b));
    }
    measured_.not_converged = rates_.not_converged() - not_converged_before_;
    return std::move(measured_);
  }

 private:
  void await_arrival(Flow& flow) {
    if (flow.arrival_rate > 0) flow.next_arrival = now_ + draw_exponential(flow.arrivals) / flow.arrival_rate;
  }

  void run_until(std::int64_t arrived) {
    while (arrived_ < arrived) step();
  }

  // To the next arrival or departure, whichever is first.
  void step() {
    double wait = kNoEvent;
    std::size_t first = 0;
    for (std::size_t k = 0; k < flows_.size(); ++k) {
      const Flow& flow = flows_[k];
      if (flow.leaving.empty()) continue;
      const double departs = (flow.leaving.front() - flow.clock) / flow.speed;
      if (departs >= wait) continue;
      wait = departs;
      first = k;
    }
    bool arrives = false;
    for (std::size_t k = 0; k < flows_.size(); ++k) {
      if (flows_[k].next_arrival - now_ >= wait) continue;
      wait = flows_[k].next_arrival - now_;
      first = k;
      arrives = true;
    }
    pass(std::max(wait, 0.0));  // less by a rounding
    if (arrives) {
      arrive(first);
    } else {
      depart(first);
    }
    ++measured_.events;
    share();
  }

  void pass(double time) {
    now_ += time;
    for (Flow& flow : flows_) flow.clock += flow.speed * time;
    if (batch_ == nullptr) return;
    batch_->time += time;
    for (std::size_t k = 0; k < flows_.size(); ++k) {
      batch_->classes[k].present += static_cast<double>(flows_[k].leaving.size()) * time;
      if (flows_[k].has_permanent) batch_->classes[k].served += flows_[k].speed * time;
    }
  }

  void arrive(std::size_t k) {
    Flow& flow = flows_[k];
    if (flow.leaving.empty()) flow.clock = 0;
    const double size = draw_size(run_.scenario.sizes, flow.sizes);
    flow.leaving.push_back(flow.clock + size);
    std::push_heap(flow.leaving.begin(), flow.leaving.end(), std::greater<>{});
    now_ = flow.next_arrival;
    await_arrival(flow);
    ++jobs_[k];
    ++arrived_;
    if (batch_ != nullptr) batch_->classes[k].arrived += size;
  }

  void depart(std::size_t k) {
    Flow& flow = flows_[k];
    std::pop_heap(flow.leaving.begin(), flow.leaving.end(), std::greater<>{});
    flow.leaving.pop_back();
    --jobs_[k];
  }

  void share() {
    const std::span<const double> tasks = rates_.at(jobs_);
    for (std::size_t k = 0; k < flows_.size(); ++k) flows_[k].speed = tasks[k] / flows_[k].alone;
  }

  const TrafficRun& run_;
  FluidRates& rates_;
  std::int64_t not_converged_before_;
  std::vector<Flow> flows_;
  std::vector<std::int64_t> jobs_;  // n_k with the permanent ones, [k]
  double now_ = 0;
  std::int64_t arrived_ = 0;
  TrafficBatch* batch_ = nullptr;  // none during the warm-up
  TrafficMeasured measured_;
};

}  // namespace

Check check_fluid_traffic(const TrafficScenario& scenario) {
  for (std::size_t i = 0; i < scenario.mechanisms.size(); ++i) {
    const Result<FluidRule> rule = fluid_rule(scenario, scenario.mechanisms[i]);
    if (!rule) return Error{.message = rule.error().message, .key = fmt::format("mechanisms[{}]", i)};
  }
  return {};
}

TrafficMeasured simulate_fluid_traffic(const TrafficRun& run) {
  Result<FluidRule> rule = fluid_rule(run.scenario, run.scenario.mechanisms[run.mechanism]);
  MIRAB_ASSERT(rule, "a scenario that was checked");
  FluidRates rates(*std::move(rule));
  return simulate_fluid_traffic(run, rates);
}

TrafficMeasured simulate_fluid_traffic(const TrafficRun& run, FluidRates& rates) {
  return FluidTraffic(run, rates).simulate();
}

}  // namespace mirab::simulation
