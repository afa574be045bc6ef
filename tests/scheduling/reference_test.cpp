// The whole filling once more, as slowly and as plainly as its definition: every amount a rational, every
// user and every server looked at before each step. At each step it says which users and servers the
// definition allows; the filling must have taken one of them, and must have stopped when there was none.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gmpxx.h>
#include <gtest/gtest.h>
#include <set>

#include "model/exact.hpp"
#include "random_cases.hpp"
#include "scheduling/clusters.hpp"

namespace mirab::scheduling {
namespace {

constexpr std::uint64_t kProblems = random_cases(1000);
constexpr double kReferenceRounding = 1e-12;

using Vector = std::vector<mpq_class>;

Vector rational(const ResourceVector& amounts) {
  Vector values;
  for (const Quantity& quantity : amounts) values.push_back(rational(quantity));
  return values;
}

struct Machine {
  std::size_t entry;
  std::int64_t instance;
  Vector free;
};

class Reference {
 public:
  explicit Reference(const Problem& problem) : problem_(problem), pool_(problem.resource_count()) {
    for (std::size_t i = 0; i < problem.server_count(); ++i) {
      const Server& server = problem.servers()[i];
      for (std::int64_t k = 0; k < server.count; ++k) {
        machines_.push_back({.entry = i, .instance = k, .free = rational(server.capacity)});
        for (std::size_t r = 0; r < pool_.size(); ++r) pool_[r] += machines_.back().free[r];
      }
    }
    for (const User& user : problem.users()) {
      left_.push_back(user.tasks ? std::floor(user.tasks->value()) : 1e9);
      tasks_.push_back(0);
      dominant_.emplace_back(0);
      asset_.emplace_back(0);
      task_share_.emplace_back(0);
      used_.emplace_back();
    }
    for (std::size_t n = 0; n < left_.size(); ++n) waits_.push_back(waits(n));
  }

  const std::vector<Machine>& machines() const { return machines_; }
  bool has_tasks(std::size_t n) const { return left_[n] > 0; }
  const mpq_class& dominant(std::size_t n) const { return dominant_[n]; }
  double tasks(std::size_t n) const { return static_cast<double>(tasks_[n]); }

  Vector demand(std::size_t n, const Machine& machine) const {
    const User& user = problem_.users()[n];
    const auto other = user.demand_on.find(problem_.servers()[machine.entry].name);
    return rational(other == user.demand_on.end() ? user.demand : other->second);
  }

  // For a server that has some of all that it demands there.
  bool waits(std::size_t n) const {
    return std::none_of(machines_.begin(), machines_.end(), [&](const Machine& machine) {
      const Vector demand = this->demand(n, machine);
      bool has_some = allowed(n, machine.entry);
      for (std::size_t r = 0; r < demand.size(); ++r)
        has_some = has_some && (demand[r] == 0 || machine.free[r] > 0);
      return has_some;
    });
  }

  std::set<std::size_t> fitting(std::size_t n) const {
    std::set<std::size_t> fitting;
    for (std::size_t k = 0; k < machines_.size(); ++k) {
      const Vector demand = this->demand(n, machines_[k]);
      bool fits = allowed(n, machines_[k].entry);
      for (std::size_t r = 0; r < demand.size(); ++r) fits = fits && demand[r] <= machines_[k].free[r];
      if (fits) fitting.insert(k);
    }
    return fitting;
  }

  bool can_be_placed(std::size_t n) const { return has_tasks(n) && !fitting(n).empty(); }

  mpq_class key(const std::string& discipline, std::size_t n) const {
    if (discipline == "fifo") return n;
    if (discipline == "round-robin") return tasks_[n] / rational(problem_.users()[n].weight);
    if (discipline == "tsf") return task_share_[n];
    return discipline == "drf" ? dominant_[n] : asset_[n];
  }

  std::set<std::size_t> lowest(const std::string& discipline, Tie tie, bool only_placeable) const {
    std::set<std::size_t> lowest;
    for (std::size_t n = 0; n < left_.size(); ++n) {
      if (only_placeable ? !can_be_placed(n) : !has_tasks(n) || waits_[n]) continue;
      if (!lowest.empty() && key(discipline, n) < key(discipline, *lowest.begin())) lowest.clear();
      if (lowest.empty() || key(discipline, n) == key(discipline, *lowest.begin())) lowest.insert(n);
    }
    if (lowest.empty() || tie == Tie::random) return lowest;
    return {tie == Tie::first ? *lowest.begin() : *lowest.rbegin()};
  }

