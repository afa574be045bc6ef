#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <sstream>

#include <mirab/model/cluster_file.hpp>

#include "model/document.hpp"
#include "support/files.hpp"

namespace mirab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::StartsWith;
using ::testing::StrEq;

constexpr std::string_view kWhole = R"(version: 1
resources: [cpu, memory, gpu]
servers:
  - name: small
    capacity: {cpu: 16, memory: 64Gi, gpu: 0}
    count: 6732
    labels: {zone: a, gpu-model: none}
  - {name: big, capacity: {cpu: 500m, memory: 1e3, gpu: 8}, labels: {zone: b}}
users:
  - name: alice
    demand: {cpu: 1, memory: 4Gi}
    weight: 2
    tasks: 500.5
    servers: [small]
    select: {zone: [a, b]}
    demand_on: {small: {cpu: 2, memory: 4Gi}}
  - {name: "7", demand: {gpu: 0.25}}
)";

Result<Problem> read(std::string_view text) { return read_cluster_text(text, Syntax::yaml, "c.yaml"); }
Result<Problem> read_json(std::string_view text) { return read_cluster_text(text, Syntax::json, "c.json"); }

std::string cluster_file_refusal(std::string_view text) {
  const Result<Problem> problem = read(text);
  return problem ? "accepted" : describe(problem.error());
}

std::string json_refusal(std::string_view text) {
  const Result<Problem> problem = read_json(text);
  return problem ? "accepted" : describe(problem.error());
}

TEST(ClusterFile, ReadsEveryKey) {
  const Result<Problem> problem = read(kWhole);
  ASSERT_TRUE(problem) << describe(problem.error());
  EXPECT_THAT(problem->resources(), ElementsAre("cpu", "memory", "gpu"));
  const Server& small = problem->servers()[0];
  EXPECT_EQ(small.capacity[1], *Quantity::parse("64Gi"));
  EXPECT_EQ(small.count, 6732);
  EXPECT_THAT(small.labels, ElementsAre(Pair("gpu-model", "none"), Pair("zone", "a")));
  EXPECT_EQ(problem->servers()[1].capacity[0], *Quantity::parse("0.5"));
  const User& alice = problem->users()[0];
  EXPECT_EQ(alice.weight, Quantity{2});
  EXPECT_EQ(alice.tasks, *Quantity::parse("500.5"));
  EXPECT_THAT(*alice.servers, ElementsAre("small"));
  EXPECT_THAT(alice.select, ElementsAre(Pair("zone", LabelCondition{"a", "b"})));
  EXPECT_EQ(alice.demand_on.at("small")[0], Quantity{2});
  EXPECT_EQ(problem->users()[1].name, "7");
  EXPECT_TRUE(problem->users()[1].demand[0].is_zero()) << "a resource left out is 0";
}

TEST(ClusterFile, WhatIsWrittenReadsBackEqual) {
  const Result<Problem> problem = read(kWhole);
  ASSERT_TRUE(problem);
  const std::string yaml =
      write_cluster_yaml({problem->resources(), problem->servers(), problem->users()}, {"A comment.", ""});
  EXPECT_THAT(yaml, StartsWith("# A comment.\n#\nversion: 1\n"));
  const Result<Problem> again = read(yaml);
  ASSERT_TRUE(again) << describe(again.error()) << "\n" << yaml;
  EXPECT_EQ(again->resources(), problem->resources());
  EXPECT_TRUE(again->servers() == problem->servers());
  EXPECT_TRUE(again->users() == problem->users());
}

constexpr std::string_view kTainted = R"(resources: [cpu, gpu]
servers:
  - {name: general, capacity: {cpu: 16}, labels: {zone: a}}
  - {name: spot, capacity: {cpu: 16}, labels: {zone: b}, taints: [spot, soft:PreferNoSchedule]}
  - {name: ml, capacity: {cpu: 64, gpu: 8}, labels: {zone: b, cores: 64}, taints: [dedicated=ml:NoExecute, tier=5]}
users:
)";

/// On which of the three servers the only user may run: `110` are the first two.
std::string eligible_with(const std::string& keys) {
  const Result<Problem> problem =
      read(std::string(kTainted) + "  - {name: u, demand: {cpu: 1}, may_fit_nowhere: true, " + keys +
           "}\n  - {name: other, demand: {cpu: 1}}\n");
  if (!problem) return describe(problem.error());
  std::string all;
  for (std::size_t i = 0; i < 3; ++i) all += problem->eligible(0, i) ? "1" : "0";
  const Result<Problem> again = read(write_cluster_yaml(problem->cluster()));
  EXPECT_TRUE(again) << keys;
  if (again) {
    EXPECT_EQ(again->users(), problem->users()) << write_cluster_yaml(problem->cluster());
    EXPECT_EQ(again->servers(), problem->servers());
  }
  return all;
}

// docs/reference/cluster-file.md, "Labels and taints".
TEST(ClusterFile, TaintsKeepOffUsersWhoDoNotTolerateThem) {
  EXPECT_EQ(eligible_with("tasks: 1"), "100") << "PreferNoSchedule alone keeps nobody off";
  EXPECT_EQ(eligible_with("tolerates: spot"), "110");
  EXPECT_EQ(eligible_with("tolerates: [spot:NoSchedule]"), "110");
  EXPECT_EQ(eligible_with("tolerates: [spot:NoExecute]"), "100") << "the taint has another effect";
  EXPECT_EQ(eligible_with("tolerates: ['spot=']"), "110") << "the taint has no value";
  EXPECT_EQ(eligible_with("tolerates: [spot=x]"), "100");
  EXPECT_EQ(eligible_with("tolerates: [dedicated=ml]"), "100") << "tier is not tolerated";
  EXPECT_EQ(eligible_with("tolerates: [dedicated=ml, tier>4]"), "101");
  EXPECT_EQ(eligible_with("tolerates: [dedicated=ml, tier>5]"), "100");
  EXPECT_EQ(eligible_with("tolerates: [dedicated, tier<6]"), "101");
  EXPECT_EQ(eligible_with("tolerates: '*'"), "111");
  EXPECT_EQ(eligible_with("tolerates: ['*:NoSchedule']"), "110");
  EXPECT_EQ(eligible_with("tolerates: {operator: Exists}"), "111");
  EXPECT_EQ(eligible_with("tolerates: [{key: spot, operator: Exists, effect: NoSchedule}]"), "110");
  EXPECT_EQ(eligible_with("tolerates: [{key: spot, value: null, operator: Exists, effect: ~}]"), "110");
  EXPECT_EQ(eligible_with("tolerates: [{key: dedicated, value: ml}, {key: tier, operator: Gt, value: 4}]"),
            "101");
  EXPECT_EQ(eligible_with("tolerates: '*', servers: [ml]"), "001");
}

