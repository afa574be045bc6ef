// Bad usage ends with status 2 and a message that says what would be right.

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

struct BadUsage {
  std::string name;
  std::string arguments;
  std::string message;
};

std::ostream& operator<<(std::ostream& stream, const BadUsage& usage) { return stream << usage.name; }

const std::vector<BadUsage> kBadUsages = {
    {"NoCommand", "", "a command is missing"},
    {"NoCommandShowsThem", "", "allocate"},
    {"HelpOfNothing", "help alocate", "there is no command 'alocate' of mirab; did you mean allocate?"},
    {"ADisciplineIsNoMechanism", "allocate examples/textbook.yaml -m fifo",
     "--mechanism: fifo is a discipline, which places whole tasks one by one: --fill fifo of 'mirab "
     "allocate', or "
     "'mirab fill -d fifo'"},
    {"ADisciplineWithOptionsIsNoMechanism", "allocate examples/textbook.yaml -m fifo:blocking=freeze",
     "--fill fifo:blocking=freeze"},
    {"APlacementIsNoMechanism", "allocate examples/textbook.yaml -m best-fit", "best-fit is a placement"},
    {"AMechanismIsNoDiscipline", "fill examples/textbook.yaml -d drfh",
     "--discipline: drfh is a mechanism, which divides: 'mirab allocate -m drfh'"},
    {"AMechanismIsNoFilling", "allocate examples/textbook.yaml --fill drfh", "--fill: drfh is a mechanism"},
    {"Capitals", "allocate examples/textbook.yaml -m DRF",
     "--mechanism: there is no mechanism 'DRF'; did you mean drf?\n"},
    {"SwappedLettersOfAnAlias", "allocate examples/textbook.yaml -m ceie", "did you mean ceei?"},
    {"NoFileName", "allocate examples/textbook.yaml --report", "--report needs the name of a file"},
    {"GivenWithoutRunning", "allocate examples/textbook.yaml -m given",
     "mirab: examples/textbook.yaml:3: running: missing: it says what is placed now, as does --allocation "
     "FILE"},
    {"GivenOnRandomClusters", "audit --random 10 -m given",
     "--mechanism: 'given' says what runs on one cluster; name the cluster file"},
    {"AllocationWithoutCluster", "audit --random 10 --allocation x.csv",
     "--allocation: goes with a cluster file"},
    {"ForAndName", "mechanisms drf --for examples/textbook.yaml", "--for: give a NAME or --for, not both"},
    {"ForInCsv", "mechanisms --for examples/textbook.yaml --format csv",
     "--for: goes with --format table and json"},
    {"UnknownCommand", "alocate examples/textbook.yaml",
     "there is no command 'alocate' of mirab; did you mean allocate?"},
    {"UnknownCommandBeforeOptions", "alocate examples/textbook.yaml -m drf --tie last",
     "there is no command 'alocate' of mirab; did you mean allocate?"},
    {"OptionBeforeACommand", "--mechanism drf", "there is no option '--mechanism'"},
    {"UnknownImportFormat", "import sfw x", "there is no command 'sfw' of mirab import; did you mean swf?"},
    {"UnknownOption", "allocate examples/textbook.yaml --mechansim drf",
     "there is no option '--mechansim'; did you mean --mechanism?"},
    {"UnknownMechanism", "allocate examples/textbook.yaml -m asse",
     "--mechanism: there is no mechanism 'asse'; did you mean asset?"},
    {"UnknownDiscipline", "fill examples/textbook.yaml -d fif",
     "--discipline: there is no discipline 'fif'; did you mean fifo?"},
    {"UnknownPlacement", "fill examples/textbook.yaml -d drf -p best",
     "--placement: there is no placement 'best'; did you mean best-fit?"},
    {"UnknownFilling", "allocate examples/textbook.yaml --fill drf/first",
     "--fill: there is no placement 'first'; did you mean first-fit?"},
    {"UnknownName", "mechanisms asse", "did you mean asset?"},
    {"UnknownExperiment", "reproduce slides-table1 slides-tabel1",
     "there is no experiment 'slides-tabel1'; did you mean slides-table1?"},
    {"SwappedLetters", "allocate examples/textbook.yaml -m dfr", "did you mean drf?"},
    {"NoSuchExperiment", "reproduce nope",
     "there is no experiment 'nope'; 'mirab reproduce --list' lists them"},
    {"QuickList", "reproduce --list --quick", "--quick: does not go with --list, which runs nothing"},
    {"TimesOfAList", "reproduce --list --times", "--times: does not go with --list, which runs nothing"},
    {"SeedOfAList", "reproduce --list --seed 5", "--seed: does not go with --list, which runs nothing"},
    {"NodeNameWithoutNode", "limits examples/pods/two-pods.yaml --capacity cpu=2 --node-name x",
     "--node-name: goes with --node"},
    {"FillingTwice", "allocate examples/textbook.yaml --fill drf --fill drf/first-fit",
     "--fill: 'drf/first-fit' is given twice"},
    {"FillingTwiceWithoutPlacement", "allocate examples/textbook.yaml --fill mrfs --fill mrfs/best-fit",
     "--fill: 'mrfs/best-fit' is given twice"},
    {"MechanismTwiceByValue", "allocate examples/textbook.yaml -m alpha-fair:alpha=2 -m alpha-fair:alpha=2.0",
     "--mechanism: 'alpha-fair:alpha=2.0' is given twice"},
    {"PropertyTwice", "audit examples/textbook.yaml -m drf --properties envy-freeness,envy-freeness",
     "--properties: 'envy-freeness' is given twice"},
    {"NoClaim", "audit --claims -m drf --properties non-wastefulness",
     "--properties: drf makes no claim about non-wastefulness"},
    {"AllPropertiesAreListed", "audit examples/textbook.yaml -m drf --properties xyzzy", "scale-invariance"},
    {"BudgetOfNothing", "audit examples/textbook.yaml -m drf --budget 0",
     "--budget: '0' is not a whole number from 1 to 10000000"},
    {"SecondsOfNothing", "audit examples/textbook.yaml -m drf --seconds 0", "--seconds"},
    {"BudgetTooLarge", "audit examples/textbook.yaml -m drf --budget 10000001",
     "--budget: '10000001' is not a whole number from 1 to 10000000"},
    {"AssumeWithoutRandom", "audit --claims --assume no-caps",
     "--assume: goes with --random only; --claims uses the conditions of each claim"},
    {"NoExperiment", "reproduce", "mirab: EXPERIMENT: name experiments, or take --all of them"},
    {"ExperimentsAndAll", "reproduce slides-table1 --all", "mirab: --all: give names or --all, not both"},
    {"PageOfAList", "reproduce --list --report page.html",
     "mirab: --report: does not go with --list, which runs nothing"},
    {"NoFolderForTheResult", "reproduce --all -o no-such-folder/x.md", "mirab: -o: 'no-such-folder"},
    {"PicturesWithoutMarkdown", "reproduce slides-table1 --images pictures",
     "mirab: --images: pictures go with --format markdown"},
    {"PageAndResultInOneFile", "reproduce slides-table1 -o x --report x",
     "mirab: --report: 'x' is already written by -o"},
    {"UnknownMechanismOption", "allocate examples/textbook.yaml -m drf:alpha=2",
     "--mechanism: mechanism 'drf' has no option 'alpha'"},
    {"BadMechanismOptionValue", "allocate examples/textbook.yaml -m alpha-fair:alpha=-2",
     "mirab: --mechanism: option 'alpha' of 'alpha-fair' must be"},
    {"BadMechanismOptionWord", "allocate examples/textbook.yaml -m alpha-fair:alpha=2,yardstick=cpu",
     "mirab: --mechanism: option 'yardstick' of 'alpha-fair' must be tasks or dominant"},
    {"BadDisciplineOptionValue", "fill examples/textbook.yaml -d drf:blocking=wait",
     "mirab: --discipline: option 'blocking' of 'drf' must be skip or freeze"},
    {"BadPlacementOptionValue", "fill examples/textbook.yaml -d drf -p best-fit:published=perhaps",
     "mirab: --placement: option 'published' of 'best-fit' must be false or true"},
    {"BadFillingOptionValue", "allocate examples/textbook.yaml --fill drf:blocking=wait",
     "mirab: --fill: option 'blocking' of 'drf' must be skip or freeze"},
    {"MechanismsWithACommaBetween", "allocate examples/textbook.yaml -m drf,asset",
     "mirab: --mechanism: 'drf,asset' is several values; give each with an option of its own: "
     "--mechanism drf --mechanism asset"},
    {"DisciplineAndPlacementInOne", "fill examples/textbook.yaml -d drf/best-fit",
     "mirab: --discipline: 'drf/best-fit' is a discipline and a placement; give them as -d drf -p best-fit"},
    {"TraceInCsv", "fill examples/textbook.yaml -d drf --trace --format csv",
     "mirab: --trace: CSV has no place for steps; take --format table or json"},
    {"UnknownFormat", "allocate examples/textbook.yaml -m drf --format jsn",
     "--format: 'jsn' is not one of table, json, csv"},
    {"UnknownTie", "fill examples/textbook.yaml -d drf --tie lst",
     "--tie: 'lst' is not one of first, last, random; did you mean last?"},
    {"SeedThatIsNoNumber", "allocate examples/textbook.yaml -m drf --seed x",
     "--seed: 'x' is not a whole number"},
    {"SeedThatIsNegative", "allocate examples/textbook.yaml -m drf --seed -1",
     "--seed: '-1' is not a whole number"},
    {"NoCluster", "allocate -m drf", "CLUSTER is required"},
    {"TooManyArguments", "allocate examples/textbook.yaml more.yaml -m drf",
     "one argument too many: 'more.yaml'"},
    {"OneValueTwice", "explain examples/textbook.yaml A -m drf -m pf", "mirab: --mechanism: give it once"},
    {"OneMechanismTwice", "allocate examples/textbook.yaml -m drf -m pf -m ceei",
     "mirab: --mechanism: 'ceei' is given twice"},
    {"OneDisciplineTwice", "fill examples/textbook.yaml -d drf -d drf",
     "mirab: --discipline: 'drf' is given twice"},
    {"UnknownUser", "explain examples/team-cluster.yaml reprots -m drf",
     "USER: examples/team-cluster.yaml has no user 'reprots'; did you mean reports? Known are website"},
    {"ExplainInCsv", "explain examples/textbook.yaml A -m drf --format csv",
     "--format: CSV has a record a user: leave out USER"},
    {"PlanWithoutAUser", "plan examples/textbook.yaml --tasks 5", "--user is required"},
    {"PlanForAnUnknownUser", "plan examples/team-cluster.yaml --user trainning --tasks 5 -m drfh",
     "--user: examples/team-cluster.yaml has no user 'trainning'; did you mean training?"},
    {"PlanForMoreThanTheShapesHave", "plan examples/kubernetes/cluster.yaml --user checkout --tasks 500",
     "--tasks: 'checkout' asks for 40.0 tasks only; no purchase gives it more"},
    {"ExplainOfAnUnknownShape", "explain examples/kubernetes/cluster.yaml checkout/wep",
     "has no user 'checkout/wep'; did you mean checkout/web or checkout/worker?"},
    {"PlanOfNoTasks", "plan examples/textbook.yaml --user A --tasks 0",
     "mirab: --tasks: must be more than 0"},
    {"PlanOfTasksThatAreNoNumber", "plan examples/textbook.yaml --user A --tasks many",
     "mirab: --tasks: 'many' is not an amount"},
    {"PlanOfAnUnknownKind", "plan examples/textbook.yaml --user A --tasks 5 --kind pol=3",
     "--kind: there is no server entry or kind 'pol'; did you mean pool?"},
    {"PlanOfAKindForNothing", "plan examples/textbook.yaml --user A --tasks 5 --kind pool=0",
     "--kind: the price of 'pool' must be more than 0"},
    {"PlanOfAPriceThatIsNoNumber", "plan examples/textbook.yaml --user A --tasks 5 --kind pool=cheap",
     "--kind: price of 'pool': 'cheap' is not an amount"},
    {"PlanOfAKindTwice", "plan examples/textbook.yaml --user A --tasks 5 --kind pool --kind pool",
     "--kind: 'pool' is given twice"},
    {"PlanOfSomePrices",
     "plan examples/team-cluster.yaml --user training --tasks 20 -m ps-dsf --kind gpu-large=3 --kind "
     "gpu-small",
     "' has one; give every kind a price, or none"},
    {"PlanOfAWeightAndServers", "plan examples/textbook.yaml --user A --tasks 5 --weights --kind pool",
     "--weights: looks for a weight and buys no servers"},
    {"PlanBeyondWhatIsAskedFor", "plan examples/team-cluster.yaml --user website --tasks 900 -m hdrfh",
     "website' asks for 200 tasks only"},
    {"PlanByWhatRunsNow", "plan examples/kubernetes/cluster.yaml --user ci --tasks 99 -m given",
     "--mechanism: what runs now follows no rule"},
    {"PageOfClaims", "audit --claims --report x.html", "--report: there is no page of claims"},
    {"DiffOfOneThing", "diff examples/textbook.yaml -m drf",
     "--mechanism: give a second mechanism, a second cluster, or --allocation: a difference has two sides"},
    {"DiffOfThree", "diff examples/textbook.yaml -m drf -m pf -m asset", "--mechanism: give one or two"},
    {"DiffOfAMissingFile", "diff examples/textbook.yaml no-such.yaml -m drf",
     "mirab: no-such.yaml: cannot be read"},
    {"AuditOfNothing", "audit -m drf",
     "CLUSTER: name a cluster file, or audit random clusters with --random N or --claims"},
    {"AuditOfAClusterAndOfRandomOnes", "audit examples/textbook.yaml --random 10",
     "--random: audits random clusters; leave out the cluster file"},
    {"UnknownProperty", "audit examples/textbook.yaml --properties feasible,envy-freenes",
     "--properties: there is no property 'envy-freenes'; did you mean envy-freeness?"},
    {"AssumptionsOnACluster", "audit examples/textbook.yaml --assume no-caps",
     "--assume: goes with --random only"},
    {"UnknownAssumption", "audit --random 5 --assume no-cap",
     "--assume: 'no-cap' is not one of positive-demands, no-caps, no-placement, same-demand, one-resource, "
     "no-groups, no-limits, no-reserves, no-guarantees, top-guarantees; did you mean "
     "no-caps?"},
    {"NoBudget", "audit examples/textbook.yaml --budget 0", "--budget: '0' is not a whole number from 1"},
    {"NoThreads", "allocate examples/textbook.yaml -m drf --threads 0",
     "--threads: '0' is not a whole number from 1 to 1024"},
    {"TopOfNothing", "diff examples/textbook.yaml -m drf -m pf --top 0",
     "--top: '0' is not a whole number from 1"},
    {"SampleOfNothing", "import google2011 x --sample-users 0",
     "--sample-users: '0' is not a whole number from 1"},
    {"PartOfMoreThanAll", "import google2011 x --workload w --sample-jobs 1.5",
     "--sample-jobs: '1.5' is not a part of a whole, more than 0 and at most 1"},
    {"JobsWithoutAWorkload", "import google2011 x --sample-jobs 0.5", "--sample-jobs requires --workload"},
    {"NoWorkload", "import swf x", "--workload is required"},
    {"NoJobsOfSlurm", "import slurm examples/slurm/nodes.txt", "JOBS is required"},
    {"WorkloadAndClusterInOneFile", "import swf x -o y --workload y",
     "--workload: 'y' is already written by -o"},
    {"SearchWithoutSeeds", "simulate --search --seeds 0", "--seeds: '0' is not a whole number from 1 to"},
    {"SearchOfOneServer", "simulate --search --nodes 1", "--nodes: '1' is not a whole number from 2 to"},
    {"SearchWithNodesThatAreNoNumber", "simulate --search --nodes abc", "--nodes: 'abc' is not a whole"},
    {"SearchForAnUnknownScheduler", "simulate --search --scheduler dgdfr",
     "--scheduler: 'dgdfr' is not one of centralised-drf"},
    {"SearchBeyondTheLastSeed", "simulate --search --seed 18446744073709551615 --seeds 3",
     "mirab: --seed: there are no 3 seeds from 18446744073709551615 on"},
    // What follows -- is the task's, and the mistake stands before it.
    {"TasksThatAreNoNumber", "submit q/x --tasks abc --demand cpu=1 -- true",
     "mirab: --tasks: 'abc' is not a whole number from 1 to 1000000000"},
    {"TasksBelowOne", "submit q/x --tasks -3 --demand cpu=1 -- true",
     "mirab: --tasks: '-3' is not a whole number from 1 to"},
    {"NoTasks", "submit q/x --tasks 0 -- true", "mirab: --tasks: '0' is not a whole number from 1 to"},
    {"TasksWithAnExponent", "submit q/x --tasks 1e9 -- true", "mirab: --tasks: '1e9' is not a whole number"},
    {"APriorityThatIsNoNumber", "submit q/x --priority x -- true",
     "mirab: --priority: 'x' is not a whole number from -1000000000 to 1000000000"},
    {"AnUnknownOptionBeforeACommand", "submit q/x --nme foo -- sleep 60 --ca x",
     "mirab: there is no option '--nme'"},
    {"ACommandInPlaceOfTheJob", "submit --demand cpu=1 -- sleep 3", "mirab: JOB: name the job as QUEUE/NAME"},
    {"TwoCommands", "submit q/x --demand cpu=1 sleep -- 3", "one argument too many before --: 'sleep'"},
    {"AWrongValueBeforeTheEndOfOptions", "audit --random x -- examples/textbook.yaml",
     "mirab: --random: 'x' is not a whole number"},
    {"ATaskOfNoForm", "why t1x-5", "mirab: JOB: 't1x-5' is neither a job as QUEUE/NAME nor a task"},
    {"HostsWithoutMemory", "import bitbrains x --workload w --host-memory 0",
     "--host-memory: must be more than 0"},
    {"JobsWithoutServers", "import jobs examples/jobs/jobs.csv --workload w",
     "--servers: missing: a table of servers, or --hosts 10 --host cpus=64,memory=512Gi"},
    {"HostsOfNoForm", "import jobs examples/jobs/jobs.csv --workload w --hosts 2 --host cpus",
     "--host: 'cpus' is not of the form RESOURCE=AMOUNT"},
    {"HostsWithoutANumber", "import jobs examples/jobs/jobs.csv --workload w --host cpus=2", "--host"},
};

