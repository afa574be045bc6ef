// The engine fills as the plain filling does, step by step.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "scheduling/clusters.hpp"
#include "scheduling/plain/fill.hpp"

namespace mirab::scheduling {
namespace {

constexpr std::uint64_t kProblems = 1000;

/// What both understand alike: the plain filling adds up dominant shares server by server, and knows no
/// weights in round-robin.
bool is_plain(const Problem& problem, const std::string& discipline) {
  for (const User& user : problem.users()) {
    if (!user.demand_on.empty()) return false;
    if (discipline == "round-robin" && user.weight != Quantity{1}) return false;
  }
  return true;
}

void expect_equal(const FillOutcome& plain, const FillOutcome& outcome) {
  EXPECT_EQ(plain.allocation.tasks, outcome.allocation.tasks);
  EXPECT_EQ(plain.errors, outcome.errors);
  EXPECT_EQ(plain.unplaced, outcome.unplaced);
  EXPECT_EQ(plain.notices, outcome.notices);
  ASSERT_EQ(plain.steps.size(), outcome.steps.size());
  for (std::size_t k = 0; k < plain.steps.size(); ++k) {
    ASSERT_EQ(plain.steps[k].user, outcome.steps[k].user) << "step " << k;
    ASSERT_EQ(plain.steps[k].server, outcome.steps[k].server) << "step " << k;
    ASSERT_EQ(plain.steps[k].instance, outcome.steps[k].instance) << "step " << k;
    ASSERT_EQ(plain.steps[k].share, outcome.steps[k].share) << "step " << k;
  }
}

class PlainFill : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(PlainFill, TakesTheSameSteps) {
  const auto& [discipline, placement] = GetParam();
  int filled = 0;
  for (std::uint64_t seed = 1; filled < 4 * static_cast<int>(kProblems) && seed <= 4 * kProblems; ++seed) {
    Random drawn(seed);
    const Problem problem = random_problem(drawn);
    if (!is_plain(problem, discipline)) continue;
    for (const Tie tie : {Tie::first, Tie::last}) {
      for (const char* blocking : {"skip", "freeze"}) {
        SCOPED_TRACE(
            fmt::format("replay: seed {}, blocking={}, tie {}", seed, blocking, static_cast<int>(tie)));
        const FillOptions options =
            scheduling::options({fmt::format("{}:blocking={}", discipline, blocking), placement, tie});
        Random plain_random(seed), random(seed);
        expect_equal(*plain::fill(problem, options, plain_random), *fill(problem, options, random));
        if (HasFailure()) return;
        ++filled;
      }
    }
  }
  EXPECT_GE(filled, static_cast<int>(kProblems));
}

std::string case_name(const testing::TestParamInfo<PlainFill::ParamType>& info) {
  std::string name = fmt::format("{}_{}", std::get<0>(info.param), std::get<1>(info.param));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, PlainFill,
                         testing::Combine(testing::Values("fifo", "round-robin", "drf", "asset", "mlf-drs",
                                                          "mrfs"),
                                          testing::Values("first-fit", "best-fit", "best-fit:published=true",
                                                          "worst-fit", "next-fit", "random")),
                         case_name);

}  // namespace
}  // namespace mirab::scheduling
