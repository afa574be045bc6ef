// The cases: discipline × placement × variant. A variant is what is asked of the engine and what happens; the
// events of a case depend on its name alone.
#include "recordings/cases.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>

#include <mirab/model/assert.hpp>
#include <mirab/scheduling/fill.hpp>

namespace mirab::recordings {
namespace {

using scheduling::EngineOptions;
using scheduling::Oversized;
using scheduling::Preempting;
using scheduling::Reserving;

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Which discipline honours which option, as documented. The case `options` of each discipline holds the
// engine to it.
bool scales(std::string_view discipline) { return is_one_of(discipline, {"drf", "asset", "ps-dsf"}); }
bool remembers(std::string_view discipline) { return is_one_of(discipline, {"drf", "asset"}); }
bool preempts(std::string_view discipline) {
  return is_one_of(discipline, {"drf", "asset", "tsf", "round-robin", "pf"});
}

bool any(std::string_view /*discipline*/) { return true; }

void freeze(EngineOptions& options) {
  options.discipline.options["blocking"] = "freeze";
  options.discipline.text += ":blocking=freeze";
}

void scale(EngineOptions& options) {
  options.share_scale = {*Quantity::parse("0.5"), *Quantity::parse("3"), *Quantity::parse("0")};
}

void preempt(EngineOptions& options) { options.preemption = Preempting{.tasks = 3, .per = Duration(2'000)}; }

void reserve(EngineOptions& options) { options.reservations = Reserving{.after = Duration(2'000)}; }

/// Everything that the discipline honours together.
void everything(EngineOptions& options) {
  const std::string& discipline = options.discipline.name;
  options.reservations = Reserving{.after = Duration(1'500), .servers = 2, .at_most = Duration(6'000)};
  if (scales(discipline)) scale(options);
  if (preempts(discipline)) preempt(options);
  options.oversized = Oversized::wait;
}

constexpr Mix kEverything{.weights = true,
                          .gangs = true,
                          .terms = true,
                          .labels = true,
                          .demand_on = true,
                          .server_changes = true,
                          .ends = true,
                          .restored = true};

struct Variant {
  std::string_view name;
  Mix mix;
  std::function<void(EngineOptions&)> set = [](EngineOptions&) {};
  bool (*applies)(std::string_view discipline) = any;
};

const std::vector<Variant>& variants() {
  static const std::vector<Variant> kVariants = {
      {.name = "plain", .mix = {}},
      {.name = "tie-last", .mix = {}, .set = [](EngineOptions& options) { options.tie = Tie::last; }},
      {.name = "tie-random", .mix = {}, .set = [](EngineOptions& options) { options.tie = Tie::random; }},
      {.name = "freeze", .mix = {.weights = true}, .set = freeze},
      {.name = "weights", .mix = {.users = 7, .weights = true}},
      {.name = "gangs", .mix = {.gangs = true, .ends = true}},
      {.name = "terms", .mix = {.servers = 7, .terms = true, .server_changes = true}},
      {.name = "gangs-terms",
       .mix = {.servers = 7, .weights = true, .gangs = true, .terms = true, .ends = true, .restored = true}},
      {.name = "labels", .mix = {.servers = 7, .labels = true}},
      {.name = "demand-on", .mix = {.servers = 6, .demand_on = true}},
      {.name = "demand-on-labels",
       .mix = {.servers = 6, .weights = true, .labels = true, .demand_on = true, .server_changes = true},
       .set = [](EngineOptions& options) { options.oversized = Oversized::wait; }},
      {.name = "servers", .mix = {.server_changes = true, .restored = true}},
      {.name = "oversized-wait",
       .mix = {.servers = 3, .server_changes = true},
       .set = [](EngineOptions& options) { options.oversized = Oversized::wait; }},
      {.name = "ends", .mix = {.weights = true, .ends = true}},
      {.name = "large", .mix = {.servers = 8, .users = 6, .weights = true, .large = true}},
      {.name = "near-ties", .mix = {.users = 6, .near_ties = true}},
      {.name = "near-ties-weights", .mix = {.users = 6, .weights = true, .near_ties = true}},
      {.name = "many",
       .mix = {.events = 120, .servers = 150, .users = 60, .weights = true, .labels = true, .large = true}},
      {.name = "reservations", .mix = {.restored = true}, .set = reserve},
      {.name = "reservations-at-most",
       .mix = {.servers = 7, .weights = true, .labels = true, .server_changes = true},
       .set =
           [](EngineOptions& options) {
             options.reservations =
                 Reserving{.after = Duration(800), .servers = 2, .at_most = Duration(1'500)};
           }},
      {.name = "reservations-freeze",
       .mix = {.gangs = true, .ends = true},
       .set =
           [](EngineOptions& options) {
             reserve(options);
             freeze(options);
           }},
      {.name = "scales", .mix = {.weights = true}, .set = scale, .applies = scales},
      {.name = "preemption",
       .mix = {.users = 5, .weights = true, .restored = true},
       .set = preempt,
       .applies = preempts},
      {.name = "preemption-gangs",
       .mix = {.servers = 6, .users = 5, .gangs = true, .terms = true, .ends = true},
       .set = preempt,
       .applies = preempts},
      {.name = "preemption-freeze",
       .mix = {.users = 5, .weights = true, .demand_on = true},
       .set =
           [](EngineOptions& options) {
             preempt(options);
             freeze(options);
           },
       .applies = preempts},
      {.name = "preemption-reservations",
       .mix = {.users = 5, .weights = true, .labels = true, .server_changes = true},
       .set =
           [](EngineOptions& options) {
             options.preemption = Preempting{.tasks = 50, .per = Duration(10'000)};
             options.reservations = Reserving{.after = Duration(1'000), .servers = 2};
           },
       .applies = preempts},
      {.name = "half-life",
       .mix = {.users = 5, .weights = true, .restored = true},
       .set = [](EngineOptions& options) { options.half_life = Duration(5'000); },
       .applies = remembers},
      {.name = "half-life-everything",
       .mix = kEverything,
       .set =
           [](EngineOptions& options) {
             everything(options);
             options.preemption = {};
             options.half_life = Duration(20'000);
           },
       .applies = remembers},
      {.name = "everything", .mix = kEverything, .set = everything},
      {.name = "everything-random",
       .mix = kEverything,
       .set =
           [](EngineOptions& options) {
             everything(options);
             freeze(options);
             options.tie = Tie::random;
           }},
  };
  return kVariants;
}

/// Of these the whole log is kept: between them they have every kind of event and every option.
constexpr std::array<std::string_view, 6> kKept = {
    "drf/best-fit/everything",     "drf/first-fit/half-life", "ps-dsf/worst-fit/gangs-terms",
    "tsf/random/demand-on-labels", "mrfs/first-fit/ends",     "round-robin/next-fit/preemption-freeze"};

}  // namespace

std::vector<Case> cases_of(const std::string& discipline) {
  std::vector<std::string> places;
  for (const PlacementInfo& row : placements()) places.emplace_back(row.name);
  places.emplace_back("best-fit:published=true");

  std::vector<Case> cases;
  for (const std::string& placement : places) {
    for (const Variant& variant : variants()) {
      if (!variant.applies(discipline)) continue;
      const Result<Choice> whom = choose_discipline(discipline);
      const Result<Choice> where = choose_placement(placement);
      MIRAB_ASSERT(whom && where, "the names are from the registries");
      EngineOptions options{.resources = {"cpu", "memory", "gpu"}, .discipline = *whom, .placement = *where};
      variant.set(options);
      std::string name = discipline + "/" + placement + "/" + std::string(variant.name);
      const bool keeps_log = std::find(kKept.begin(), kKept.end(), name) != kKept.end();
      cases.push_back({std::move(name), std::move(options), variant.mix, keeps_log});
    }
  }
  return cases;
}

}  // namespace mirab::recordings
