// Random sequences, in search of loops, flips and overdrawn budgets: after every event the engine decides
// until it places nothing more. MIRAB_SEED is the first seed and MIRAB_SEQUENCES how many there are. The keys
// are rational numbers that the test computes from what users are said to use and what it submitted. Those of
// pf are not: its prices are solved for. Of its sequences the test says that they end, that room is used
// first, and that budget and gangs are kept; that its order does not flip engine_model_test says, with the
// reference.
#include <algorithm>
#include <cstdlib>
#include <gmpxx.h>
#include <gtest/gtest.h>
#include <map>

#include "model/exact.hpp"
#include "scheduling/engines.hpp"

namespace mirab::scheduling {
namespace {

std::uint64_t preemption_sequences_asked(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

mpq_class ratio(std::int64_t numerator, std::int64_t denominator) {
  mpq_class ratio(numerator, denominator);
  ratio.canonicalize();
  return ratio;
}

class Sequence {
 public:
  explicit Sequence(std::uint64_t seed)
      : random_(seed), draws_(seed), options_(drawn_options()), engine_(*Engine::from(options_)) {}

  void live(int events) {
    for (int i = 0; i < 3; ++i) add_user();
    add_server();
    for (int i = 0; i < events && !testing::Test::HasFatalFailure(); ++i) {
      now_ += Duration(random_.below(4));
      happen();
      decide();
    }
  }

  std::size_t preempted() const { return times_.size(); }

 private:
  struct Task {
    UserId user;
    JobId job;
    ServerId server;
  };
  struct Job {
    UserId user;
    Amounts demand;
    std::int64_t gang = 1;
  };

  EngineOptions drawn_options() {
    static constexpr const char* kDisciplines[] = {"drf", "asset", "tsf", "round-robin", "pf"};
    EngineOptions options{.resources = {"r0"},
                          .discipline = choice(kDisciplines[random_.below(5)]),
                          .placement = choice(random_.below(2) == 0 ? "first-fit" : "best-fit"),
                          .tie = static_cast<Tie>(random_.below(3)),
                          .oversized = Oversized::wait,
                          .preemption = Preempting{.tasks = static_cast<std::int64_t>(1 + random_.below(12)),
                                                   .per = Duration(1 + random_.below(12))}};
    if (random_.below(3) != 0) options.resources.emplace_back("r1");
    const bool may_be_scaled = options.discipline.name == "drf" || options.discipline.name == "asset";
    if (may_be_scaled && random_.below(3) == 0) {
      options.share_scale = {*Quantity::parse("0.5"), Quantity(random_.below(2) == 0 ? 0 : 3)};
      options.share_scale.resize(options.resources.size());
    }
    if (random_.below(4) == 0) options.discipline.options["blocking"] = "freeze";
    if (random_.below(3) == 0)
      options.reservations = Reserving{.after = Duration(1 + random_.below(20)), .at_most = Duration(10)};
    return options;
  }

  Amounts amounts(std::int64_t least, std::uint64_t below) {
    Amounts amounts;
    for (std::size_t r = 0; r < options_.resources.size(); ++r)
      amounts.push_back(least + static_cast<std::int64_t>(random_.below(below)));
    return amounts;
  }

  void add_user() {
    const Quantity weight = *Quantity::parse(random_.below(2) == 0   ? "1"
                                             : random_.below(2) == 0 ? "3"
                                                                     : "0.7");
    weights_[*engine_.apply(UserAdded{.name = "u", .weight = weight}, now_)] = weight;
  }

  void add_server() {
    const Amounts capacity = amounts(2, 9);
    const std::string name(1, static_cast<char>('a' + random_.below(2)));
    capacities_[*engine_.apply(ServerAdded{.name = name, .capacity = capacity}, now_)] = capacity;
  }

  template <class Rows>
  auto one_of(const Rows& rows) {
    return std::next(rows.begin(), static_cast<std::ptrdiff_t>(random_.below(rows.size())))->first;
  }

  void submit() {
    Job job{.user = one_of(weights_), .demand = amounts(0, 5)};
    if (std::all_of(job.demand.begin(), job.demand.end(), [](std::int64_t units) { return units == 0; }))
      job.demand[0] = 1;
    JobSubmitted event{
        .user = job.user, .demand = job.demand, .tasks = 1 + static_cast<std::int64_t>(random_.below(8))};
    if (random_.below(4) == 0) event.servers = std::vector<std::string>{random_.below(2) == 0 ? "a" : "b"};
    if (random_.below(4) == 0)
      event.gang = job.gang =
          1 + static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(event.tasks)));
    jobs_.emplace(*engine_.apply(event, now_), job);
  }

