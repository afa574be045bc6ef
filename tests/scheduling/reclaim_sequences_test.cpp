// Random sequences on random trees with preemption, ranks and tiers: after every event the engine decides
// until it places nothing more. Each move is judged by brute force, from the sums over all running tasks
// (reference_starvation.cpp): the conditions of docs/explanation/teams.md, "Who may end whose tasks", on the
// state after it. Besides: the decisions end; at a move by guarantee or share satisfaction, or the
// sorted standings of all users, rise, and neither falls at a placement; and the budget holds.
// MIRAB_SEED is the first seed and MIRAB_SEQUENCES how many there are.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <gtest/gtest.h>

#include "scheduling/engines.hpp"
#include "scheduling/reference_engine.hpp"

namespace mirab::scheduling {
namespace {

std::uint64_t reclaim_sequences_asked(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// How often tasks ended by each right.
using Counts = std::array<std::size_t, 4>;

class TreeSequence {
 public:
  TreeSequence(std::uint64_t seed, Counts& counts)
      : random_(seed),
        draws_(seed),
        options_(drawn_options()),
        engine_(*Engine::from(options_)),
        reference_(options_),
        counts_(counts) {}

  void live(int events) {
    add_server();
    for (std::uint64_t groups = random_.below(5); groups > 0; --groups) {
      GroupAdded event{.name = "g", .weight = weight(), .parent = group()};
      add_quota(event, 3);
      if (const auto id = applied(event)) groups_.push_back(GroupId{*id});
    }
    while (reference_.users().size() < 4) add_user();
    for (int event = 0; event < events && !testing::Test::HasFatalFailure(); ++event) {
      now_ += Duration(random_.below(4));
      happen();
      decide();
    }
  }

 private:
  EngineOptions drawn_options() {
    static constexpr const char* kDisciplines[] = {"drf", "drf", "drf", "asset", "tsf", "round-robin"};
    EngineOptions options{.resources = {"r0"},
                          .discipline = choice(kDisciplines[random_.below(6)]),
                          .placement = choice("first-fit"),
                          .tie = static_cast<Tie>(random_.below(3)),
                          .oversized = Oversized::wait,
                          .preemption = Preempting{.tasks = static_cast<std::int64_t>(2 + random_.below(20)),
                                                   .per = Duration(1 + random_.below(6))}};
    if (random_.below(2) != 0) options.resources.emplace_back("r1");
    if (options.discipline.name == "drf" && random_.below(4) == 0) {
      options.share_scale = {Quantity(3), Quantity(0)};
      options.share_scale.resize(options.resources.size());
    }
    if (random_.below(6) == 0) options.discipline.options["blocking"] = "freeze";
    return options;
  }

  Amounts amounts(std::int64_t least, std::uint64_t below) {
    Amounts amounts;
    for (std::size_t r = 0; r < options_.resources.size(); ++r)
      amounts.push_back(least + static_cast<std::int64_t>(random_.below(below)));
    return amounts;
  }
  Quantity weight() {
    static constexpr const char* kWeights[] = {"1", "1", "1", "2", "0.5", "0"};
    return *Quantity::parse(kWeights[random_.below(6)]);
  }
  GroupId group() {
    return groups_.empty() || random_.below(4) == 0 ? kCluster : groups_[random_.below(groups_.size())];
  }
  template <class Each>
  void add_quota(Each& event, std::uint64_t one_in) {
    if (random_.below(one_in) == 0) event.guarantee = amounts(0, 6);
    if (random_.below(6) == 0) event.limit = amounts(5, 8);
    if (event.guarantee && random_.below(5) == 0) event.reserved = amounts(0, 2);
  }

  /// Both learn of it; the identifier that it gives, or 0. Nothing when it is refused.
  template <class Each>
  std::optional<std::uint64_t> applied(const Each& event) {
    const auto result = engine_.apply(event, now_);
    std::uint64_t id = 0;
    if constexpr (std::is_same_v<decltype(result), const Check>) {
      if (result) return {};
    } else {
      if (!result) return {};
      if constexpr (std::is_enum_v<std::decay_t<decltype(*result)>>) id = static_cast<std::uint64_t>(*result);
    }
    reference_.apply(Event(event), now_, id);
    return id;
  }

  void add_server() { applied(ServerAdded{.name = "s", .capacity = amounts(4, 9)}); }

  void add_user() {
    UserAdded event{.name = "u", .weight = weight(), .group = group()};
    add_quota(event, 4);
    if (random_.below(8) == 0) event.tier = 1;
    applied(event);
  }

  void submit() {
    if (reference_.users().empty()) return;
    JobSubmitted event{.user = reference_.users()[random_.below(reference_.users().size())].id,
                       .demand = amounts(0, 4),
                       .tasks = 1 + static_cast<std::int64_t>(random_.below(7))};
    event.demand[0] += std::all_of(event.demand.begin(), event.demand.end(), [](auto d) { return d == 0; });
    if (random_.below(3) == 0) event.rank = Rank{.priority = static_cast<std::int64_t>(random_.below(3)) - 1};
    event.may_be_preempted = random_.below(8) != 0;
    if (random_.below(8) == 0) {
      event.gang = 1 + static_cast<std::int64_t>(random_.below(2)) % event.tasks;
    } else if (random_.below(8) == 0) {
      event.per_server = 1 + static_cast<std::int64_t>(random_.below(2));
    }
    applied(event);
  }

  void happen() {
    const std::uint64_t drawn = random_.below(26);
    const auto& users = reference_.users();
    const auto& servers = reference_.servers();
    if (drawn < 9) return submit();
    if (drawn < 14 && !reference_.tasks().empty()) {
      applied(TaskFinished{reference_.tasks()[random_.below(reference_.tasks().size())].id});
    } else if (drawn == 14 && reference_.servers().size() < 3) {
      add_server();
    } else if (drawn == 15 && reference_.servers().size() > 1) {
      applied(ServerFailed{reference_.servers()[random_.below(reference_.servers().size())].id});
    } else if (drawn == 16) {
      UserChanged event{.user = users[random_.below(users.size())].id, .weight = weight()};
      add_quota(event, 3);
      applied(event);
    } else if (drawn == 17 && !groups_.empty()) {
      GroupChanged event{.group = groups_[random_.below(groups_.size())], .weight = weight()};
      add_quota(event, 2);
      applied(event);
    } else if (drawn == 18) {
      applied(UserMoved{.user = users[random_.below(users.size())].id, .group = group()});
    } else if (drawn == 19 && !reference_.jobs().empty()) {
      applied(JobCancelled{reference_.jobs()[random_.below(reference_.jobs().size())].id});
    } else if (drawn == 20 && !groups_.empty()) {
      applied(GroupMoved{.group = groups_[random_.below(groups_.size())], .parent = group()});
    } else if (drawn == 21 && groups_.size() < 6) {
      GroupAdded event{.name = "g", .weight = weight(), .parent = group()};
      add_quota(event, 3);
      if (const auto id = applied(event)) groups_.push_back(GroupId{*id});
    } else if (drawn == 22 && !servers.empty()) {
      applied(ServerHeld{.server = servers[random_.below(servers.size())].id, .amounts = amounts(0, 4)});
    } else if (drawn == 23 && !servers.empty()) {
      applied(ServerChanged{.server = servers[random_.below(servers.size())].id,
                            .capacity = amounts(2, 9),
                            .allow_below_use = true});
    } else if (drawn == 24 && !reference_.jobs().empty() && !servers.empty()) {
      applied(TaskAdopted{.job = reference_.jobs()[random_.below(reference_.jobs().size())].id,
                          .server = servers[random_.below(servers.size())].id,
                          .since = now_});
    } else if (drawn == 25 && users.size() > 3) {
      applied(UserRemoved{users[random_.below(users.size())].id});
    }
  }

  void decide() {
    constexpr int kMost = 1'000;  // far more than there can be tasks
    const bool is_tree = reference_.has_tree();
    for (int steps = 0;; ++steps) {
      ASSERT_LT(steps, kMost) << "a loop";
      const auto before = std::pair(reference_.satisfaction_now(), reference_.standings());
      const std::optional<Placed> placed = engine_.step(now_, draws_);
      if (!placed) return;
      bool any_asked = false, any_unasked = false;
      for (const Preempted& each : placed->preempted) {
        ++counts_[static_cast<std::size_t>(each.right)];
        (each.right == Right::share || each.right == Right::guarantee ? any_asked : any_unasked) = true;
        times_.push_back(now_);
      }
      if (!placed->preempted.empty() && is_tree) {
        const std::optional<std::string> wrong = reference_.wrong_move(*placed);
        ASSERT_FALSE(wrong) << "condition " << *wrong;
      }
      const auto recent = std::count_if(times_.begin(), times_.end(),
                                        [&](Time then) { return now_ - then < options_.preemption->per; });
      ASSERT_LE(recent, options_.preemption->tasks);
      reference_.place(*placed);
      for (const Companion& other : placed->with) reference_.place_companion(placed->job, other);
      if (!is_tree || any_unasked) continue;
      const auto after = std::pair(reference_.satisfaction_now(), reference_.standings());
      ASSERT_LE(before, after) << "satisfaction or the standings fall";
      ASSERT_TRUE(!any_asked || before < after) << "neither satisfaction nor the standings rise";
    }
  }

  Random random_;
  Random draws_;
  EngineOptions options_;
  Engine engine_;
  ReferenceEngine reference_;
  Counts& counts_;
  Time now_{};
  std::vector<GroupId> groups_;
  std::vector<Time> times_;  // of each task that was preempted
};

TEST(ReclaimSequences, EndHoldTheConditionsAndRaiseTheStandings) {
  const std::uint64_t first = reclaim_sequences_asked("MIRAB_SEED", 1);
  const std::uint64_t sequences =
      reclaim_sequences_asked("MIRAB_SEQUENCES", std::getenv("MIRAB_SEED") != nullptr ? 1 : 1'500);
  Counts counts{};
  for (std::uint64_t seed = first; seed < first + sequences; ++seed) {
    TreeSequence(seed, counts).live(30);
    ASSERT_FALSE(HasFatalFailure()) << "replay: MIRAB_SEED=" << seed
                                    << " scheduling_tests --gtest_filter='ReclaimSequences.*'";
  }
  for (std::size_t right = 0; right < counts.size(); ++right) {
    const std::string name(kWords<Right>[right]);
    if (sequences >= 100) {
      EXPECT_GT(counts[right], sequences / 25) << name;
    }
    RecordProperty(name, std::to_string(counts[right]));
  }
}

}  // namespace
}  // namespace mirab::scheduling