// As `kubectl get node` shows them.
TEST(ClusterFile, ATaintMayBeWrittenAsKubernetesWritesIt) {
  const auto taints = [](const std::string& text) -> std::string {
    const Result<Problem> problem =
        read("resources: [cpu]\nservers:\n  - name: s\n    capacity: {cpu: 1}\n    taints: " + text +
             "\nusers:\n  - {name: a, demand: {cpu: 1}, tolerates: '*'}\n");
    if (!problem) return describe(problem.error());
    std::string all;
    for (const Taint& taint : problem->servers()[0].taints) all += taint_text(taint) + " ";
    return all;
  };
  EXPECT_EQ(taints("[{key: dedicated, value: gpu, effect: NoSchedule}]"), "dedicated=gpu ");
  EXPECT_EQ(taints("[{key: a, effect: NoExecute}, b=c, {key: d, value: , effect: PreferNoSchedule}]"),
            "a:NoExecute b=c d:PreferNoSchedule ");
  EXPECT_EQ(taints("{key: gpu}"), "gpu ");
  EXPECT_EQ(taints("[{value: gpu}]"), "c.yaml:5: servers[0].taints[0].key: missing");
  EXPECT_EQ(taints("[a, {key: b, effect: Never}]"),
            "c.yaml:5: servers[0].taints[1].effect: must be NoSchedule, NoExecute or PreferNoSchedule, not "
            "'Never'");
  EXPECT_THAT(taints("[[a]]"), HasSubstr("servers[0].taints[0]: must be a text like key, key=value or "));
  EXPECT_THAT(taints("[{key: a=b}]"), HasSubstr("servers[0].taints[0]: a key has none of =, <, > and :"));
  EXPECT_EQ(eligible_with("tolerates: '*', servers: {not: [ml]}"), "110");
}

TEST(ClusterFile, AnOverfullServerIsReadAndWrittenAsOne) {
  const std::string servers =
      "resources: [cpu]\nservers:\n  - {name: a, capacity: {cpu: 6}, overfull: true}\n"
      "  - {name: b, capacity: {cpu: 4}, overfull: false}\nusers:\n  - {name: u, demand: {cpu: 1}}\n";
  const Result<Problem> problem = read(servers);
  ASSERT_TRUE(problem) << describe(problem.error());
  EXPECT_TRUE(problem->servers()[0].is_overfull);
  EXPECT_FALSE(problem->servers()[1].is_overfull);
  const std::string yaml = write_cluster_yaml(problem->cluster());
  EXPECT_THAT(yaml, HasSubstr("  - {name: a, capacity: {cpu: 6}, overfull: true}\n"
                              "  - {name: b, capacity: {cpu: 4}}\n"));
  EXPECT_EQ(read(yaml)->servers(), problem->servers());
  EXPECT_EQ(
      cluster_file_refusal("resources: [cpu]\nservers:\n  - {name: a, capacity: {cpu: 6}, overfull: 2}\n"),
      "c.yaml:3: servers[0].overfull: must be true or false");
}

TEST(ClusterFile, SelectSaysWhatALabelMustBe) {
  const auto selected = [](const std::string& select) {
    return eligible_with("tolerates: '*', select: " + select);
  };
  EXPECT_EQ(selected("{zone: a}"), "100");
  EXPECT_EQ(selected("{zone: {not: a}}"), "011");
  EXPECT_EQ(selected("{cores: {not: [64]}}"), "110") << "a label that is not there has no such value";
  EXPECT_EQ(selected("{cores: {exists: true}}"), "001");
  EXPECT_EQ(selected("{cores: {exists: false}}"), "110");
  EXPECT_EQ(selected("{cores: {above: 63}}"), "001");
  EXPECT_EQ(selected("{cores: {above: 64}}"), "000");
  EXPECT_EQ(selected("{cores: {below: 65}}"), "001");
  EXPECT_EQ(selected("{cores: {below: 64}}"), "000");
  EXPECT_EQ(selected("{zone: {above: 1}}"), "000") << "no number";
  EXPECT_EQ(selected("{zone: {in: [a, b], not: [a]}, cores: {exists: false}}"), "010");
}

TEST(ClusterFile, ShapesNarrowWhatTheirUserSelectsAndTolerateWhatEitherDoes) {
  const auto eligible = [](const std::string& of_user, const std::string& of_shape) {
    const Result<Problem> problem = read(std::string(kTainted) + "  - {name: u, " + of_user +
                                         ", shapes: [{name: s, demand: {cpu: 1}, may_fit_nowhere: true, " +
                                         of_shape + "}]}\n  - {name: other, demand: {cpu: 1}}\n");
    if (!problem) return describe(problem.error());
    std::string all;
    for (std::size_t i = 0; i < 3; ++i) all += problem->eligible(0, i) ? "1" : "0";
    return all;
  };
  EXPECT_EQ(eligible("tolerates: spot", "tolerates: [dedicated, tier]"), "111");
  EXPECT_EQ(eligible("tolerates: '*', select: {zone: {not: a}}", "select: {zone: {not: c}}"), "011");
  EXPECT_EQ(eligible("tolerates: '*', select: {cores: {above: 1}}", "select: {cores: {above: 64}}"), "000");
  EXPECT_EQ(eligible("tolerates: '*', servers: {not: ml}", "servers: [spot, ml]"), "010");
  for (const auto& [of_user, of_shape] :
       std::vector<std::pair<std::string, std::string>>{{"[a]", "[b]"},
                                                        {"[a]", "{not: a}"},
                                                        {"{exists: true}", "{exists: false}"},
                                                        {"{above: 3}", "{exists: false}"},
                                                        {"{above: 3}", "{below: 4}"}}) {
    EXPECT_THAT(
        eligible("tolerates: '*', select: {zone: " + of_user + "}", "select: {zone: " + of_shape + "}"),
        HasSubstr("c.yaml:7: users[0].shapes[0].select.zone: no server can be both: the user 'u' selects "
                  "zone: " +
                  of_user + ", its shape 's' zone: " + of_shape));
  }
}

