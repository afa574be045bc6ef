#include <gmock/gmock.h>
#include <set>
#include <string>

#include "lab/experiments/experiment.hpp"

namespace mirab::experiments {
namespace {

using ::testing::MatchesRegex;

TEST(ExperimentsTable, EveryExperimentHasANameOfItsOwn) {
  std::set<std::string_view> seen;
  for (const Experiment& experiment : experiments()) {
    EXPECT_TRUE(seen.insert(experiment.id).second) << experiment.id;
    EXPECT_THAT(std::string(experiment.id), MatchesRegex("[a-z0-9][a-z0-9.-]*"));
  }
}

TEST(ExperimentsTable, EveryRowIsWholeAndSaysWhichDataItTakes) {
  for (const Experiment& experiment : experiments()) {
    EXPECT_FALSE(experiment.paper.empty()) << experiment.id;
    EXPECT_FALSE(experiment.title.empty() || experiment.title.ends_with('.')) << experiment.id;
    EXPECT_TRUE(experiment.data == kAsPublished || experiment.data.starts_with("stand-in: "))
        << experiment.id;
    EXPECT_NE(experiment.run, nullptr) << experiment.id;
  }
}

}  // namespace
}  // namespace mirab::experiments
