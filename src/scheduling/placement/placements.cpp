// The placements: where a task goes, of the servers where it fits. d is what the task takes, f what is free
// on a server. The table of placements is at the end.
#include "scheduling/placement/placements.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "model/names.hpp"

namespace mirab::scheduling {

// First-fit: the first server, in the order of the cluster, where the task fits (Östman, sections 2.1.4
// and 4.1). O(K m), but many servers at once: ledger/columns.hpp.
//
// It fills the first servers to the brim, so that a search has to pass all of them by.

std::optional<ServerIndex> first_fit(const Search& search) {
  std::optional<ServerIndex> first;
  for (const SearchAlternative& variant : search.search_alternatives) {
    const std::optional<ServerIndex> server = search.server_pool.first_with_room(variant);
    if (server) first = std::min(first.value_or(*server), *server);
  }
  return first;
}

// Next-fit: the server that was used last, by whomever, if the task fits there, otherwise the next one in the
// order of the cluster where it does, and after the last server the first. It spreads tasks without looking
// at every server: O(K m) at worst.
//
// On a full cluster it is first-fit that begins somewhere else, and leaves holes in all servers alike.

namespace {

std::optional<ServerIndex> first_from(const Search& search, ServerIndex from) {
  std::optional<ServerIndex> first;
  for (const SearchAlternative& variant : search.search_alternatives) {
    const std::optional<ServerIndex> server = search.server_pool.first_with_room(variant, from);
    if (server) first = std::min(first.value_or(*server), *server);
  }
  return first;
}

}  // namespace

std::optional<ServerIndex> next_fit(const Search& search) {
  const std::optional<ServerIndex> next = first_from(search, search.last_used);
  return next ? next : first_from(search, kFirstServer);
}

// Random placement: each server where the task fits is equally likely. One draw for a task, and none where it
// fits nowhere. O(K m).

std::optional<ServerIndex> random_fit(const Search& search) {
  std::vector<ServerIndex> fitting;
  for (const SearchAlternative& variant : search.search_alternatives) {
    search.server_pool.any_with_room(variant, kFirstServer, [&](ServerIndex server) {
      fitting.push_back(server);
      return false;
    });
  }
  if (fitting.empty()) return std::nullopt;

  // The variants' servers stand one variant behind the other; the draw counts them in the order of the park.
  const auto drawn = fitting.begin() + static_cast<std::ptrdiff_t>(search.random.below(fitting.size()));
  if (search.search_alternatives.size() > 1) std::nth_element(fitting.begin(), drawn, fitting.end());
  return *drawn;
}

// Best-fit of DRFH (Wang, Li, Liang; Östman, section 2.1.4): of the servers where the task fits, the one with
// the smallest
//
//   H(n, i) = ‖d_n / Σ_r d_{n,r} − f_i / Σ_r f_{i,r}‖₁,
//
// the distance between the proportions of the task and those of what is free, all amounts as parts of the
// cluster's capacity so that units do not matter. Of several equal ones the first. H is a rule of thumb and
// is computed in doubles, always in the same order. O(K m), but 64 servers at once; the park keeps the
// proportions of what is free, from the first search on.
//
// As published the amounts are relative to the first resource instead: ‖d_n/d_{n,1} − f_i/f_{i,1}‖₁. That
// depends on which resource comes first and divides by zero where the task does not demand it or the server
// has none of it left: such an H ranks behind every finite one, and where no H is finite the first server is
// taken.

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Nearest {
  ServerIndex server = kFirstServer;
  double h = kInfinity;  // none is less: no H is finite, or no server has room
};

Nearest nearest(const ServerPool& server_pool, const Proportions& proportions,
                const SearchAlternative& variant) {
  std::vector<double> demand(server_pool.resource_count());
  proportions.of(variant.demand, demand);
  Nearest best;
  Proportions::Distances h;
  server_pool.for_each_block_with_room(variant, [&](const Columns::Block& block) {
    std::uint64_t rows = block.rows & proportions.nearer(block.index, demand, best.h, h);
    for (; rows != 0; rows &= rows - 1) {
      const auto k = static_cast<std::size_t>(std::countr_zero(rows));
      const ServerIndex server = ServerSet::first_of(block.index, rows);
      if (h[k] < best.h && server_pool.has_room(server, variant.demand)) best = {.server = server, .h = h[k]};
    }
  });
  return best;
}

std::optional<ServerIndex> nearest_in_proportion(const Search& search, FitDistance which) {
  const Proportions& proportions = search.server_pool.proportions(which);
  Nearest best;
  for (const SearchAlternative& variant : search.search_alternatives) {
    const Nearest here = nearest(search.server_pool, proportions, variant);
    if (here.h < best.h || (here.h == best.h && here.server < best.server)) best = here;
  }
  return best.h < kInfinity ? std::optional(best.server) : first_fit(search);
}

/// H, computed as the search does.
double distance(const Search& search, ServerIndex server, FitDistance which) {
  const Proportions& proportions = search.server_pool.proportions(which);
  std::vector<double> demand(search.server_pool.resource_count());
  std::vector<double> free(search.server_pool.resource_count());
  proportions.of(variant_on(search, server).demand, demand);
  proportions.of(search.server_pool.free(server), free);
  return fairness::l1_distance([&](std::size_t r) { return demand[r]; },
                               [&](std::size_t r) { return free[r]; }, demand.size());
}

}  // namespace