TEST(ClusterFile, ErrorsOfLabelsAndTaintsNameLineAndKey) {
  const auto refused = [](const std::string& keys) {
    return cluster_file_refusal(std::string(kTainted) + "  - {name: u, demand: {cpu: 1}, " + keys + "}\n");
  };
  EXPECT_EQ(refused("select: {zone: {nott: a}}"),
            "c.yaml:7: users[0].select.zone.nott: unknown key; did you mean not? Known are in, not, exists, "
            "above, below");
  EXPECT_THAT(refused("select: {zone: {}}"), HasSubstr("c.yaml:7: users[0].select.zone: must be a value"));
  EXPECT_THAT(refused("select: {cores: {above: many}}"),
              HasSubstr("c.yaml:7: users[0].select.cores.above: must be a whole number, not 'many'"));
  EXPECT_THAT(refused("select: {cores: {exists: false, above: 3}}"),
              HasSubstr("users[0].select.cores.exists: must be true"));
  EXPECT_THAT(refused("servers: {but: [ml]}"), HasSubstr("c.yaml:7: users[0].servers.but: unknown key"));
  EXPECT_THAT(refused("servers: {not: [mll]}"),
              HasSubstr("c.yaml:7: users[0].servers.not[0]: there is no server 'mll'; did you mean ml?"));
  EXPECT_THAT(refused("tolerates: ['=ml']"), HasSubstr("c.yaml:7: users[0].tolerates[0]: '=ml' has no key"));
  EXPECT_THAT(refused("tolerates: [a:Never]"),
              HasSubstr("users[0].tolerates[0]: must be NoSchedule, NoExecute or PreferNoSchedule"));
  EXPECT_THAT(refused("tolerates: [a>b]"), HasSubstr("users[0].tolerates[0]: 'b' must be a whole number"));
  EXPECT_THAT(refused("tolerates: [{key: a, operator: Maybe}]"),
              HasSubstr("users[0].tolerates[0].operator: must be Exists, Equal, Gt or Lt, not 'Maybe'"));
  EXPECT_THAT(refused("tolerates: [{key: a, operator: Gt, value: '007'}]"),
              HasSubstr("c.yaml:7: users[0].tolerates[0]: '007' must be a whole number"));
  for (const char* unwritable : {"{key: '*', operator: Exists}", "{key: a=b, operator: Exists}",
                                 "{key: a, value: 'b:NoExecute'}", "{key: 'a:b', value: c}"}) {
    EXPECT_THAT(refused(std::string("tolerates: [") + unwritable + "]"),
                HasSubstr("users[0].tolerates[0]: a key has none of =, <, > and : and is not *"))
        << "its text would be another toleration";
  }
  EXPECT_THAT(refused("tolerates: [{value: a}]"), HasSubstr("users[0].tolerates[0].key: missing"));
  EXPECT_THAT(refused("servers: [ml]"),
              HasSubstr("c.yaml:7: users[0].tolerates: user 'u' fits on none of the 3 "
                        "servers: `servers` excludes 2, taints keep it off 1 "
                        "(dedicated=ml:NoExecute, tier=5)"));
  const auto refused_taint = [](const std::string& taints) {
    return cluster_file_refusal(
        "resources: [cpu]\nservers:\n  - name: s\n    capacity: {cpu: 1}\n    taints: " + taints +
        "\nusers:\n  - {name: u, demand: {cpu: 1}}\n");
  };
  EXPECT_THAT(refused_taint("{dedicated: ml}"),
              HasSubstr("c.yaml:5: servers[0].taints.dedicated: unknown key; known are key, value, effect"));
  EXPECT_THAT(refused_taint("[a, b:Never]"), HasSubstr("c.yaml:5: servers[0].taints[1]: must be NoSchedule"));
  EXPECT_THAT(refused_taint("'*'"), HasSubstr("c.yaml:5: servers[0].taints: '*' is no taint"));
}

TEST(ClusterFile, WhatRunsMayBeWrittenByServer) {
  const std::string head =
      "resources: [cpu]\nservers:\n  - {name: a.b, capacity: {cpu: 4}}\n  - {name: c, capacity: {cpu: 4}}\n"
      "users:\n  - {name: u, demand: {cpu: 1}}\nrunning:\n";
  const Result<Problem> by_server = read(head + "  - {user: u, tasks: {a.b: 3, c: 1}}\n");
  const Result<Problem> one_by_one =
      read(head + "  - {user: u, server: a.b, tasks: 3}\n  - {user: u, server: c, tasks: 1}\n");
  ASSERT_TRUE(by_server && one_by_one);
  EXPECT_EQ(by_server->running(), one_by_one->running());
  EXPECT_THAT(write_cluster_yaml(one_by_one->cluster()), HasSubstr("  - {user: u, tasks: {a.b: 3, c: 1}}\n"));
  EXPECT_EQ(read(write_cluster_yaml(one_by_one->cluster()))->cluster().running,
            one_by_one->cluster().running);
  EXPECT_THAT(cluster_file_refusal(head + "  - {user: u, server: c, tasks: {a.b: 3}}\n"),
              HasSubstr("c.yaml:8: running[0].server: must be left out where `tasks` are given by server"));
  EXPECT_THAT(cluster_file_refusal(head + "  - user: u\n    tasks:\n      c: 1\n      a.b: 5\n"),
              HasSubstr("c.yaml:11: running[0].tasks.a.b: more than fits"));
  EXPECT_THAT(cluster_file_refusal(head + "  - {user: u, tasks: {c: 1}}\n  - {user: v, tasks: {c: 1}}\n"),
              HasSubstr("c.yaml:9: running[1].user: there is no user 'v'"));
}

TEST(ClusterFile, WholeKibibytesMebibytesAndGibibytesAreWrittenWithTheirSuffix) {
  const auto written = [](std::string_view amount) {
    const ResourceVector one{*Quantity::parse(amount)};
    return write_cluster_yaml({.resources = {"m"},
                               .servers = {{.name = "s", .capacity = one}},
                               .users = {{.name = "u", .demand = one}}});
  };
  EXPECT_THAT(written("68719476736"), HasSubstr("{m: 64Gi}"));
  EXPECT_THAT(written("30517Mi"), HasSubstr("{m: 30517Mi}"));
  EXPECT_THAT(written("60325580Ki"), HasSubstr("{m: 60325580Ki}")) << "as kubectl prints it";
  EXPECT_THAT(written("1048577"), HasSubstr("{m: 1048577}"));
  EXPECT_THAT(written("1048576.5"), HasSubstr("{m: 1048576.5}"));
  EXPECT_THAT(written("1Ki"), HasSubstr("{m: 1024}")) << "smaller amounts count other things than bytes";
  for (const std::string_view amount :
       {"64Gi", "30517Mi", "60325580Ki", "1048576.5", "1024", "9223372036854775807"}) {
    const Result<Problem> again = read(written(amount));
    ASSERT_TRUE(again) << describe(again.error());
    EXPECT_EQ(again->users()[0].demand[0], *Quantity::parse(amount));
  }
}

