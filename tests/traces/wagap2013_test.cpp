#include "lab/traces/swf/wagap2013.hpp"

#include <gmock/gmock.h>

#include <mirab/model/workload_file.hpp>

#include "lab/traces/swf/swf.hpp"
#include "support/files.hpp"

// MetaCentrum's wagap-2013: the Standard Workload Format with memory, and what was asked for of nodes.
namespace mirab::traces {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

const std::string log_excerpt = MIRAB_SOURCE_DIR "/tests/traces/data/wagap2013/excerpt.swf";
const std::string machine_list = MIRAB_SOURCE_DIR "/tests/traces/data/wagap2013/machines";

WorkloadImport wagap_excerpt(const SwfOptions& options = {}) {
  auto import = import_wagap2013(log_excerpt, machine_list, options);
  if (import) return *std::move(import);
  ADD_FAILURE() << describe(import.error());
  return {};
}

Job job(const WorkloadImport& import, const std::string& name) {
  for (const Job& each : import.workload.jobs) {
    if (each.name == name) return each;
  }
  ADD_FAILURE() << "no job " << name;
  return {};
}

Request request(const WorkloadImport& import, const std::string& name) {
  return import.workload.requests.at(job(import, name).request);
}

std::string asked_error(const std::string& text) {
  const auto asked = wagap2013::read_asked(text);
  return asked ? "read" : asked.error().message;
}

TEST(Wagap2013, WhatIsAskedForHasNodesCpusAndProperties) {
  const auto asked = wagap2013::read_asked("8:ppn=1.5:x86_64:^zewura12:host=zegox3+zewura19:ppn=12#excl");
  ASSERT_TRUE(asked);
  EXPECT_TRUE(asked->exclusive);
  ASSERT_EQ(asked->parts.size(), 2u);
  EXPECT_EQ(asked->parts[0].nodes, 8);
  EXPECT_EQ(asked->parts[0].cpus, *Quantity::parse("1.5"));
  EXPECT_THAT(asked->parts[0].wanted, ElementsAre("x86_64", "zegox3"));
  EXPECT_THAT(asked->parts[0].rejected, ElementsAre("zewura12"));
  EXPECT_EQ(asked->parts[1].nodes, 1);
  EXPECT_EQ(asked->parts[1].cpus, Quantity(12));
  EXPECT_THAT(asked->parts[1].wanted, ElementsAre("zewura19"));
  EXPECT_EQ(asked_error("0:ppn=1"), "'0' is no number of nodes");
  EXPECT_EQ(asked_error("2x:ppn=1"), "'2x' is no number of nodes");
  EXPECT_EQ(asked_error("1:ppn=-2"), "'-2' is no number of CPUs");
  EXPECT_EQ(asked_error(""), "asks for no node");
}

TEST(Wagap2013, ServersAreTheListOfMachines) {
  const std::vector<Server> servers = wagap_excerpt().cluster.servers;
  ASSERT_EQ(servers.size(), 2u);
  EXPECT_EQ(servers[0].name, "zewura");
  EXPECT_EQ(servers[0].count, 20);
  EXPECT_EQ(servers[0].capacity, (ResourceVector{Quantity(80), Quantity(std::int64_t{529'426'432} * 1024)}));
  EXPECT_THAT(servers[1].labels, ElementsAre(Pair("cluster", "zegox"), Pair("cpus", "12")));
}

// Job 6 of the log: 8:ppn=8:x86_64:cl_zegox, 8 GiB a node.
TEST(Wagap2013, AJobIsAGangOfNodes) {
  const WorkloadImport import = wagap_excerpt();
  const Job eight = job(import, "6");
  EXPECT_EQ(eight.tasks, 8);
  EXPECT_EQ(eight.gang, 8);
  EXPECT_EQ(eight.submitted, seconds(1357016559 - 1356996147));
  EXPECT_EQ(eight.runtime, seconds(33765));
  EXPECT_EQ(eight.known, Runtime::measured);
  EXPECT_EQ(import.workload.users.at(eight.user).name, "u-62");
  EXPECT_EQ(request(import, "6").demand, (ResourceVector{Quantity(8), *Quantity::parse("8Gi")}));
}

TEST(Wagap2013, ClustersThatAreWantedOrRejectedBecomeSelections) {
  const WorkloadImport import = wagap_excerpt();
  const auto zegox = ElementsAre(Pair("cluster", ElementsAre("zegox")));
  const auto zewura = ElementsAre(Pair("cluster", ElementsAre("zewura")));
  EXPECT_THAT(request(import, "6").select, zegox) << "cl_zegox";
  EXPECT_THAT(request(import, "465").select, zegox) << "^cl_zewura";
  EXPECT_THAT(request(import, "415").select, zewura) << "cl_zewura";
  EXPECT_THAT(request(import, "2155").select, zegox) << "zegox20.cerit-sc.cz";
  EXPECT_THAT(request(import, "3466").select, zewura) << "host=zewura10.cerit-sc.cz";
  EXPECT_THAT(request(import, "338").select, ElementsAre(Pair("cpus", ElementsAre("80")))) << "nodecpus80";
  EXPECT_THAT(request(import, "1").select, IsEmpty());
}

// Counted by hand in data/wagap2013/excerpt.swf.
TEST(Wagap2013, NoticesCountWhatIsNotKept) {
  EXPECT_THAT(wagap_excerpt().notices,
              ElementsAre("left out, jobs that never ran or whose end is unknown: 1",
                          "made several jobs, jobs that ask for unlike nodes: 1",
                          "not kept, wishes to have nodes alone (#excl): 1",
                          "not kept, properties that the list of machines does not tell: 18",
                          "not kept, hosts rejected by name: 9",
                          "widened to their cluster, hosts wanted by name: 7"));
}

TEST(Wagap2013, WhatIsImportedCanBeWrittenAndRead) {
  const WorkloadImport import = wagap_excerpt({.days = 7});
  EXPECT_EQ(import.workload.jobs.size(), 13u);
  const std::string text = write_workload(import.workload, import.provenance);
  const Result<Workload> again = read_workload_text(text, "w");
  ASSERT_TRUE(again) << describe(again.error());
  EXPECT_EQ(again->jobs, import.workload.jobs);
  EXPECT_TRUE(Problem::from(import.cluster));
  EXPECT_THAT(text, HasSubstr("MetaCentrum"));
  EXPECT_THAT(text, HasSubstr("within the first 7 days"));
}

TEST(Wagap2013, BrokenFilesAreErrorsWithLineAndField) {
  const TemporaryFolder folder;
  const auto error = [&](const std::string& log, const std::string& machines) {
    const auto import = import_wagap2013(
        folder.write("log", log), machines.empty() ? machine_list : folder.write("machines", machines));
    if (import) return std::string();
    Error said = import.error();
    said.file = said.file == folder.path("log") ? "LOG" : "MACHINES";
    return describe(said);
  };
  const std::string begin = "0 100 0 60 1 1 1024 1 60 ";
  const std::string end = " 1 62 1 1 -1 1 1 1 {1} q ";
  EXPECT_EQ(error(begin + "1024" + end + "1:ppn=x\n", ""),
            "LOG:1: field 21: \"1:ppn=x\" 'x' is no number of CPUs");
  EXPECT_EQ(error(begin + "-5" + end + "1:ppn=1\n", ""),
            "LOG:1: requested memory: \"-5\" is negative; only -1 may be, for what is unknown");
  EXPECT_EQ(error(begin + "1024 1 62\n", ""), "LOG:1: 12 fields instead of the 21 of the log wagap-2013");
  EXPECT_EQ(error(begin + "1024" + end + "1:ppn=1:cl_nowhere\n", ""),
            "LOG: no job of the log fits on its servers");
  EXPECT_EQ(error(begin, "0\tzewura\t20\t80\n"),
            "MACHINES:1: 4 columns instead of the 6 of a list of machines, with tabs between them");
  EXPECT_EQ(error(begin, "0\tzewura\t-2\t80\t1\t9\n"), "MACHINES:1: \"-2\" is no number of machines");
  EXPECT_EQ(error(begin, "0\tzewura\t2\t80\t1\t-9\n"), "MACHINES:1: \"-9Ki\" is no capacity");
}

TEST(Wagap2013, AMachineNamedTwiceOrWithAControlCharacterIsRefused) {
  const TemporaryFolder folder;
  const auto error = [&](const std::string& machines) {
    const auto import = import_wagap2013(log_excerpt, folder.write("machines", machines), {});
    return import ? "read" : describe(import.error());
  };
  EXPECT_THAT(error("1\tzegox\t48\t12\t1\t94035968\n2\tzegox\t48\t12\t1\t94035968\n"),
              HasSubstr("machines:2: \"zegox\" is named twice, first in line 1"));
  EXPECT_THAT(error("1\tze\x1Bgox\t48\t12\t1\t94035968\n"),
              HasSubstr("machines:1: the name must be UTF-8 text"));
}

}  // namespace
}  // namespace mirab::traces
