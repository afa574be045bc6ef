// Holds measured medians against goals: bench_summary SUMMARY (RESULTS GOALS)…
//
// RESULTS is Google Benchmark's JSON of one folder, with repetitions; GOALS its goals.json, where a value is
// the largest of some ratios of two medians of processor time. Prints a table and writes SUMMARY.
#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace {

using json = nlohmann::ordered_json;

json read(const char* path) {
  std::ifstream file(path);
  return json::parse(file);
}

std::map<std::string, double> median_times(const json& results) {
  std::map<std::string, double> times;
  for (const json& run : results.at("benchmarks")) {
    if (run.value("aggregate_name", "") == "median") times[run.at("run_name")] = run.at("cpu_time");
  }
  return times;
}

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

void print(const json& summary) {
  fmt::print("{:<24} {:>10} {:<4} {:<10} {:<8} {}\n", "benchmark", "value", "unit", "goal", "verdict",
             "what");
  for (const json& entry : summary) {
    fmt::print("{:<24} {:>10.2f} {:<4} {:<10} {:<8} {}\n", entry.at("id").get<std::string>(),
               entry.at("value").get<double>(), entry.at("unit").get<std::string>(),
               entry.at("goal").get<std::string>(), entry.at("holds").get<bool>() ? "holds" : "FAILS",
               entry.at("detail").get<std::string>());
  }
}

int summarise(const std::vector<const char*>& arguments) {
  json summary = json::array();
  for (std::size_t i = 1; i + 1 < arguments.size(); i += 2) {
    const auto times = median_times(read(arguments[i]));
    for (const json& goal : read(arguments[i + 1])) summary.push_back(judge(goal, times));
  }
  print(summary);
  std::ofstream(arguments[0]) << summary.dump(2) << '\n';
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 4 || count % 2 != 0) {
    std::cerr << "usage: bench_summary SUMMARY (RESULTS GOALS)...\n";
    return 2;
  }
  try {
    return summarise({arguments + 1, arguments + count});
  } catch (const std::exception& failure) {
    std::cerr << "bench_summary: " << failure.what() << '\n';
    return 1;
  }
}
