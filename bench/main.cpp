// The main of every benchmark program: runs its contenders side by side in random order, 25 times unless a
// contender says otherwise, holds medians against the folder's goals.json, and prints the entries of the
// summary as a JSON array (docs/schema/benchmarks.schema.json).
//
// A goal's value is the largest of some ratios of two medians (`largest_of`), the median seconds of one
// contender (`seconds_of`) or how often they go into a second (`rate_of`), or what a contender counted
// (`counter_of`); it is `at_most` or `at_least` a bound. Times are of the processor, and of the
// wall for contenders with UseRealTime. A goal with a contender that has no time, since it was skipped with
// an error, does not hold, and its detail says so. The labels of a goal's contenders go into its detail.
// Arguments are Google Benchmark's.
#include <algorithm>
#include <benchmark/benchmark.h>
#include <exception>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace {

using json = nlohmann::ordered_json;

// A contender under the name `family/arguments`, without what Google Benchmark appends to say how it was run.
struct Contender {
  std::vector<double> seconds;  // of each run
  std::string label;
  std::map<std::string, std::vector<double>> counters;  // of each run

  static double median(std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  }
};

// Why a run has no time, or nothing. Google Benchmark calls it an error until 1.7, and later skipping.
template <class Run>
std::optional<std::string> failure_of(const Run& run) {
  if constexpr (requires { run.error_occurred; }) {
    if (run.error_occurred) return run.error_message;
  } else {
    if (run.skipped) return run.skip_message;
  }
  return std::nullopt;
}

class Contenders : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      const std::optional<std::string> failure = failure_of(run);
      if (failure) std::cerr << run.benchmark_name() << ": " << *failure << '\n';
      if (failure || run.run_type != Run::RT_Iteration) continue;
      const bool wall = !run.run_name.time_type.empty();
      const std::string arguments = run.run_name.args.empty() ? "" : '/' + run.run_name.args;
      Contender& contender = by_name[run.run_name.function_name + arguments];
      contender.seconds.push_back((wall ? run.GetAdjustedRealTime() : run.GetAdjustedCPUTime()) /
                                  benchmark::GetTimeUnitMultiplier(run.time_unit));
      contender.label = run.report_label;
      for (const auto& [name, counter] : run.counters) contender.counters[name].push_back(counter.value);
    }
  }

  double median(const json& name) { return Contender::median(by_name.at(name.get<std::string>()).seconds); }
  std::map<std::string, Contender> by_name;
};

// The contenders of a goal, each once.
std::vector<std::string> named_in(const json& goal) {
  for (const char* of : {"seconds_of", "rate_of"}) {
    if (goal.contains(of)) return {goal.at(of).get<std::string>()};
  }
  if (goal.contains("counter_of")) return {goal.at("counter_of")[0].get<std::string>()};
  std::vector<std::string> names;
  for (const json& ratio : goal.at("largest_of")) {
    for (const json& name : ratio) names.push_back(name.get<std::string>());
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

double value_of(const json& goal, Contenders& contenders) {
  if (goal.contains("seconds_of")) return contenders.median(goal.at("seconds_of"));
  if (goal.contains("rate_of")) return 1 / contenders.median(goal.at("rate_of"));
  if (goal.contains("counter_of"))
    return Contender::median(
        contenders.by_name.at(goal.at("counter_of")[0]).counters.at(goal.at("counter_of")[1]));
  double value = 0;
  for (const json& ratio : goal.at("largest_of"))
    value = std::max(value, contenders.median(ratio[0]) / contenders.median(ratio[1]));
  return value;
}

std::string detail_of(const json& goal, const Contenders& contenders) {
  std::vector<std::string> parts = {goal.at("detail").get<std::string>()};
  for (const std::string& name : named_in(goal)) {
    const std::string& label = contenders.by_name.at(name).label;
    if (!label.empty()) parts.push_back(label);
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

// Contenders of a goal that have no times: skipped with an error, or left out by a filter.
std::vector<std::string> missing_in(const json& goal, const Contenders& contenders) {
  std::vector<std::string> names = named_in(goal);
  std::erase_if(names, [&](const std::string& name) { return contenders.by_name.contains(name); });
  return names;
}

std::string text_of_bound(const json& goal) {
  const bool at_least = goal.contains("at_least");
  const double bound = goal.at(at_least ? "at_least" : "at_most");
  return fmt::format("{} {}", at_least ? ">=" : "<=", bound);
}

json unmeasured(const json& goal, const std::vector<std::string>& missing) {
  return {{"id", goal.at("id")},
          {"value", 0},
          {"unit", goal.at("unit")},
          {"goal", text_of_bound(goal)},
          {"holds", false},
          {"detail", fmt::format("not measured, without a time for {}", fmt::join(missing, ", "))}};
}

json judge(const json& goal, Contenders& contenders) {
  const std::vector<std::string> missing = missing_in(goal, contenders);
  if (!missing.empty()) return unmeasured(goal, missing);
  const double value = value_of(goal, contenders);
  const bool holds = goal.contains("at_least") ? value >= goal.at("at_least").get<double>()
                                               : value <= goal.at("at_most").get<double>();
  return {{"id", goal.at("id")},         {"value", value}, {"unit", goal.at("unit")},
          {"goal", text_of_bound(goal)}, {"holds", holds}, {"detail", detail_of(goal, contenders)}};
}

void run(std::vector<std::string> arguments) {
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  int count = static_cast<int>(pointers.size());
  benchmark::Initialize(&count, pointers.data());
  Contenders contenders;
  benchmark::RunSpecifiedBenchmarks(&contenders);
  std::ifstream goals(MIRAB_BENCH_GOALS);
  json entries = json::array();
  for (const json& goal : json::parse(goals)) entries.push_back(judge(goal, contenders));
  std::cout << entries.dump(1) << '\n';
}

}  // namespace

int main(int count, char** given) {
  std::vector<std::string> arguments = {given[0], "--benchmark_repetitions=25", "--benchmark_min_time=0.02",
                                        "--benchmark_enable_random_interleaving=true"};
  arguments.insert(arguments.end(), given + 1, given + count);
  try {
    run(std::move(arguments));
    return 0;
  } catch (const std::exception& failure) {
    std::cerr << "a goal could not be judged: " << failure.what() << '\n';
    return 1;
  }
}