std::optional<ServerIndex> best_fit(const Search& search) {
  return nearest_in_proportion(search, FitDistance::of_proportions);
}

std::optional<ServerIndex> best_fit_as_published(const Search& search) {
  return nearest_in_proportion(search, FitDistance::to_first_resource);
}

double best_fit_distance(const Search& search, ServerIndex server) {
  return distance(search, server, FitDistance::of_proportions);
}

double best_fit_as_published_distance(const Search& search, ServerIndex server) {
  return distance(search, server, FitDistance::to_first_resource);
}

// Worst-fit, counted in tasks: the server with the largest
//
//   ρ(i) = min_r f_{i,r} / d_{n,r}   over the demanded resources,
//
// the number of such tasks that still fit there, not rounded to whole ones. Of several equal ones the first.
// It keeps the load even and large holes open. Exact: ratios of two 63-bit numbers.
//
// A later server i is better than one with ρ where f_{i,r} > ρ d_{n,r}, so f_{i,r} ≥ ⌊ρ d_{n,r}⌋ + 1, for
// every demanded r: it has room for a larger demand. So the search is first-fit over and over, each from
// behind the last server found. O(K m) in all, and as fast as one first-fit; a park in no particular order
// improves O(log K) times. It is slow where thousands of servers are equally good, as on an empty park of
// equal machines: each of them is looked at exactly.

namespace {

using fairness::Part;
using fairness::Wide;

struct Roomiest {
  ServerIndex server;
  Part tasks;  // ρ
};

/// ρ; INT64_MAX for a task that demands nothing.
Part tasks_that_fit(std::span<const std::int64_t> free, std::span<const std::int64_t> demand) {
  Part least{.numerator = INT64_MAX, .denominator = 1};
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (demand[r] > 0) least = std::min(least, Part{.numerator = free[r], .denominator = demand[r]});
  }
  return least;
}

/// Raises `room` to the least for which ρ is larger. False when there can be none.
bool raise(std::vector<std::int64_t>& room, std::span<const std::int64_t> demand, Part tasks) {
  bool raised = false;
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (demand[r] == 0) continue;
    const Wide most = Wide{tasks.numerator} * demand[r] / tasks.denominator;
    if (most >= INT64_MAX) return false;
    room[r] = static_cast<std::int64_t>(most) + 1;
    raised = true;
  }
  return raised;
}

std::optional<Roomiest> roomiest(const ServerPool& server_pool, const SearchAlternative& variant) {
  std::optional<Roomiest> best;
  std::vector<std::int64_t> room(variant.demand.begin(), variant.demand.end());
  std::optional<ServerIndex> server = server_pool.first_with_room(variant);
  while (server) {
    best = {.server = *server, .tasks = tasks_that_fit(server_pool.free(*server), variant.demand)};
    if (!raise(room, variant.demand, best->tasks)) break;
    server = server_pool.first_with_room({.demand = room, .among = variant.among},
                                         ServerIndex(server->number() + 1));
  }
  return best;
}

bool is_better(const Roomiest& a, const Roomiest& b) {
  if (b.tasks < a.tasks) return true;
  return !(a.tasks < b.tasks) && a.server < b.server;
}

}  // namespace

std::optional<ServerIndex> worst_fit(const Search& search) {
  std::optional<Roomiest> best;
  for (const SearchAlternative& variant : search.search_alternatives) {
    const std::optional<Roomiest> here = roomiest(search.server_pool, variant);
    if (here && (!best || is_better(*here, *best))) best = here;
  }
  if (!best) return std::nullopt;
  return best->server;
}

double worst_fit_tasks(const Search& search, ServerIndex server) {
  const Part tasks = tasks_that_fit(search.server_pool.free(server), variant_on(search, server).demand);
  return static_cast<double>(tasks.numerator) / static_cast<double>(tasks.denominator);
}

