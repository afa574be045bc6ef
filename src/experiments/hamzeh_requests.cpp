// Tasks for the experiments with MRFS: from the generator of Hamzeh's thesis, and from the Google trace.
//
// Source: Hamzeh, Fairness for Resource Allocation in Cloud Computing, 7.1.1 ("by the sample length of 1%");
// the requests of ClusterData2011_2 (data/README.md), which are parts of the largest machine.
#include "experiments/hamzeh_requests.hpp"

#include <algorithm>
#include <cmath>

#include "experiments/data.hpp"
#include "simulation/streams.hpp"

namespace mirab::experiments {

RequestSource generated_requests(const RunOptions& options, double scale) {
  const simulation::DemandGroup group{.count = 40,
                                      .cpu_median = {60, 205},
                                      .cpu_deviation = 10,
                                      .radius = {900, 3000},
                                      .start = {0, 1000},
                                      .stretch = {1, 5}};
  RequestSource source{.profiles = {}, .sample = {}, .scale = scale};
  Random random = simulation::stream(options.seed, "profiles");
  for (std::int64_t n = 0; n < group.count; ++n)
    source.profiles.push_back(simulation::draw_profile(group, random));
  return source;
}

RequestSource google_requests(const RunOptions& options, const std::vector<double>& capacity, double scale) {
  const std::vector<std::vector<double>> rows = data_rows("google2011_requests.csv.gz");
  std::vector<double> upto;  // tasks of the rows so far
  double tasks = 0;
  for (const std::vector<double>& row : rows) upto.push_back(tasks += row[3]);
  Random random = simulation::stream(options.seed, "sample");
  RequestSource source{.profiles = {}, .sample = {}, .scale = scale};
  while (static_cast<double>(source.sample.size()) < tasks / 100) {
    const auto at = std::upper_bound(upto.begin(), upto.end(), random.unit() * tasks) - upto.begin();
    const std::vector<double>& row = rows[static_cast<std::size_t>(at)];
    source.sample.push_back({row[0] * capacity[0], row[1] * capacity[1]});
  }
  return source;
}

TaskBatch draw_batch(const RequestSource& source, std::size_t tasks, std::uint64_t seed,
                     std::size_t iteration) {
  Random random = simulation::stream(seed, "batch", {iteration});
  TaskBatch batch;
  for (std::size_t k = 0; k < tasks; ++k) {
    std::vector<double> demand =
        source.profiles.empty()
            ? source.sample[random.below(source.sample.size())]
            : simulation::draw_demand(source.profiles[random.below(source.profiles.size())],
                                      static_cast<std::int64_t>(iteration), random);
    demand.resize(2);
    for (double& amount : demand) amount = std::max(0.01, std::round(amount * source.scale * 100) / 100);
    batch.demand.push_back(std::move(demand));
  }
  return batch;
}

}  // namespace mirab::experiments