class BadUsageOf : public ::testing::TestWithParam<BadUsage> {};

TEST_P(BadUsageOf, TheCommandLineIsExplained) {
  const Ran ran = shell("mirab " + GetParam().arguments);
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.out, IsEmpty());
  EXPECT_THAT(ran.err, StartsWith("mirab: "));
  EXPECT_THAT(ran.err, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(Cli, BadUsageOf, ::testing::ValuesIn(kBadUsages),
                         [](const auto& suite) { return suite.param.name; });

TEST(Usage, TheHelpOfASearchSaysItsRanges) {
  const std::string help = shell("mirab simulate --help | tr -s '[:space:]' ' '").out;
  for (const std::string range :
       {"Number of runs, each with its own seed, 1 to 10000000", "Servers of a run, 2 to 100000",
        "Users of a run, 1 to 100000", "10 to 10000000"})
    EXPECT_THAT(help, HasSubstr(range));
}

TEST(Usage, EveryCommandHasHelpOnStandardOutput) {
  for (const std::string command : {"", "allocate", "audit", "diff", "explain", "fill", "mechanisms",
                                    "validate", "import", "import bitbrains", "import google2011",
                                    "import jobs", "import openb", "import swf", "import wagap2013"}) {
    const Ran ran = shell("mirab " + command + " --help");
    EXPECT_EQ(ran.status, 0) << command;
    EXPECT_THAT(ran.out, StartsWith("Usage: mirab")) << command;
    EXPECT_THAT(ran.out, HasSubstr("--help")) << command;
    EXPECT_THAT(ran.err, IsEmpty()) << command;
  }
}

TEST(Usage, HelpFitsIntoEightyColumnsButForExamples) {
  for (const std::string command : {"allocate", "audit", "diff", "explain"}) {
    const Ran ran = shell("mirab " + command + " --help | grep -v '^  mirab' | awk 'length($0) > 80'");
    EXPECT_THAT(ran.out, IsEmpty()) << command;
  }
}

TEST(Usage, GenerateIsNotShown) {
  EXPECT_THAT(shell("mirab --help").out, ::testing::Not(HasSubstr("generate")));
}

TEST(Usage, TheVersionIsOneLine) {
  for (const std::string words : {"--version", "-V", "-v", "version"})
    EXPECT_THAT(shell("mirab " + words).out, ::testing::MatchesRegex("mirab [0-9.]+\n")) << words;
}

TEST(Usage, HelpIsACommandToo) {
  EXPECT_EQ(shell("mirab help").out, shell("mirab --help").out);
  EXPECT_EQ(shell("mirab help allocate").out, shell("mirab allocate --help").out);
  EXPECT_EQ(shell("mirab help import swf").out, shell("mirab import swf --help").out);
}

}  // namespace
}  // namespace mirab
