// Turns against the least share in the whole cluster, which no node knows.
#include "simulation/overlay/turns.hpp"

#include <algorithm>

namespace mirab::simulation {

using overlay::NodeId;

Turns::Turns(const Roster& roster, const Ledger& ledger, const overlay::OverlayOptions& options,
             Duration tick, std::span<const double> tolerances)
    : roster_(roster),
      ledger_(ledger),
      skip_idle_(options.idle == overlay::Idle::skip),
      skip_stuck_(options.stuck == overlay::Stuck::leave),
      walk_(options.patience.walk * tick),
      tolerances_(tolerances.begin(), tolerances.end()),
      ascending_(tolerances_),
      users_(roster.users()) {
  std::ranges::sort(ascending_);
  for (NodeId n = 0; n < roster.users(); ++n) refresh(n);
}

void Turns::on_fact(Time now, const overlay::Fact& fact) {
  const auto user_of = [&](const overlay::TaskId& task) { return task.user - roster_.servers(); };
  if (const auto* served = std::get_if<overlay::Served>(&fact))
    serve(now, user_of(served->task), served->task.number);
  else if (const auto* unserved = std::get_if<overlay::Unserved>(&fact))
    take_back(user_of(unserved->task), *unserved);
  else if (const auto* started = std::get_if<overlay::Started>(&fact))
    start(user_of(started->task), started->task.number);
  else if (const auto* stopped = std::get_if<overlay::Stopped>(&fact))
    refresh(user_of(stopped->task));
  else if (const auto* lost = std::get_if<overlay::Lost>(&fact))
    refresh(user_of(lost->task));
}

void Turns::serve(Time now, NodeId n, std::uint64_t number) {
  try_again(now);
  Standing& user = users_[n];
  user.served_at = now;
  if (user.turn == number) return;
  user.turn = 0;  // that of another task was forgotten with its home
  refresh(n);
  user.rank = rank_of(share(n));
  user.turn = number;
  enter(n);
}

void Turns::take_back(NodeId n, const overlay::Unserved& unserved) {
  Standing& user = users_[n];
  if (user.turn != unserved.task.number) return;
  user.turn = 0;
  if (skip_stuck_ && unserved.why == overlay::Unserved::Why::no_room) {
    user.stuck = true;
    stuck_.push_back(n);
  }
  enter(n);
}

// As their homes let them at their ticks.
void Turns::try_again(Time now) {
  std::erase_if(stuck_, [&](NodeId n) {
    if (users_[n].stuck && now - users_[n].served_at < walk_) return false;
    refresh(n);
    return true;
  });
}

void Turns::start(NodeId n, std::uint64_t number) {
  ranks_.push_back(users_[n].rank);
  if (users_[n].turn == number) users_[n].turn = 0;
  refresh(n);
}

void Turns::refresh(NodeId n) {
  users_[n].stuck = false;
  enter(n);
}

void Turns::set_present(NodeId n, bool present) {
  if (users_[n].present == present) return;
  users_[n].present = present;
  refresh(n);
}

void Turns::enter(NodeId n) {
  const auto poorer = [&](NodeId a, NodeId b) { return share(a) < share(b); };
  if (counts(n))
    poorest_.play(n, poorer);
  else
    poorest_.leave(n, poorer);
}

double Turns::share(NodeId n) const {
  const std::uint64_t counted = ledger_.running(n) + (users_[n].turn != 0 ? 1 : 0);
  return static_cast<double>(counted) * roster_.dominant[n];
}

bool Turns::counts(NodeId n) const {
  const Standing& user = users_[n];
  return !user.stuck && (!skip_idle_ || user.present || user.turn != 0);
}

// The share is above the least by more than so many of the tolerances.
std::uint16_t Turns::rank_of(double share) const {
  if (poorest_.empty()) return 0;
  const double least = this->share(poorest_.winner());
  const auto right =
      std::ranges::find_if(ascending_, [&](double tolerance) { return share <= (1 + tolerance) * least; });
  return static_cast<std::uint16_t>(right - ascending_.begin());
}

std::vector<std::int64_t> Turns::wrong() const {
  std::vector<std::int64_t> above(ascending_.size() + 1, 0);  // [rank]
  for (const std::uint16_t rank : ranks_) ++above[rank];
  for (std::size_t rank = ascending_.size(); rank-- > 0;) above[rank] += above[rank + 1];
  std::vector<std::int64_t> wrong;
  for (const double tolerance : tolerances_) wrong.push_back(above[place_of(tolerance) + 1]);
  return wrong;
}

std::vector<std::vector<double>> Turns::wrong_over_time(std::size_t points) const {
  std::vector<std::vector<double>> parts(tolerances_.size());
  if (ranks_.empty()) return parts;
  for (std::size_t t = 0; t < tolerances_.size(); ++t) {
    const std::size_t place = place_of(tolerances_[t]);
    std::size_t seen = 0, wrong = 0;
    for (std::size_t point = 1; point <= points; ++point) {
      const std::size_t until = std::max<std::size_t>(1, ranks_.size() * point / points);
      for (; seen < until; ++seen) wrong += ranks_[seen] > place ? 1 : 0;
      parts[t].push_back(static_cast<double>(wrong) / static_cast<double>(seen));
    }
  }
  return parts;
}

std::size_t Turns::place_of(double tolerance) const {
  return static_cast<std::size_t>(std::ranges::find(ascending_, tolerance) - ascending_.begin());
}

}  // namespace mirab::simulation
