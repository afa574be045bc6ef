// The accounts of Slurm as teams.
#include "teams/slurm_accounts.hpp"

#include <gmock/gmock.h>
#include <string>

#include "teams/read_back.hpp"

namespace mirab {
namespace {

using teams::SlurmTeam;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<teams::ImportedTeams> accounts(const std::string& text, SlurmTeam team = SlurmTeam::account) {
  return teams::import_slurm_accounts({.file = "assoc.txt", .text = text}, team);
}

std::string accounts_refusal(const std::string& text) {
  const auto teams = accounts(text);
  return teams ? "taken" : describe(teams.error());
}

const std::string kAssociations = read_text(MIRAB_SOURCE_DIR "/examples/queues/associations.txt");

TEST(SlurmAccounts, AreGroupsWhoseUserIsTheAccount) {
  const auto teams = accounts(kAssociations);
  EXPECT_EQ(test::read_back(teams), R"(groups:
  - name: science
    weight: 3
    limit: {cpu: 200, memory: 1024Gi}
    groups:
      - name: bio-account
        weight: 2
        limit: {gpu: 2}
        users: [bio]
      - name: speech-account
        users: [speech]
  - name: vision-account
    users: [vision]
)");
  EXPECT_THAT(
      teams->notices,
      ElementsAre(
          "not kept, MaxJobs: 1 association: bio/carl",
          "not kept, that shares and limits are of a partition: 1 association: vision/kurt/gpu",
          "not kept, which share of an account each of its users has: 1 account: bio",
          "renamed, since a member or another group has the name: 3 groups: bio-account, speech-account, "
          "vision-account"));
}

// A member has no weight of its own: a user with one is a group.
TEST(SlurmAccounts, HaveUsersWithSharesAsGroupsWhereTheClusterHasUsers) {
  EXPECT_THAT(test::read_back(accounts(kAssociations, SlurmTeam::user)), HasSubstr(R"(      - name: bio
        weight: 2
        limit: {gpu: 2}
        users: [ada]
        groups:
          - name: bio/carl
            weight: 3
            users: [carl]
)"));
}

// The shares of the users beside sub are 1 + 3; sub has 2.
TEST(SlurmAccounts, WithUsersAndAccountsBelowHaveTheUsersInAGroup) {
  EXPECT_EQ(test::read_back(accounts(
                "Account|ParentName|User|Share\nphys|root||5\nphys|phys|a|1\nphys||b|3\nsub|phys||2\n")),
            R"(groups:
  - name: phys-account
    weight: 5
    groups:
      - name: phys-users
        weight: 4
        users: [phys]
      - name: sub-account
        weight: 2
        users: [sub]
)");
}

// https://slurm.schedmd.com/fair_tree.html: those below compete as if they stood beside it. a has 1 + 2 of
// its users; b the 4 of c and the 3 of a.
TEST(SlurmAccounts, WithFairshareParentHaveTheSharesOfThoseBelow) {
  const auto teams = accounts(
      "Account|ParentName|User|Share|GrpTRES\nb|root||parent|cpu=10\nc|b||4|\na|b||parent|\na||u|1|\na||v|2|"
      "\n");
  EXPECT_EQ(test::read_back(teams), R"(groups:
  - name: b
    weight: 7
    limit: {cpu: 10}
    groups:
      - name: a-account
        weight: 3
        users: [a]
      - name: c-account
        weight: 4
        users: [c]
)");
  EXPECT_THAT(
      teams->notices,
      Contains("Fairshare=parent: the shares of those below, together, are the weight: 2 accounts: a, b"));
}

TEST(SlurmAccounts, HaveUnitsAndNamesOfTheImportOfTheCluster) {
  const auto teams = accounts(
      "Account|Par "
      "Name|User|Share|GrpTRES\na|root||0|cpu=100,mem=500M,gres/gpu:a100=8,gres/gpu=9,node=4,license/x=2\n");
  EXPECT_THAT(test::read_back(teams),
              HasSubstr("weight: 0\n    limit: {cpu: 100, gpu: 9, \"gpu:a100\": 8, memory: 500Mi}"));
  EXPECT_THAT(teams->notices, Contains("not kept, node of GrpTRES: 1 association: a"));
  EXPECT_THAT(teams->notices, Contains("not kept, license/x of GrpTRES: 1 association: a"));
}

// sacctmgr -p ends each line with a bar.
TEST(SlurmAccounts, AreReadWithABarAtTheEnd) {
  EXPECT_THAT(test::read_back(accounts("Account|Par Name|User|Share|\na|root||2|\n")),
              HasSubstr("weight: 2"));
}

TEST(SlurmAccounts, AUserOfSeveralAccountsIsInOne) {
  const auto teams =
      accounts("Account|ParentName|User|Share\na|root||1\nb|root||1\na||eve|1\nb||eve|1\n", SlurmTeam::user);
  EXPECT_THAT(test::read_back(teams), HasSubstr("name: a\n    users: [eve]\n  - name: b\n    users: []"));
  EXPECT_THAT(teams->notices, ElementsAre("not kept, that it is in b too, beside a: 1 name: eve"));
}

TEST(SlurmAccounts, BadInputIsRefusedWithFileLineAndColumn) {
  EXPECT_THAT(
      accounts_refusal("Account|User|Share\na||1\n"),
      HasSubstr(
          "assoc.txt:1: ParentName: has no column ParentName, without which nobody knows which account is"));
  EXPECT_THAT(accounts_refusal("JobID|User|State\n1|a|RUNNING\n"),
              HasSubstr("has no column Account in its head; `sacctmgr show assoc -P format="));
  EXPECT_EQ(accounts_refusal("Account|ParentName|User|Share\na|root||x\n"),
            "assoc.txt:2: Share: 'x' is not an amount; write a number like 16, 0.5 or 1e3, or one with a "
            "suffix like 500m, 2k or 64Gi");
  EXPECT_EQ(accounts_refusal("Account|ParentName|User|GrpTRES\na|root||cpu=many\n"),
            "assoc.txt:2: GrpTRES: 'many' is not an amount");
  EXPECT_EQ(
      accounts_refusal("Account|ParentName|User\nscience|root|\nbio|scienec|\n"),
      "assoc.txt:3: ParentName: there is no account 'scienec'; did you mean science? Known are bio, science");
  EXPECT_EQ(accounts_refusal("Account|ParentName|User\na|b|\nb|a|\n"),
            "assoc.txt:2: ParentName: the account 'a' is above itself");
  EXPECT_EQ(accounts_refusal("Account|ParentName|User\na|root|\na|root|\n"),
            "assoc.txt:3: Account: a second account 'a'");
  EXPECT_EQ(accounts_refusal("Account|ParentName|User\na||\n"),
            "assoc.txt:2: ParentName: the account 'a' has no parent");
  EXPECT_THAT(accounts_refusal("Account|ParentName|User\na||u\n"),
              HasSubstr("there is no account 'a' of its own in the table"));
  EXPECT_EQ(accounts_refusal("Cluster|Account|ParentName\nx|a|root\ny|a|root\n"),
            "assoc.txt:3: Cluster: a second cluster: print one, with sacctmgr show assoc cluster=x");
  EXPECT_THAT(accounts_refusal("Account|ParentName|User\nroot||\n"),
              HasSubstr("there is no account but root"));
}

}  // namespace
}  // namespace mirab
