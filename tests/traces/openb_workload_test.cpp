#include <gmock/gmock.h>

#include <mirab/model/workload_file.hpp>

#include "lab/traces/openb.hpp"
#include "support/files.hpp"

// Weng et al., USENIX ATC 2023: the openb pods over time.
namespace mirab::traces {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string nodes = "sn,cpu_milli,memory_mib,gpu,model\nn,96000,393216,8,G2\n";
const std::string openb_workload_heading =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,"
    "scheduled_time\n";

/// A pod of 1 GPU: created, deleted, scheduled.
std::string pod(const std::string& name, const std::string& times, const std::string& gpus = "1,1000,") {
  return name + ",12000,16384," + gpus + ",LS,Running," + times + "\n";
}

struct OpenbWorkloadRead {
  WorkloadImport import;
  std::string error;
};

OpenbWorkloadRead read_openb(const std::string& pods) {
  const TemporaryFolder folder;
  const std::string node_file = folder.write("nodes.csv", nodes);
  const std::string pod_file = folder.write("pods.csv", openb_workload_heading + pods);
  Random random(1);
  auto import = import_openb_workload(node_file, pod_file, random);
  if (import) return {*std::move(import), ""};
  Error error = import.error();
  if (error.file == pod_file) error.file = "PODS";
  return {{}, describe(error)};
}

TEST(OpenbWorkload, APodIsAJobFromItsCreationThatRunsFromSchedulingToDeletion) {
  const OpenbWorkloadRead result =
      read_openb(pod("p", "5,40,10") + pod("q", "7,90,8", "1,500,") + pod("r", "9,100,9"));
  ASSERT_EQ(result.error, "");
  const Workload& workload = result.import.workload;
  EXPECT_THAT(workload.users, ElementsAre(Submitter{"LS-12-16384-1"}, Submitter{"LS-12-16384-0.5"}));
  ASSERT_EQ(workload.jobs.size(), 3u);
  EXPECT_EQ(workload.jobs[0],
            (Job{.name = "p", .submitted = seconds(5), .user = 0, .request = 0, .runtime = seconds(30)}));
  EXPECT_EQ(workload.jobs[1].user, 1u);
  EXPECT_EQ(workload.jobs[2].user, 0u);
  EXPECT_EQ(workload.span, seconds(100));
  EXPECT_THAT(result.import.notices, IsEmpty());
  EXPECT_TRUE(Problem::from(result.import.cluster));
  EXPECT_TRUE(read_workload_text(write_workload(workload, result.import.provenance), "w"));
}

TEST(OpenbWorkload, APodThatOutlivesTheTraceLivesLongerThanWasSeen) {
  const OpenbWorkloadRead result = read_openb(pod("p", "5,40,10") + pod("q", "7,,8") + pod("r", "9,100,9"));
  ASSERT_EQ(result.error, "");
  ASSERT_EQ(result.import.workload.jobs.size(), 3u);
  const Job& without_deletion = result.import.workload.jobs[1];
  const Job& deleted_last = result.import.workload.jobs[2];
  EXPECT_EQ(without_deletion.known, Runtime::cut);
  EXPECT_GT(without_deletion.runtime, seconds(92));
  EXPECT_EQ(deleted_last.known, Runtime::cut);
  EXPECT_GT(deleted_last.runtime, seconds(91));
}

TEST(OpenbWorkload, NoticesCountWhatIsLeftOut) {
  EXPECT_THAT(read_openb(pod("p", "5,40,10") + pod("q", "7,8,") + pod("r", "9,100,9", "9,1000,") +
                         "s,0,0,0,0,,LS,Running,9,10,9\n" + pod("t", "11,12,12"))
                  .import.notices,
              ElementsAre("left out, pods that were deleted before they were scheduled: 1",
                          "left out, pods that request nothing: 1",
                          "left out, pods that fit on no node of a model that they accept: 1",
                          "taken for 1 s, runtimes of 0 s: 1"));
}

TEST(OpenbWorkload, BrokenListsAreErrorsWithLineAndColumn) {
  EXPECT_EQ(read_openb(pod("p", "5,40,10") + pod("q", "4,40,10")).error,
            "PODS:3: creation_time: \"4\" is before 5, the time that precedes it");
  EXPECT_EQ(read_openb(pod("p", "5,4,10")).error,
            "PODS:2: deletion_time: \"4\" is before 10, the time that precedes it");
  EXPECT_EQ(read_openb(pod("p", "5,40,1")).error,
            "PODS:2: scheduled_time: \"1\" is before 5, the time that precedes it");
  EXPECT_EQ(read_openb(pod("p", ",40,1")).error, "PODS:2: creation_time: \"\" is no time");
  EXPECT_THAT(read_openb(pod("p", "5,40")).error,
              testing::StartsWith("PODS:2: 10 columns instead of the 11 of a list of pods (name,"));
  EXPECT_THAT(read_openb(pod("p", "5,40,10", "-1,1000,")).error, HasSubstr("PODS:2: num_gpu: \"-1\""));
  EXPECT_EQ(read_openb(pod("p", "5,,10")).error,
            "PODS: no pod is scheduled and deleted: nothing tells how long pods run");
}

TEST(OpenbWorkload, ATruncatedGzipIsAnError) {
  const TemporaryFolder folder;
  std::string pods = openb_workload_heading;
  for (int i = 0; i < 500; ++i) pods += pod("p" + std::to_string(i), "5,40,10");
  const std::string whole = read_text(folder.write_gzip("whole", pods));
  const std::string path = folder.write("pods.csv.gz", std::string_view(whole).substr(0, whole.size() / 2));
  Random random(1);
  const auto import = import_openb_workload(folder.write("nodes.csv", nodes), path, random);
  ASSERT_FALSE(import);
  EXPECT_THAT(describe(import.error()), HasSubstr(path + ":"));
  EXPECT_THAT(import.error().message, HasSubstr("truncated"));
}

}  // namespace
}  // namespace mirab::traces
