#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <set>

#include <mirab/model/cluster_file.hpp>

#include "lab/traces/google2011/import.hpp"
#include "support/files.hpp"

// Östman, section 5.1: machines and users drawn from the trace, each user with one of its tasks, endlessly.
namespace mirab::traces {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string data = MIRAB_SOURCE_DIR "/tests/traces/data";
const Google2011Options everything;

Result<Google2011Import> import_seed(std::uint64_t seed, const std::vector<std::string>& paths,
                                     const Google2011Options& options = everything) {
  Random random(seed);
  return import_google2011(paths, options, random);
}

Google2011Import google_excerpt(const Google2011Options& options = everything, std::uint64_t seed = 1) {
  auto import = import_seed(seed, {data}, options);
  if (import) return *std::move(import);
  ADD_FAILURE() << describe(import.error());
  return {};
}

std::string text(const Google2011Import& import) {
  return write_cluster_yaml(import.cluster, import.provenance);
}

Quantity quantity(std::string_view number) { return *Quantity::parse(number); }
ResourceVector amounts(std::string_view cpu, std::string_view memory) {
  return {quantity(cpu), quantity(memory)};
}

template <class Item>
std::vector<std::string> names(const std::vector<Item>& items) {
  std::vector<std::string> names;
  for (const Item& item : items) names.push_back(item.name);
  return names;
}

User user(const Google2011Import& import, const std::string& name) {
  for (const User& each : import.cluster.users) {
    if (each.name == name) return each;
  }
  ADD_FAILURE() << "no user " << name;
  return {};
}

/// One row of either table.
std::string machine(int id, std::string_view cpu, std::string_view memory, std::string_view platform = "P") {
  return fmt::format("0,{},0,{},{},{}\n", id, platform, cpu, memory);
}
std::string task(int job, std::string_view user, std::string_view cpu, std::string_view memory) {
  return fmt::format("0,,{},0,,0,{},2,1,{},{},0,0\n", job, user, cpu, memory);
}

/// What the import of a machine and a task table says, with MACHINES and TASKS for the names of the files.
std::string import_error(const std::string& machines, const std::string& tasks) {
  const TemporaryFolder folder;
  const std::string machine_file = folder.write("machine_events.csv", machines);
  const std::string task_file = folder.write("task_events.csv", tasks);
  const auto import = import_seed(1, {machine_file, task_file});
  if (import) return "";
  Error error = import.error();
  if (error.file == machine_file) error.file = "MACHINES";
  if (error.file == task_file) error.file = "TASKS";
  return describe(error);
}

std::string machine_row_error(const std::string& row) {
  return import_error(machine(1, "1", "1") + row + "\n", task(1, "u", "0.1", "0.1"));
}

std::string task_row_error(const std::string& row) {
  return import_error(machine(1, "1", "1"), task(1, "u", "0.1", "0.1") + row + "\n");
}

// Counted by hand in data/machine_events-excerpt.csv: 12 machines are added at time 0 or updated without
// being there; 10 is removed at time 0, 6264344062 and 6274355716 have no capacity; later events change
// nothing.
TEST(Google2011, ServersAreTheClassesOfTheMachinesAtTimeZero) {
  const Google2011Import import = google_excerpt();
  EXPECT_EQ(import.machines, 7u);
  const auto& servers = import.cluster.servers;
  EXPECT_THAT(names(servers),
              ElementsAre("a-0.25-0.2498", "b-0.5-0.1241", "b-0.5-0.2493", "b-0.5-0.4995", "c-1-1"));
  std::vector<std::int64_t> counts;
  for (const Server& server : servers) counts.push_back(server.count);
  EXPECT_THAT(counts, ElementsAre(1, 1, 1, 3, 1));
}

TEST(Google2011, AmountsAreExact) {
  const Google2011Import import = google_excerpt();
  EXPECT_THAT(import.cluster.resources, ElementsAre("cpu", "memory"));
  ASSERT_EQ(import.cluster.servers.size(), 5u);
  EXPECT_EQ(import.cluster.servers[2].capacity, amounts("0.5", "0.2493"));
  EXPECT_EQ(user(import, "u-a3Mdzg6n").demand, amounts("0.01562", "0.00001526"));
}

TEST(Google2011, ServersAreLabelledWithTheirPlatform) {
  const Google2011Import import = google_excerpt();
  ASSERT_EQ(import.cluster.servers.size(), 5u);
  EXPECT_EQ(import.cluster.servers[0].labels.at("platform"), "a");
  EXPECT_EQ(import.cluster.servers[4].labels.at("platform"), "c");
}

TEST(Google2011, AnotherPlatformIsLabelledByItsHash) {
  const TemporaryFolder folder;
  folder.write("machine_events.csv", machine(1, "1", "1", "12345678/abc=") + machine(2, "1", "1", ""));
  folder.write("task_events.csv", task(1, "u", "0.1", "0.1"));
  const auto import = import_seed(1, {folder.path()});
  ASSERT_TRUE(import);
  EXPECT_THAT(names(import->cluster.servers), ElementsAre("12345678-1-1", "unknown-1-1"));
  EXPECT_EQ(import->cluster.servers[0].labels.at("platform"), "12345678");
  const auto again = read_cluster_text(text(*import), Syntax::yaml, "written");
  ASSERT_TRUE(again) << describe(again.error());
  EXPECT_EQ(again->servers()[0].labels, import->cluster.servers[0].labels);
}

TEST(Google2011, UsersAreThoseWithAUsableTaskInTheOrderOfTheTrace) {
  const Google2011Import import = google_excerpt();
  EXPECT_EQ(import.users, 6u);
  EXPECT_THAT(names(import.cluster.users), ElementsAre("u-70s3v5qR", "u-iV68dcBG", "u-AL1ptJgz", "u-TzK7XbAm",
                                                       "u-a3Mdzg6n", "u-150FoyvG"));
}

TEST(Google2011, ATaskRequestsWhatItsFirstEventWithARequestSays) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    EXPECT_EQ(user(google_excerpt(everything, seed), "u-70s3v5qR").demand, amounts("0.125", "0.07446"));
  }
}