  void fail(ServerId server) {
    const std::vector<Lost> all = *engine_.apply(ServerFailed{server}, now_);
    for (const Lost& lost : all) tasks_.erase(lost.task);
    capacities_.erase(server);
  }

  void happen() {
    const std::uint64_t drawn = random_.below(20);
    if (drawn < 8 || jobs_.empty()) return submit();
    if (drawn < 14 && !tasks_.empty()) {
      const TaskId task = one_of(tasks_);
      ASSERT_FALSE(engine_.apply(TaskFinished{task}, now_));
      tasks_.erase(task);
    } else if (drawn == 14 && capacities_.size() < 4) {
      add_server();
    } else if (drawn == 15 && capacities_.size() > 1) {
      fail(one_of(capacities_));
    } else if (drawn == 16) {
      const UserId user = one_of(weights_);
      weights_[user] = *Quantity::parse(random_.below(2) == 0 ? "2" : "0.5");
      ASSERT_FALSE(engine_.apply(UserReweighted{.user = user, .weight = weights_[user]}, now_));
    } else if (drawn == 17) {
      const JobId job = one_of(jobs_);
      const auto stopped = engine_.apply(JobCancelled{job}, now_);
      if (stopped) {
        for (const Lost& lost : *stopped) tasks_.erase(lost.task);
      }
      jobs_.erase(job);
    }
  }

  Amounts pool() const {
    Amounts pool(options_.resources.size(), 0);
    for (const auto& [server, capacity] : capacities_)
      for (std::size_t r = 0; r < pool.size(); ++r) pool[r] += capacity[r];
    return pool;
  }

  /// The tasks of this demand that all servers together would run.
  mpq_class alone(const Amounts& demand) const {
    mpq_class alone = 0;
    for (const auto& [server, capacity] : capacities_) {
      std::optional<mpq_class> there;
      for (std::size_t r = 0; r < demand.size(); ++r) {
        if (demand[r] > 0)
          there = std::min(there.value_or(ratio(capacity[r], demand[r])), ratio(capacity[r], demand[r]));
      }
      alone += *there;
    }
    return alone;
  }

  bool has_rational_keys() const { return options_.discipline.name != "pf"; }

  mpq_class scale(std::size_t r) const {
    return options_.share_scale.empty() ? mpq_class(1) : rational(options_.share_scale[r]);
  }

  mpq_class key(UserId user) const {
    const Engine::UserState state = *engine_.user(user);
    const Amounts pool = this->pool();
    mpq_class key = 0;
    if (options_.discipline.name == "round-robin") key = state.running;
    for (std::size_t r = 0; r < pool.size(); ++r) {
      if (options_.discipline.name == "drf")
        key = std::max<mpq_class>(key, scale(r) * ratio(state.used[r], pool[r]));
      if (options_.discipline.name == "asset") key += scale(r) * ratio(state.used[r], pool[r]);
    }
    for (const auto& [id, task] : tasks_) {
      if (options_.discipline.name == "tsf" && task.user == user) key += 1 / alone(jobs_.at(task.job).demand);
    }
    return key / rational(weights_.at(user));
  }

  std::map<UserId, mpq_class> keys() const {
    std::map<UserId, mpq_class> keys;
    for (const auto& [user, weight] : weights_) keys[user] = key(user);
    return keys;
  }

  static std::vector<mpq_class> sorted(const std::map<UserId, mpq_class>& keys) {
    std::vector<mpq_class> sorted;
    for (const auto& [user, key] : keys) sorted.push_back(key);
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }

  /// May a task that fits be kept from its place, by a server that is kept first, or by who is ahead?
  bool closes_servers() const {
    return options_.reservations || options_.discipline.options.contains("blocking");
  }

  bool fits_somewhere() const {
    return std::any_of(jobs_.begin(), jobs_.end(), [&](const auto& job) { return engine_.fits(job.first); });
  }

