// Bad input ends with status 2, a message that names file, line and key, and nothing on standard output.

#include <gmock/gmock.h>
#include <string>

#include "cli/shell.hpp"

namespace mirab {
namespace {

using test::Ran;
using test::shell;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

struct BadFile {
  std::string name;
  std::string text;
  std::string place;    ///< `line: key:` as the message has them
  std::string message;  ///< a part of the message
};

std::ostream& operator<<(std::ostream& stream, const BadFile& file) { return stream << file.name; }

const std::string kServers = "resources: [cpu]\nservers:\n  - {name: s, capacity: {cpu: 4}}\nusers:\n";

const std::vector<BadFile> kBadFiles = {
    {"UnknownKey", kServers + "  - {name: a, demnd: {cpu: 1}}\n",
     "5: users[0].demnd: ", "did you mean demand?"},
    {"NegativeCapacity",
     "resources: [cpu]\nservers:\n  - name: s\n    capacity: {cpu: -4}\nusers:\n  - {name: a, demand: {cpu: "
     "1}}\n",
     "4: servers[0].capacity.cpu: ", "'-4' is negative"},
    {"NotANumber", kServers + "  - {name: a, demand: {cpu: .nan}}\n", "5: users[0].demand.cpu: ", "finite"},
    {"Infinite", kServers + "  - {name: a, demand: {cpu: .inf}}\n", "5: users[0].demand.cpu: ", "finite"},
    {"DuplicateName", kServers + "  - {name: a, demand: {cpu: 1}}\n  - {name: a, demand: {cpu: 1}}\n",
     "6: users[1].name: ", "duplicate"},
    {"UserWithoutDemand", kServers + "  - {name: a}\n", "5: users[0].demand: ", "missing"},
    {"UserWhoDemandsNothing", kServers + "  - {name: a, demand: {cpu: 0}}\n",
     "5: users[0].demand: ", "demands nothing"},
    {"UserThatFitsNowhere",
     "resources: [cpu, gpu]\nservers:\n  - {name: s, capacity: {cpu: 4}}\nusers:\n  - {name: a, demand: "
     "{gpu: 1}}\n",
     "5: users[0].demand: ", "fits nowhere"},
    {"UnknownResource", kServers + "  - {name: a, demand: {disk: 1}}\n",
     "5: users[0].demand.disk: ", "unknown resource"},
    {"ConstraintThatLeavesNoServerWithTheGpu",
     "resources: [cpu, gpu]\nservers:\n  - {name: s, capacity: {cpu: 4}}\n  - {name: t, capacity: {cpu: 4, "
     "gpu: "
     "2}}\nusers:\n  - {name: a, demand: {gpu: 1}, servers: [s]}\n",
     "6: users[0].demand: ", "fits on none of the 2 servers: `servers` excludes 1, 1 without any gpu"},
    {"ServersAndSelectThatContradict",
     "resources: [cpu]\nservers:\n  - {name: s, capacity: {cpu: 4}, labels: {zone: a}}\n  - {name: t, "
     "capacity: "
     "{cpu: 4}, labels: {zone: b}}\nusers:\n  - name: a\n    demand: {cpu: 1}\n    servers: [s]\n    select: "
     "{zone: b}\n",
     "9: users[0].select: ", "`servers` excludes 1, `select` excludes 1"},
    {"DemandedResourceWithoutCapacityOnEveryEligibleServer",
     "resources: [cpu, gpu]\nservers:\n  - {name: s, capacity: {cpu: 4, gpu: 0}, labels: {zone: a}}\n  - "
     "{name: t, "
     "capacity: {cpu: 4, gpu: 2}, labels: {zone: b}}\nusers:\n  - {name: a, demand: {gpu: 1}, select: {zone: "
     "a}}\n",
     "6: users[0].demand: ", "`select` excludes 1, 1 without any gpu"},
    {"EmptyFile", "", "1: ", "empty"},
    {"QuantityThatOverflows", kServers + "  - {name: a, demand: {cpu: 9e99}}\n",
     "5: users[0].demand.cpu: ", "overflows"},
};

class ABadFile : public ::testing::TestWithParam<BadFile> {};

TEST_P(ABadFile, IsRefusedByEveryCommandWithFileLineAndKey) {
  const TemporaryFolder folder;
  const std::string file = folder.write("cluster.yaml", GetParam().text);
  for (const std::string command :
       {"allocate -m drf", "explain -m drf", "diff -m drf -m pf", "fill -d drf", "validate"}) {
    const Ran ran = shell("mirab " + command + " " + file + (command.starts_with("explain") ? " a" : ""));
    EXPECT_EQ(ran.status, 2) << command;
    EXPECT_THAT(ran.out, IsEmpty()) << command;
    EXPECT_THAT(ran.err, StartsWith("mirab: " + file + ":" + GetParam().place)) << command;
    EXPECT_THAT(ran.err, HasSubstr(GetParam().message)) << command;
  }
}

INSTANTIATE_TEST_SUITE_P(Cli, ABadFile, ::testing::ValuesIn(kBadFiles),
                         [](const auto& suite) { return suite.param.name; });

// Found only when the mechanism looks at the problem, and still placed in the file.
TEST(BadInput, WhatAMechanismCannotHonourIsPlacedInTheFile) {
  const TemporaryFolder folder;
  const std::string file = folder.write(
      "cluster.yaml", kServers + "  - name: a\n    demand: {cpu: 1}\n    demand_on: {s: {cpu: 2}}\n");
  const Ran ran = shell("mirab allocate " + file + " -m drf");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.out, IsEmpty());
  EXPECT_THAT(ran.err, StartsWith("mirab: " + file + ":7: users[0].demand_on: drf cannot honour"));
  EXPECT_THAT(ran.err, HasSubstr("filling task by task can: mirab fill"));
  EXPECT_EQ(shell("mirab fill " + file + " -d drf").status, 0);
  EXPECT_EQ(shell("mirab allocate " + file + " --fill drf").status, 0);
}

TEST(BadInput, AMissingFileIsNamed) {
  const Ran ran = shell("mirab allocate no-such.yaml -m drf");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.out, IsEmpty());
  EXPECT_EQ(ran.err, "mirab: no-such.yaml: cannot be read: No such file or directory\n");
}

