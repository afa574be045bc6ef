// What all importers of workloads share: requests, users and short names.
#include "lab/traces/workload_import.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>

#include "model/label_values.hpp"

namespace mirab::traces {

namespace {

/// Equal for equal requests only.
std::string key_of(const Request& request) {
  std::string key;
  for (const Quantity& amount : request.demand) {
    key += fmt::format("{}e{},", amount.digits(), amount.exponent());
  }
  const auto add = [&](const std::string& text) { key += fmt::format("{}:{};", text.size(), text); };
  key += request.servers ? "s" : "-";
  for (const std::string& server : request.servers.value_or(std::vector<std::string>())) add(server);
  for (const auto& [label, values] : request.select) {
    key += fmt::format("l{}", values.size());
    add(label);
    for (const std::string& value : values) add(value);
  }
  return key;
}

bool may_use(const Request& request, const Server& server) {
  if (request.servers &&
      std::find(request.servers->begin(), request.servers->end(), server.name) == request.servers->end()) {
    return false;
  }
  return has_selected_values(server.labels, request.select);
}

}  // namespace

std::uint32_t Requests::number(const Request& request) {
  const auto next = static_cast<std::uint32_t>(requests_.size());
  const auto [place, is_new] = number_of_.try_emplace(key_of(request), next);
  if (is_new) requests_.push_back(request);
  return place->second;
}

std::vector<User> users_of(const Workload& workload) {
  std::vector<std::map<std::uint32_t, std::int64_t>> tasks(workload.users.size());  // by request
  for (const Job& job : workload.jobs) tasks[job.user][job.request] += job.tasks;
  std::vector<User> users;
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    if (tasks[n].empty()) continue;
    const auto most = std::max_element(tasks[n].begin(), tasks[n].end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    const Request& request = workload.requests[most->first];
    users.push_back({.name = workload.users[n].name,
                     .demand = request.demand,
                     .weight = workload.users[n].weight,
                     .servers = request.servers,
                     .select = {request.select.begin(), request.select.end()}});
  }
  return users;
}

namespace {

/// Drops what is never used; returns the new place of each of the others.
template <class Item>
std::vector<std::uint32_t> drop_unused(std::vector<Item>& items, const std::vector<bool>& used) {
  std::vector<std::uint32_t> place(items.size());
  std::vector<Item> kept;
  for (std::size_t i = 0; i < items.size(); ++i) {
    place[i] = static_cast<std::uint32_t>(kept.size());
    if (used[i]) kept.push_back(std::move(items[i]));
  }
  items = std::move(kept);
  return place;
}

}  // namespace

void forget_unused(Workload& workload) {
  std::vector<bool> users(workload.users.size());
  std::vector<bool> requests(workload.requests.size());
  for (const Job& job : workload.jobs) users[job.user] = requests[job.request] = true;
  const std::vector<std::uint32_t> user = drop_unused(workload.users, users);
  const std::vector<std::uint32_t> request = drop_unused(workload.requests, requests);
  for (Job& job : workload.jobs) {
    job.user = user[job.user];
    job.request = request[job.request];
  }
}

bool fits_somewhere(const Request& request, const std::vector<Server>& servers) {
  return std::any_of(servers.begin(), servers.end(), [&](const Server& server) {
    return may_use(request, server) &&
           std::equal(request.demand.begin(), request.demand.end(), server.capacity.begin(),
                      [](const Quantity& asked, const Quantity& there) { return asked <= there; });
  });
}

namespace {

/// How many a server of the entry holds.
double room_on(const Request& request, const Server& server) {
  if (!fits_somewhere(request, {server})) return 0;
  double most = std::numeric_limits<double>::infinity();
  for (std::size_t r = 0; r < request.demand.size(); ++r) {
    if (request.demand[r].is_zero()) continue;
    // A hair more, so that 3 · 0.1 fits into 0.3.
    most = std::min(most, server.capacity[r].value() / request.demand[r].value() * (1 + 1e-12));
  }
  return std::floor(most);
}

}  // namespace

double room_for(const Request& request, const std::vector<Server>& servers) {
  double tasks = 0;
  for (const Server& server : servers) tasks += room_on(request, server) * static_cast<double>(server.count);
  return tasks;
}

void note(std::vector<std::string>& notices, std::string_view what, std::uint64_t count) {
  if (count > 0) notices.push_back(fmt::format("{}: {}", what, count));
}

namespace {

constexpr std::size_t kShortest = 8;  // characters of a hash: 48 bits of base64, so that few names need more

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

char safe_character(char c) {
  if (is_letter_or_digit(c)) return c;
  return c == '+' ? '-' : '_';
}

}  // namespace

std::string ShortNames::name(std::string_view prefix, std::string_view hash) {
  while (hash.ends_with('=')) hash.remove_suffix(1);
  std::string safe(hash);
  std::transform(safe.begin(), safe.end(), safe.begin(), safe_character);

  for (std::size_t length = std::min(kShortest, safe.size()); length <= safe.size(); ++length) {
    std::string name = fmt::format("{}{}", prefix, std::string_view(safe).substr(0, length));
    if (taken_.insert(name).second) return name;
  }
  for (int copy = 2;; ++copy) {
    std::string name = fmt::format("{}{}-{}", prefix, safe, copy);
    if (taken_.insert(name).second) return name;
  }
}

}  // namespace mirab::traces
