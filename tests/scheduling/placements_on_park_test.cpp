// The placements on a server pool: through random events, the same servers as looking at every one of them.
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>

#include "random_cases.hpp"
#include "scheduling/clusters.hpp"
#include "scheduling/parks.hpp"
#include "scheduling/placement/placements.hpp"

namespace mirab::scheduling {
namespace {

constexpr std::uint64_t kPlacementsOnParkParks = random_cases(120);
constexpr int kPlacementsOnParkSteps = 150;

Find find(const std::string& name) {
  Choice choice{.name = name, .options = {}, .text = name};
  if (name == "best-fit:published=true") {
    choice.name = "best-fit";
    choice.options["published"] = "true";
  }
  return where(choice)->find;
}

/// The servers of a random park with room for a task with two demands, one for each of two disjoint sets, and
/// the demand there.
struct Fit {
  ServerIndex server;
  const Amounts* demand;
  const Amounts* free;
};

struct Question {
  const RandomPark& random_park;
  std::vector<Amounts> demands;
  std::vector<ServerSet> among;
  std::vector<Amounts> mix;
  std::vector<double> popularity;
  ServerIndex last_used;
  std::uint64_t seed;

  std::vector<Fit> fits() const {
    std::vector<Fit> fits;
    for (const ServerIndex server : random_park.servers().indices()) {
      for (std::size_t k = 0; k < demands.size(); ++k) {
        if (among[k].contains(server) && random_park.has_room(server, demands[k]))
          fits.push_back(
              {.server = server, .demand = &demands[k], .free = &random_park.servers()[server]->free});
      }
    }
    return fits;
  }