TEST(Google2011, ARequestOfOneResourceIsADemandOfZeroForTheOther) {
  const Google2011Import import = google_excerpt();
  EXPECT_EQ(user(import, "u-AL1ptJgz").demand, amounts("0", "0.0003881"));
  EXPECT_EQ(user(import, "u-TzK7XbAm").demand, amounts("0.0125", "0"));
}

TEST(Google2011, DemandIsEndlessAndWeightsAreEqual) {
  for (const User& each : google_excerpt().cluster.users) {
    EXPECT_EQ(each.tasks, std::nullopt);
    EXPECT_EQ(each.weight, Quantity(1));
  }
}

TEST(Google2011, NoticesCountWhatIsLeftOut) {
  EXPECT_THAT(google_excerpt().notices,
              ElementsAre("left out, machines without a capacity: 2",
                          "left out, task events without a user or a request: 4",
                          "left out, task events that request neither cpu nor memory: 3",
                          "left out, users without a task that requests something: 1"));
}

// Three of the four tasks of iV68dcBG request the same: 1,000 draws hold 750 of them with a deviation of 14.
TEST(Google2011, EachTaskOfAUserIsAsLikelyAsAnyOther) {
  int often = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const ResourceVector demand = user(google_excerpt(everything, seed), "u-iV68dcBG").demand;
    if (demand == amounts("0.03125", "0.003109")) {
      ++often;
    } else {
      EXPECT_EQ(demand, amounts("0.0625", "0.01553"));
    }
  }
  EXPECT_NEAR(often, 750, 70);
}

