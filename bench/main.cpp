// The main of every benchmark program: runs its contenders side by side in random order, 25 times, holds
// medians of processor time against the folder's goals.json, and prints the entries of the summary as a JSON
// array (docs/schema/benchmarks.schema.json).
//
// A goal's value is the largest of some ratios of two medians. Arguments are Google Benchmark's.
#include <algorithm>
#include <benchmark/benchmark.h>
#include <exception>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace {

using json = nlohmann::ordered_json;

class Medians : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.error_occurred) std::cerr << run.benchmark_name() << ": " << run.error_message << '\n';
      if (run.aggregate_name == "median") times[run.run_name.str()] = run.GetAdjustedCPUTime();
    }
  }
  std::map<std::string, double> times;
};

json judge(const json& goal, const std::map<std::string, double>& times) {
  double value = 0;
  for (const json& ratio : goal.at("largest_of")) {
    value = std::max(value, times.at(ratio[0].get<std::string>()) / times.at(ratio[1].get<std::string>()));
  }
  const double bound = goal.at("at_most");
  return {{"id", goal.at("id")},     {"value", value},
          {"unit", goal.at("unit")}, {"goal", fmt::format("<= {}", bound)},
          {"holds", value <= bound}, {"detail", goal.at("detail")}};
}

void run(std::vector<std::string> arguments) {
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  int count = static_cast<int>(pointers.size());
  benchmark::Initialize(&count, pointers.data());
  Medians medians;
  benchmark::RunSpecifiedBenchmarks(&medians);
  std::ifstream goals(MIRAB_BENCH_GOALS);
  json entries = json::array();
  for (const json& goal : json::parse(goals)) entries.push_back(judge(goal, medians.times));
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