  std::optional<ServerIndex> ask(const std::string& placement) const {
    std::vector<SearchAlternative> search_alternatives;
    for (std::size_t k = 0; k < demands.size(); ++k)
      search_alternatives.push_back({.demand = demands[k], .among = &among[k]});
    std::vector<Wanted> wanted;
    for (std::size_t k = 0; k < mix.size(); ++k)
      wanted.push_back({.demand = mix[k], .popularity = popularity[k]});
    Random random(seed);
    return find(placement)({.server_pool = random_park.server_pool(),
                            .search_alternatives = search_alternatives,
                            .last_used = last_used,
                            .random = random,
                            .mix = wanted});
  }
};

Question random_question(RandomPark& random_park, Random& random) {
  Question question{
      .random_park = random_park,
      .demands = {random_park.demand()},
      .among = {random_park.some_servers()},
      .mix = {},
      .popularity = {},
      .last_used = ServerIndex(static_cast<std::uint32_t>(random.below(random_park.servers().size()))),
      .seed = random.bits()};
  if (random.below(2) == 0) {
    question.demands.push_back(random_park.demand());
    question.among.push_back(random_park.some_servers());
    for (const ServerIndex server : random_park.servers().indices())
      question.among[random.below(2)].erase(server);
  }
  for (std::uint64_t k = random.below(4); k > 0; --k) {
    question.mix.push_back(random_park.demand());
    question.popularity.push_back(static_cast<double>(1 + random.below(3)));
  }
  return question;
}

/// The first fit with the least key; of NaN and infinite ones the first if there are no others.
template <class Key>
std::optional<ServerIndex> first_least(const std::vector<Fit>& fits, Key key) {
  if (fits.empty()) return std::nullopt;
  ServerIndex best = fits.front().server;
  double least = std::numeric_limits<double>::infinity();
  for (const Fit& fit : fits) {
    const double here = key(fit);
    if (here < least) {
      least = here;
      best = fit.server;
    }
  }
  return best;
}

template <class ByLooking>
void expect_as_by_looking(const std::string& placement, ByLooking by_looking) {
  int found = 0, missed = 0;
  for (std::uint64_t seed = 1; seed <= kPlacementsOnParkParks; ++seed) {
    SCOPED_TRACE(fmt::format("replay: seed {}", seed));
    Random random(seed);
    RandomPark random_park(random);
    for (int step = 0; step < kPlacementsOnParkSteps; ++step) {
      for (int event = 0; event < 4; ++event) random_park.step();
      const Question question = random_question(random_park, random);
      const std::optional<ServerIndex> server = question.ask(placement);
      ASSERT_EQ(server, by_looking(question, question.fits())) << "step " << step;
      server ? ++found : ++missed;
    }
  }
  EXPECT_GT(found, 1000);
  if (kIsSanitized) return;  // too few cases to meet everything
  EXPECT_GT(missed, 1000);
}

std::vector<double> per_unit(const RandomPark& random_park) {
  std::vector<double> per_unit;
  for (const std::int64_t units : random_park.server_pool().pool())
    per_unit.push_back(units > 0 ? 1 / static_cast<double>(units) : 0);
  return per_unit;
}

TEST(FirstFitOnPark, IsTheFirstServerWithRoom) {
  expect_as_by_looking("first-fit", [](const Question&, const std::vector<Fit>& fits) {
    return fits.empty() ? std::nullopt : std::optional(fits.front().server);
  });
}

TEST(NextFitOnPark, IsTheFirstWithRoomFromTheLastUsedOnInACircle) {
  expect_as_by_looking("next-fit", [](const Question& question, const std::vector<Fit>& fits) {
    std::optional<ServerIndex> server;
    if (!fits.empty()) server = fits.front().server;
    for (std::size_t k = fits.size(); k-- > 0;) {
      if (fits[k].server >= question.last_used) server = fits[k].server;
    }
    return server;
  });
}

TEST(RandomOnPark, DrawsOnceFromTheServersWithRoomInTheirOrder) {
  expect_as_by_looking("random", [](const Question& question, const std::vector<Fit>& fits) {
    Random random(question.seed);
    return fits.empty() ? std::nullopt : std::optional(fits[random.below(fits.size())].server);
  });
}

TEST(BestFitOnPark, IsTheFirstOfTheNearestInProportion) {
  for (const bool published : {false, true}) {
    expect_as_by_looking(published ? "best-fit:published=true" : "best-fit",
                         [&](const Question& question, const std::vector<Fit>& fits) {
                           const std::vector<double> units = per_unit(question.random_park);
                           const auto proportions = [&](const Amounts& amounts) {
                             std::vector<double> parts;
                             double sum = 0;
                             for (std::size_t r = 0; r < units.size(); ++r) {
                               parts.push_back(static_cast<double>(amounts[r]) * units[r]);
                               sum += parts.back();
                             }
                             const double per_whole = 1 / (published ? parts.front() : sum);
                             for (double& part : parts) part *= per_whole;
                             return parts;
                           };
                           return first_least(fits, [&](const Fit& fit) {
                             const std::vector<double> demand = proportions(*fit.demand),
                                                       free = proportions(*fit.free);
                             double h = 0;
                             for (std::size_t r = 0; r < units.size(); ++r)
                               h += std::abs(demand[r] - free[r]);
                             return h;
                           });
                         });
  }
}

TEST(WorstFitOnPark, IsTheFirstOfThoseWhereMostSuchTasksFit) {
  __extension__ using Wide = __int128;
  expect_as_by_looking("worst-fit", [](const Question&, const std::vector<Fit>& fits) {
    std::optional<ServerIndex> best;
    std::int64_t numerator = 0, denominator = 1;
    for (const Fit& fit : fits) {
      std::int64_t free = INT64_MAX, demand = 1;
      for (std::size_t r = 0; r < fit.demand->size(); ++r) {
        const std::int64_t d = (*fit.demand)[r], f = (*fit.free)[r];
        if (d > 0 && Wide{f} * demand < Wide{free} * d) {
          free = f;
          demand = d;
        }
      }
      if (best && Wide{free} * denominator <= Wide{numerator} * demand) continue;
      best = fit.server;
      numerator = free;
      denominator = demand;
    }
    return best;
  });
}

TEST(LeastFragmentationOnPark, IsTheFirstOfThoseThatLoseLeastUseForTheMix) {
  expect_as_by_looking("least-fragmentation", [](const Question& question, const std::vector<Fit>& fits) {
    const std::vector<double> units = per_unit(question.random_park);
    const auto fragmentation = [&](const Amounts& free) {
      double expected = 0;
      for (std::size_t k = 0; k < question.mix.size(); ++k) {
        const Amounts& wanted = question.mix[k];
        const bool fits_there = std::equal(wanted.begin(), wanted.end(), free.begin(), std::less_equal<>());
        double useless = 0;
        for (std::size_t r = 0; r < units.size(); ++r) {
          if (!fits_there || wanted[r] == 0) useless += static_cast<double>(free[r]) * units[r];
        }
        expected += question.popularity[k] * useless;
      }
      return expected;
    };
    return first_least(fits, [&](const Fit& fit) {
      Amounts after = *fit.free;
      for (std::size_t r = 0; r < after.size(); ++r) after[r] -= (*fit.demand)[r];
      return fragmentation(after) - fragmentation(*fit.free);
    });
  });
}

// Of a server with room for one large task and one where only small ones fit, a small task takes the second.
TEST(LeastFragmentationOnPark, LeavesTheWholeServerToTheTaskThatNeedsIt) {
  ServerPool server_pool(2);
  server_pool.add(Amounts{4, 4});
  server_pool.add(Amounts{2, 2});
  const Amounts small = {1, 1}, large = {4, 4};
  const std::vector<SearchAlternative> search_alternatives = {{.demand = small, .among = nullptr}};
  const std::vector<Wanted> mix = {{.demand = small, .popularity = 3}, {.demand = large, .popularity = 1}};
  Random random(1);
  EXPECT_EQ(least_fragmentation({.server_pool = server_pool,
                                 .search_alternatives = search_alternatives,
                                 .last_used = kFirstServer,
                                 .random = random,
                                 .mix = mix}),
            ServerIndex(1));
}

TEST(PlacementTable, RefusesWhatItDoesNotKnow) {
  EXPECT_FALSE(where({.name = "nowhere", .options = {}, .text = ""}));
  EXPECT_FALSE(where({.name = "best-fit", .options = {{"published", "maybe"}}, .text = ""}));
  EXPECT_EQ(where({.name = "best-fit", .options = {{"published", "true"}}, .text = ""})->find,
            &best_fit_as_published);
}

TEST(PlacementTable, HasARowForEveryPlacementByAPlainScan) {
  for (const PlacementInfo& plain : placements()) {
    EXPECT_TRUE(where({.name = std::string(plain.name), .options = {}, .text = ""})) << plain.name;
  }
}

}  // namespace
}  // namespace mirab::scheduling
