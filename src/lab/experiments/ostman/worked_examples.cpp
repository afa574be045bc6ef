// The worked examples of Östman's chapter 3: table 3.1 and figures 3.1 and 3.2.
#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <numeric>
#include <string>
#include <vector>

#include <mirab/overlay/message.hpp>

#include "lab/experiments/experiment.hpp"
#include "lab/experiments/findings.hpp"
#include "lab/experiments/registry.hpp"
#include "overlay/turn_rules.hpp"

namespace mirab::experiments {

// `ostman-table-3.1`: a bad allocation by probes, step by step. Östman, 3.2, table 3.1: servers S1 <1.2, 1.2>
// and S2 <1, 1>, users U1 with tasks <1, 1> and U2 with <0.1, 0.1>. Each server serves the queued task of
// lowest share that fits, and knows of no user who has not submitted there; whom it serves is decided by
// overlay/turn_rules.hpp. Of equal shares the lower address is served: the table serves U2 first, so U2 has
// the lower address.

namespace {

using overlay::Amounts;
using overlay::NodeId;
using overlay::Probe;

constexpr double kTenth = 0.1;
constexpr double kTotal = 22;  // C = <2.2, 2.2>, in tenths
constexpr double kExactly = 1e-9;
constexpr std::array<std::int64_t, 2> kDemand{10, 1};     // of U1, U2, in tenths of each resource
constexpr std::array<std::int64_t, 2> kCapacity{12, 10};  // of S1, S2
constexpr std::array<NodeId, 2> kAddress{2, 1};           // of U1, U2
constexpr std::array<const char*, 2> kUsers{"U1", "U2"};

/// A printed number and its decimals.
struct Printed {
  double value;
  int decimals;
};

/// A row of table 3.1: U `user` submits on S `server`, or that server serves a task, of `user` as printed.
struct Row {
  enum class What { submit, serve } what;
  std::size_t user, server;
  std::array<Printed, 2> share;       ///< G_1, G_2
  std::array<double, 2> free;         ///< C_1, C_2, of each resource
  std::array<const char*, 2> queues;  ///< Q_1, Q_2
};

using enum Row::What;
const std::array<Row, 8> kPrinted{{
    {submit, 0, 0, {{{0, 0}, {0, 0}}}, {1.2, 1}, {"U1", ""}},
    {submit, 1, 0, {{{0, 0}, {0, 0}}}, {1.2, 1}, {"U1 U2", ""}},
    {serve, 1, 0, {{{0, 0}, {0.045, 3}}}, {1.1, 1}, {"U1", ""}},
    {submit, 1, 0, {{{0, 0}, {0.045, 3}}}, {1.1, 1}, {"U1 U2", ""}},
    {serve, 0, 0, {{{0.45, 2}, {0.045, 3}}}, {0.1, 1}, {"U2", ""}},
    {submit, 0, 1, {{{0.45, 2}, {0.045, 3}}}, {0.1, 1}, {"U2", "U1"}},
    {serve, 1, 0, {{{0.45, 2}, {0.09, 2}}}, {0, 1}, {"", "U1"}},
    {serve, 0, 1, {{{0.9, 1}, {0.09, 2}}}, {0, 0}, {"", ""}},
}};

/// Two servers with their queues, and what the users have.
class NaiveServers {
 public:
  void submit(std::size_t user, std::size_t server) {
    queue_[server].push_back({.task = {.id = {kAddress[user], ++tasks_}, .demand = Amounts(2, kDemand[user])},
                              .share = share(user)});
  }
  /// The user whose task the server serves.
  std::size_t serve(std::size_t server) {
    const Probe* next = overlay::next_probe(queue_[server], Amounts(2, free_[server]));
    const auto user =
        static_cast<std::size_t>(std::ranges::find(kAddress, next->task.id.user) - kAddress.begin());
    free_[server] -= kDemand[user];
    ++served_[user];
    queue_[server].erase(queue_[server].begin() + (next - queue_[server].data()));
    return user;
  }
  double share(std::size_t user) const { return static_cast<double>(served_[user] * kDemand[user]) / kTotal; }
  double free(std::size_t server) const { return kTenth * static_cast<double>(free_[server]); }
  std::string queue(std::size_t server) const {
    std::string users;
    for (const Probe& probe : queue_[server])
      users +=
          (users.empty() ? "" : " ") + std::string(probe.task.id.user == kAddress[0] ? kUsers[0] : kUsers[1]);
    return users;
  }