TEST(BadInput, AFolderIsNotAClusterFile) {
  const Ran ran = shell("mirab validate examples");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.out, IsEmpty());
  EXPECT_THAT(ran.err, StartsWith("mirab: examples: "));
}

TEST(BadInput, ValidateChecksAllFilesAndPrintsOnlyTheErrors) {
  const Ran ran = shell("mirab validate no-such.yaml examples/textbook.yaml neither.yaml");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.out, IsEmpty());
  EXPECT_THAT(ran.err, HasSubstr("mirab: no-such.yaml: "));
  EXPECT_THAT(ran.err, HasSubstr("mirab: neither.yaml: "));
}

TEST(BadInput, ValidateChecksATeamsFileAndExplainsAUserWhereAGroupShouldBe) {
  const TemporaryFolder folder;
  const std::string teams = folder.write(
      "teams.yaml", "groups:\n  - {name: a, users: [x, y]}\n  - {name: b, weight: 2, users: [z]}\n");
  EXPECT_THAT(shell("mirab validate " + teams).out, HasSubstr("ok, teams, 2 groups, 3 names of users\n"));
  const std::string spaces =
      folder.write("spaces.yaml", "groups:\n  - name: a\n    groups: [{name: b, namespaces: [x]}]\n");
  EXPECT_THAT(shell("mirab validate " + spaces).out,
              HasSubstr("ok, teams, 2 groups, 1 name of namespaces\n"));
  const std::string wrong = folder.write("wrong.yaml", "groups:\n  - {name: a, wieght: 2, users: [x]}\n");
  EXPECT_THAT(shell("mirab validate " + wrong).err, HasSubstr("wrong.yaml:2: groups[0].wieght"));
  const std::string slip = folder.write("slip.yaml", "groups:\n  - {name: a, namspaces: [x]}\n");
  EXPECT_THAT(shell("mirab validate " + slip).err,
              HasSubstr("slip.yaml:2: groups[0].namspaces: unknown key; did you mean namespaces?"));
  const std::string bob = folder.write("bob.yaml",
                                       "resources: [cpu]\nservers: [{name: s, capacity: {cpu: 9}}]\n"
                                       "users:\n  - {name: bob, demand: {cpu: 1}}\n"
                                       "  - {name: al, group: bob, demand: {cpu: 1}}\n");
  EXPECT_THAT(
      shell("mirab validate " + bob).err,
      HasSubstr("bob.yaml:5: users[1].group: 'bob' is a user, not a group: to put both into one group"));
}