// The capacity is what an older file may say as well: without the key it stays an error.
TEST(ClusterFile, MayFitNowhereIsReadWrittenAndElseTheErrorNamesIt) {
  const std::string head =
      "resources: [cpu, gpu]\nservers:\n  - {name: s, capacity: {cpu: 9}}\nusers:\n"
      "  - {name: a, demand: {cpu: 1}, may_fit_nowhere: false}\n";
  const auto refused = [&](const std::string& user) {
    const Result<Problem> problem = read(head + user);
    return problem ? "read" : describe(problem.error());
  };
  EXPECT_EQ(
      refused("  - {name: b, demand: {gpu: 1}}\n"),
      "c.yaml:6: users[1].demand: user 'b' fits nowhere: 1 without any gpu; with `may_fit_nowhere: true` "
      "it waits for a server");
  EXPECT_EQ(refused("  - name: b\n    demand: {gpu: 1}\n    may_fit_nowhere: yes\n"),
            "c.yaml:8: users[1].may_fit_nowhere: must be true or false");
  EXPECT_EQ(refused("  - {name: b, may_fit_nowhere: true, shapes: [{name: s, demand: {gpu: 1}}]}\n"),
            "c.yaml:6: users[1].may_fit_nowhere: a user with `shapes` has it in each of its shapes");
  const Result<Problem> problem =
      read(head +
           "  - {name: b, demand: {gpu: 1}, may_fit_nowhere: true}\n"
           "  - {name: c, shapes: [{name: s, demand: {gpu: 1}, may_fit_nowhere: true}]}\n");
  ASSERT_TRUE(problem) << describe(problem.error());
  EXPECT_FALSE(problem->users()[0].may_fit_nowhere);
  EXPECT_TRUE(problem->users()[1].may_fit_nowhere);
  const Result<Problem> again = read(write_cluster_yaml(problem->cluster()));
  ASSERT_TRUE(again) << describe(again.error());
  EXPECT_EQ(again->users(), problem->users());
  const Result<Problem> json = read_cluster_text(
      R"({"resources": ["cpu", "gpu"], "servers": [{"name": "s", "capacity": {"cpu": 9}}], "users": [)"
      R"({"name": "a", "demand": {"cpu": 1}}, {"name": "b", "demand": {"gpu": 1}, "may_fit_nowhere": true}]})",
      Syntax::json, "c.json");
  ASSERT_TRUE(json) << describe(json.error());
  EXPECT_TRUE(json->users()[1].may_fit_nowhere);
}

TEST(ClusterFile, NamesThatLookLikeSomethingElseSurviveTheRoundTrip) {
  for (const std::string name :
       {"null", "~", "1e3", "a: b", "#x", "- y", "true", "\"q\"", "ü", " spaced ", "a,b", "{", "é"}) {
    Cluster cluster{.resources = {"cpu"},
                    .servers = {{.name = name, .capacity = {Quantity{1}}}},
                    .users = {{.name = name, .demand = {Quantity{1}}}}};
    const Result<Problem> again = read(write_cluster_yaml(cluster));
    ASSERT_TRUE(again) << name << ": " << describe(again.error());
    EXPECT_EQ(again->servers()[0].name, name);
    EXPECT_EQ(again->users()[0].name, name);
  }
}

TEST(ClusterFile, LongNamesSurviveTheRoundTripThoughYamlKeysAreShort) {
  for (const std::size_t length :
       {std::size_t{1022}, std::size_t{1023}, std::size_t{1024}, std::size_t{1025}, std::size_t{9000}}) {
    const std::string name(length, 'n');
    Cluster cluster{.resources = {name},
                    .servers = {{.name = name, .capacity = {Quantity{2}}, .labels = {{name, name}}}},
                    .users = {{.name = name, .demand = {Quantity{1}}, .select = {{name, {name}}}}}};
    cluster.users[0].demand_on[name] = {Quantity{2}};
    const Result<Problem> again = read(write_cluster_yaml(cluster));
    ASSERT_TRUE(again) << length << ": " << describe(again.error());
    EXPECT_EQ(again->resources(), cluster.resources);
    EXPECT_TRUE(again->servers() == cluster.servers && again->users() == cluster.users) << length;
  }
}

TEST(ClusterFile, JsonIsReadWithTheSameKeys) {
  const Result<Problem> problem = read_json(R"({"version": 1, "resources": ["cpu", "memory"],
    "servers": [{"name": "s", "capacity": {"cpu": 0.1, "memory": "4Gi"}, "count": 3, "labels": {"a\/b": "\u00fc"}}],
    "users": [{"name": "u", "demand": {"cpu": 1e-3}, "weight": 0.5, "tasks": 9007199254740993}]})");
  ASSERT_TRUE(problem) << describe(problem.error());
  EXPECT_EQ(problem->servers()[0].capacity[0], *Quantity::parse("0.1"));
  EXPECT_EQ(problem->servers()[0].labels.at("a/b"), "ü");
  EXPECT_EQ(problem->users()[0].tasks->text(), "9007199254740993") << "no detour through a double";
  EXPECT_EQ(problem->users()[0].demand[0], *Quantity::parse("1m"));
}

constexpr std::string_view kHead =
    "resources: [cpu, memory]\nservers:\n  - {name: s, capacity: {cpu: 9, memory: 18}}\n";

TEST(ClusterFile, EveryErrorNamesFileLineAndKey) {
  const std::string head(kHead);
  EXPECT_EQ(cluster_file_refusal(head + "users:\n  - name: a\n    demand: {cpu: 1}\n    wieght: 2\n"),
            "c.yaml:7: users[0].wieght: unknown key; did you mean weight? Known are name, demand, weight, "
            "tasks, servers, "
            "select, demand_on, group, guarantee, limit, reserved, shapes, may_fit_nowhere, tolerates");
  EXPECT_THAT(cluster_file_refusal("resources: [cpu]\nservers:\n  - name: s\n    capacity:\n      cpu: -1\n"),
              HasSubstr("c.yaml:5: servers[0].capacity.cpu: '-1' is negative"));
  EXPECT_THAT(cluster_file_refusal("resources: [cpu]\nservers:\n  - {name: s, capacity: {cpu: .nan}}\n"),
              HasSubstr("c.yaml:3: servers[0].capacity.cpu: '.nan' is not a finite number"));
  EXPECT_THAT(cluster_file_refusal(
                  head + "users:\n  - {name: a, demand: {cpu: 1}}\n  - {name: a, demand: {cpu: 1}}\n"),
              HasSubstr("c.yaml:6: users[1].name: duplicate name"));
  EXPECT_THAT(cluster_file_refusal(head + "users:\n  - {name: a, demand: {cpu: 0}}\n"),
              HasSubstr("c.yaml:5: users[0].demand: user 'a' demands nothing"));
  EXPECT_THAT(cluster_file_refusal(head + "users:\n  - name: a\n"),
              HasSubstr("c.yaml:5: users[0].demand: missing"));
  EXPECT_THAT(
      cluster_file_refusal(
          "resources: [cpu, gpu]\nservers:\n  - {name: s, capacity: {cpu: 9}}\nusers:\n  - name: a\n    "
          "demand: {gpu: 1}\n"),
      HasSubstr("c.yaml:6: users[0].demand: user 'a' fits nowhere: 1 without any gpu"));
  EXPECT_THAT(cluster_file_refusal(head + "users:\n  - {name: a, demand: {cpus: 1}}\n"),
              HasSubstr("c.yaml:5: users[0].demand.cpus: unknown resource; did you mean cpu? Known are "
                        "cpu, memory"));
  EXPECT_THAT(
      cluster_file_refusal(head + "users:\n  - {name: a, demand: {cpu: 16Ei}}\n"),
      HasSubstr(
          "c.yaml:5: users[0].demand.cpu: '16Ei' overflows: the largest amount is 9223372036854775807"));
  EXPECT_THAT(cluster_file_refusal(""), HasSubstr("c.yaml:1: resources: missing: the file is empty"));
  EXPECT_THAT(cluster_file_refusal("# nothing\n"),
              HasSubstr("c.yaml:1: resources: missing: the file is empty"));
  EXPECT_THAT(cluster_file_refusal("resources: [cpu]\nservers: []\nusers: []\n"),
              HasSubstr("c.yaml:2: servers: the cluster is empty"));
  EXPECT_THAT(cluster_file_refusal("version: 2\nresources: [cpu]\n"),
              HasSubstr("c.yaml:1: version: must be 1"));
}

