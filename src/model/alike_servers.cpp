// Servers are taken by kind and then in ascending order of their amounts, the first resource first. Each
// joins the latest class that it may join, of some latest ones, or begins one. As the first resource ascends,
// a class whose least amount of it is too small for one server is too small for all that come later.
#include "model/alike_servers.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace mirab {
namespace {

/// How many classes a server is tried with: equal servers come one after the other, and alike ones seldom far
/// apart.
constexpr std::size_t kMostTried = 32;

/// A class that grows.
struct Growing {
  std::vector<std::size_t> servers = {};
  ResourceVector least = {}, most = {};
  ExactVector used = {};  // the most that one of them uses
};

/// May the amounts count as alike?
bool is_within(const Quantity& least, const Quantity& most, const mpq_class& tolerance) {
  return least == most || rational(most) <= rational(least) * (1 + tolerance);
}

bool may_join(const Growing& of, const AlikeServer& server, const mpq_class& tolerance) {
  for (std::size_t r = 0; r < server.capacity.size(); ++r) {
    const Quantity least = std::min(of.least[r], server.capacity[r]);
    if (!is_within(least, std::max(of.most[r], server.capacity[r]), tolerance)) return false;
    // What is in use where it is more than there is, is so wherever the server stands.
    if (least < of.least[r] && of.used[r] > rational(least)) return false;
    const bool is_used = !server.used.empty();
    if (is_used && least < server.capacity[r] && server.used[r] > rational(least)) return false;
  }
  return true;
}

void join(Growing& to, std::size_t number, const AlikeServer& server) {
  if (to.servers.empty()) {
    to.least = to.most = server.capacity;
    to.used.resize(server.capacity.size());
  }
  for (std::size_t r = 0; r < server.capacity.size(); ++r) {
    to.least[r] = std::min(to.least[r], server.capacity[r]);
    to.most[r] = std::max(to.most[r], server.capacity[r]);
    if (!server.used.empty()) to.used[r] = std::max(to.used[r], server.used[r]);
  }
  to.servers.push_back(number);
}

AlikeClass finished(Growing grown) {
  double most_left_out = 0;
  for (std::size_t r = 0; r < grown.least.size(); ++r) {
    if (grown.least[r] < grown.most[r])
      most_left_out =
          std::max(most_left_out, nearest(1 - rational(grown.least[r]) / rational(grown.most[r])));
  }
  std::sort(grown.servers.begin(), grown.servers.end());
  return {.servers = std::move(grown.servers),
          .capacity = std::move(grown.least),
          .most_left_out = most_left_out};
}

}  // namespace

std::vector<AlikeClass> alike_servers(std::span<const AlikeServer> servers, const mpq_class& tolerance) {
  std::vector<std::size_t> order(servers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(servers[a].kind, servers[a].capacity) < std::tie(servers[b].kind, servers[b].capacity);
  });
  std::vector<Growing> classes;
  std::size_t first_open = 0;  // of those that the next server may join
  for (std::size_t i = 0; i < order.size(); ++i) {
    const AlikeServer& server = servers[order[i]];
    if (i > 0 && servers[order[i - 1]].kind != server.kind) first_open = classes.size();
    while (first_open < classes.size() && !server.capacity.empty() &&
           !is_within(classes[first_open].least[0], server.capacity[0], tolerance))
      ++first_open;
    const std::size_t first_tried =
        std::max(first_open, classes.size() - std::min(classes.size(), kMostTried));
    std::size_t at = classes.size();
    while (at > first_tried && !may_join(classes[at - 1], server, tolerance)) --at;
    if (at == first_tried) {
      classes.emplace_back();
      at = classes.size();
    }
    join(classes[at - 1], order[i], server);
  }
  std::vector<AlikeClass> done;
  for (Growing& each : classes) done.push_back(finished(std::move(each)));
  std::sort(done.begin(), done.end(),
            [](const AlikeClass& a, const AlikeClass& b) { return a.servers.front() < b.servers.front(); });
  return done;
}

}  // namespace mirab