// Least fragmentation: the server that stays most useful for the mix of tasks wanted at present. After
// Weng et al., Beware of Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation Gradient Descent
// (FGD), USENIX ATC 2023, there for the GPUs of a node, here for m resources of which none is special.
//
// The fragmentation of a server with f free is the expected part of it that a task w, drawn from the mix with
// probability p_w, cannot use there:
//
//   F(f) = Σ_w p_w Σ_{r ∈ U_w(f)} f_r / C_r,   U_w(f) = every r             where w does not fit, d_w ≰ f,
//                                                       the r with d_{w,r} = 0   where it fits.
//
// Of the servers where the task fits, the one where F grows least, F(f − d) − F(f); of several equal ones the
// first. As in FGD a growth may be negative: the task cleans up what was of no use to others. A rule of
// thumb, computed in doubles, always in the same order; the popularities need not sum to 1, which scales
// every F alike.
//
// O(K' m W) for W tasks in the mix and K' servers with room. With an empty mix it is first-fit.
//
// Known failures: it is blind to how many tasks of a kind still fit, so a large server is no better than one
// with room for a single task, and the mix is what is wanted now, not what will be.

namespace {

/// Σ_{r ∈ U_w(f)} f_r / C_r
double unusable(std::span<const std::int64_t> wanted, std::span<const std::int64_t> free,
                std::span<const double> parts) {
  double everything = 0, not_demanded = 0;
  bool fits = true;
  for (std::size_t r = 0; r < free.size(); ++r) {
    everything += parts[r];
    if (wanted[r] == 0) not_demanded += parts[r];
    if (wanted[r] > free[r]) fits = false;
  }
  return fits ? not_demanded : everything;
}

/// F of what is free.
class Fragmentation {
 public:
  Fragmentation(std::span<const Wanted> mix, std::span<const std::int64_t> pool)
      : mix_(mix), per_unit_(pool.size(), 0.0), parts_(pool.size()) {
    for (std::size_t r = 0; r < pool.size(); ++r) {
      if (pool[r] > 0) per_unit_[r] = 1 / static_cast<double>(pool[r]);
    }
  }

  double operator()(std::span<const std::int64_t> free) {
    for (std::size_t r = 0; r < free.size(); ++r) parts_[r] = static_cast<double>(free[r]) * per_unit_[r];
    double sum = 0;
    for (const Wanted& wanted : mix_) sum += wanted.popularity * unusable(wanted.demand, free, parts_);
    return sum;
  }

 private:
  std::span<const Wanted> mix_;
  std::vector<double> per_unit_;  // 1 / C_r
  std::vector<double> parts_;     // f_r / C_r
};

/// F(f − d) − F(f); `after` is room for f − d.
double growth(Fragmentation& fragmentation, std::span<const std::int64_t> free,
              std::span<const std::int64_t> demand, std::vector<std::int64_t>& after) {
  for (std::size_t r = 0; r < after.size(); ++r) after[r] = free[r] - demand[r];
  return fragmentation(after) - fragmentation(free);
}

}  // namespace

double fragmentation_growth(const Search& search, ServerIndex server) {
  Fragmentation fragmentation(search.mix, search.server_pool.pool());
  std::vector<std::int64_t> after(search.server_pool.resource_count());
  return growth(fragmentation, search.server_pool.free(server), variant_on(search, server).demand, after);
}

std::optional<ServerIndex> least_fragmentation(const Search& search) {
  Fragmentation fragmentation(search.mix, search.server_pool.pool());
  std::vector<std::int64_t> after(search.server_pool.resource_count());
  std::optional<ServerIndex> best;
  double least = std::numeric_limits<double>::infinity();
  for (const SearchAlternative& variant : search.search_alternatives) {
    search.server_pool.any_with_room(variant, kFirstServer, [&](ServerIndex server) {
      const double here = growth(fragmentation, search.server_pool.free(server), variant.demand, after);
      if (here < least || (here == least && server < *best)) {
        least = here;
        best = server;
      }
      return false;
    });
  }
  return best;
}

}  // namespace mirab::scheduling

// The table of placements: where a task goes, of the servers where it fits.

