// `ostman-table-3.1`: a bad allocation by probes, step by step. Östman, 3.2, table 3.1: servers S1 <1.2, 1.2>
// and S2 <1, 1>, users U1 with tasks <1, 1> and U2 with <0.1, 0.1>. Each server serves the queued task of
// lowest share that fits, and knows of nobody who has not submitted there; whom it serves is decided by
// overlay/probes.hpp. Of equal shares the lower address is served: the table serves U2 first, so U2 has the
// lower address.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "experiments/rows.hpp"
#include "experiments/worked_example.hpp"
#include "overlay/probes.hpp"

namespace mirab::experiments {
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

Reproduction run(const RunOptions& /*options*/) {
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
          .run = run};
}

}  // namespace mirab::experiments