TEST(ClusterFile, EveryErrorOfJsonHasItsLineToo) {
  EXPECT_THAT(json_refusal("{\"resources\": [\"cpu\"],\n \"servers\": [{\"name\": \"s\",\n  \"capacity\": "
                           "{\"cpu\": -4\n}}], \"users\": []}"),
              HasSubstr("c.json:3: servers[0].capacity.cpu: '-4' is negative"));
  EXPECT_THAT(json_refusal("{\"resources\": [\"cpu\"],\n\n \"resources\": 1}"),
              HasSubstr("c.json:3: resources: duplicate key"));
  EXPECT_THAT(json_refusal("{\"resources\":\n [\"cpu\" 1]}"),
              HasSubstr("c.json:2: resources[1]: syntax error"));
  EXPECT_THAT(json_refusal("{\"resources\":"), HasSubstr("c.json:1: resources"));
  EXPECT_THAT(json_refusal("  \n"), HasSubstr("the file is empty"));
}

TEST(ClusterFile, AKeyThatComesTwiceIsFoundAmongMany) {
  for (const int keys : {1, 15, 16, 17, 40}) {
    std::string text;
    for (int i = 0; i < keys; ++i) text += fmt::format("\"k{}\": {},\n", i, i);
    for (const int again : {0, keys - 1}) {
      EXPECT_THAT(json_refusal(fmt::format("{{{}\"k{}\": 1}}", text, again)),
                  HasSubstr(fmt::format("c.json:{}: k{}: duplicate key", keys + 1, again)));
    }
  }
}

TEST(ClusterFile, ATabThatIndentsIsCalledByItsName) {
  const std::string tab = "tabs cannot indent in YAML; use spaces";
  EXPECT_EQ(cluster_file_refusal("resources: [cpu]\nservers:\n\t- name: s\n"), "c.yaml:3: " + tab);
  EXPECT_EQ(cluster_file_refusal("resources: [cpu]\nservers:\n  - name: s\n\t  capacity: {cpu: 1}\n"),
            "c.yaml:4: " + tab);
  EXPECT_EQ(cluster_file_refusal("version: 1\n  \tresources: [cpu]\n"), "c.yaml:2: " + tab);
  EXPECT_EQ(cluster_file_refusal("resources: [cpu]\nservers: {a: 1]\n"), "c.yaml:2: illegal flow end");
}

TEST(ClusterFile, TabsBetweenBracketsAndInBlankLinesAreNoMistake) {
  EXPECT_TRUE(
      read("resources: [cpu]\n\t\nservers: [\n\t{name: s, capacity: {cpu: 1}}\n]\nusers:\t[\n"
           "\t# a comment\n{name: a, demand: {cpu: 1}}]\n"));
  EXPECT_THAT(cluster_file_refusal("resources: [\n\tcpu]\nservers: 1: 2\n"), Not(HasSubstr("tabs")));
}

TEST(ClusterFile, WhatJsonDoesNotHaveIsSaidInPlainWords) {
  for (const char* commented : {"// c\n{}", "# c\n{}", "{// c\n}", "{\"resources\": /* c */ 1}"}) {
    EXPECT_THAT(json_refusal(commented), StartsWith("c.json:1: ")) << commented;
    EXPECT_THAT(json_refusal(commented), HasSubstr("JSON has no comments")) << commented;
  }
  const std::string comma = "a comma before ] or }: in JSON none follows the last value";
  EXPECT_EQ(json_refusal("{\"resources\":\n [\"cpu\",\n]}"), "c.json:3: resources[1]: " + comma);
  EXPECT_EQ(json_refusal("{\"resources\": [\"cpu\"],\n}"), "c.json:2: " + comma);
  EXPECT_EQ(json_refusal(std::string("\xFF\xFE{\0}\0", 6)),
            "c.json:1: bytes that are no UTF-8; write the file as UTF-8 (PowerShell's > writes UTF-16)");
  EXPECT_THAT(json_refusal("{\"resources\": ]}"), Not(HasSubstr("comma")));
  EXPECT_THAT(json_refusal("{\"resources\": \"x,]\n\"}"), Not(HasSubstr("comma"))) << "within a text";
}

TEST(ClusterFile, ACountIsAWholeNumberFromOne) {
  const auto with_count = [](const std::string& count) {
    return cluster_file_refusal(
        "resources: [cpu]\nservers:\n  - name: s\n    capacity: {cpu: 1}\n    count: " + count +
        "\nusers:\n  - {name: a, demand: {cpu: 1}}\n");
  };
  for (const char* count : {"-1", "0", "1.5", "ten", "1e30"}) {
    EXPECT_EQ(with_count(count),
              "c.yaml:5: servers[0].count: must be a whole number from 1 up to 2^63 - 1, not '" +
                  std::string(count) + "'");
  }
  EXPECT_THAT(with_count("[1]"), HasSubstr("servers[0].count: must be a whole number from 1"));
  EXPECT_EQ(with_count("2k"), "accepted");
}

TEST(ClusterFile, WithoutResourcesTheErrorShowsHowTheyLook) {
  EXPECT_EQ(cluster_file_refusal("servers:\n  - {name: s, capacity: {cpu: 1}}\n"),
            "c.yaml:1: resources: missing: list the resources, such as `resources: [cpu, memory]`");
}