namespace mirab {
namespace scheduling {
namespace {

constexpr std::array<std::string_view, 2> kPublished = {"false", "true"};

constexpr std::array kBestFitOptions = {OptionInfo{
    .name = "published",
    .fallback = "false",
    .meaning = "`true`: amounts relative to the first resource, as printed, instead of to the sum of all"}};

template <Find find>
Result<PlacementChoice> without_options(const Choice& /*choice*/) {
  return PlacementChoice{.find = find};
}

constexpr std::string_view kDistance = "distance from the task's proportions";

Result<PlacementChoice> worst_fit_measured(const Choice& /*choice*/) {
  return PlacementChoice{
      .find = worst_fit, .measure = worst_fit_tasks, .measured = "number of such tasks that fit there"};
}

Result<PlacementChoice> with_mix(const Choice& /*choice*/) {
  return PlacementChoice{.find = least_fragmentation,
                         .needs_mix = true,
                         .measure = fragmentation_growth,
                         .measured = "growth of fragmentation"};
}

Result<PlacementChoice> best_fit_option(const Choice& choice) {
  const Result<std::size_t> published = word_option(choice, "published", kPublished);
  if (!published) return published.error();
  if (*published == 1) {
    return PlacementChoice{
        .find = best_fit_as_published, .measure = best_fit_as_published_distance, .measured = kDistance};
  }
  return PlacementChoice{.find = best_fit, .measure = best_fit_distance, .measured = kDistance};
}

constexpr std::array kPlacements = {
    Placement{.info = {.name = "first-fit",
                       .summary = "the first server, in the order of the cluster",
                       .source = "Östman, sections 2.1.4 and 4.1",
                       .options = {}},
              .where = without_options<first_fit>},
    Placement{.info = {.name = "best-fit",
                       .summary = "the server whose free amounts stand most nearly in the task's proportions",
                       .source = "Wang, Li, Liang, DRFH; Östman, section 2.1.4",
                       .options = kBestFitOptions},
              .where = best_fit_option},
    Placement{.info = {.name = "worst-fit",
                       .summary = "the server where most such tasks still fit",
                       .source = "the classic rule of bin packing, counted in tasks of the user",
                       .options = {}},
              .where = worst_fit_measured},
    Placement{.info = {.name = "next-fit",
                       .summary = "the last used server, or the next one in a circle",
                       .source = "the classic rule of bin packing",
                       .options = {}},
              .where = without_options<next_fit>},
    Placement{.info = {.name = "random",
                       .summary = "a server drawn uniformly from those where the task fits",
                       .source = "Östman, section 4.2, draws from all servers",
                       .options = {}},
              .where = without_options<random_fit>},
    Placement{.info = {.name = "least-fragmentation",
                       .summary = "the server that stays most useful for the tasks wanted at present",
                       .source = "after Weng et al., Beware of Fragmentation, USENIX ATC 2023",
                       .options = {}},
              .where = with_mix},
};

constexpr auto kInfos = [] {
  std::array<PlacementInfo, kPlacements.size()> infos;
  std::transform(kPlacements.begin(), kPlacements.end(), infos.begin(),
                 [](const Placement& row) { return row.info; });
  return infos;
}();

constexpr std::string_view kPlacementKind = "placement";

std::vector<ChoosableRow> placement_rows() {
  std::vector<ChoosableRow> rows;
  for (const PlacementInfo& info : kInfos)
    rows.push_back({.name = info.name, .aliases = {}, .options = info.options});
  return rows;
}

}  // namespace

const SearchAlternative& variant_on(const Search& search, ServerIndex server) {
  const auto found = std::find_if(search.search_alternatives.begin(), search.search_alternatives.end(),
                                  [&](const SearchAlternative& variant) {
                                    return variant.among == nullptr || variant.among->contains(server);
                                  });
  MIRAB_ASSERT(found != search.search_alternatives.end(),
               "a server is measured for a task that may not run there");
  return *found;
}

Result<PlacementChoice> where(const Choice& choice) {
  if (Check wrong = check_choice(choice, kPlacementKind, placement_rows())) return *std::move(wrong);
  const auto row = std::find_if(kPlacements.begin(), kPlacements.end(), [&](const Placement& candidate) {
    return candidate.info.name == choice.name;
  });
  Result<PlacementChoice> read = row->where(choice);
  if (!read) return Error{.message = read.error().message, .key = std::string(kPlacementKind)};
  return read;
}

}  // namespace scheduling

std::span<const PlacementInfo> placements() { return scheduling::kInfos; }

Result<Choice> choose_placement(std::string_view text) {
  Result<Choice> choice = choose(text, scheduling::kPlacementKind, scheduling::placement_rows());
  if (!choice) return choice;
  const auto read = scheduling::where(*choice);
  if (!read) return Error{.message = read.error().message};
  return choice;
}

}  // namespace mirab