TEST(Google2011, ASampleHoldsDistinctMachinesInTheOrderOfTheirIds) {
  const auto ids = [](const Google2011Import& import) {
    std::vector<long> numbers;
    for (const std::string& name : names(import.cluster.servers))
      numbers.push_back(std::stol(name.substr(2)));
    return numbers;
  };
  EXPECT_THAT(ids(google_excerpt({.sample_machines = 7, .sample_users = {}})),
              ElementsAre(5, 6, 381113, 381126, 662216, 1390736743, 4802039830));
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const auto drawn = ids(google_excerpt({.sample_machines = 4, .sample_users = {}}, seed));
    EXPECT_EQ(drawn.size(), 4u) << "seed " << seed;
    EXPECT_TRUE(std::is_sorted(drawn.begin(), drawn.end(), std::less_equal<>())) << "seed " << seed;
  }
}

TEST(Google2011, EachMachineIsDrawnAsOftenAsAnyOther) {
  std::map<std::string, int> drawn;
  for (std::uint64_t seed = 1; seed <= 700; ++seed) {
    for (const std::string& name :
         names(google_excerpt({.sample_machines = 3, .sample_users = {}}, seed).cluster.servers)) {
      ++drawn[name];
    }
  }
  EXPECT_EQ(drawn.size(), 7u);
  for (const auto& [name, count] : drawn) EXPECT_NEAR(count, 300, 65) << name;  // five deviations
}

TEST(Google2011, AnUpdateAtTimeZeroHolds) {
  const Google2011Import import = google_excerpt({.sample_machines = 7, .sample_users = {}});
  EXPECT_EQ(import.cluster.servers[1].name, "m-6");
  EXPECT_EQ(import.cluster.servers[1].capacity, amounts("0.5", "0.4995"));
  EXPECT_EQ(import.cluster.servers[3].name, "m-381126");
  EXPECT_EQ(import.cluster.servers[3].capacity, amounts("0.5", "0.4995")) << "an empty field changes nothing";
}

TEST(Google2011, ASampleHoldsDistinctUsersInTheOrderOfTheTrace) {
  const auto all = names(google_excerpt().cluster.users);
  std::set<std::vector<std::string>> samples;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const auto drawn = names(google_excerpt({.sample_machines = {}, .sample_users = 2}, seed).cluster.users);
    ASSERT_EQ(drawn.size(), 2u);
    EXPECT_LT(std::find(all.begin(), all.end(), drawn[0]), std::find(all.begin(), all.end(), drawn[1]));
    samples.insert(drawn);
  }
  EXPECT_EQ(samples.size(), 15u) << "every pair of the six users is drawn in the end";
}

TEST(Google2011, AUserWhoseTasksFitOnNoServerIsLeftOut) {
  const Google2011Options options{.sample_machines = 6, .sample_users = {}};
  int without_the_large_machine = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Google2011Import import = google_excerpt(options, seed);
    const auto servers = names(import.cluster.servers);
    const auto users = names(import.cluster.users);
    const bool large = std::count(servers.begin(), servers.end(), "m-4802039830") > 0;
    EXPECT_EQ(std::count(users.begin(), users.end(), "u-150FoyvG"), large ? 1 : 0) << "seed " << seed;
    EXPECT_EQ(import.users, large ? 6u : 5u);
    if (large) continue;
    ++without_the_large_machine;
    ASSERT_FALSE(import.notices.empty());
    EXPECT_EQ(import.notices.back(), "left out, users whose tasks fit on none of the servers: 1");
  }
  EXPECT_GT(without_the_large_machine, 0);
}

TEST(Google2011, ATaskThatFitsNowhereIsNeverDrawn) {
  const TemporaryFolder folder;
  folder.write("machine_events.csv", machine(1, "0.5", "1") + machine(2, "1", "0.5"));
  folder.write("task_events.csv",
               task(1, "u", "0.6", "0.6") + task(2, "u", "0.5", "1") + task(3, "u", "0.7", "0.6"));
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const auto import = import_seed(seed, {folder.path()});
    ASSERT_TRUE(import);
    EXPECT_EQ(import->cluster.users[0].demand, amounts("0.5", "1"));
  }
}

