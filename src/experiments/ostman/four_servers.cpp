// DDRF on four servers, step by step (Östman, 3.2). The decisions are those of overlay/ddrf.hpp.
#include "experiments/ostman/four_servers.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "experiments/worked_example.hpp"
#include "overlay/ddrf.hpp"

namespace mirab::experiments {
namespace {

using overlay::Ddrf;
using overlay::Descriptor;
using overlay::NodeId;
using Shares = std::array<std::int64_t, 4>;

constexpr double kUnit = 0.1;
constexpr double kExactly = 1e-9;
constexpr double kCutOff = 0.1;  // the thesis prints 4/18.3 = 21.86 % as 21.8 %

double utility(std::int64_t share) { return -kUnit * static_cast<double>(share); }

std::array<Ddrf, 4> linked(const Links& links) {
  std::array<Ddrf, 4> servers{Ddrf{Ddrf::Neighbours::random}, Ddrf{Ddrf::Neighbours::random},
                              Ddrf{Ddrf::Neighbours::random}, Ddrf{Ddrf::Neighbours::random}};
  for (std::size_t l = 0; l < servers.size(); ++l) servers[l].choose(links[l]);
  return servers;
}

/// Whose rule allows it to serve, when all have heard their neighbours.
std::array<bool, 4> allowed(std::array<Ddrf, 4>& servers, const Shares& shares) {
  std::array<bool, 4> may{};
  for (std::size_t l = 0; l < servers.size(); ++l) {
    for (const Descriptor& neighbour :
         std::vector(servers[l].neighbours().begin(), servers[l].neighbours().end()))
      servers[l].hear(neighbour.node, {.utility = utility(shares[neighbour.node])});
    may[l] = overlay::ddrf_may_serve({.node = static_cast<NodeId>(l), .utility = utility(shares[l])},
                                     servers[l].neighbours());
  }
  return may;
}

Figure figure_of(const std::vector<Shares>& steps) {
  Figure figure{.title = "Shares after each step", .x_label = "step", .y_label = "share", .curves = {}};
  for (std::size_t l = 0; l < kFourServers.size(); ++l) {
    Curve curve{.name = kFourServers[l], .x = {}, .y = {}};
    for (std::size_t step = 0; step < steps.size(); ++step) {
      curve.x.push_back(static_cast<double>(step));
      curve.y.push_back(-utility(steps[step][l]));
    }
    figure.curves.push_back(std::move(curve));
  }
  return figure;
}

}  // namespace

std::vector<Shares> steps_of_ddrf(const Links& links) {
  std::array<Ddrf, 4> servers = linked(links);
  std::vector<Shares> steps{kFirstShares};
  std::int64_t free =
      kFourServersCapacity - std::accumulate(kFirstShares.begin(), kFirstShares.end(), std::int64_t{0});
  while (true) {
    Shares shares = steps.back();
    const std::array<bool, 4> may = allowed(servers, shares);
    for (std::size_t l = 0; l < servers.size(); ++l) {
      if (!may[l] || kFirstShares[l] > free) continue;
      shares[l] += kFirstShares[l];
      free -= kFirstShares[l];
    }
    if (shares == steps.back()) return steps;
    steps.push_back(shares);
  }
}

Reproduction four_servers_under_ddrf(const Links& links, const std::array<double, 4>& printed,
                                     double printed_least_per_cent) {
  const std::vector<Shares> steps = steps_of_ddrf(links);
  const Shares& last = steps.back();
  Reproduction result;
  for (std::size_t l = 0; l < last.size(); ++l)
    result.findings.push_back(
        compared(fmt::format("share of {}", kFourServers[l]), printed[l], -utility(last[l]), kExactly));
  const double least = static_cast<double>(*std::ranges::min_element(last));
  result.findings.push_back(compared("least share of all, per cent", printed_least_per_cent,
                                     100 * least / static_cast<double>(kFourServersCapacity), kCutOff));
  result.figures.push_back(figure_of(steps));
  return result;
}

}  // namespace mirab::experiments