// The least of all limits above counts, so a larger one below it has no effect.
TEST(BadInput, ValidateNotesALimitAboveThatOfAGroup) {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("c.yaml",
                   "resources: [cpu, gpu]\nservers: [{name: n, capacity: {cpu: 8, gpu: 16}}]\n"
                   "groups:\n  - name: all\n    limit: {cpu: 2}\n    groups:\n"
                   "      - {name: team, limit: {cpu: 4, gpu: 8}}\n"
                   "users:\n  - {name: a, group: team, limit: {cpu: 3, gpu: 9}, demand: {cpu: 1}}\n"
                   "  - {name: b, group: all, limit: {cpu: 2}, demand: {cpu: 1}}\n");
  const Ran ran = shell("cd " + folder.path("") + " && mirab validate c.yaml");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(
      ran.err,
      "mirab: note: c.yaml:7: groups[0].groups[0].limit.cpu: the limit of 'team' is above that of its group "
      "'all', "
      "so it gets 2 cpu at most\n"
      "mirab: note: c.yaml:9: users[0].limit.cpu: the limit of 'a' is above that of its group 'all', so "
      "it gets 2 cpu at most\n"
      "mirab: note: c.yaml:9: users[0].limit.gpu: the limit of 'a' is above that of its group 'team', so "
      "it gets 8 gpu at most\n");
}

TEST(BadInput, AMessageDoesNotSteerTheTerminal) {
  const Ran ran = shell("mirab validate $'no\\e[31m\\u009bsuch.yaml'");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, StartsWith("mirab: no?[31m?such.yaml: cannot be read"));
}

TEST(BadInput, AHundredMegabytesOfBracketsEndInAMessageWithinBoundedMemory) {
  const TemporaryFolder folder;
  for (const std::string brackets : {"[", "[a,"}) {
    for (const std::string name : {"cluster.yaml", "cluster.json", "-"}) {
      const std::string file = name == "-" ? folder.path("input") : folder.path(name);
      // 1 GB of address space for 100 MB of input.
      const Ran ran =
          shell("yes '" + brackets + "' | tr -d '\\n' | head -c 100000000 > " + file +
                "; (ulimit -v 1000000; mirab validate " + (name == "-" ? "- < " : "") + file + ")");
      EXPECT_EQ(ran.status, 2) << brackets << " in " << name;
      EXPECT_THAT(ran.out, IsEmpty()) << brackets << " in " << name;
      const std::string line = (name == "-" ? "standard input" : file) + ":1: ";
      EXPECT_THAT(ran.err, StartsWith("mirab: " + line)) << brackets << " in " << name;
    }
  }
}

TEST(BadInput, AFileThatAScenarioNamesInVainIsAnErrorOfTheScenario) {
  const TemporaryFolder folder;
  const std::string scenario =
      folder.write("x.yaml", "kind: trace\ncluster: " MIRAB_SOURCE_DIR
                             "/examples/textbook.yaml\nworkload: nope.workload\n"
                             "contenders: [{discipline: drf, placement: best-fit}]\n");
  for (const std::string command : {"mirab validate ", "mirab simulate "}) {
    const Ran ran = shell(command + scenario);
    EXPECT_EQ(ran.status, 2);
    EXPECT_THAT(ran.err, StartsWith("mirab: " + scenario + ":3: workload: '"));
    EXPECT_THAT(ran.err, HasSubstr("nope.workload' cannot be read: No such file or directory\n"));
  }
}

TEST(BadInput, ATextOfNoKindIsToldWhatIsTaken) {
  const TemporaryFolder folder;
  EXPECT_THAT(shell("mirab validate " + folder.write("bad.txt", "a,b\n")).err,
              HasSubstr("bad.txt:1: is neither a cluster, a scenario nor a workload file: must be a map"));
}

