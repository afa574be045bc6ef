// MRFS against round robin over time: the same batches of tasks, each placed anew in every iteration.
// Source: Hamzeh, Fairness for Resource Allocation in Cloud Computing, section 7.5.
#include "experiments/hamzeh/placing_series.hpp"

#include <fmt/format.h>

#include "experiments/hamzeh/series.hpp"
#include "experiments/means.hpp"
#include "simulation/sweep.hpp"

namespace mirab::experiments {
namespace {

std::vector<std::string> row_of(const std::string& name, const std::vector<PlacingMeasures>& measures) {
  std::vector<std::string> cells = {name};
  for (const auto member :
       {&PlacingMeasures::imbalance, &PlacingMeasures::counted_imbalance, &PlacingMeasures::not_counted,
        &PlacingMeasures::unplaced, &PlacingMeasures::dominant_part, &PlacingMeasures::non_dominant_part,
        &PlacingMeasures::sharing_incentive, &PlacingMeasures::counted_incentive, &PlacingMeasures::pareto,
        &PlacingMeasures::penalty, &PlacingMeasures::tasks})
    cells.push_back(fmt::format("{:.4f}", mean_of(measures, member)));
  return cells;
}

}  // namespace

Compared compare_placings(const RequestSource& source, const EqualServers& servers, std::size_t per_server,
                          std::size_t iterations, const RunOptions& options) {
  Compared compared{.mrfs = std::vector<PlacingMeasures>(iterations),
                    .turns = std::vector<PlacingMeasures>(iterations),
                    .engine = std::vector<PlacingMeasures>(iterations)};
  simulation::sweep(iterations, options.threads, [&](std::size_t t) {
    const std::size_t iteration =
        t * kPlacingIterations / iterations;  // all over the series, also when there are few
    const TaskBatch batch = draw_batch(source, servers.count * per_server, options.seed, iteration);
    compared.mrfs[t] = measure_placing(batch, place_by_mrfs(batch, servers), servers);
    compared.engine[t] = measure_placing(batch, place_by_mrfs_engine(batch, servers), servers);
    compared.turns[t] = measure_placing(batch, place_in_turns(batch, servers), servers);
  });
  return compared;
}

double mean_of(const std::vector<PlacingMeasures>& measures, double PlacingMeasures::*member) {
  return mean(course_of(measures, member));
}

std::vector<double> course_of(const std::vector<PlacingMeasures>& measures, double PlacingMeasures::*member) {
  std::vector<double> course;
  for (const PlacingMeasures& of_t : measures) course.push_back(of_t.*member);
  return course;
}

std::vector<double> gains(const Compared& compared, double PlacingMeasures::*member) {
  return differences(course_of(compared.mrfs, member), course_of(compared.turns, member));
}

Figure both(std::string title, std::string y_label, const Compared& compared,
            double PlacingMeasures::*member) {
  return {.title = std::move(title),
          .x_label = "iteration",
          .y_label = std::move(y_label),
          .curves = {curve_of("MRFS", course_of(compared.mrfs, member)),
                     curve_of("round robin", course_of(compared.turns, member))}};
}

Table placing_table() {
  return {.title = "Means over iterations",
          .head = {"workload and placement", "|Ψ CPU - Ψ RAM|", "of those counted", "in non-dominant queues",
                   "unplaced", "granted as dominant", "granted as non-dominant", "sharing incentive",
                   "without non-dominant queues", "Pareto index", "α", "tasks that run (Leontief)"},
          .rows = {}};
}

void add_rows(Table& table, const std::string& name, const Compared& compared) {
  table.rows.push_back(row_of(name + ", MRFS", compared.mrfs));
  table.rows.push_back(row_of(name + ", MRFS without rounds", compared.engine));
  table.rows.push_back(row_of(name + ", round robin", compared.turns));
}

}  // namespace mirab::experiments
