#include "simulation/naive_replay.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace mirab::simulation {
namespace {

using Units = std::vector<std::int64_t>;

Units units(const ResourceVector& vector) {
  Units result;
  for (const Quantity& amount : vector) result.push_back(std::llround(amount.value()));
  return result;
}

struct NaiveServer {
  bool is_there = false;
  std::pair<std::string, std::int64_t> who;
  Units free, capacity;
  std::map<std::string, std::string> labels;
};

struct NaiveTask {
  std::size_t job;
  std::size_t server;
  Duration ends;
  bool runs = true;
};

class Naive {
 public:
  Naive(const SmallTrace& trace, NaiveDiscipline discipline, NaivePlacement placement)
      : workload_(trace.workload), cluster_(trace.cluster), discipline_(discipline), placement_(placement) {
    waiting_.assign(workload_.jobs.size(), 0);
    for (const Server& entry : cluster_.servers()) {
      for (std::int64_t k = 0; k < entry.count; ++k)
        servers_.push_back(
            {true, {entry.name, k}, units(entry.capacity), units(entry.capacity), entry.labels});
    }
  }

  std::vector<NaiveStart> run(ReplayUntil until) {
    std::optional<Duration> now = next_after(Duration(-1));
    for (; now && (until == ReplayUntil::drained || *now <= workload_.span); now = next_after(*now)) {
      for (NaiveTask& task : tasks_) {
        if (task.runs && task.ends == *now) end(task);
      }
      for (const ServerChange& change : workload_.changes) {
        if (change.at == *now) apply(change);
      }
      for (std::size_t j = 0; j < workload_.jobs.size(); ++j) {
        if (workload_.jobs[j].submitted == *now) waiting_[j] = workload_.jobs[j].tasks;
      }
      if (until == ReplayUntil::span && *now == workload_.span) continue;
      while (place(*now)) continue;
    }
    return starts_;
  }

 private:
  std::optional<Duration> next_after(Duration now) const {
    std::optional<Duration> next;
    const auto look = [&](Duration at) {
      if (at > now && (!next || at < *next)) next = at;
    };
    for (const Job& job : workload_.jobs) look(job.submitted);
    for (const ServerChange& change : workload_.changes) look(change.at);
    for (const NaiveTask& task : tasks_) {
      if (task.runs) look(task.ends);
    }
    return next;
  }

  Units demand(std::size_t job) const {
    return units(workload_.requests[workload_.jobs[job].request].demand);
  }

  void end(NaiveTask& task) {
    task.runs = false;
    const Units d = demand(task.job);
    for (std::size_t r = 0; r < d.size(); ++r) servers_[task.server].free[r] += d[r];
  }

  void apply(const ServerChange& change) {
    const std::pair who(change.server, change.instance);
    if (change.kind == ServerChange::Kind::up) {
      auto place = std::find_if(servers_.begin(), servers_.end(), [](auto& each) { return !each.is_there; });
      if (place == servers_.end()) place = servers_.insert(place, NaiveServer{});
      const auto entry = std::find_if(cluster_.servers().begin(), cluster_.servers().end(),
                                      [&](const Server& each) { return each.name == change.server; });
      const Units capacity = units(change.capacity.empty() ? entry->capacity : change.capacity);
      *place = {true, who, capacity, capacity, change.capacity.empty() ? entry->labels : change.labels};
      return;
    }
    for (std::size_t i = 0; i < servers_.size(); ++i) {
      if (!servers_[i].is_there || servers_[i].who != who) continue;
      for (NaiveTask& task : tasks_) {
        if (!task.runs || task.server != i) continue;
        end(task);
        ++waiting_[task.job];
      }
      servers_[i].is_there = false;
    }
  }

  bool fits(std::size_t job, const NaiveServer& server) const {
    if (!server.is_there) return false;
    const Request& request = workload_.requests[workload_.jobs[job].request];
    if (request.servers &&
        std::count(request.servers->begin(), request.servers->end(), server.who.first) == 0)
      return false;
    for (const auto& [label, values] : request.select) {
      const auto has = server.labels.find(label);
      if (has == server.labels.end() || std::count(values.begin(), values.end(), has->second) == 0)
        return false;
    }
    const Units d = demand(job);
    for (std::size_t r = 0; r < d.size(); ++r) {
      if (d[r] > server.free[r]) return false;
    }
    return true;
  }