TEST(BadInput, WhatIsAllowedButLooksLikeASlipIsNoted) {
  const TemporaryFolder folder;
  const std::string cluster = folder.write(
      "c.yaml",
      "resources: [cpu, memory]\nservers:\n  - {name: s, capacity: {cpu: 16, memory: 64Gi}}\nusers:\n"
      "  - {name: A, demand: {cpu: 1, memory: 4}}\n  - {name: B, demand: {cpu: 500, memory: 4Gi}}\n");
  const std::string unit =
      ":5: users[0].demand.memory: 4 has no unit, where a server has 64Gi; is one missing?\n";
  const std::string whole =
      ":6: users[1].demand.cpu: no server holds one whole task of 'B': it asks for 500 cpu, and the "
      "largest has 16\n";
  for (const std::string& command :
       {"mirab validate " + cluster, "mirab fill -d drf " + cluster, "mirab allocate -m drf " + cluster}) {
    const Ran ran = shell(command);
    EXPECT_EQ(ran.status, 0);
    EXPECT_THAT(ran.err, HasSubstr("mirab: note: " + cluster + unit));
    EXPECT_THAT(ran.err, HasSubstr("mirab: note: " + cluster + whole));
  }
  EXPECT_EQ(shell("mirab explain -m drf " + cluster).err, "mirab: note: " + cluster + whole);
  EXPECT_EQ(shell("mirab explain -m drf " + cluster + " B").err, "mirab: note: " + cluster + whole);
  EXPECT_THAT(shell("mirab explain -m drf " + cluster + " A").err, IsEmpty()) << "who is asked about";
  EXPECT_THAT(shell("mirab validate examples/textbook.yaml").err, testing::IsEmpty());
}

// A guarantee of GPUs alone covers no task, and counts all the same.
TEST(BadInput, AGuaranteeThatCoversNoTaskIsNotedByAllocateToo) {
  const TemporaryFolder folder;
  const std::string cluster =
      folder.write("c.yaml",
                   "resources: [cpu, gpu]\nservers: [{name: s, capacity: {cpu: 16, gpu: 4}}]\nusers:\n"
                   "  - {name: A, demand: {cpu: 1, gpu: 1}, guarantee: {gpu: 3}}\n  - {name: B, demand: "
                   "{cpu: 1, gpu: 1}}\n");
  for (const std::string& command :
       {"mirab validate " + cluster, "mirab allocate -m hdrf " + cluster, "mirab explain -m hdrf " + cluster,
        "mirab explain -m hdrf " + cluster + " B", "mirab plan -m hdrf --tasks 1 --user B " + cluster}) {
    const std::string note = shell(command).err;
    EXPECT_THAT(note,
                HasSubstr(":4: users[0].guarantee: no task of the user fits into the guarantee of 'A', so it "
                          "covers no task; it still counts"));
    EXPECT_THAT(note, HasSubstr("every task needs cpu too"));
  }
}

// A may run on the smaller server alone, which has 4 of the 8 CPUs that it is guaranteed.
TEST(BadInput, AGuaranteeThatItsServersDoNotHoldIsNoted) {
  const TemporaryFolder folder;
  const std::string cluster = folder.write(
      "c.yaml",
      "resources: [cpu]\nservers: [{name: s, capacity: {cpu: 4}}, {name: t, capacity: {cpu: 9}}]\nusers:\n"
      "  - {name: A, demand: {cpu: 1}, servers: [s], guarantee: {cpu: 8}}\n  - {name: B, demand: {cpu: "
      "1}}\n");
  for (const std::string& command : {"mirab validate " + cluster, "mirab allocate " + cluster,
                                     "mirab explain " + cluster, "mirab plan --tasks 1 --user B " + cluster})
    EXPECT_THAT(shell(command).err,
                HasSubstr(":4: users[0].guarantee.cpu: of the 8 cpu that 'A' is guaranteed, the servers on "
                          "which it may run have 4; it gets no more"))
        << command;
}

// Each of A and B may have 6 of the 9 CPUs of t, and both together not.
TEST(BadInput, GuaranteesThatTheirServersDoNotHoldTogetherAreNoted) {
  const TemporaryFolder folder;
  const std::string cluster = folder.write(
      "c.yaml",
      "resources: [cpu]\nservers: [{name: s, capacity: {cpu: 9}}, {name: t, capacity: {cpu: 9}}]\nusers:\n"
      "  - {name: A, demand: {cpu: 1}, servers: [t], guarantee: {cpu: 6}}\n"
      "  - {name: B, demand: {cpu: 1}, servers: [t], guarantee: {cpu: 6}}\n  - {name: C, demand: {cpu: "
      "1}}\n");
  for (const std::string& command : {"mirab validate " + cluster, "mirab allocate " + cluster})
    EXPECT_THAT(shell(command).err,
                HasSubstr(":4: users[0].guarantee.cpu: A, B are guaranteed 12 cpu together, and the servers "
                          "on which they may run have 9: they cannot all have it at once"))
        << command;
}

