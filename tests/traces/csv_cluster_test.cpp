// Servers and users from tables of the user's own.
#include "lab/traces/csv_cluster.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <set>
#include <tuple>

#include <mirab/model/cluster_file.hpp>
#include <mirab/model/random.hpp>

namespace mirab::traces {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

const std::string kServers = "name,cpu,memory\ns1,8,32Gi\ns2,8,32Gi\nbig,32,128Gi\n";

Result<CsvCluster> try_csv(const std::string& servers, const std::string& users,
                           CsvClusterOptions options = {}) {
  return import_csv({"servers.csv", servers}, {"users.csv", users}, options);
}

std::string yaml(const std::string& servers, const std::string& users, CsvClusterOptions options = {}) {
  const Result<CsvCluster> import = try_csv(servers, users, std::move(options));
  return import ? write_cluster_yaml(import->cluster) : describe(import.error());
}

TEST(CsvCluster, ColumnsThatAreCalledLikeFieldsNeedNoMap) {
  EXPECT_EQ(
      yaml(kServers,
           "name,shape,cpu,memory,tasks,weight\nann,web,1,2Gi,4,2\nann,db,2,8Gi,1,2\nbob,,500m,1Gi,,\n"),
      R"(version: 1
resources: [cpu, memory]
servers:
  - {name: s, capacity: {cpu: 8, memory: 32Gi}, count: 2}
  - {name: big, capacity: {cpu: 32, memory: 128Gi}}
users:
  - {name: ann, weight: 2, shapes: [
    {name: web, demand: {cpu: 1, memory: 2Gi}, tasks: 4},
    {name: db, demand: {cpu: 2, memory: 8Gi}, tasks: 1},
  ]}
  - {name: bob, demand: {cpu: 0.5, memory: 1Gi}}
)");
}

TEST(CsvCluster, AMapNamesColumnsAndMultipliesTheirNumbers) {
  EXPECT_EQ(yaml("host;cores;ram_gb;gpus;zone\nh1;64;256;4;a\nh2;64;256;0;b\n",
                 "\"team\"\tcores\tmem\tgpus\thost\tzone\n\"ml, "
                 "\"\"x\"\"\"\t8\t0.5\t1\th1\ta\nci\t2\t4\t0\th2\t\nci\t2\t4\t0\t\t\n",
                 {.map = {"servers.name=host", "users.name=team", "cpu=cores", "servers.memory=ram_gb*1Gi",
                          "users.memory=mem*1Gi", "gpu=gpus", "server=host", "servers.label.zone=zone",
                          "users.select.zone=zone"},
                  .row_per_task = true}),
            R"(version: 1
resources: [cpu, memory, gpu]
servers:
  - {name: h1, capacity: {cpu: 64, memory: 256Gi, gpu: 4}, labels: {zone: a}}
  - {name: h2, capacity: {cpu: 64, memory: 256Gi}}
users:
  - {name: "ml, \"x\"", demand: {cpu: 8, memory: 512Mi, gpu: 1}, tasks: 1, select: {zone: [a]}}
  - {name: ci, demand: {cpu: 2, memory: 4Gi}, tasks: 2}
running:
  - {user: "ml, \"x\"", server: h1, tasks: 1}
  - {user: ci, server: h2, tasks: 1}
)");
}

TEST(CsvCluster, ServersMayHaveACountAndWindowsLineEnds) {
  EXPECT_EQ(yaml("\xEF\xBB\xBFName,Count,CPU\r\nm,40,16\r\n", "name,cpu,tasks\r\na,1,3\r\n\r\n"),
            "version: 1\nresources: [cpu]\nservers:\n  - {name: m, capacity: {cpu: 16}, count: 40}\nusers:\n "
            " - {name: a, "
            "demand: {cpu: 1}, tasks: 3}\n");
}

TEST(CsvCluster, ShapesOfOneNameAndOneDemandAreOneAndOthersStayApart) {
  const std::string text =
      yaml(kServers, "name,shape,cpu,memory,tasks\na,x,1,1Gi,1\na,y,1,1Gi,2\na,x,1,1Gi,4\n");
  EXPECT_THAT(text, HasSubstr("{name: x, demand: {cpu: 1, memory: 1Gi}, tasks: 5}"));
  EXPECT_THAT(text, HasSubstr("{name: y, demand: {cpu: 1, memory: 1Gi}, tasks: 2}"));
}

/// A cluster of which tables can say all. No two servers or shapes are alike, so that none are put together.
Cluster random_cluster(Random& random) {
  const std::vector<std::string> zones{"a", "b", "c"};
  const auto whole = [&](std::uint64_t least, std::uint64_t choices) {
    return Quantity(static_cast<std::int64_t>(least + random.below(choices)));
  };
  Cluster cluster{.resources = {"cpu", "memory"}, .servers = {}, .users = {}};
  for (std::size_t i = 0; i < 3 + random.below(5); ++i)
    cluster.servers.push_back({.name = fmt::format("s{}", i),
                               .capacity = {Quantity(static_cast<std::int64_t>(1000 + i)), Quantity(4000)},
                               .count = 1 + static_cast<std::int64_t>(random.below(4)),
                               .labels = {{"zone", zones[i % 3]}}});
  cluster.running.emplace();
  std::int64_t demand = 0;  // of the next shape
  for (std::size_t n = 0; n < 2 + random.below(5); ++n) {
    const std::string name = fmt::format("user {}", n);
    const Quantity weight = whole(1, 3);
    const std::size_t shapes = 1 + random.below(3);
    if (shapes > 1) cluster.groups.push_back({.name = name, .weight = weight, .is_user = true});
    for (std::size_t s = 0; s < shapes; ++s) {
      User user{.name = name, .demand = {Quantity(++demand), whole(1, 9)}};
      if (shapes == 1) user.weight = weight;
      if (shapes > 1)
        user.group = name, user.shape = fmt::format("shape {}", s), user.name += "/" + *user.shape;
      if (n == 0 || random.below(2) == 0) user.select = {{"zone", {zones[random.below(3)]}}};
      if (random.below(3) > 0) {
        user.tasks = whole(3, 9);
        const Server& on = cluster.servers[random.below(cluster.servers.size())];
        if (user.select.empty() || user.select.at("zone").any_of->front() == on.labels.at("zone"))
          cluster.running->push_back(
              {.user = name, .shape = user.shape, .server = on.name, .tasks = whole(1, 3)});
      }
      cluster.users.push_back(std::move(user));
    }
  }
  return cluster;
}

TEST(CsvCluster, OfRandomClustersLosesNothing) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Cluster cluster = random_cluster(random);
    std::string servers = "name,count,cpu,memory,label.zone\n";
    for (const Server& server : cluster.servers)
      servers += fmt::format("{},{},{},{},{}\n", server.name, server.count, server.capacity[0].text(),
                             server.capacity[1].text(), server.labels.at("zone"));
    std::string users = "name,shape,weight,cpu,memory,tasks,select.zone,server\n";
    for (const User& user : cluster.users) {
      const std::string& owner = user.shape ? *user.group : user.name;
      const auto group = std::find_if(cluster.groups.begin(), cluster.groups.end(),
                                      [&](const Group& each) { return each.name == owner; });
      const auto add = [&](const std::string& tasks, const std::string& server) {
        users += fmt::format("{},{},{},{},{},{},{},{}\n", owner, user.shape.value_or(""),
                             (user.shape ? group->weight : user.weight).text(), user.demand[0].text(),
                             user.demand[1].text(), tasks,
                             user.select.empty() ? "" : user.select.at("zone").any_of->front(), server);
      };
      std::int64_t waiting = user.tasks ? *count_units(*user.tasks, 0, Rounding::down) : 0;
      for (const Running& each : *cluster.running) {
        if (each.user != owner || each.shape != user.shape) continue;
        add(each.tasks.text(), each.server);
        waiting -= *count_units(each.tasks, 0, Rounding::down);
      }
      add(user.tasks ? fmt::format("{}", waiting) : "", "");
    }
    const Result<CsvCluster> import = try_csv(servers, users);
    ASSERT_TRUE(import) << describe(import.error()) << "\n" << users;
    const Result<Problem> again =
        read_cluster_text(write_cluster_yaml(import->cluster), Syntax::yaml, "again");
    ASSERT_TRUE(again) << describe(again.error());
    std::vector<Server> expected = cluster.servers;  // with the labels by which some user selects
    for (Server& server : expected) {
      const bool selected = std::any_of(cluster.users.begin(), cluster.users.end(), [&](const User& user) {
        return !user.select.empty() && user.select.at("zone").any_of->front() == server.labels.at("zone");
      });
      if (!selected) server.labels.clear();
    }
    EXPECT_EQ(again->servers(), expected) << servers;
    EXPECT_EQ(again->users(), cluster.users) << users;
    EXPECT_EQ(again->groups(), cluster.groups) << users;
    const auto placed = [](const Cluster& of) {
      std::set<std::tuple<std::string, std::string, std::string, std::string>> all;
      for (const Running& each : *of.running)
        all.emplace(each.user, each.shape.value_or(""), each.server, each.tasks.text());
      return all;
    };
    EXPECT_EQ(placed(again->cluster()), placed(cluster)) << users;
  }
}