// Each platform has a server for every task of the excerpt but that of u-150FoyvG, which fits on c alone.
TEST(Google2011, ConfinedUsersMayRunOnPlatformsOnWhichTheirTaskFits) {
  const Google2011Options confined{
      .sample_machines = {}, .sample_users = {}, .confinement = Confinement::drawn_platforms};
  std::map<std::size_t, int> sizes;
  std::map<std::string, int> alone;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    const Google2011Import import = google_excerpt(confined, seed);
    EXPECT_THAT(*user(import, "u-150FoyvG").select.at("platform").any_of, ElementsAre("c"))
        << "seed " << seed;
    const User free = user(import, "u-a3Mdzg6n");
    const auto drawn = free.select.find("platform");
    if (drawn == free.select.end()) {
      ++sizes[3];
      continue;
    }
    ++sizes[drawn->second.any_of->size()];
    if (drawn->second.any_of->size() == 1) ++alone[drawn->second.any_of->front()];
  }
  for (std::size_t platforms = 1; platforms <= 3; ++platforms)
    EXPECT_NEAR(sizes[platforms], 200, 58) << platforms;
  for (const char* platform : {"a", "b", "c"}) EXPECT_NEAR(alone[platform], sizes[1] / 3, 35) << platform;
}

TEST(Google2011, ConfiningUsersChangesNothingElse) {
  Google2011Import confined = google_excerpt(
      {.sample_machines = {}, .sample_users = 4, .confinement = Confinement::drawn_platforms}, 5);
  EXPECT_THAT(text(confined), HasSubstr("drawn at random: the"));
  for (User& each : confined.cluster.users) each.select.clear();
  EXPECT_EQ(confined.cluster.users,
            google_excerpt({.sample_machines = {}, .sample_users = 4}, 5).cluster.users);
}

TEST(Google2011, TheSameSeedGivesTheSameBytesAndOtherSeedsGiveOthers) {
  const Google2011Options options{.sample_machines = 3, .sample_users = 3};
  std::set<std::vector<std::string>> samples;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_EQ(text(google_excerpt(options, seed)), text(google_excerpt(options, seed))) << "seed " << seed;
    samples.insert(names(google_excerpt(options, seed).cluster.servers));
  }
  EXPECT_GT(samples.size(), 10u) << "of the 35 samples of 3 machines";
}

TEST(Google2011, ReadingTheWrittenClusterGivesTheSameCluster) {
  for (const Google2011Options& options :
       {everything, Google2011Options{.sample_machines = 5, .sample_users = 4}}) {
    const Google2011Import import = google_excerpt(options);
    const auto problem = read_cluster_text(text(import), Syntax::yaml, "written");
    ASSERT_TRUE(problem) << describe(problem.error());
    const Cluster again{problem->resources(), problem->servers(), problem->users()};
    EXPECT_EQ(write_cluster_yaml(again, import.provenance), text(import));
    EXPECT_EQ(again.users[0].demand, import.cluster.users[0].demand);
  }
}

TEST(Google2011, TheHeadOfAFileTellsSourceLicenceDrawAndSeed) {
  const std::string head = text(google_excerpt({.sample_machines = 3, .sample_users = 2}, 42));
  for (const char* part : {"ClusterData2011_2", "Reiss", "Wilkes", "Hellerstein", "CC-BY 4.0",
                           "3 of the 7 machines", "2 of 6", "Seed: 42."}) {
    EXPECT_THAT(head, HasSubstr(part));
  }
}

TEST(Google2011, GzipFilesInTheFoldersOfTheirTablesGiveTheSame) {
  const TemporaryFolder folder;
  folder.write("machine_events/SHA256SUM", "not a part");
  folder.write("task_events/README", "not a part");
  folder.write("job_events/part-00000-of-00500.csv", "another table");
  folder.write_gzip("machine_events/part-00000-of-00001.csv.gz",
                    read_text(data + "/machine_events-excerpt.csv"));
  const std::string tasks = read_text(data + "/task_events-excerpt.csv");
  const std::size_t middle = tasks.find('\n', tasks.size() / 2) + 1;
  folder.write_gzip("task_events/part-00001-of-00500.csv.gz", tasks.substr(middle));
  folder.write_gzip("task_events/part-00000-of-00500.csv.gz", tasks.substr(0, middle));

  const auto import = import_seed(1, {folder.path()});
  ASSERT_TRUE(import) << describe(import.error());
  EXPECT_EQ(text(*import), text(google_excerpt()));
}

