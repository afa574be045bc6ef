// Random clusters, filled from empty by each discipline and placement, step by step.
#include <array>

#include <mirab/model/assert.hpp>
#include <mirab/model/problem.hpp>
#include <mirab/scheduling/fill.hpp>

#include "recordings/draws.hpp"
#include "recordings/facts.hpp"
#include "recordings/play.hpp"

namespace mirab::recordings {
namespace {

/// What a random cluster has.
struct Kind {
  const char* name;
  std::size_t resources = 2;
  std::size_t servers = 6;
  std::size_t users = 5;
  std::int64_t most_alike = 1;  ///< servers of an entry
  bool weights = false;
  bool labels = false;
  bool demand_on = false;
  bool capped = false;    ///< some users have a limit on their tasks
  bool decimals = false;  ///< amounts as in Google's trace, parts of the largest machine
  Tie tie = Tie::first;
  bool freeze = false;
};

const std::array kKinds = {
    Kind{.name = "plain"},
    Kind{.name = "pool", .servers = 1, .most_alike = 1, .weights = true},
    Kind{.name = "one-resource", .resources = 1, .weights = true},
    Kind{.name = "counts", .resources = 3, .most_alike = 6, .weights = true, .capped = true},
    Kind{.name = "labels", .resources = 3, .servers = 9, .users = 7, .labels = true, .tie = Tie::last},
    Kind{.name = "demand-on", .servers = 5, .most_alike = 3, .demand_on = true, .capped = true},
    Kind{.name = "decimals", .servers = 8, .users = 9, .weights = true, .decimals = true},
    Kind{.name = "tie-random", .resources = 3, .users = 8, .most_alike = 3, .tie = Tie::random},
    Kind{.name = "freeze", .resources = 3, .users = 6, .labels = true, .capped = true, .freeze = true},
    Kind{.name = "freeze-last", .most_alike = 4, .tie = Tie::last, .freeze = true},
    Kind{.name = "everything",
         .resources = 4,
         .servers = 12,
         .users = 12,
         .most_alike = 4,
         .weights = true,
         .labels = true,
         .demand_on = true,
         .capped = true,
         .decimals = true,
         .tie = Tie::random},
};

const std::vector<std::string> kZones = {"a", "b", "c"};

/// 1 … most; with decimals parts of about 1 of four digits, as the trace has them.
Quantity amount(const Kind& kind, Draws& draws, std::int64_t most) {
  if (!kind.decimals) return Quantity(draws.between(1, most));
  return *Quantity::parse(std::to_string(draws.between(1, most * 200)) + "e-4");
}

ResourceVector capacity(const Kind& kind, Draws& draws) {
  ResourceVector vector;
  for (std::size_t r = 0; r < kind.resources; ++r) vector.push_back(amount(kind, draws, 40));
  return vector;
}

/// Of every resource but the first there may be none.
ResourceVector demand(const Kind& kind, Draws& draws) {
  ResourceVector vector;
  for (std::size_t r = 0; r < kind.resources; ++r)
    vector.push_back(r > 0 && draws.one_in(5) ? Quantity(0) : amount(kind, draws, 5));
  return vector;
}

Cluster cluster_of(const Kind& kind) {
  Draws draws = Draws::named(std::string("cluster ") + kind.name);
  const std::vector<std::string> weights = {"1", "2", "0.5", "3.25", "0.001"};
  Cluster cluster;
  for (std::size_t r = 0; r < kind.resources; ++r) cluster.resources.push_back("r" + std::to_string(r));
  for (std::size_t i = 0; i < kind.servers; ++i) {
    Server server{.name = "s" + std::to_string(i), .capacity = capacity(kind, draws)};
    server.count = draws.between(1, kind.most_alike);
    if (kind.labels) server.labels["zone"] = i < kZones.size() ? kZones[i] : draws.of(kZones);
    cluster.servers.push_back(std::move(server));
  }
  for (std::size_t n = 0; n < kind.users; ++n) {
    User user{.name = "u" + std::to_string(n), .demand = demand(kind, draws)};
    if (kind.weights) user.weight = *Quantity::parse(draws.of(weights));
    if (kind.capped && draws.one_in(2)) user.tasks = Quantity(draws.between(1, 12));
    if (kind.labels && draws.one_in(3)) user.select["zone"] = {draws.of(kZones)};
    if (kind.demand_on && draws.one_in(2))
      user.demand_on[cluster.servers[draws.below(kind.servers)].name] = demand(kind, draws);
    cluster.users.push_back(std::move(user));
  }
  return cluster;
}

const char* name_of(Unplaced unplaced) {
  switch (unplaced) {
    case Unplaced::nothing:
      return "nothing";
    case Unplaced::no_room:
      return "no_room";
    case Unplaced::blocked:
      return "blocked";
  }
  return "unknown";
}

Part steps_of(const mirab::Outcome& outcome) {
  Part part{.name = "steps", .decides = true, .lines = {}};
  for (const FillStep& step : outcome.filling->steps) {
    Facts facts("placed");
    facts.add("user", step.user);
    facts.add("server", step.server);
    facts.add("instance", step.instance);
    part.lines.push_back(facts.line());
  }
  return part;
}

Part result_of(const mirab::Outcome& outcome) {
  Facts facts("result");
  facts.add("discipline", outcome.filling->discipline);
  facts.add("placement", outcome.filling->placement);
  facts.add("placed", outcome.filling->placed);
  facts.add("errors", outcome.filling->errors);
  for (const double tasks : outcome.allocation.tasks) facts.add("tasks", static_cast<std::int64_t>(tasks));
  for (const Unplaced unplaced : outcome.filling->unplaced)
    facts.add("unplaced", std::string_view(name_of(unplaced)));
  for (const Grant& grant : outcome.allocation.grants) {
    facts.add("user", grant.user);
    facts.add("server", grant.server);
    facts.add("tasks", static_cast<std::int64_t>(grant.tasks));
  }
  return {.name = "result", .decides = true, .lines = {facts.line()}};
}

/// A few of the shares, and what is used of each server.
std::vector<Numbers> numbers_of(const mirab::Outcome& outcome) {
  Numbers shares{.label = "shares", .values = {}};
  const std::size_t every = outcome.filling->steps.size() / 4 + 1;
  for (std::size_t i = 0; i < outcome.filling->steps.size(); i += every)
    shares.values.emplace_back("step" + std::to_string(i), outcome.filling->steps[i].share);
  Numbers used{.label = "used", .values = {}};
  for (std::size_t i = 0; i < outcome.allocation.servers.size(); i += 3)
    for (const double amount : outcome.allocation.servers[i].used)
      used.values.emplace_back("s" + std::to_string(i) + "." + std::to_string(used.values.size()), amount);
  return {std::move(shares), std::move(used)};
}

Played filling(const std::string& discipline, const std::string& placement, const Kind& kind) {
  Played played{.name = discipline + "/" + placement + "/" + kind.name, .parts = {}, .numbers = {}};
  const Result<Choice> whom = choose_discipline(discipline + (kind.freeze ? ":blocking=freeze" : ""));
  const Result<Choice> where = choose_placement(placement);
  const Result<Problem> problem = Problem::from(cluster_of(kind));
  MIRAB_ASSERT(whom && where && problem, "the names are from the registries, and the clusters valid");
  Random random(11);
  const Result<mirab::Outcome> outcome =
      fill(*problem, {.discipline = *whom, .placement = *where, .tie = kind.tie, .trace = true}, random);
  if (!outcome) {
    played.parts.push_back({.name = "result", .decides = true, .lines = {"refused " + outcome.error().key}});
    return played;
  }
  played.parts = {steps_of(*outcome), result_of(*outcome)};
  played.numbers = numbers_of(*outcome);
  return played;
}

}  // namespace

std::vector<Played> fillings_of(const std::string& discipline) {
  std::vector<std::string> places;
  for (const PlacementInfo& row : placements()) places.emplace_back(row.name);
  places.emplace_back("best-fit:published=true");
  std::vector<Played> all;
  for (const std::string& placement : places)
    for (const Kind& kind : kKinds) all.push_back(filling(discipline, placement, kind));
  return all;
}

}  // namespace mirab::recordings