 private:
  std::array<std::vector<Probe>, 2> queue_;
  std::array<std::int64_t, 2> free_ = kCapacity;
  std::array<std::int64_t, 2> served_{};
  std::uint64_t tasks_ = 0;
};

void hold(std::size_t step, const Row& row, const NaiveServers& servers, Reproduction& result) {
  for (std::size_t k = 0; k < 2; ++k) {
    result.findings.push_back(compared(fmt::format("step {}: G_{}", step, k + 1), row.share[k].value,
                                       servers.share(k), rounding_of(row.share[k].decimals)));
    result.findings.push_back(
        compared(fmt::format("step {}: C_{}", step, k + 1), row.free[k], servers.free(k), kExactly));
    Finding queue = required(fmt::format("step {}: Q_{} is {{{}}}", step, k + 1, row.queues[k]), 0,
                             servers.queue(k) == row.queues[k]);
    queue.ours = queue.holds ? 1 : 0;
    queue.reading = Reading::yes_no;
    result.findings.push_back(std::move(queue));
  }
}

Reproduction run_table_3_1(const RunOptions& /*options*/) {
  Reproduction result;
  Table table{.title = "Table 3.1, with our steps",
              .head = {"step", "operation", "G_1", "G_2", "C_1", "C_2", "Q_1", "Q_2"},
              .rows = {}};
  NaiveServers servers;
  for (std::size_t step = 1; step <= kPrinted.size(); ++step) {
    const Row& row = kPrinted[step - 1];
    std::size_t user = row.user;
    if (row.what == submit)
      servers.submit(row.user, row.server);
    else
      user = servers.serve(row.server);
    hold(step, row, servers, result);
    const std::string operation = row.what == submit
                                      ? fmt::format("{} submits on S{}", kUsers[user], row.server + 1)
                                      : fmt::format("S{} serves a task of {}", row.server + 1, kUsers[user]);
    table.rows.push_back({fmt::format("{}", step), operation, fmt::format("{:.3f}", servers.share(0)),
                          fmt::format("{:.3f}", servers.share(1)), fmt::format("{:.1f}", servers.free(0)),
                          fmt::format("{:.1f}", servers.free(1)), servers.queue(0), servers.queue(1)});
  }
  result.findings.push_back(
      compared("U1's share over U2's at the end", 10, servers.share(0) / servers.share(1), kExactly));
  result.tables.push_back(std::move(table));
  result.remarks = {"Step 3 breaks a tie: both users have nothing yet."};
  return result;
}

}  // namespace

Experiment ostman_table_3_1_row() {
  return {.id = "ostman-table-3.1",
          .paper = "Östman, table 3.1",
          .title = "Probes give one user ten times the share of another",
          .data = kAsPublished,
          .run = run_table_3_1};
}

/// The four servers A, B, C, D of Östman's figures 3.1 and 3.2, in tenths: one resource, 18.3 of it in all;
/// each has one user, whose share and whose next task's demand are the same at the start.
inline constexpr std::array<const char*, 4> kFourServers{"A", "B", "C", "D"};
inline constexpr std::array<std::int64_t, 4> kFirstShares{1, 40, 30, 40};
inline constexpr std::int64_t kFourServersCapacity = 183;

/// Whom each of them asks. [server][neighbour]
using Links = std::array<std::vector<overlay::NodeId>, 4>;

/// Their shares at the start and after each step, until no user is served any more, in tenths. In a step all
/// hear their neighbours, then all decide by DDRF's rule, then those that may are served in the order of
/// their addresses, as far as it fits.
std::vector<std::array<std::int64_t, 4>> steps_of_ddrf(const Links& links);

/// The steps as a figure, and the last shares as findings: each with what the figure prints, and the least
/// as a part of all (in per cent, cut off after the first decimal as in 3.2).
Reproduction four_servers_under_ddrf(const Links& links, const std::array<double, 4>& printed,
                                     double printed_least_per_cent);

// DDRF on four servers, step by step (Östman, 3.2). The decisions are those of overlay/turn_rules.hpp.

namespace {

using overlay::Ddrf;
using overlay::Descriptor;
using overlay::NodeId;
using Shares = std::array<std::int64_t, 4>;

constexpr double kUnit = 0.1;
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

Figure figure_of(const std::vector<Shares>& steps, const std::array<double, 4>& printed_last) {
  Figure figure{.title = "Shares after each step", .x_label = "step", .y_label = "share", .curves = {}};
  for (std::size_t l = 0; l < kFourServers.size(); ++l) {
    Curve curve{.name = kFourServers[l], .x = {}, .y = {}};
    for (std::size_t step = 0; step < steps.size(); ++step) {
      curve.x.push_back(static_cast<double>(step));
      curve.y.push_back(-utility(steps[step][l]));
    }
    curve.printed.assign(steps.size(), kNotPrinted);
    curve.printed.back() = printed_last[l];
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
  result.findings.push_back(compared("lowest share of all, per cent", printed_least_per_cent,
                                     100 * least / static_cast<double>(kFourServersCapacity), kCutOff));
  result.figures.push_back(figure_of(steps, printed));
  return result;
}

// `ostman-fig-3.1`: an unfair allocation by DDRF. Östman, 3.2: four servers with lowest shares A = 0.1, B =
// 4, C = 3, D = 4, the demand of each next task as large, 18.3 in all. Who asks whom is drawn in the figure,
// which is not in our text; the ring A → B → C → D → A ends as described, with about 1.6 % of the cluster for
// the poorest.

namespace {

const Links kRing{{{1}, {2}, {3}, {0}}};

Reproduction run_figure_3_1(const RunOptions& /*options*/) {
  return four_servers_under_ddrf(kRing, {0.3, 8, 6, 4}, 1.6);
}

}  // namespace

Experiment ostman_fig_3_1_row() {
  return {.id = "ostman-fig-3.1",
          .paper = "Östman, figure 3.1",
          .title = "DDRF with links in a ring is unfair to the poorest",
          .data = "stand-in: the ring A, B, C, D; the links of the figure are not in our text",
          .run = run_figure_3_1};
}

// `ostman-fig-3.2`: the same four servers, sorted by share, are served as by DRF. Östman, 3.2: in increasing
// order every server asks the one before it, so A asks nobody; of equal shares the lower address comes first.
// With the ≤ of Algorithm 5 in the place of 3.8 B and D would both be served at 4, before A has caught up.

namespace {

const Links kSorted{{{}, {2}, {0}, {1}}};  // A, then C → A, B → C, D → B

Reproduction run_figure_3_2(const RunOptions& /*options*/) {
  return four_servers_under_ddrf(kSorted, {4.3, 4, 6, 4}, 21.8);
}

}  // namespace

Experiment ostman_fig_3_2_row() {
  return {.id = "ostman-fig-3.2",
          .paper = "Östman, figure 3.2",
          .title = "DDRF with servers sorted by share gives what DRF gives",
          .data = "stand-in: the chain A, C, B, D; the links of the figure are not in our text",
          .run = run_figure_3_2};
}

}  // namespace mirab::experiments