TEST(Google2011, OtherFilesOfTheTraceArePassedOverWithANotice) {
  const TemporaryFolder folder;
  const std::string jobs = folder.write("job_events/part-00000-of-00500.csv", "another table");
  const std::string constraints = folder.write("task_constraints-part-00000-of-00500.csv", "another table");
  const std::string sums = folder.write("task_events/SHA256SUM", "not a part");
  const auto import = import_seed(
      1, {jobs, data + "/machine_events-excerpt.csv", constraints, data + "/task_events-excerpt.csv", sums});
  ASSERT_TRUE(import) << describe(import.error());
  EXPECT_EQ(import->notices.front(), "passed over, not needed: " + jobs + " and 2 more");
  EXPECT_EQ(text(*import), text(google_excerpt()));
}

TEST(Google2011, AFileThatIsNothingOfTheTraceIsNamed) {
  const TemporaryFolder folder;
  const std::string other = folder.write("other/holiday.csv", "1,2,3");
  const auto import = import_seed(1, {data, other});
  ASSERT_FALSE(import);
  EXPECT_EQ(import.error().file, other);
  EXPECT_THAT(import.error().message, HasSubstr("belongs to neither table"));
}

TEST(Google2011, PartFilesOfAFolderAreReadInTheOrderOfTheirNames) {
  const TemporaryFolder folder;
  folder.write("machine_events.csv", machine(1, "1", "1"));
  std::vector<std::string> in_order;
  for (int part = 10; part < 30; ++part) in_order.push_back(fmt::format("u-{}", part));
  for (int i = 0; i < 20; ++i) {
    const int part = 10 + i * 7 % 20;
    folder.write(fmt::format("task_events-{}.csv", part), task(part, std::to_string(part), "0.1", "0.1"));
  }
  const auto import = import_seed(1, {folder.path()});
  ASSERT_TRUE(import) << describe(import.error());
  EXPECT_EQ(names(import->cluster.users), in_order);
}

TEST(Google2011, ProgressEndsWithAllBytes) {
  std::vector<std::uint64_t> done;
  std::uint64_t all = 0;
  Random random(1);
  const auto import =
      import_google2011({data}, everything, random, [&](std::uint64_t bytes, std::uint64_t total) {
        done.push_back(bytes);
        all = total;
      });
  ASSERT_TRUE(import);
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  EXPECT_EQ(done.back(), all);
  EXPECT_EQ(all, std::filesystem::file_size(data + "/machine_events-excerpt.csv") +
                     std::filesystem::file_size(data + "/task_events-excerpt.csv"));
}

TEST(Google2011, ATruncatedFileIsNamedWithTheLineWhereItEnds) {
  const TemporaryFolder folder;
  folder.write("machine_events.csv", machine(1, "1", "1"));
  std::string tasks;
  for (int job = 0; job < 5000; ++job) tasks += task(job, "u", "0.1", "0.1");
  const std::string path = folder.write_gzip("task_events.csv.gz", tasks);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  const auto import = import_seed(1, {folder.path()});
  ASSERT_FALSE(import);
  EXPECT_EQ(import.error().file, path);
  EXPECT_GT(import.error().line, 1000);
  EXPECT_LT(import.error().line, 4000);
  EXPECT_THAT(import.error().message, HasSubstr("truncated"));
}

