// What Slurm's commands print.
#include "slurm/records.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace mirab::slurm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<Record> records(std::string_view text) {
  Result<std::vector<Record>> read = read_records(text, "out.txt");
  EXPECT_TRUE(read) << (read ? "" : describe(read.error()));
  return read ? *std::move(read) : std::vector<Record>{};
}

std::string refusal(std::string_view text) {
  const Result<std::vector<Record>> read = read_records(text, "out.txt");
  return read ? "read" : describe(read.error());
}

TEST(SlurmRecords, OfScontrolAreReadOnOneLineOrSeveral) {
  for (const std::string_view text :
       {"NodeName=n1 CPUTot=4 OS=Linux 6.1 #1 SMP Reason=disk full [root@now]\nNodeName=n2 CPUTot=8\n",
        "NodeName=n1 CPUTot=4\n   OS=Linux 6.1 #1 SMP\n   Reason=disk full [root@now]\n\nNodeName=n2\n  "
        "CPUTot=8\n"}) {
    const std::vector<Record> read = records(text);
    ASSERT_EQ(read.size(), 2u);
    EXPECT_EQ(read[0].value({"cputot"}), "4");
    EXPECT_EQ(read[0].value({"os"}), "Linux 6.1 #1 SMP");
    EXPECT_EQ(read[0].value({"reason"}), "disk full [root@now]");
    EXPECT_EQ(read[1].value({"nothing", "cputot"}), "8");
  }
}

TEST(SlurmRecords, WhatPeopleWriteIsNoField) {
  const std::vector<Record> read = records(
      "JobId=1 JobName=x NumNodes=70 UserId=ann(1) JobState=PENDING Reason=held NumNodes=80 "
      "Dependency=(null) "
      "NumNodes=2 Command=run.sh NumNodes=90 Partition=evil TresPerNode=gres:gpu:8 WorkDir=/a "
      "Comment=x Account=evil StdOut=/b TresPerNode=gres:gpu:2\n"
      "NodeName=n1 CPUTot=4 State=DOWN Reason=bad Gres=gpu:8 [root@now]\n");
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].value({"numnodes"}), "2");
  EXPECT_EQ(read[0].value({"userid"}), "ann(1)");
  EXPECT_EQ(read[0].value({"partition", "account"}), "");
  EXPECT_EQ(read[0].value({"trespernode"}), "gres:gpu:2") << "the last that stands after a free text";
  EXPECT_EQ(read[1].value({"gres"}), "");
  const std::vector<Record> lines = records(
      "JobId=1 JobName=x NumNodes=70\n   NumNodes=2\n   Command=run.sh TresPerNode=gres:gpu:8 "
      "NumNodes=90\n   Partition=p\n");
  EXPECT_EQ(lines[0].value({"numnodes"}), "2");
  EXPECT_EQ(lines[0].value({"partition"}), "p");
  EXPECT_EQ(records("JobId=1 A=1 A=2\n")[0].value({"a"}), "1");
}

TEST(SlurmRecords, OfTablesHaveTheColumnsOfTheHead) {
  const std::vector<Record> read = records("JobID|User|ReqTRES\n1|ann|cpu=4\n\n2|| \n");
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].value({"reqtres"}), "cpu=4");
  EXPECT_EQ(read[1].value({"user"}), "");
  EXPECT_EQ(read[1].line, 4);
}

TEST(SlurmRecords, NameTheLineOfWhatIsWrong) {
  EXPECT_EQ(refusal(""), "out.txt: the file is empty");
  EXPECT_THAT(refusal("JOBID PARTITION NAME\n1 a b\n"), HasSubstr("out.txt:1: is neither what `scontrol"));
  EXPECT_EQ(refusal("a|b\n1|2\n1\n"), "out.txt:3: 1 columns, and the head has 2");
  EXPECT_EQ(refusal("a|A\n"), "out.txt:1: a second column 'a'");
}

TEST(SlurmRecords, HostListsAreExpanded) {
  const auto hosts = [](std::string_view list) { return *expand_hosts(list); };
  EXPECT_THAT(hosts("n[1-3,07],login"), ElementsAre("n1", "n2", "n3", "n07", "login"));
  EXPECT_THAT(hosts("r[1-2]n[08-10]"), ElementsAre("r1n08", "r1n09", "r1n10", "r2n08", "r2n09", "r2n10"));
  EXPECT_THAT(hosts(""), ElementsAre());
  for (const std::string_view wrong : {"n[1-", "n[a]", "n[3-1]", "n[1-999999999]", "n[1-9999][1-9999]"})
    EXPECT_FALSE(expand_hosts(wrong)) << wrong;
}

TEST(SlurmRecords, ArrayJobsCountTheirTasks) {
  EXPECT_EQ(*array_tasks("12"), 1);
  EXPECT_EQ(*array_tasks("12_7"), 1);
  EXPECT_EQ(*array_tasks("12_[1-100%5]"), 100);
  EXPECT_EQ(*array_tasks("12_[1-9:2,20]"), 6);
  EXPECT_FALSE(array_tasks("12_[1,2,..."));
  EXPECT_FALSE(array_tasks("12_[x]"));
}

std::string amounts_text(const Result<std::map<std::string, Quantity>>& amounts) {
  if (!amounts) return amounts.error().message;
  std::string text;
  for (const auto& [name, amount] : *amounts) text += fmt::format("{}={} ", name, amount.text());
  return text;
}

TEST(SlurmRecords, AmountsCountInStepsOf1024) {
  EXPECT_EQ(amounts_text(read_tres("cpu=64,mem=2.50G,node=2,billing=64,gres/gpu=4,gres/gpu:a100=4")),
            "billing=64 cpu=64 gres/gpu=4 gres/gpu:a100=4 mem=2684354560 node=2 ");
  EXPECT_EQ(amounts_text(read_tres("mem=1")), "mem=1048576 ");
  EXPECT_EQ(amounts_text(read_tres("cpu")), "'cpu' is not of the form cpu=4");
  EXPECT_EQ(amounts_text(read_tres("cpu=-3")), "'-3' is not an amount");
  EXPECT_EQ(amounts_text(read_tres("mem=99999999P")), "is more than 2^63 - 1");
}

TEST(SlurmRecords, GenericResourcesAreSummedWithTheirTypes) {
  EXPECT_EQ(amounts_text(read_gres("gpu:a100:4(S:0-1),gpu:v100:2(S:0),nvme")),
            "gres/gpu=6 gres/gpu:a100=4 gres/gpu:v100=2 gres/nvme=1 ");
  EXPECT_EQ(amounts_text(read_gres("gres/gpu:2")), "gres/gpu=2 ");
  EXPECT_EQ(amounts_text(read_gres("gres/gpu:a100=2")), "gres/gpu=2 gres/gpu:a100=2 ");
  EXPECT_EQ(amounts_text(read_gres("")), "");
  EXPECT_EQ(amounts_text(read_gres(":4")), "':4' is not of the form gpu:a100:4");
}

}  // namespace
}  // namespace mirab::slurm
