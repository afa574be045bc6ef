// Why a task waits. Two questions are asked of everything that the engine knows, and nothing is changed: has
// any server room for it, and if not what is in the way; and who, of those that a step would look at, comes
// before. What would change it follows: what must be freed on the server that misses least, and the weight
// with which the user would come before the others.
//
// The weight: where a key is what a user has over φ, it is with φ' the key times φ/φ', and nobody else's
// changes. So with φ' > φ key / key' the user comes before another with the key key' > 0.
#include <algorithm>

#include "scheduling/contenders.hpp"
#include "scheduling/engine_state.hpp"
#include "scheduling/why_servers.hpp"

namespace mirab::scheduling {
namespace {

/// Who of the others comes before one's own task.
class Ahead {
 public:
  Ahead(const Precedence& precedence, const Contender& own)
      : precedence_(precedence), own_(own), user_(precedence.standing->queue(own.keyed.entry).user) {
    marks_.resize(precedence.standing->accounts.users.end(), Mark::none);
  }

  void meet(const Contender& other) {
    const std::uint32_t user = precedence_.standing->queue(other.keyed.entry).user;
    if (user != user_ && precedence_.tie == Tie::random && precedence_.ties(other.keyed, own_.keyed)) {
      marks_[user] = std::max(marks_[user], Mark::tied);
      return remember_rival(other.keyed.key);
    }
    if (!precedence_.before(other.keyed, own_.keyed)) return;
    if (!first_ || precedence_.before(other.keyed, first_->keyed)) first_ = other;
    if (user == user_) {
      ++own_ahead_;
      return;
    }
    marks_[user] = Mark::ahead;
    remember_rival(other.keyed.key);
  }

  std::int64_t own_ahead() const { return own_ahead_; }
  std::int64_t users_ahead() const { return std::count(marks_.begin(), marks_.end(), Mark::ahead); }
  std::int64_t users_tied() const { return std::count(marks_.begin(), marks_.end(), Mark::tied); }
  const std::optional<Contender>& first() const { return first_; }

  /// The lowest key of all other users that are ahead or tied.
  std::optional<double> rival() const { return rival_; }

 private:
  enum class Mark { none, tied, ahead };

  void remember_rival(double key) { rival_ = std::min(rival_.value_or(key), key); }

  const Precedence& precedence_;
  const Contender& own_;
  std::uint32_t user_;
  std::vector<Mark> marks_;  // [user]
  std::int64_t own_ahead_ = 0;
  std::optional<Contender> first_;
  std::optional<double> rival_;
};

}  // namespace

std::optional<WhyWaiting> Engine::why_waiting(JobId job, Time now) const {
  const auto number = state_->accounts.jobs.find(job);
  if (!number || state_->accounts.jobs[*number].waiting == 0) return {};
  return state_->why_waiting(*number, std::max(now, state_->now));
}

std::optional<WhyNotOn> Engine::why_not_on(JobId job, ServerId server) const {
  const Accounts& accounts = state_->accounts;
  const auto of_job = accounts.jobs.find(job);
  const auto there = accounts.servers.find(server);
  if (!of_job || !there) return {};
  return scheduling::why_not_on(accounts, accounts.queues[accounts.jobs[*of_job].queue].shape, *there);
}

/// The weight above which a user comes before the rival, where that can be promised.
std::optional<double> Engine::State::weight_before(std::uint32_t user, double key,
                                                   std::optional<double> rival) const {
  constexpr double kMostWeight = 1e18;
  if (!whom.discipline->weighted || whom.discipline->priced) return {};
  if (!rival || *rival <= 0 || key <= 0) return {};
  const double weight = accounts.users[user].weight.value() * (key / *rival);
  return weight < kMostWeight ? std::optional(weight) : std::nullopt;
}

WhyWaiting Engine::State::why_waiting(std::uint32_t job, Time at) {
  const std::uint32_t queue = accounts.jobs[job].queue;
  const std::uint32_t user = accounts.queues[queue].user;
  ServersFor found = servers_for(accounts, accounts.queues[queue].shape);
  WhyWaiting why{.user = accounts.users.id(user),
                 .user_name = accounts.users[user].name,
                 .job = accounts.jobs.id(job),
                 .waiting = accounts.jobs[job].waiting,
                 .servers = std::move(found.servers),
                 .constraints = std::move(found.constraints),
                 .nearest_miss = std::move(found.nearest_miss)};
  for (std::uint32_t older = accounts.queues[queue].first_job; older != job;
       older = accounts.jobs[older].next)
    ++why.older_jobs;

  const std::optional<Standing> fresh = refreshed_standing(at);
  const Precedence precedence{
      .discipline = whom.discipline, .tie = options.tie, .standing = fresh ? &*fresh : &standing};
  const std::vector<Contender> all = contenders(precedence);
  const auto own = std::find_if(all.begin(), all.end(),
                                [&](const Contender& each) { return each.keyed.entry.queue == queue; });
  if (own == all.end()) return why;  // no kind of server could run it
  why.key = own->keyed.key;
  Ahead ahead(precedence, *own);
  for (const Contender& other : all) {
    if (&other != &*own && (other.has_room || whom.blocking == Blocking::freeze)) ahead.meet(other);
  }
  why.own_ahead = ahead.own_ahead();
  why.users_ahead = ahead.users_ahead();
  why.users_tied = ahead.users_tied();
  if (ahead.first()) why.next = named(*ahead.first());
  why.with_weight = weight_before(user, own->keyed.key, ahead.rival());
  const Contender lowest = ahead.first().value_or(*own);
  if (whom.blocking == Blocking::freeze && !lowest.has_room) why.blocked_by = named(lowest);
  return why;
}

}  // namespace mirab::scheduling
