// Kubernetes, "Jobs", parallel execution; "CronJob", schedule suspension.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <mirab/kubernetes/pods.hpp>

#include "kubernetes/objects.hpp"

namespace mirab::kubernetes {
namespace {

using ::testing::HasSubstr;

// How many pods an object runs; 0 when it was left out.
std::string pods_of(const std::string& kind, const std::string& spec, const std::string& status = "") {
  const std::string pod = "template: {spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}";
  const std::string first =
      "kind: Pod\nmetadata: {name: first}\nspec: {containers: [{name: c, resources: {requests: {cpu: "
      "1}}}]}\n---\n";
  const std::string cron = "schedule: '0 3 * * *'\n  ";
  const Result<Pods> pods =
      read_pods(first + "kind: " + kind + "\nmetadata: {name: x}\nspec:\n  " +
                    (kind == "CronJob" ? cron + fmt::format(fmt::runtime(spec), pod) : spec + "\n  " + pod) +
                    "\n" + status,
                Syntax::yaml, "pods.yaml", {.resources = {"cpu"}, .default_request = {}, .node = {}});
  if (!pods) return describe(pods.error());
  return std::to_string(pods->workloads.size() == 1 ? 0 : pods->workloads[1].pods);
}

TEST(PodCount, OfAJobIsItsParallelism) {
  EXPECT_EQ(pods_of("Job", ""), "1");
  EXPECT_EQ(pods_of("Job", "parallelism: 4"), "4");
  EXPECT_EQ(pods_of("Job", "parallelism: 0"), "0");
}

TEST(PodCount, OfAJobIsAtMostItsCompletions) {
  EXPECT_EQ(pods_of("Job", "parallelism: 8\n  completions: 3"), "3");
  EXPECT_EQ(pods_of("Job", "parallelism: 2\n  completions: 3"), "2");
  EXPECT_EQ(pods_of("Job", "completions: 3"), "1");
  EXPECT_EQ(pods_of("Job", "parallelism: 2\n  completions: 1000000"), "2");
  EXPECT_THAT(pods_of("Job", "completions: -1"), HasSubstr(":8: spec.completions: must be a whole number"));
}

TEST(PodCount, OfAJobThatRunsIsAtMostWhatIsLeftToComplete) {
  EXPECT_EQ(pods_of("Job", "parallelism: 8\n  completions: 10", "status: {succeeded: 4, active: 6}"), "6");
  EXPECT_EQ(pods_of("Job", "parallelism: 8", "status: {succeeded: 4}"), "8");
}

TEST(PodCount, OfASuspendedJobIsNone) {
  EXPECT_EQ(pods_of("Job", "parallelism: 4\n  suspend: true"), "0");
  EXPECT_EQ(pods_of("Job", "parallelism: 4\n  suspend: false"), "4");
}

TEST(PodCount, OfACronJobIsThatOfOneOfItsJobs) {
  EXPECT_EQ(pods_of("CronJob", "jobTemplate: {{spec: {{parallelism: 4, completions: 3, {}}}}}"), "3");
  EXPECT_EQ(pods_of("CronJob", "suspend: true\n  jobTemplate: {{spec: {{parallelism: 4, {}}}}}"), "0");
  EXPECT_EQ(pods_of("CronJob", "jobTemplate: {{spec: {{suspend: true, {}}}}}"), "0");
}

TEST(PodCount, OfAJobAtItsEndIsNone) {
  const auto status = [](const std::string& condition) {
    return "status: {conditions: [{type: SuccessCriteriaMet, status: 'True'}, {" + condition + "}]}";
  };
  EXPECT_EQ(pods_of("Job", "", status("type: Complete, status: 'True'")), "0");
  EXPECT_EQ(pods_of("Job", "", status("type: Failed, status: 'True'")), "0");
  EXPECT_EQ(pods_of("Job", "", status("type: Failed, status: 'False'")), "1");
  EXPECT_EQ(pods_of("Deployment", "replicas: 2", status("type: Failed, status: 'True'")), "2");
}

}  // namespace
}  // namespace mirab::kubernetes