TEST(ClusterFile, RefusesWrongKindsOfValues) {
  const std::string head(kHead);
  EXPECT_THAT(cluster_file_refusal("just text\n"), HasSubstr("c.yaml:1: must be a map"));
  EXPECT_THAT(cluster_file_refusal("resources: cpu\n"), HasSubstr("c.yaml:1: resources: must be a list"));
  EXPECT_THAT(cluster_file_refusal("resources: [cpu]\nservers: [s]\n"),
              HasSubstr("c.yaml:2: servers[0]: must be a map"));
  EXPECT_THAT(cluster_file_refusal(head + "users:\n  - {name: [a], demand: {cpu: 1}}\n"),
              HasSubstr("users[0].name: must be a name"));
  EXPECT_THAT(cluster_file_refusal(head + "users:\n  - {name: a, demand: {cpu: [1]}}\n"),
              HasSubstr("users[0].demand.cpu: must be an amount"));
  EXPECT_THAT(cluster_file_refusal(head + "users:\n  - {name: a, demand: {cpu: }}\n"),
              HasSubstr("users[0].demand.cpu: must be an amount"));
  EXPECT_THAT(
      cluster_file_refusal("resources: [cpu]\nservers:\n  - {name: s, capacity: {cpu: 1}, count: 1.5}\n"),
      HasSubstr("servers[0].count: must be a whole number"));
  EXPECT_THAT(cluster_file_refusal("a: 1\na: 2\n"), HasSubstr("c.yaml:2: a: duplicate key"));
  EXPECT_THAT(cluster_file_refusal("a: &x 1\nb: *x\n"), HasSubstr("aliases (*name) are not supported"));
  EXPECT_THAT(cluster_file_refusal("[a]: 1\n"), HasSubstr("a key must be a plain name"));
  EXPECT_THAT(cluster_file_refusal("version: 1\n---\nversion: 1\n"), HasSubstr("a second document begins"));
  EXPECT_THAT(cluster_file_refusal("resources: [cpu\n"), StrEq("c.yaml:2: end of sequence flow not found"))
      << "where the closing bracket is missing";
}

TEST(ClusterFile, AMissingFileAndAFolderAreErrorsThatNameIt) {
  const Result<Problem> missing = read_cluster_file("/nowhere/c.yaml");
  ASSERT_FALSE(missing);
  EXPECT_THAT(describe(missing.error()), HasSubstr("/nowhere/c.yaml: cannot be read: No such file"));
  const Result<Problem> folder = read_cluster_file(std::filesystem::temp_directory_path().string());
  ASSERT_FALSE(folder);
  EXPECT_THAT(describe(folder.error()), HasSubstr("cannot be read"));
}

TEST(ClusterFile, ACommentStaysACommentWhateverItHolds) {
  const Cluster cluster{.resources = {"cpu"},
                        .servers = {{.name = "s", .capacity = {Quantity{1}}}},
                        .users = {{.name = "u", .demand = {Quantity{1}}}}};
  EXPECT_TRUE(read(write_cluster_yaml(cluster, {"one\ny: z", "", "two"})));
  EXPECT_THAT(write_cluster_yaml(cluster, {"one\ny: z", "", "two"}),
              StartsWith("# one\n# y: z\n#\n# two\nversion"));
}

TEST(ClusterFile, WritingWhatNobodyCheckedDoesNotThrow) {
  const Cluster cluster{
      .resources = {"cpu"}, .servers = {{.name = "s\xff", .capacity = {Quantity{1}}}}, .users = {}};
  EXPECT_THAT(write_cluster_yaml(cluster), HasSubstr("servers:"));
}

TEST(ClusterFile, MoreAmountsThanFitIntoMemoryAreRefusedBeforeTheyAreMade) {
  std::string resources = "r0";
  for (int r = 1; r < 1000; ++r) resources += ", r" + std::to_string(r);
  const std::string servers = "servers:\n  - {name: s, capacity: {r0: 1}}\nusers:\n";
  std::string users;
  for (int n = 0; n < 50'001; ++n) users += "  - {}\n";
  EXPECT_THAT(cluster_file_refusal("resources: [" + resources + "]\n" + servers + users),
              HasSubstr("more than 50000000 amounts"));
  EXPECT_THAT(cluster_file_refusal("resources: [" + resources + ", more]\n" + servers +
                                   "  - {name: u, demand: {r0: 1}}\n"),
              HasSubstr("c.yaml:1: resources: 1001 resources; at most 1000 can be shared"));
}

TEST(ClusterFile, TheLineOfAKeyCanBeFoundLater) {
  const std::string slides = MIRAB_SOURCE_DIR "/examples/team-cluster.yaml";
  std::ifstream file(slides);
  std::string text;
  int line = 0;
  while (text.find("demand_on:") == std::string::npos) {
    ASSERT_TRUE(std::getline(file, text));
    ++line;
  }
  EXPECT_EQ(position_in_cluster_file(slides, "users[4].demand_on").line, line);
  EXPECT_EQ(position_in_cluster_file("-", "users").line, 0);
  EXPECT_EQ(position_in_cluster_file("/nowhere", "users").line, 0);
}

// What runs now.

constexpr std::string_view kRunning = R"(resources: [cpu, memory]
servers:
  - {name: node, capacity: {cpu: 8, memory: 32Gi}, count: 2}
  - {name: tiny, capacity: {cpu: 1, memory: 1Gi}}
users:
  - {name: search, demand: {cpu: 2, memory: 8Gi}, tasks: 3, servers: [node]}
  - name: checkout
    shapes:
      - {name: web, demand: {cpu: 0.5, memory: 1Gi}}
      - {name: cache, demand: {cpu: 0.5, memory: 8Gi}}
)";

std::string running_refusal(const std::string& entries) {
  return cluster_file_refusal(std::string(kRunning) + "running:\n" + entries);
}

TEST(ClusterFile, WhatRunsIsSummedByUserAndServerInTheirOrder) {
  const std::string text = std::string(kRunning) +
                           "running:\n"
                           "  - {user: checkout, shape: web, server: tiny, tasks: 1}\n"
                           "  - {user: checkout, shape: web, server: node, tasks: 2.5}\n"
                           "  - {user: search, server: node, tasks: 1}\n"
                           "  - {user: checkout, shape: cache, server: node, tasks: 0}\n"
                           "  - {user: search, server: node, tasks: 2}\n";
  const Result<Problem> problem = read(text);
  ASSERT_TRUE(problem) << describe(problem.error());
  const std::vector<PlacedTasks> expected = {{.user = 0, .server = 0, .tasks = 3},
                                             {.user = 1, .server = 0, .tasks = 2.5},
                                             {.user = 1, .server = 1, .tasks = 1}};
  EXPECT_EQ(problem->running(), expected);
  const Result<Problem> again = read(write_cluster_yaml(problem->cluster()));
  ASSERT_TRUE(again) << describe(again.error());
  EXPECT_EQ(again->cluster().running, problem->cluster().running);
}

TEST(ClusterFile, ThatNothingRunsIsNotTheSameAsNotKnowing) {
  const Result<Problem> unknown = read(kRunning);
  const Result<Problem> nothing = read(std::string(kRunning) + "running: []\n");
  ASSERT_TRUE(unknown && nothing);
  EXPECT_FALSE(unknown->running());
  EXPECT_THAT(*nothing->running(), ::testing::IsEmpty());
  EXPECT_TRUE(read(write_cluster_yaml(nothing->cluster()))->running());
  EXPECT_FALSE(read(write_cluster_yaml(unknown->cluster()))->running());
}

