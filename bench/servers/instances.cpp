#include "instances.hpp"

#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include <mirab/model/random.hpp>

namespace mirab::bench {
namespace {

double uniform(Random& random, double low, double high) { return low + (high - low) * random.unit(); }

// A draw rounded to six digits, as somebody would write it into a file.
Quantity amount(double value) { return *Quantity::parse(fmt::format("{:.6g}", value)); }

ResourceVector amounts(Random& random, std::size_t resources, double low, double high, double unit) {
  ResourceVector vector;
  for (std::size_t r = 0; r < resources; ++r) vector.push_back(amount(unit * uniform(random, low, high)));
  return vector;
}

std::vector<std::string> some_of(const std::vector<Server>& servers, double part, Random& random) {
  std::vector<std::string> names;
  for (const Server& server : servers) {
    if (random.unit() < part) names.push_back(server.name);
  }
  if (names.empty()) names.push_back(servers[random.below(servers.size())].name);
  return names;
}

// One draw by Box and Muller: exp(mu + sigma z) is log-normal with median exp(mu).
double normal(Random& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.unit()));
  return radius * std::cos(2 * std::numbers::pi * random.unit());
}

struct MachineClass {
  std::int64_t count;
  const char* platform;
  const char* cpu;
  const char* memory;
};

constexpr MachineClass kGoogleMachines[] = {{6732, "b", "0.5", "0.5"},  {3863, "b", "0.5", "0.25"},
                                            {1001, "b", "0.5", "0.75"}, {795, "c", "1", "1"},
                                            {126, "a", "0.25", "0.25"}, {52, "b", "0.5", "0.12"},
                                            {5, "b", "0.5", "0.03"},    {5, "b", "0.5", "0.97"},
                                            {3, "c", "1", "0.5"},       {1, "b", "0.5", "0.06"}};

// The users' tasks in examples/google2011-park.yaml: medians, and standard deviations of the logarithms. The
// largest task fits on the smallest platform.
constexpr double kMedianCpu = 0.0469, kSpreadCpu = 1.17;
constexpr double kMedianMemory = 0.0207, kSpreadMemory = 1.29;
constexpr double kLargestTask = 0.25;

double task_part(Random& random, double median, double spread) {
  return std::min(kLargestTask, median * std::exp(spread * normal(random)));
}

std::vector<std::string> one_to_three_platforms(Random& random) {
  std::vector<std::string> platforms = {"a", "b", "c"};
  const std::size_t kept = 1 + random.below(3);
  while (platforms.size() > kept)
    platforms.erase(platforms.begin() + static_cast<std::ptrdiff_t>(random.below(platforms.size())));
  return platforms;
}

}  // namespace

Problem random_servers(std::size_t users, std::size_t classes, std::size_t resources, std::uint64_t seed) {
  Random random(seed);
  Cluster cluster;
  for (std::size_t r = 0; r < resources; ++r) cluster.resources.push_back(fmt::format("r{}", r));
  for (std::size_t i = 0; i < classes; ++i)
    cluster.servers.push_back(
        {.name = fmt::format("s{}", i), .capacity = amounts(random, resources, 1, 100, 1000)});
  for (std::size_t n = 0; n < users; ++n) {
    User user{.name = fmt::format("u{}", n), .demand = amounts(random, resources, 0.1, 5, 1)};
    user.weight = amount(uniform(random, 0.5, 4));
    user.servers = some_of(cluster.servers, 0.7, random);
    cluster.users.push_back(std::move(user));
  }
  return *Problem::from(std::move(cluster));
}

Problem google_servers(std::size_t users, std::uint64_t seed) {
  Random random(seed);
  Cluster cluster;
  cluster.resources = {"cpu", "memory"};
  for (const MachineClass& machines : kGoogleMachines) {
    cluster.servers.push_back(
        {.name = fmt::format("{}-{}-{}", machines.platform, machines.cpu, machines.memory),
         .capacity = {*Quantity::parse(machines.cpu), *Quantity::parse(machines.memory)},
         .count = machines.count,
         .labels = {{"platform", machines.platform}}});
  }
  for (std::size_t n = 0; n < users; ++n) {
    User user{.name = fmt::format("u{}", n), .demand = {}};
    user.demand = {amount(task_part(random, kMedianCpu, kSpreadCpu)),
                   amount(task_part(random, kMedianMemory, kSpreadMemory))};
    user.select = {{"platform", one_to_three_platforms(random)}};
    cluster.users.push_back(std::move(user));
  }
  return *Problem::from(std::move(cluster));
}

}  // namespace mirab::bench
