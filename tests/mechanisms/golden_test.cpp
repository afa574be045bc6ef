// The worked examples of the papers (tests/golden/paper_cases.json) under every mechanism.
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

#include <mirab/audit/metrics.hpp>
#include <mirab/mechanisms/mechanism.hpp>

namespace mirab {
namespace {

using json = nlohmann::ordered_json;  // resources keep the order of the paper

const std::set<std::string> checked_keys = {"tasks",     "prices",        "resources",
                                            "by_server", "dominant_pool", "non_dominant_pool"};

bool is_filling(const std::string& mechanism) { return mechanism.starts_with("fill:"); }  // tests/scheduling

std::vector<json> cases() {
  std::ifstream file(MIRAB_SOURCE_DIR "/tests/golden/paper_cases.json");
  return json::parse(file).at("cases").get<std::vector<json>>();
}

ResourceVector amounts(const json& values, const std::vector<std::string>& resources) {
  ResourceVector vector;
  for (const std::string& resource : resources)
    vector.push_back(*Quantity::from(values.value(resource, 0.0)));
  return vector;
}

Problem problem_of(const json& paper_case) {
  Cluster cluster;
  for (const auto& [resource, amount] : paper_case.at("servers")[0].at("capacity").items()) {
    cluster.resources.push_back(resource);
  }
  for (const json& given : paper_case.at("servers")) {
    Server server;
    server.name = given.at("name");
    server.capacity = amounts(given.at("capacity"), cluster.resources);
    server.count = given.value("count", 1);
    cluster.servers.push_back(server);
  }
  for (const json& given : paper_case.at("users")) {
    User user;
    user.name = given.at("name");
    user.demand = amounts(given.at("demand"), cluster.resources);
    user.weight = *Quantity::from(given.value("weight", 1.0));
    if (given.contains("tasks")) user.tasks = *Quantity::from(given.at("tasks").get<double>());
    const json demand_on = given.value("demand_on", json::object());
    for (const auto& [server, demand] : demand_on.items())
      user.demand_on[server] = amounts(demand, cluster.resources);
    cluster.users.push_back(user);
  }
  return *Problem::from(cluster);
}

void expect_near(std::span<const double> ours, const std::vector<double>& printed, double tolerance) {
  ASSERT_EQ(ours.size(), printed.size());
  for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_NEAR(ours[i], printed[i], tolerance) << "entry " << i;
}

// A user without a grant has nothing of anything.
void expect_bundles(const Allocation& allocation, const std::vector<std::vector<double>>& printed,
                    double tolerance) {
  ASSERT_EQ(allocation.tasks.size(), printed.size());
  std::vector<std::vector<double>> ours;
  for (const std::vector<double>& bundle : printed) ours.emplace_back(bundle.size(), 0.0);
  for (const Grant& grant : allocation.grants)
    ours[grant.user].assign(grant.resources.begin(), grant.resources.end());
  for (std::size_t n = 0; n < ours.size(); ++n) expect_near(ours[n], printed[n], tolerance);
}

// The bundles that users hold on each server, by the server's name: [user][resource].
void expect_bundles_by_server(const Allocation& allocation, const json& printed, double tolerance) {
  for (const Grant& grant : allocation.grants) {
    const json& on_server = printed.at(allocation.servers[grant.server].name);
    expect_near(grant.resources, on_server.at(grant.user).get<std::vector<double>>(), tolerance);
  }
  EXPECT_EQ(allocation.grants.size(), allocation.tasks.size() * printed.size());
}

// What the users dominated by a resource hold of it together, and the others, [resource].
std::vector<double> held_by_group(const Problem& problem, const Allocation& allocation, bool dominated) {
  std::vector<double> held(problem.resource_count(), 0.0);
  const std::vector<std::size_t> dominant = dominant_resources(problem);
  for (const Grant& grant : allocation.grants) {
    for (std::size_t r = 0; r < held.size(); ++r) {
      if ((dominant[grant.user] == r) == dominated) held[r] += grant.resources[r];
    }
  }
  return held;
}

TEST(PaperCases, EveryMechanismOfTheRegistryGivesThePrintedNumbers) {
  int checked = 0;
  for (const json& paper_case : cases()) {
    for (const auto& [mechanism, expected] : paper_case.at("expect").items()) {
      if (is_filling(mechanism)) continue;
      SCOPED_TRACE(paper_case.at("id").get<std::string>() + ", " + mechanism);
      const Result<Outcome> outcome = allocate(problem_of(paper_case), mechanism);
      ASSERT_TRUE(outcome) << describe(outcome.error());
      EXPECT_NE(outcome->status, Status::not_converged);
      for (const auto& [key, value] : expected.items()) {
        EXPECT_TRUE(checked_keys.contains(key)) << "nothing checks '" << key << "'";
      }
      const double tolerance = paper_case.at("tolerance");
      const Allocation& allocation = outcome->allocation;
      if (expected.contains("tasks")) expect_near(allocation.tasks, expected.at("tasks"), tolerance);
      if (expected.contains("prices"))
        expect_near(allocation.servers[0].prices, expected.at("prices"), tolerance);
      if (expected.contains("resources"))
        expect_bundles(allocation, expected.at("resources").get<std::vector<std::vector<double>>>(),
                       tolerance);
      if (expected.contains("dominant_pool")) {
        const Problem problem = problem_of(paper_case);
        expect_near(held_by_group(problem, allocation, true), expected.at("dominant_pool"), tolerance);
        expect_near(held_by_group(problem, allocation, false), expected.at("non_dominant_pool"), tolerance);
      }
      if (expected.contains("by_server"))
        expect_bundles_by_server(allocation, expected.at("by_server"), tolerance);
      ++checked;
    }
  }
  EXPECT_GE(checked, 36);  // the slides, Bonald and Roberts, αPF-VDS, Hamzeh
}

}  // namespace
}  // namespace mirab