  std::set<std::size_t> choices(const std::string& placement, std::size_t n) const {
    const std::set<std::size_t> fitting = this->fitting(n);
    if (placement == "random") return fitting;
    if (placement == "first-fit") return {*fitting.begin()};
    if (placement == "next-fit") {
      const auto next = fitting.lower_bound(last_used_);
      return {next == fitting.end() ? *fitting.begin() : *next};
    }
    if (placement == "worst-fit") return worst(n, fitting);
    return best(n, fitting, placement == "best-fit:published=true");
  }

  bool is_wrong(std::size_t n) const {
    for (std::size_t k = 0; k < left_.size(); ++k) {
      if (can_be_placed(k) && dominant_[k] < dominant_[n]) return true;
    }
    return false;
  }

  void place(std::size_t n, std::size_t k) {
    const Vector demand = this->demand(n, machines_[k]);
    const mpq_class weight = rational(problem_.users()[n].weight);
    used_[n].resize(demand.size());
    for (std::size_t r = 0; r < demand.size(); ++r) {
      machines_[k].free[r] -= demand[r];
      if (demand[r] == 0) continue;
      used_[n][r] += demand[r];
      dominant_[n] = std::max<mpq_class>(dominant_[n], used_[n][r] / pool_[r] / weight);
      asset_[n] += demand[r] / pool_[r] / weight;
    }
    task_share_[n] += 1 / tasks_alone(n) / weight;
    tasks_[n] += 1;
    left_[n] -= 1;
    last_used_ = k;
  }

 private:
  bool allowed(std::size_t n, std::size_t i) const {
    const User& user = problem_.users()[n];
    const Server& server = problem_.servers()[i];
    if (user.servers && std::count(user.servers->begin(), user.servers->end(), server.name) == 0)
      return false;
    for (const auto& [label, wanted] : user.select) {
      if (!holds(wanted, server.labels.at(label))) return false;
    }
    return true;
  }

  /// u_n: as if all servers were eligible and empty.
  mpq_class tasks_alone(std::size_t n) const {
    mpq_class alone = 0;
    for (const Machine& machine : machines_) {
      const Vector demand = this->demand(n, machine);
      const Vector capacity = rational(problem_.servers()[machine.entry].capacity);
      mpq_class tasks = -1;
      for (std::size_t r = 0; r < demand.size(); ++r) {
        if (demand[r] > 0 && (tasks < 0 || capacity[r] / demand[r] < tasks)) tasks = capacity[r] / demand[r];
      }
      alone += tasks;
    }
    return alone;
  }

  std::set<std::size_t> worst(std::size_t n, const std::set<std::size_t>& fitting) const {
    std::size_t best = *fitting.begin();
    mpq_class most = 0;
    for (const std::size_t k : fitting) {
      const Vector demand = this->demand(n, machines_[k]);
      mpq_class tasks = -1;
      for (std::size_t r = 0; r < demand.size(); ++r) {
        if (demand[r] == 0) continue;
        const mpq_class ratio = machines_[k].free[r] / demand[r];
        if (tasks < 0 || ratio < tasks) tasks = ratio;
      }
      if (tasks > most) {
        most = tasks;
        best = k;
      }
    }
    return {best};
  }

  /// H, with ∞ where it divides by zero.
  double h(std::size_t n, const Machine& machine, bool published) const {
    const Vector demand = this->demand(n, machine);
    mpq_class task_scale = 0;
    mpq_class free_scale = 0;
    for (std::size_t r = 0; r < demand.size(); ++r) {
      if (pool_[r] == 0 || (published && r > 0)) continue;
      task_scale += demand[r] / pool_[r];
      free_scale += machine.free[r] / pool_[r];
    }
    if (task_scale == 0 || free_scale == 0) return INFINITY;
    mpq_class distance = 0;
    for (std::size_t r = 0; r < demand.size(); ++r) {
      if (pool_[r] == 0) continue;
      distance += abs(demand[r] / pool_[r] / task_scale - machine.free[r] / pool_[r] / free_scale);
    }
    return distance.get_d();
  }