TEST(Google2011, BadRowsAreNamedWithFileLineAndColumn) {
  EXPECT_EQ(machine_row_error("0,5,0,P,0.5"), "MACHINES:2: 5 columns instead of the 6 of machine_events");
  EXPECT_EQ(machine_row_error("0,5,0,P,0.5,abc"), "MACHINES:2: Memory: \"abc\" is not a number");
  EXPECT_EQ(machine_row_error("-1,5,0,P,0.5,1"), "MACHINES:2: time: \"-1\" is not a whole number from 0");
  EXPECT_EQ(machine_row_error("0,,0,P,0.5,1"), "MACHINES:2: machine ID: \"\" is not a whole number from 0");
  EXPECT_EQ(machine_row_error("0,5,3,P,0.5,1"),
            "MACHINES:2: event type: \"3\" is not 0 (add), 1 (remove) or 2 (update)");
  EXPECT_THAT(machine_row_error("0,5,0,P,-0.5,1"), StartsWith("MACHINES:2: CPUs: '-0.5' is negative"));

  EXPECT_EQ(task_row_error("0,,1"), "TASKS:2: 3 columns instead of the 13 of task_events");
  EXPECT_EQ(task_row_error("0,,1,0,,0,u,2,1,0.1,0.1m,0,0"),
            "TASKS:2: memory request: \"0.1m\" is not a number");
  EXPECT_EQ(task_row_error("0,,x,0,,0,u,2,1,0.1,0.1,0,0"),
            "TASKS:2: job ID: \"x\" is not a whole number from 0");
  EXPECT_THAT(task_row_error("0,,1,0,,0,u,2,1,-0.1,0.1,0,0"),
              StartsWith("TASKS:2: CPU request: '-0.1' is negative"));
}

TEST(Google2011, AnEmptyFileIsAnError) {
  EXPECT_EQ(import_error("", task(1, "u", "1", "1")), "MACHINES: the file is empty");
  EXPECT_EQ(import_error(machine(1, "1", "1"), ""), "TASKS: the file is empty");
}

TEST(Google2011, MissingFilesAndTablesAreErrors) {
  const TemporaryFolder folder;
  const std::string absent = folder.path("task_events.csv");
  EXPECT_EQ(describe(import_seed(1, {absent}).error()), absent + ": does not exist");
  const std::string machines = folder.write("machine_events.csv", machine(1, "1", "1"));
  EXPECT_EQ(describe(import_seed(1, {machines}).error()), "no task_events file in: " + machines);
  EXPECT_THAT(describe(import_seed(1, {folder.path()}).error()), StartsWith("no task_events file in: "));
  const std::string other = folder.write("other.csv", "");
  EXPECT_THAT(describe(import_seed(1, {machines, other}).error()),
              StartsWith(other + ": belongs to neither table"));
}

TEST(Google2011, MoreThanThereIsCannotBeDrawn) {
  const auto refusal = [](const Google2011Options& options) {
    const auto import = import_seed(1, {data}, options);
    return import ? "" : describe(import.error());
  };
  EXPECT_EQ(refusal({.sample_machines = 8, .sample_users = {}}),
            "cannot draw 8 of 7 machines with a capacity at time 0: from 1 to 7 can be drawn");
  EXPECT_EQ(refusal({.sample_machines = {}, .sample_users = 7}),
            "cannot draw 7 of 6 users with a task that fits on a server: from 1 to 6 can be drawn");
  EXPECT_THAT(refusal({.sample_machines = 0, .sample_users = {}}), StartsWith("cannot draw 0 of 7"));
  EXPECT_THAT(refusal({.sample_machines = {}, .sample_users = 0}), StartsWith("cannot draw 0 of 6"));
}

TEST(Google2011, ATraceWithoutMachinesOrUsersIsAnError) {
  EXPECT_EQ(import_error("5,1,0,P,1,1\n", task(1, "u", "1", "1")),
            "MACHINES: the trace has no machines with a capacity at time 0");
  EXPECT_EQ(import_error(machine(1, "1", "1"), task(1, "u", "0", "0")),
            "TASKS: the trace has no users with a task that fits on a server");
}

}  // namespace
}  // namespace mirab::traces