  std::int64_t pool(std::size_t r) const {
    std::int64_t sum = 0;
    for (const NaiveServer& server : servers_) sum += server.is_there ? server.capacity[r] : 0;
    return sum;
  }

  /// The user's dominant share as a fraction: what it uses over what there is.
  std::pair<std::int64_t, std::int64_t> share(std::size_t user) const {
    std::pair<std::int64_t, std::int64_t> largest(0, 1);
    for (std::size_t r = 0; r < workload_.resources.size(); ++r) {
      std::int64_t used = 0;
      for (const NaiveTask& task : tasks_) {
        if (task.runs && workload_.jobs[task.job].user == user) used += demand(task.job)[r];
      }
      if (used * largest.second > largest.first * pool(r)) largest = {used, pool(r)};
    }
    return largest;
  }

  /// Is job a served before job b, which came later?
  bool comes_before(std::size_t a, std::size_t b) const {
    if (discipline_ == NaiveDiscipline::fifo) return true;
    const std::size_t m = workload_.jobs[a].user, n = workload_.jobs[b].user;
    const auto [used_m, all_m] = share(m);
    const auto [used_n, all_n] = share(n);
    const std::int64_t left = used_m * all_n * std::llround(workload_.users[n].weight.value());
    const std::int64_t right = used_n * all_m * std::llround(workload_.users[m].weight.value());
    return left != right ? left < right : m <= n;
  }

  /// ‖d / Σ d − f / Σ f‖₁, amounts as parts of the pool.
  double distance(const Units& demand, const Units& free) const {
    const auto proportions = [&](const Units& amounts) {
      std::vector<double> parts;
      double sum = 0;
      for (std::size_t r = 0; r < amounts.size(); ++r) {
        parts.push_back(pool(r) > 0 ? static_cast<double>(amounts[r]) * (1 / static_cast<double>(pool(r)))
                                    : 0);
        sum += parts.back();
      }
      for (double& part : parts) part *= 1 / sum;
      return parts;
    };
    const std::vector<double> d = proportions(demand), f = proportions(free);
    double h = 0;
    for (std::size_t r = 0; r < d.size(); ++r) h += std::abs(d[r] - f[r]);
    return h;
  }

  std::optional<std::size_t> server_for(std::size_t job) const {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < servers_.size(); ++i) {
      if (!fits(job, servers_[i])) continue;
      if (!best || (placement_ == NaivePlacement::best_fit &&
                    distance(demand(job), servers_[i].free) < distance(demand(job), servers_[*best].free)))
        best = i;
    }
    return best;
  }

  bool place(Duration now) {
    std::optional<std::size_t> next;
    for (std::size_t j = 0; j < workload_.jobs.size(); ++j) {
      if (waiting_[j] > 0 && server_for(j) && (!next || !comes_before(*next, j))) next = j;
    }
    if (!next) return false;
    const std::size_t server = *server_for(*next);
    const Job& job = workload_.jobs[*next];
    const Units d = demand(*next);
    for (std::size_t r = 0; r < d.size(); ++r) servers_[server].free[r] -= d[r];
    --waiting_[*next];
    tasks_.push_back({.job = *next, .server = server, .ends = now + job.runtime});
    starts_.emplace_back(now, job.user, job.request, static_cast<std::uint32_t>(server));
    return true;
  }

  const Workload& workload_;
  const Problem& cluster_;
  NaiveDiscipline discipline_;
  NaivePlacement placement_;
  std::vector<NaiveServer> servers_;
  std::vector<NaiveTask> tasks_;
  std::vector<std::int64_t> waiting_;  // [job]
  std::vector<NaiveStart> starts_;
};

}  // namespace

std::vector<NaiveStart> naive_replay(const SmallTrace& trace, NaiveDiscipline discipline,
                                     NaivePlacement placement, ReplayUntil until) {
  return Naive(trace, discipline, placement).run(until);
}

}  // namespace mirab::simulation