  void decide() {
    constexpr int kMost = 2'000;  // far more than there can be tasks
    for (int steps = 0;; ++steps) {
      ASSERT_LT(steps, kMost) << "a loop";
      const std::map<UserId, mpq_class> before = has_rational_keys() ? keys() : std::map<UserId, mpq_class>{};
      const std::size_t ran = tasks_.size();
      const bool fitted = fits_somewhere();
      const std::optional<Placed> placed = engine_.step(now_, draws_);
      if (!placed) return;
      lose(*placed);
      tasks_.emplace(placed->task, Task{.user = placed->user, .job = placed->job, .server = placed->server});
      for (const Companion& each : placed->with)
        tasks_.emplace(each.task, Task{.user = placed->user, .job = placed->job, .server = each.server});
      const bool by_force = !placed->preempted.empty();
      ASSERT_TRUE(!by_force || !fitted || closes_servers()) << "there was room";
      for (const UserId victim : victims_) ASSERT_NE(victim, placed->user);
      if (!has_rational_keys()) continue;
      const std::map<UserId, mpq_class> after = keys();
      ASSERT_TRUE(!by_force || before.at(placed->user) < after.at(placed->user));
      for (const UserId victim : victims_)
        ASSERT_GE(after.at(victim), after.at(placed->user)) << "the order flips";
      ASSERT_LT(std::pair(sorted(before), ran), std::pair(sorted(after), tasks_.size()));
    }
  }

  /// The tasks that are preempted: on the server of the placement, each of them needed, within the budget,
  /// and none of a gang that needs it.
  void lose(const Placed& placed) {
    victims_.clear();
    Amounts room = engine_.server(placed.server)->free;  // after the placement
    for (const Preempted& lost : placed.preempted) {
      const Task task = tasks_.at(lost.task);
      ASSERT_EQ(task.server, placed.server);
      ASSERT_EQ(task.job, lost.job);
      const Amounts& demand = jobs_.at(task.job).demand;
      bool needed = false;
      for (std::size_t r = 0; r < room.size(); ++r) needed = needed || room[r] < demand[r];
      ASSERT_TRUE(needed) << "the task would have fitted beside it";
      victims_.push_back(task.user);
      tasks_.erase(lost.task);
      times_.push_back(now_);
    }
    for (const Preempted& lost : placed.preempted) {
      const std::int64_t gang = jobs_.at(lost.job).gang;
      ASSERT_TRUE(gang == 1 || engine_.job(lost.job)->running >= gang) << "too few of a gang go on";
    }
    const auto recent = std::count_if(times_.begin(), times_.end(),
                                      [&](Time then) { return now_ - then < options_.preemption->per; });
    ASSERT_LE(recent, options_.preemption->tasks);
  }

  Random random_;
  Random draws_;
  EngineOptions options_;
  Engine engine_;
  Time now_{};
  std::map<UserId, Quantity> weights_;
  std::map<ServerId, Amounts> capacities_;
  std::map<JobId, Job> jobs_;  // those that are over too
  std::map<TaskId, Task> tasks_;
  std::vector<UserId> victims_;  // of the latest decision
  std::vector<Time> times_;      // of each task that was preempted
};

TEST(PreemptionSequences, NeverLoopNorFlipTheOrderNorOverdrawTheBudget) {
  const std::uint64_t first = preemption_sequences_asked("MIRAB_SEED", 1);
  const std::uint64_t sequences =
      preemption_sequences_asked("MIRAB_SEQUENCES", std::getenv("MIRAB_SEED") != nullptr ? 1 : 2'000);
  std::size_t preempted = 0;
  for (std::uint64_t seed = first; seed < first + sequences; ++seed) {
    Sequence sequence(seed);
    sequence.live(40);
    preempted += sequence.preempted();
    ASSERT_FALSE(HasFatalFailure()) << "replay: MIRAB_SEED=" << seed
                                    << " scheduling_tests --gtest_filter='PreemptionSequences.*'";
  }
  if (sequences >= 100) {
    EXPECT_GT(preempted, sequences);
  }
  RecordProperty("preempted", std::to_string(preempted));
}

}  // namespace
}  // namespace mirab::scheduling