// New servers do not help users who name the servers of yesterday.
TEST(BadInput, ANewServerThatUsersWithListsLeaveOutIsNoted) {
  const TemporaryFolder folder;
  const std::string servers =
      "resources: [cpu]\nservers:\n  - {name: a, capacity: {cpu: 4}}\n"
      "  - {name: b, capacity: {cpu: 4}}\n";
  const std::string users =
      "users:\n  - {name: A, demand: {cpu: 1}, servers: [a, b]}\n"
      "  - {name: B, demand: {cpu: 1}, servers: [a, b]}\n  - {name: C, demand: {cpu: 1}}\n";
  const std::string now = folder.write("now.yaml", servers + users);
  const std::string more =
      folder.write("more.yaml", servers + "  - {name: extra, capacity: {cpu: 9}}\n" + users);
  EXPECT_THAT(shell("mirab validate " + more).err, IsEmpty()) << "taints look the same in a file";
  EXPECT_THAT(shell("mirab diff -m drfh " + now + " " + more).err,
              HasSubstr(":5: servers[2]: 2 of 3 users may not run on 'extra': they name their "
                        "servers, and none of them names this one"));
}

TEST(BadInput, AServerOnWhichNobodyMayRunIsNotedWithWhatKeepsUsersOff) {
  const TemporaryFolder folder;
  const std::string servers =
      "resources: [cpu, gpu]\nservers:\n  - {name: a, capacity: {cpu: 4, gpu: 1}, labels: {zone: x}}\n";
  const std::string users =
      "users:\n  - {name: A, demand: {cpu: 1}, servers: [a]}\n  - {name: B, demand: {cpu: 1}, select: {zone: "
      "x}}\n  - {name: C, demand: {cpu: 1}}\n  - {name: D, demand: {gpu: 1}, tolerates: new}\n";
  const std::string now = folder.write("now.yaml", servers + users);
  const std::string more =
      folder.write("more.yaml", servers + "  - {name: extra, capacity: {cpu: 9}, taints: [new]}\n" + users);
  const std::string note =
      "mirab: note: " + more +
      ":4: servers[1]: no user may run on 'extra': 1 of 4 users name their servers, and "
      "not this one, 1 select "
      "other labels, 1 do not tolerate its taints (new), 1 ask for what it has none of\n";
  for (const char* command :
       {"validate ", "allocate -m drfh ", "fill -d drf ", "explain ", "explain -m drfh "})
    EXPECT_EQ(shell("mirab " + (command + more)).err, note) << command;
  EXPECT_EQ(shell("mirab diff -m drfh " + now + " " + more).err, note);
  EXPECT_THAT(shell("mirab validate " + now).err, IsEmpty());
}

TEST(BadInput, ADifferenceNotesTheTasksThatFitNowhereOfEachCluster) {
  const TemporaryFolder folder;
  const auto cluster = [&](const std::string& name, const std::string& demand) {
    return folder.write(name,
                        "resources: [cpu]\nservers: [{name: s, capacity: {cpu: 16}}]\nusers:\n"
                        "  - {name: A, demand: {cpu: 1}}\n  - {name: B, demand: {cpu: " +
                            demand + "}}\n");
  };
  const std::string large = cluster("large.yaml", "500"), larger = cluster("larger.yaml", "600");
  const auto note = [](const std::string& file, const std::string& demand) {
    return "mirab: note: " + file +
           ":5: users[1].demand.cpu: no server holds one whole task of 'B': it asks for " + demand +
           " cpu, and the largest has 16\n";
  };
  const Ran one = shell("mirab diff -m drf -m pf --format json " + large);
  EXPECT_EQ(one.status, 0);
  EXPECT_EQ(one.err, note(large, "500")) << "once, of one cluster";
  EXPECT_EQ(shell("mirab diff -m drf -m pf " + large + " " + large).err, note(large, "500"));
  EXPECT_EQ(shell("mirab diff -m drf " + large + " " + larger).err, note(large, "500") + note(larger, "600"));
  EXPECT_EQ(shell("mirab diff -m drf " + cluster("fits.yaml", "2") + " " + larger).err, note(larger, "600"));
}

}  // namespace
}  // namespace mirab