TEST(ClusterFile, WhatCannotRunIsRefusedWithItsLineAndKey) {
  EXPECT_THAT(running_refusal("  - {user: serch, server: node, tasks: 1}\n"),
              StartsWith("c.yaml:12: running[0].user: there is no user 'serch'; did you mean search?"));
  EXPECT_THAT(running_refusal("  - {user: search, server: nod, tasks: 1}\n"),
              StartsWith("c.yaml:12: running[0].server: there is no server 'nod'; did you mean node?"));
  EXPECT_THAT(running_refusal("  - {user: checkout, server: node, tasks: 1}\n"),
              StrEq("c.yaml:12: running[0].shape: missing: user 'checkout' has the task shapes web, cache"));
  EXPECT_THAT(
      running_refusal("  - {user: checkout, shape: wep, server: node, tasks: 1}\n"),
      StartsWith("c.yaml:12: running[0].shape: user 'checkout' has no shape 'wep'; did you mean web?"));
  EXPECT_THAT(running_refusal("  - {user: search, shape: web, server: node, tasks: 1}\n"),
              StrEq("c.yaml:12: running[0].shape: user 'search' has no task shapes; leave it out"));
  EXPECT_THAT(running_refusal("  - {user: checkout/web, server: node, tasks: 1}\n"),
              StrEq("c.yaml:12: running[0].user: 'checkout/web' is a task shape: write user 'checkout' and "
                    "shape 'web'"));
  EXPECT_THAT(running_refusal("  - {user: search, server: tiny, tasks: 1}\n"),
              StrEq("c.yaml:12: running[0].server: user 'search' may not run on 'tiny'"));
  EXPECT_THAT(running_refusal("  - {user: search, server: node, tasks: 1}\n"
                              "  - {user: search, server: node, tasks: 2.5}\n"),
              StrEq("c.yaml:13: running[1].tasks: user 'search' has 3 tasks, and 3.5 would run"));
  EXPECT_THAT(running_refusal("  - {user: checkout, shape: web, server: tiny, tasks: 1.5}\n"),
              StrEq("c.yaml:12: running[0].tasks: more than fits: 'tiny' has 1073741824 of memory, and with "
                    "these tasks 1610612736 would be in use"));
  EXPECT_THAT(running_refusal("  - {user: checkout, shape: cache, server: node, tasks: 8}\n"
                              "  - {user: search, server: node, tasks: 1}\n"),
              HasSubstr("c.yaml:13: running[1].tasks: more than fits: 'node' and its equals have"));
  EXPECT_THAT(running_refusal("  - {user: search, server: node}\n"),
              StrEq("c.yaml:12: running[0].tasks: missing"));
  EXPECT_THAT(running_refusal("  - {user: search, server: node, tasks: -1}\n"),
              HasSubstr("c.yaml:12: running[0].tasks: '-1' is negative"));
  EXPECT_THAT(running_refusal("  - {user: search, host: node, tasks: 1}\n"),
              StartsWith("c.yaml:12: running[0].host: unknown key"));
  EXPECT_THAT(cluster_file_refusal(std::string(kRunning) + "running: 3\n"),
              StrEq("c.yaml:11: running: must be a list"));
}

TEST(ClusterFile, ATitleIsTextOnOneLine) {
  EXPECT_EQ(read("title: Our cluster\n" + std::string(kRunning))->cluster().title, "Our cluster");
  EXPECT_EQ(cluster_file_refusal("title: \"a\\nb\"\n" + std::string(kRunning)),
            "c.yaml:1: title: holds a control character, such as a line break or a tab");
  EXPECT_EQ(cluster_file_refusal("title: [a]\n" + std::string(kRunning)),
            "c.yaml:1: title: must be a name or text");
}

class AllocationFile {
 public:
  AllocationFile(const std::string& name, std::string_view content) : path_(folder_.write(name, content)) {}

  Result<Problem> read() const { return with_allocation_file(*mirab::read(kRunning), path_); }
  /// Without the folder.
  std::string refusal() const {
    const Result<Problem> problem = read();
    return problem ? "accepted" : describe(problem.error()).substr(folder_.path().size());
  }

 private:
  TemporaryFolder folder_;
  std::string path_;
};

TEST(AllocationFile, CsvAndListsSayTheSame) {
  const std::vector<PlacedTasks> expected = {{.user = 0, .server = 0, .tasks = 2},
                                             {.user = 1, .server = 0, .tasks = 1}};
  const AllocationFile csv("a.csv",
                           "user,shape,server,tasks\r\nsearch,,node,2\r\n\"checkout\",web,node,1\r\n");
  const AllocationFile unnamed("a.txt", "tasks,server,user,shape\n2,node,search,\n1,node,checkout,web\n");
  const AllocationFile json("a.json", R"([{"user": "search", "server": "node", "tasks": 2},
                                           {"user": "checkout", "shape": "web", "server": "node", "tasks": 1}])");
  const AllocationFile object("b",
                              R"({"running": [{"user": "search", "shape": null, "server": "node", "tasks": 2},
                                     {"user": "checkout", "shape": "web", "server": "node", "tasks": 1}]})");
  const AllocationFile yaml("a.yaml",
                            "running:\n- {user: search, server: node, tasks: 2}\n"
                            "- {user: checkout, shape: web, server: node, tasks: 1}\n");
  for (const AllocationFile* file : {&csv, &unnamed, &json, &object, &yaml}) {
    const Result<Problem> problem = file->read();
    ASSERT_TRUE(problem) << describe(problem.error());
    EXPECT_EQ(problem->running(), expected);
  }
}

TEST(AllocationFile, ErrorsNameLineAndColumnOrKey) {
  const auto csv = [](std::string_view rows) {
    const AllocationFile file("a.csv", "user,server,tasks\n" + std::string(rows));
    return file.refusal().substr(std::string_view("a.csv").size());
  };
  EXPECT_THAT(csv("search,node,1\nserch,node,1\n"), StartsWith(":3: user: there is no user 'serch'"));
  EXPECT_THAT(csv("search,node,4\nserch,node,1\n"), StartsWith(":3: user: there is no user 'serch'"))
      << "a wrong name comes before what does not fit";
  EXPECT_EQ(csv("search,node,4\n"), ":2: tasks: user 'search' has 3 tasks, and 4 would run");
  EXPECT_EQ(csv("search,node\n"), ":2: 2 cells, and the head has 3");
  EXPECT_THAT(csv("search,node,many\n"), StartsWith(":2: tasks: 'many' is not an amount"));
  EXPECT_EQ(csv("\"search,node,1\n"), ":2: a quote that does not end");
  EXPECT_EQ(csv("checkout,node,1\n"), ":2: shape: missing: user 'checkout' has the task shapes web, cache");
  const AllocationFile header("a.csv", "user,host,tasks\n");
  EXPECT_THAT(header.refusal(), HasSubstr(":1: host: unknown column"));
  const AllocationFile lacking("a.csv", "user,tasks\n");
  EXPECT_THAT(lacking.refusal(),
              HasSubstr(":1: server: no such column; the first line is user,shape,server,tasks"));
  const AllocationFile twice("a.csv", "user,server,tasks,User\n");
  EXPECT_THAT(twice.refusal(), HasSubstr(":1: a second column 'User'"));
  const AllocationFile empty("a.csv", "");
  EXPECT_THAT(empty.refusal(), HasSubstr("the file is empty"));
  const AllocationFile later("a.json", "{\"version\": 2,\n\"running\": []}");
  EXPECT_THAT(later.refusal(), HasSubstr(":1: version: must be 1, the version of this format"));
  const AllocationFile json("a.json",
                            "{\"running\": [\n{\"user\": \"search\", \"server\": \"x\", \"tasks\": 1}]}");
  EXPECT_THAT(json.refusal(), HasSubstr(":2: running[0].server: there is no server 'x'"));
  const AllocationFile other("a.json", "{\"servers\": []}");
  EXPECT_THAT(other.refusal(), HasSubstr(":1: servers: unknown key"));
  EXPECT_THAT(describe(with_allocation_file(*read(kRunning), "/nowhere.csv").error()),
              StartsWith("/nowhere.csv: "));
}

