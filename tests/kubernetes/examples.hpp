#pragma once

#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

#include <mirab/kubernetes/limits.hpp>

namespace mirab::kubernetes::testing {

/// The text of a file in examples/pods.
inline std::string example(const std::string& file) {
  std::ifstream stream(std::string(MIRAB_SOURCE_DIR "/examples/pods/") + file, std::ios::binary);
  EXPECT_TRUE(stream.is_open()) << file;
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The document of a pod with one container for each of the requests, `cpu: 100m, memory: 64Mi`.
template <class... Requests>
std::string pod(const std::string& name, const Requests&... requests) {
  std::string text = "kind: Pod\nmetadata: {name: " + name + "}\nspec:\n  containers:\n";
  int count = 0;
  ((text += fmt::format("  - {{name: c{}, resources: {{requests: {{{}}}}}}}\n", ++count, requests)), ...);
  return text + "---\n";
}

inline Pods read(const std::string& text, std::vector<std::string> resources) {
  Result<Pods> pods = read_pods(text, Syntax::yaml, "pods.yaml",
                                {.resources = std::move(resources), .default_request = {}, .node = {}});
  EXPECT_TRUE(pods) << (pods ? "" : describe(pods.error()));
  return pods ? *std::move(pods) : Pods{};
}

/// The limits of the pods of a text; by drf when the options name no mechanism.
inline Limits limits_of(const std::string& text, const std::string& capacity, LimitOptions options = {}) {
  if (options.mechanism.name.empty()) options.mechanism = *choose_mechanism("drf");
  const Allocatable node = *read_capacity(capacity);
  Result<Limits> limits = fair_limits(read(text, node.resources), node, options);
  EXPECT_TRUE(limits) << (limits ? "" : describe(limits.error()));
  return limits ? *std::move(limits) : Limits{};
}

/// A line for each pod: `300m 1200Mi`, with ` + ` between containers.
inline std::vector<std::string> limits_text(const Limits& limits, const std::vector<std::string>& resources) {
  std::vector<std::string> lines;
  for (const WorkloadLimits& workload : limits.workloads) {
    std::string line;
    for (const std::vector<Units>& container : workload.limits) {
      if (!line.empty()) line += " + ";
      for (std::size_t r = 0; r < resources.size(); ++r)
        line += (r == 0 ? "" : " ") + units_text(resources[r], container[r]);
    }
    lines.push_back(line);
  }
  return lines;
}

}  // namespace mirab::kubernetes::testing
