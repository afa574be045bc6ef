// Which tournaments there are, and who plays in them.
#include "scheduling/order/tournament_rules.hpp"

#include <algorithm>

namespace mirab::scheduling {

/// Is there a server of the class, not drained, that could hold a task by this alternative if it were empty?
bool TournamentRules::can_run_on(ServerClassIndex server_class, const DemandAlternative& alternative) const {
  if (!is_within(alternative.demand, ledger_->server_classes.capacities()[server_class])) return false;
  const ServerSet& servers = ledger_->server_classes.set(server_class);
  const ServerSet* const admitted = ledger_->task_classes.eligibility.servers(alternative.servers);
  for (std::size_t index = 0; index < servers.words().size(); ++index) {
    std::uint64_t word = servers.word(index);
    if (admitted != nullptr) word &= admitted->word(index);
    for (; word != 0; word &= word - 1) {
      if (!ledger_->servers[ServerSet::first_of(index, word)].drained) return true;
    }
  }
  return false;
}

/// The first of the alternatives of the task class with this demand. Requires that there is one.
AlternativeIndex TournamentRules::first_with_demand(TaskClassIndex task_class, const Amounts& demand) const {
  const std::span<const DemandAlternative> alternatives = ledger_->task_classes.alternatives(task_class);
  const auto first = std::find_if(alternatives.begin(), alternatives.end(),
                                  [&](const DemandAlternative& each) { return each.demand == demand; });
  return AlternativeIndex(static_cast<std::uint32_t>(first - alternatives.begin()));
}

std::vector<TournamentId> TournamentRules::of(TaskClassIndex task_class) const {
  const std::span<const DemandAlternative> alternatives = ledger_->task_classes.alternatives(task_class);
  switch (by_) {
    case TournamentsBy::nothing:
      return {{}};
    case TournamentsBy::dominant_resource:
      return {{.place = place_of_resource(fairness::dominant_resource<fairness::Wide>(
                   alternatives.front().demand, ledger_->server_pool.pool()))}};
    case TournamentsBy::server_class:
      std::vector<TournamentId> entered;
      for (const ServerClassIndex server_class : ledger_->server_classes.indices()) {
        const auto begin = static_cast<std::ptrdiff_t>(entered.size());
        for (const DemandAlternative& alternative : alternatives) {
          if (!can_run_on(server_class, alternative)) continue;
          const TournamentId id{.place = place_of(server_class),
                                .alternative = first_with_demand(task_class, alternative.demand)};
          if (std::find(entered.begin() + begin, entered.end(), id) == entered.end()) entered.push_back(id);
        }
      }
      return entered;
  }
  MIRAB_ASSERT(false, "a discipline with other tournaments");
}

TournamentId TournamentRules::of(TaskClassIndex task_class, ServerIndex server, std::uint32_t role) const {
  if (by_ != TournamentsBy::server_class) return of(task_class).front();
  const DemandAlternative* const alternative = ledger_->task_classes.has_roles(task_class)
                                                   ? &ledger_->task_classes.alternatives(task_class)[role]
                                                   : ledger_->task_classes.alternative_on(task_class, server);
  MIRAB_ASSERT(alternative != nullptr, "a task is served for a server that it may not use");
  return {.place = place_of(ledger_->servers[server].server_class),
          .alternative = first_with_demand(task_class, alternative->demand)};
}

std::optional<PlaceIndex> TournamentRules::place_for(ServerIndex server) const {
  return by_ == TournamentsBy::server_class ? std::optional(place_of(ledger_->servers[server].server_class))
                                            : std::nullopt;
}

bool TournamentRules::admits(TournamentId tournament, TaskClassIndex task_class, ServerIndex server) const {
  if (by_ != TournamentsBy::server_class) return true;
  return ledger_->servers[server].server_class == tournament.server_class() &&
         serves(tournament, task_class, *ledger_->task_classes.alternative_on(task_class, server));
}

bool TournamentRules::serves(TournamentId tournament, TaskClassIndex task_class,
                             const DemandAlternative& alternative) const {
  if (by_ != TournamentsBy::server_class) return true;
  const std::span<const DemandAlternative> alternatives = ledger_->task_classes.alternatives(task_class);
  return alternatives.size() == 1 ||
         alternatives[tournament.alternative.number()].demand == alternative.demand;
}

}  // namespace mirab::scheduling
