// Gangs and placement terms in the reference: every rule as the documents state it, and whether a batch has
// room by placing its tasks one after the other.
#include <algorithm>
#include <set>

#include "scheduling/reference_engine.hpp"

namespace mirab::scheduling {
namespace {

bool reference_terms_is_within(const Amounts& demand, const Amounts& room) {
  return std::equal(demand.begin(), demand.end(), room.begin(), std::less_equal<>());
}

std::optional<std::string> value_of(const ReferenceEngine::Server& server, const std::string& label) {
  const auto found = server.added.labels.find(label);
  return found == server.added.labels.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

bool has_terms(const JobSubmitted& job) { return job.gang > 1 || job.per_server || job.spread || job.pack; }

std::int64_t ReferenceEngine::batch(JobId id) const {
  const Job& job = *std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& each) { return each.id == id; });
  return std::min(job.waiting, std::max<std::int64_t>(1, group(job).look.gang - running(job)));
}

/// May one more task of the job start on the server, when tasks of it run on some servers, and more are about
/// to?
bool ReferenceEngine::may_start(const JobSubmitted& look, const std::vector<const Server*>& running,
                                const std::vector<const Server*>& more, const Server& server) const {
  const std::optional<Amounts> demand = demand_on(look, server);
  if (!demand || server.drained || kept_on(server.id) != kept_.end()) return false;
  Amounts free = state(server).free;
  for (const Server* const other : more) {
    for (std::size_t r = 0; other == &server && r < free.size(); ++r) free[r] -= (*demand)[r];
  }
  if (!reference_terms_is_within(*demand, free)) return false;

  std::vector<const Server*> all = running;
  all.insert(all.end(), more.begin(), more.end());
  if (look.per_server && std::count(all.begin(), all.end(), &server) >= *look.per_server) return false;
  if (look.pack) {
    if (!value_of(server, *look.pack)) return false;
    const auto is_elsewhere = [&](const Server* other) {
      return value_of(*other, *look.pack) != value_of(server, *look.pack);
    };
    if (std::any_of(all.begin(), all.end(), is_elsewhere)) return false;
  }
  if (!look.spread) return true;
  const std::string& label = look.spread->label;
  if (!value_of(server, label)) return false;
  const auto count = [&](const std::string& domain) {
    return std::count_if(all.begin(), all.end(),
                         [&](const Server* other) { return value_of(*other, label) == domain; });
  };
  std::int64_t least = INT64_MAX;
  for (const Server& other : servers_) {
    const bool is_of_domain = !other.drained && value_of(other, label) && can_ever_run(look, other) &&
                              (!look.pack || value_of(other, *look.pack) == value_of(server, *look.pack));
    if (is_of_domain) least = std::min<std::int64_t>(least, count(*value_of(other, label)));
  }
  return count(*value_of(server, label)) + 1 - least <= look.spread->most_apart;
}

bool ReferenceEngine::all_start(const JobSubmitted& look, const std::vector<const Server*>& running,
                                std::vector<const Server*> more, std::int64_t batch) const {
  while (std::cmp_less(more.size(), batch)) {
    const auto next = std::find_if(servers_.begin(), servers_.end(), [&](const Server& server) {
      return may_start(look, running, more, server);
    });
    if (next == servers_.end()) return false;
    more.push_back(&*next);
  }
  return true;
}

std::vector<const ReferenceEngine::Server*> ReferenceEngine::first_of_batch(const JobSubmitted& look,
                                                                            JobId job,
                                                                            std::int64_t batch) const {
  std::vector<const Server*> running;
  for (const Task& task : tasks_) {
    const auto its = [&](const Server& server) { return server.id == task.server; };
    if (task.job == job) running.push_back(&*std::find_if(servers_.begin(), servers_.end(), its));
  }
  std::vector<const Server*> servers;
  for (const Server& server : servers_) {
    if (may_start(look, running, {}, server) && all_start(look, running, {&server}, batch))
      servers.push_back(&server);
  }
  return servers;
}

std::vector<ServerId> ReferenceEngine::next_of_gang(JobId id, std::int64_t batch, Random& random) const {
  const Job& job = *std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& each) { return each.id == id; });
  const JobSubmitted& look = group(job).look;
  std::vector<const Server*> fitting = first_of_batch(look, id, batch);
  if (!fitting.empty()) fitting = best_of(std::move(fitting), look);
  if (options_.tie != Tie::random && options_.placement.name == "random" &&
      options_.discipline.name != "mrfs" && !fitting.empty())
    fitting = {fitting[random.below(fitting.size())]};
  std::vector<ServerId> ids;
  for (const Server* const server : fitting) ids.push_back(server->id);
  return ids;
}

void ReferenceEngine::place_companion(JobId id, const Companion& companion) {
  const auto job = std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& each) { return each.id == id; });
  const auto server = std::find_if(servers_.begin(), servers_.end(),
                                   [&](const Server& each) { return each.id == companion.server; });
  run(*job, companion.task, *server);
  tasks_.back().is_fresh = true;
  tasks_.back().is_protected = spares_companions_;
  --job->waiting;
}

/// The first term with which the gang could not start on the empty servers: on all of them, or on the open
/// ones.
std::optional<std::string> ReferenceEngine::impossible_by(const JobSubmitted& event) const {
  ReferenceEngine open = *this;
  open.tasks_.clear();
  open.kept_.clear();
  for (Server& server : open.servers_) server.held.clear();
  ReferenceEngine all = open;
  for (Server& server : all.servers_) server.drained = false;
  const auto is_possible = [&](const JobSubmitted& look) {
    return !open.first_of_batch(look, {}, look.gang).empty() ||
           !all.first_of_batch(look, {}, look.gang).empty();
  };
  JobSubmitted look = event;
  look.per_server.reset();
  look.pack.reset();
  look.spread.reset();
  if (!is_possible(look)) return "gang";
  look.per_server = event.per_server;
  if (!is_possible(look)) return "per_server";
  look.pack = event.pack;
  if (!is_possible(look)) return "pack";
  look.spread = event.spread;
  if (!is_possible(look)) return "spread";
  return {};
}

}  // namespace mirab::scheduling