  /// H is computed in doubles, so all whose H is the smallest but for rounding are allowed; of equal ones the
  /// first.
  std::set<std::size_t> best(std::size_t n, const std::set<std::size_t>& fitting, bool published) const {
    double least = INFINITY;
    for (const std::size_t k : fitting) least = std::min(least, h(n, machines_[k], published));
    if (least == INFINITY) return {*fitting.begin()};
    std::set<std::size_t> nearly_least;
    std::set<std::pair<std::size_t, Vector>> seen;
    for (const std::size_t k : fitting) {
      const bool is_new = seen.emplace(machines_[k].entry, machines_[k].free).second;
      if (is_new && h(n, machines_[k], published) <= least + kReferenceRounding) nearly_least.insert(k);
    }
    return nearly_least;
  }

  const Problem& problem_;
  Vector pool_;
  std::vector<Machine> machines_;
  std::vector<double> left_;
  std::vector<long> tasks_;
  Vector dominant_;
  Vector asset_;
  Vector task_share_;
  std::vector<Vector> used_;
  std::vector<bool> waits_;
  std::size_t last_used_ = 0;
};

std::size_t machine_of(const Reference& reference, const FillStep& step) {
  const auto found =
      std::find_if(reference.machines().begin(), reference.machines().end(), [&](const Machine& machine) {
        return machine.entry == step.server && machine.instance == step.instance;
      });
  return static_cast<std::size_t>(found - reference.machines().begin());
}

void follow(const Problem& problem, const Filling& filling, bool freeze) {
  const std::string name = filling.discipline.substr(0, filling.discipline.find(':'));
  const mirab::Outcome outcome = filled(problem, filling);
  Reference reference(problem);
  std::int64_t errors = 0;

  for (const FillStep& step : outcome.filling->steps) {
    ASSERT_TRUE(reference.lowest(name, filling.tie, !freeze).contains(step.user));
    const std::size_t machine = machine_of(reference, step);
    ASSERT_TRUE(reference.fitting(step.user).contains(machine));
    ASSERT_TRUE(reference.choices(filling.placement, step.user).contains(machine));
    if (reference.is_wrong(step.user)) ++errors;
    reference.place(step.user, machine);
    ASSERT_NEAR(step.share, reference.dominant(step.user).get_d(), kReferenceRounding);
  }

  const std::set<std::size_t> next = reference.lowest(name, filling.tie, !freeze);
  const bool may_end = next.empty() || (freeze && std::any_of(next.begin(), next.end(), [&](std::size_t n) {
                                          return reference.fitting(n).empty();
                                        }));
  EXPECT_TRUE(may_end);
  EXPECT_EQ(outcome.filling->errors, errors);
  EXPECT_EQ(outcome.filling->placed, static_cast<std::int64_t>(outcome.filling->steps.size()));
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    EXPECT_EQ(outcome.allocation.tasks[n], reference.tasks(n));
    const Unplaced reason = !reference.has_tasks(n)        ? Unplaced::nothing
                            : reference.fitting(n).empty() ? Unplaced::no_room
                                                           : Unplaced::blocked;
    EXPECT_EQ(outcome.filling->unplaced[n], reason);
  }
}

class FillReference : public testing::TestWithParam<std::tuple<const char*, const char*, Tie>> {};

TEST_P(FillReference, EveryStepIsOneThatTheDefinitionAllows) {
  const auto& [discipline, placement, tie] = GetParam();
  for (std::uint64_t seed = 1; seed <= kProblems; ++seed) {
    const bool freeze = seed % 4 == 0;
    SCOPED_TRACE(fmt::format("replay: seed {}", seed));
    Random random(seed);
    const Problem problem = random_problem(random);
    follow(problem,
           {.discipline = fmt::format("{}:blocking={}", discipline, freeze ? "freeze" : "skip"),
            .placement = placement,
            .tie = tie,
            .seed = seed},
           freeze);
    if (HasFailure()) return;
  }
}

std::string case_name(const testing::TestParamInfo<FillReference::ParamType>& info) {
  static constexpr const char* kTies[] = {"First", "Last", "Random"};
  std::string name = fmt::format("{}_{}_Tie{}", std::get<0>(info.param), std::get<1>(info.param),
                                 kTies[static_cast<int>(std::get<2>(info.param))]);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == ':' || c == '='; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, FillReference,
                         testing::Combine(testing::Values("fifo", "round-robin", "drf", "asset", "tsf"),
                                          testing::Values("first-fit", "best-fit", "best-fit:published=true",
                                                          "worst-fit", "next-fit", "random"),
                                          testing::Values(Tie::first, Tie::last, Tie::random)),
                         case_name);

}  // namespace
}  // namespace mirab::scheduling