TEST(AllocationFile, IsReadInPlaceOfWhatTheClusterFileSays) {
  const Result<Problem> cluster =
      read(std::string(kRunning) + "running: [{user: search, server: node, tasks: 3}]\n");
  const TemporaryFolder folder;
  const std::string csv = folder.write("a.csv", "user,shape,server,tasks\ncheckout,web,node,1\n");
  const Result<Problem> replaced = with_allocation_file(*cluster, csv);
  ASSERT_TRUE(replaced) << describe(replaced.error());
  const std::vector<PlacedTasks> expected = {{.user = 1, .server = 0, .tasks = 1}};
  EXPECT_EQ(replaced->running(), expected);
}

TEST(AllocationFile, IsReadWhereWhatTheClusterFileSaysDoesNotFit) {
  const TemporaryFolder folder;
  const std::string csv = folder.write("a.csv", "user,shape,server,tasks\ncheckout,web,node,1\n");
  const std::string cluster =
      folder.write("c.yaml", std::string(kRunning) + "running: [{user: search, server: node, tasks: 900}]\n");
  EXPECT_FALSE(read_cluster_file(cluster));
  const Result<Problem> judged = read_cluster_file(cluster, csv);
  ASSERT_TRUE(judged) << describe(judged.error());
  const std::vector<PlacedTasks> expected = {{.user = 1, .server = 0, .tasks = 1}};
  EXPECT_EQ(judged->running(), expected);
  const std::string unreadable =
      folder.write("d.yaml", std::string(kRunning) + "running: [{user: search}]\n");
  EXPECT_THAT(describe(read_cluster_file(unreadable, csv).error()), HasSubstr("running[0].server: missing"));
}

TEST(ClusterFile, WhatAMechanismGivesFitsThoughItsDoublesAddUpToMore) {
  const std::string third = "0.33333333333333337";
  std::string rows = "user,shape,server,tasks\n";
  for (int i = 0; i < 9; ++i) rows += "search,,node," + third + "\n";
  EXPECT_EQ(AllocationFile("a.csv", rows).refusal(), "accepted");
}

// A source of endless brackets, so that the test itself needs no memory for them.
class Repeated : public std::streambuf {
 public:
  Repeated(std::string pattern, std::size_t bytes) : pattern_(std::move(pattern)), left_(bytes) {}

 private:
  int_type underflow() override {
    if (left_ == 0) return traits_type::eof();
    chunk_.clear();
    while (chunk_.size() < 65536 && chunk_.size() < left_) chunk_ += pattern_;
    chunk_.resize(std::min(chunk_.size(), left_));
    left_ -= chunk_.size();
    setg(chunk_.data(), chunk_.data(), chunk_.data() + chunk_.size());
    return traits_type::to_int_type(chunk_[0]);
  }

  std::string pattern_;
  std::string chunk_;
  std::size_t left_;
};

TEST(Document, HundredMegabytesOfBracketsAreRefusedInsteadOfCrashing) {
  for (const Syntax syntax : {Syntax::yaml, Syntax::json}) {
    Repeated brackets("[", 100'000'000);
    std::istream input(&brackets);
    const Result<Node> document = read_document(input, syntax, "b");
    ASSERT_FALSE(document);
    EXPECT_THAT(describe(document.error()), StartsWith("b:1: "));
    EXPECT_THAT(describe(document.error()), HasSubstr("nested deeper than 32 levels"));
  }
}

TEST(Document, ValuesWithoutEndAreRefusedAtTheLimit) {
  for (const char* pattern : {"[],", "[a,", "[a,a],", "{a: [b,"}) {
    Repeated values(std::string("[") + pattern, 100'000'000);
    std::istream input(&values);
    EXPECT_FALSE(read_document(input, Syntax::yaml, "b")) << pattern;
  }
  Repeated list("[1,", 100'000'000);
  std::istream input(&list);
  EXPECT_FALSE(read_document(input, Syntax::json, "b"));
}

// What `kubectl get -o yaml` prints has whole objects as texts in annotations.
TEST(Document, BracketsAndCommasInTextsAndCommentsAreNoValues) {
  const std::string brackets(100, '[');
  std::istringstream quoted("a: \"" + brackets + "\"\nb: '" + brackets + "'\n# " + brackets + "\nc: |\n  " +
                            brackets + "\nd: [\"" + brackets + "\", x]\n");
  const Result<Node> document = read_document(quoted, Syntax::yaml, "b");
  ASSERT_TRUE(document) << describe(document.error());
  for (const char* key : {"a", "b"}) EXPECT_EQ(document->find(key)->text, brackets);
  EXPECT_EQ(document->find("c")->text, brackets + "\n");
  EXPECT_EQ(document->find("d")->entries[0].value.text, brackets);

  const std::string object = '{' + std::string(1000, ',') + '}';
  std::string texts;
  for (std::int64_t values = 0; values <= kMostFlowValues; values += 1000)
    texts += "- '" + object + "'\n- |\n  " + object + "\n- [a, b]\n";
  std::istringstream many(texts);
  const Result<Node> list = read_document(many, Syntax::yaml, "b");
  ASSERT_TRUE(list) << describe(list.error());
  EXPECT_EQ(list->entries.back().value.entries.size(), 2u);
}

TEST(Document, TheLineOfAKeyIsFoundEvenWhenNamesHoldDots) {
  std::istringstream input("a:\n  x.y:\n    - p: 1\n      q: 2\n  x: 3\n");
  const Result<Node> document = read_document(input, Syntax::yaml, "d");
  ASSERT_TRUE(document);
  EXPECT_EQ(line_of(*document, "a.x.y[0].q"), 4);
  EXPECT_EQ(line_of(*document, "a.x"), 5);
  EXPECT_EQ(line_of(*document, "a.x.y[0].missing"), 3);
  EXPECT_EQ(line_of(*document, "a.x.y[7].q"), 2);
}

}  // namespace
}  // namespace mirab
