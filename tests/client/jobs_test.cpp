#include "client/jobs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/files.hpp"

namespace mirab::client {
namespace {

using testing::HasSubstr;

TEST(Jobs, OptionsBecomeTheBodyThatTheApiTakes) {
  const JobWords words{.tasks = 8,
                       .demand = {"cpu=1500m", "gpu=1"},
                       .gang = 8,
                       .per_server = 2,
                       .select = {"zone=a", "zone=b", "gpu=h100"},
                       .spread = "rack=1",
                       .attempts = 3,
                       .priority = -5,
                       .labels = {"commit=deadbeef"},
                       .env = {"EPOCHS=3", "EMPTY="},
                       .time_limit = "2h",
                       .argv = {"./train.sh", "--fast"}};
  EXPECT_EQ(*body_of(words),
            Json::parse(R"({"tasks":8,"demand":{"cpu":"1500m","gpu":"1"},"gang":8,"per_server":2,
    "select":{"zone":["a","b"],"gpu":["h100"]},"spread":{"label":"rack","most_apart":1},"attempts":3,"priority":-5,
    "labels":{"commit":"deadbeef"},
    "spec":{"argv":["./train.sh","--fast"],"env":{"EPOCHS":"3","EMPTY":""},"time_limit":"2h"}})"));
  EXPECT_EQ(*body_of({.demand = {"cpu=1"}, .spread = "rack"}),
            Json::parse(R"({"demand":{"cpu":"1"},"spread":{"label":"rack"}})"));
}

TEST(Jobs, WrongOptionsNameThemselves) {
  EXPECT_EQ(body_of({.demand = {"cpu"}}).error().key, "--demand");
  EXPECT_EQ(body_of({.demand = {"cpu=1", "cpu=2"}}).error().message, "'cpu' is given twice");
  EXPECT_EQ(body_of({.select = {"=a"}}).error().key, "--select");
  EXPECT_EQ(body_of({.spread = "rack=x"}).error().key, "--spread");
  EXPECT_EQ(body_of({.env = {"X"}}).error().key, "--env");
}

Result<std::vector<FileJob>> read_text_of_jobs(const std::string& name, const std::string& text) {
  const TemporaryFolder folder;
  return read_jobs(folder.write(name, text), [] { return std::string("fresh"); });
}

// YAML has no types that survive: whole numbers are those of the API's keys, all else is text.
TEST(Jobs, AFileInYamlAndTheSameInJsonAreTheSame) {
  const auto yaml = read_text_of_jobs("jobs.yaml", R"(jobs:
  - {queue: ml, name: 17, tasks: 2, demand: {cpu: 1, gpu: 0.5}, labels: {tasks: 3, on: true}, preemptible: false}
  - queue: ml
    demand: {cpu: 1}
    spread: {label: rack, most_apart: 2}
    spec: {argv: [sleep, 10], env: {N: 1}}
)");
  const auto json = read_text_of_jobs("jobs.json", R"([
    {"queue": "ml", "name": "17", "tasks": 2, "demand": {"cpu": "1", "gpu": "0.5"}, "labels": {"tasks": "3", "on": "true"},
     "preemptible": false},
    {"queue": "ml", "demand": {"cpu": 1}, "spread": {"label": "rack", "most_apart": 2},
     "spec": {"argv": ["sleep", "10"], "env": {"N": "1"}}}])");
  ASSERT_TRUE(yaml) << describe(yaml.error());
  ASSERT_TRUE(json) << describe(json.error());
  ASSERT_EQ(yaml->size(), 2U);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(nlohmann::json((*yaml)[i].body), nlohmann::json((*json)[i].body));
  EXPECT_EQ((*yaml)[0].job.text(), "ml/17");
  EXPECT_EQ((*yaml)[0].line, 2);
  EXPECT_EQ((*yaml)[0].body["tasks"], 2);
  EXPECT_EQ((*yaml)[0].body["labels"], Json::parse(R"({"tasks":"3","on":"true"})"));
  EXPECT_EQ((*yaml)[0].body["preemptible"], false);
  EXPECT_EQ((*yaml)[1].job.text(), "ml/fresh");
  EXPECT_EQ((*yaml)[1].body["spec"]["argv"][1], "10");
}

TEST(Jobs, OneJobIsAFileToo) {
  EXPECT_EQ(read_text_of_jobs("job.yaml", "queue: ml\ndemand: {cpu: 1}\n")->size(), 1U);
}

TEST(Jobs, TheRolesOfAJobAreReadAsTheApiTakesThem) {
  const TemporaryFolder folder;
  const auto jobs = read_jobs(folder.write("job.yaml", R"(queue: ml
name: a
roles:
  - {name: launcher, demand: {cpu: 500m}}
  - {name: worker, tasks: 4, demand: {gpu: 1}}
)"),
                              [] { return std::string("new"); });
  ASSERT_TRUE(jobs) << describe(jobs.error());
  EXPECT_EQ(jobs->front().body["roles"], Json::parse(R"([{"name":"launcher","demand":{"cpu":"500m"}},
    {"name":"worker","tasks":4,"demand":{"gpu":"1"}}])"));
}

TEST(Jobs, AWrongFileNamesTheLine) {
  const auto error_of_text = [](const std::string& text) {
    return describe(read_text_of_jobs("jobs.yaml", text).error());
  };
  EXPECT_THAT(error_of_text("- {queue: ml, name: a}\n- {name: b}\n"),
              HasSubstr("jobs.yaml:2: a job needs the key queue"));
  EXPECT_THAT(error_of_text("- {queue: ml, name: a}\n- {queue: ml, name: a}\n"),
              HasSubstr("jobs.yaml:2: the job ml/a is there twice"));
  EXPECT_THAT(error_of_text("jobs: []\n"), HasSubstr("there is no job in it"));
  EXPECT_THAT(error_of_text("jobs: 3\n"), HasSubstr("a list of jobs is expected"));
  EXPECT_THAT(error_of_text("jobs: []\nqueue: ml\n"), HasSubstr("stands alone"));
}

TEST(Jobs, ChangesOfAFileAreThoseOfTheApi) {
  const TemporaryFolder folder;
  const auto changes = read_changes(folder.write("c.yaml", R"(changes:
  - {queue: ml, weight: 2}
  - {group: research, guarantee: {gpu: 8}}
  - {add_servers: {like: n12, count: 2}}
  - {drain: n3}
)"));
  ASSERT_TRUE(changes) << describe(changes.error());
  EXPECT_EQ(*changes,
            Json::parse(R"([{"queue":"ml","weight":"2"},{"group":"research","guarantee":{"gpu":"8"}},
    {"add_servers":{"like":"n12","count":2}},{"drain":"n3"}])"));
}

TEST(Jobs, AJobIsNamedByItsQueueAndItself) {
  EXPECT_EQ(read_job_name("ml/a/b", "JOB")->name, "a/b");
  EXPECT_EQ(read_job_name("ml/a b", "JOB")->target("explain"), "/v1/queues/ml/jobs/a%20b/explain");
  for (const std::string wrong : {"ml", "/a", "ml/", ""})
    EXPECT_EQ(read_job_name(wrong, "JOB").error().key, "JOB");
}

// RFC 9562, 5.4: the version and the variant stand in the third and fourth part.
TEST(Jobs, AUuidHasItsVersionAndVariant) {
  EXPECT_EQ(uuid_of({0, 0}), "00000000-0000-4000-8000-000000000000");
  EXPECT_EQ(uuid_of({UINT64_MAX, UINT64_MAX}), "ffffffff-ffff-4fff-bfff-ffffffffffff");
  EXPECT_EQ(uuid_of({0x0123456789abcdef, 0x0123456789abcdef}), "01234567-89ab-4def-8123-456789abcdef");
}

}  // namespace
}  // namespace mirab::client