TEST(CsvCluster, NamesTheColumnsThatAreNotUsed) {
  const Result<CsvCluster> import =
      try_csv("name,cpu,rack\ns,4,7\n", "name,cpu,tasks,cost\na,1,1,9\nb,1,0,9\n");
  ASSERT_TRUE(import) << describe(import.error());
  EXPECT_THAT(import->notices, Contains("columns of servers.csv that are not used: rack"));
  EXPECT_THAT(import->notices, Contains("columns of users.csv that are not used: cost"));
  EXPECT_THAT(import->notices, Contains("left out, rows of users with 0 tasks: 1"));
}

TEST(CsvCluster, BadInputNamesFileLineAndColumn) {
  const std::string users = "name,cpu,memory,tasks\na,1,1Gi,1\n";
  EXPECT_THAT(yaml("", users), HasSubstr("servers.csv: the file is empty"));
  EXPECT_THAT(yaml("name,cpu\n", users), HasSubstr("servers.csv: there are no rows below the head"));
  EXPECT_THAT(yaml("host,cpu\nh,1\n", users),
              HasSubstr("servers.csv:1: no column for 'name'; name one with --map servers.name=COLUMN"));
  EXPECT_THAT(yaml("name,disk\nh,1\n", users), HasSubstr("servers.csv:1: no column is a resource"));
  EXPECT_THAT(yaml("name,cpu\nh,lots\n", users), HasSubstr("servers.csv:2: cpu: 'lots'"));
  EXPECT_THAT(yaml("name,cpu\nh,1\nh,1\n", users), HasSubstr("servers.csv:3: name: a second server 'h'"));
  EXPECT_THAT(yaml("name,cpu\nh\n", users), HasSubstr("servers.csv:2: 1 cells, and the head has 2"));
  EXPECT_THAT(yaml("name,cpu,CPU\nh,1,1\n", users), HasSubstr("servers.csv:1: a second column 'CPU'"));
  EXPECT_THAT(yaml("name,cpu\n\"h,1\n", users), HasSubstr("servers.csv:2: a quote that does not end"));
  EXPECT_THAT(yaml("name,cpu\n\"h\"x,1\n", users), HasSubstr("servers.csv:2: text after the end of a quote"));
  EXPECT_THAT(yaml("name,cpu,count\nh,1,0\n", users),
              HasSubstr("servers.csv:2: count: must be a whole number from 1"));
  EXPECT_THAT(yaml("name,cpu\n\xFF,1\n", users), HasSubstr("servers.csv: is not valid UTF-8"));
  EXPECT_THAT(yaml(kServers, "name,cpu,memory,tasks\na,1,1,1.5\n"),
              HasSubstr("users.csv:2: tasks: must be a whole number"));
  EXPECT_THAT(yaml(kServers, "name,cpu,memory,tasks,weight\na,1,1,1,2\na,1,1,1,3\n"),
              HasSubstr("users.csv:3: weight: 'a' has the weight 2 in a row above"));
  EXPECT_THAT(yaml(kServers, "name,cpu,memory\na,1,1\na,1,1\n"),
              HasSubstr("users.csv:3: name: a second row of 'a' without"));
  for (const std::string rows : {"a,1,1,\na,1,1,4\n", "a,1,1,4\na,1,1,\n"})
    EXPECT_THAT(yaml(kServers, "name,cpu,memory,tasks\n" + rows),
                HasSubstr("users.csv:3: tasks: a number of tasks in one row of 'a' and none in another"));
  EXPECT_THAT(yaml(kServers, "name,cpu,memory,server\na,1,1,s1\n"),
              HasSubstr("users.csv:1: server: says where tasks run"));
  EXPECT_THAT(yaml(kServers, "name,cpu,memory,tasks,server\na,1,1,1,s9\n"),
              HasSubstr("users.csv:2: server: there is no server 's9'; did you mean"));
  EXPECT_THAT(yaml(kServers, "name,cpu,memory,tasks\n,1,1,1\n"),
              HasSubstr("users.csv:2: name: a user needs a name"));
}

TEST(CsvCluster, AWrongMapIsRefusedByItsWords) {
  const std::string users = "name,cpu,memory,tasks\na,1,1Gi,1\n";
  const auto refused = [&](const std::string& map) { return yaml(kServers, users, {.map = {map}}); };
  EXPECT_THAT(refused("cpu"), HasSubstr("--map: 'cpu' is not of the form FIELD=COLUMN"));
  EXPECT_THAT(refused("cpu=cores"), HasSubstr("--map: 'cpu=cores': there is no column 'cores'"));
  EXPECT_THAT(refused("memory=ram*much"), HasSubstr("after the * must be an amount"));
  EXPECT_THAT(refused("servers.tasks=cpu"), HasSubstr("there is no column 'cpu'"));
  EXPECT_THAT(yaml(kServers, users, {.map = {"cpu=cpu", "cpu=memory"}}), HasSubstr("cpu is mapped already"));
}

}  // namespace
}  // namespace mirab::traces
