// Bodies are read strictly, and each mistake is named by its JSON pointer.
#include <gmock/gmock.h>

#include "cluster.hpp"

namespace mirab::live {
namespace {

struct Mistake {
  Do what;
  std::string body;
  int status;
  std::string type;
  std::string key;
};

Units three() { return settings().units; }

Parsed<Content> content(Do what, const std::string& body) { return read_content(what, parse(body), three()); }

TEST(LiveCommands, AMistakeIsNamedByItsKey) {
  const std::vector<Mistake> mistakes = {
      {Do::server_put, R"({})", 400, "bad-request", "/capacity"},
      {Do::server_put, R"({"capacity":{"cpu":1},"colour":1})", 400, "bad-request", "/colour"},
      {Do::server_put, R"({"capacity":{"disk":1}})", 422, "unknown-resource", "/capacity/disk"},
      {Do::server_put, R"({"capacity":{"cpu":"1.0005"}})", 422, "bad-amount", "/capacity/cpu"},
      {Do::server_put, R"({"capacity":{"gpu":"500m"}})", 422, "bad-amount", "/capacity/gpu"},
      {Do::server_put, R"({"capacity":{"cpu":-1}})", 422, "bad-amount", "/capacity/cpu"},
      {Do::server_put, R"({"capacity":{"cpu":true}})", 400, "bad-request", "/capacity/cpu"},
      {Do::server_put, R"({"capacity":{"cpu":1},"state":"shut"})", 400, "bad-request", "/state"},
      {Do::server_put, R"([])", 400, "bad-request", ""},
      {Do::tenant_put, R"({"limit":{}})", 400, "bad-request", "/limit"},
      {Do::tenant_put, R"({"limits":{"jobs":1}})", 400, "bad-request", "/limits/jobs"},
      {Do::tenant_put, R"({"limits":{"watches":1.5}})", 400, "bad-request", "/limits/watches"},
      {Do::group_put, R"({"weight":"x"})", 422, "bad-weight", "/weight"},
      {Do::group_put, R"({"weight":-1})", 422, "bad-weight", "/weight"},
      {Do::group_put, R"({"weight":0.5})", 400, "bad-request", "/weight"},
      {Do::queue_put, R"({})", 400, "bad-request", "/tenant"},
      {Do::job_put, R"({})", 400, "bad-request", "/demand"},
      {Do::job_put, R"({"demand":{"cpu":0}})", 422, "bad-amount", "/demand"},
      {Do::job_put, R"({"demand":{"cpu":1},"tasks":0})", 400, "bad-request", "/tasks"},
      {Do::job_put, R"({"demand":{"cpu":1},"tasks":2,"gang":3})", 422, "never-fits", "/gang"},
      {Do::job_put, R"({"demand":{"cpu":1},"spread":{"most_apart":1}})", 400, "bad-request", "/spread/label"},
      {Do::job_put, R"({"demand":{"cpu":1},"select":{"zone":[]}})", 400, "bad-request", "/select/zone"},
      {Do::job_put, R"({"demand":{"cpu":1},"select":{"a/b":1}})", 400, "bad-request", "/select/a~1b"},
      {Do::job_put, R"({"demand":{"cpu":1},"spec":{"argv":["a",1]}})", 400, "bad-request", "/spec/argv/1"},
      {Do::job_put, R"({"demand":{"cpu":1},"spec":{"time_limit":"soon"}})", 400, "bad-request",
       "/spec/time_limit"},
      {Do::job_put, R"({"roles":[]})", 400, "bad-request", "/roles"},
      {Do::job_put, R"({"roles":{}})", 400, "bad-request", "/roles"},
      {Do::job_put, R"({"tasks":2,"roles":[{"name":"a","demand":{"cpu":1}}]})", 400, "bad-request", "/tasks"},
      {Do::job_put, R"({"gang":2,"roles":[{"name":"a","demand":{"cpu":1}}]})", 400, "bad-request", "/gang"},
      {Do::job_put, R"({"roles":[{"demand":{"cpu":1}}]})", 400, "bad-request", "/roles/0/name"},
      {Do::job_put, R"({"roles":[{"name":"","demand":{"cpu":1}}]})", 400, "bad-request", "/roles/0/name"},
      {Do::job_put, R"({"roles":[{"name":"a","demand":{"cpu":1}},{"name":"a","demand":{"cpu":2}}]})", 400,
       "bad-request", "/roles/1/name"},
      {Do::job_put, R"({"roles":[{"name":"a","demand":{"gpu":0}}]})", 422, "bad-amount", "/roles/0/demand"},
      {Do::job_put, R"({"roles":[{"name":"a","demand":{"cpu":1},"tasks":0}]})", 400, "bad-request",
       "/roles/0/tasks"},
      {Do::job_put, R"({"roles":[{"name":"a","demand":{"cpu":1},"gang":1}]})", 400, "bad-request",
       "/roles/0/gang"},
      {Do::job_put, R"({"demand":{"cpu":1},"labels":{"a":")" + std::string(256, 'x') + R"("}})", 413,
       "too-large", "/labels/a"},
      {Do::job_put, R"({"demand":{"cpu":1},"spec":{"env":{"A":")" + std::string(16'384, 'x') + R"("}}})", 413,
       "too-large", "/spec"},
      {Do::outcome_put, R"({"outcome":"done"})", 400, "bad-request", "/outcome"},
      {Do::token_put, R"({"scopes":["read"]})", 400, "bad-request", "/tenant"},
      {Do::token_put, R"({"scopes":["executor"],"tenant":"t"})", 400, "bad-request", "/server"},
      {Do::token_put, R"({"scopes":[]})", 400, "bad-request", "/scopes"},
      {Do::token_put, R"({"scopes":["admin"],"expires":"tomorrow"})", 400, "bad-request", "/expires"},
      {Do::token_put, R"({"scopes":["admin"],"secret_sha256":"00"})", 400, "bad-request", "/secret_sha256"},
      {Do::policy_put, R"({"discipline":"drf"})", 400, "bad-request", "/placement"},
      {Do::policy_put, R"({"discipline":"dfr","placement":"best-fit"})", 422, "bad-policy", "/discipline"},
  };
  for (const Mistake& mistake : mistakes) {
    const auto read = content(mistake.what, mistake.body);
    const auto* const problem = std::get_if<Problem>(&read);
    ASSERT_NE(problem, nullptr) << mistake.body;
    EXPECT_EQ(problem->status, mistake.status) << mistake.body;
    EXPECT_EQ(problem->type, mistake.type) << mistake.body;
    EXPECT_EQ(problem->key, mistake.key) << mistake.body;
  }
}

TEST(LiveCommands, AmountsAreEqualHoweverTheyAreWritten) {
  const auto hash = [&](const std::string& body) {
    const auto read = content(Do::job_put, body);
    return sha256(normal_form(std::get<Content>(read), three()).dump());
  };
  const std::string first = hash(R"({"demand":{"cpu":"1500m","memory":"4Gi"}})");
  EXPECT_EQ(first,
            hash(R"({"tasks":1,"gang":1,"demand":{"memory":4294967296,"cpu":1.5,"gpu":0},"priority":0})"));
  EXPECT_EQ(first,
            hash(R"({"demand":{"cpu":"1.5","memory":"4Gi"},"spec":{"when_lost":"rerun"},"labels":{}})"));
  EXPECT_NE(first, hash(R"({"demand":{"cpu":"1501m","memory":"4Gi"}})"));
}

TEST(LiveCommands, TheNormalFormReadsBackAsItself) {
  const std::vector<std::pair<Do, std::string>> bodies = {
      {Do::server_put, R"({"capacity":{"cpu":"500m","gpu":1},"labels":{"a":"b"},"state":"drained"})"},
      {Do::tenant_put, R"({"limits":{"burst":5}})"},
      {Do::group_put,
       R"({"parent":"p","weight":"0.5","guarantee":{"gpu":1},"limit":{"cpu":2},"reserved":{}})"},
      {Do::queue_put, R"({"tenant":"t","group":"g","weight":3,"limit":{"gpu":1}})"},
      {Do::job_put,
       R"({"tasks":4,"demand":{"cpu":1},"gang":2,"per_server":1,"servers":["n1"],"select":{"z":"a","y":["b","c"]},
           "spread":{"label":"r"},"pack":"k","demand_on":{"n1":{"cpu":2}},"priority":-3,"preemptible":false,
           "attempts":2,"labels":{"l":"m"},"spec":{"argv":["x"],"env":{"A":"1"},"time_limit":"120m"}})"},
      {Do::job_put,
       R"({"roles":[{"name":"launcher","demand":{"cpu":"500m"}},{"name":"worker","tasks":4,"demand":{"gpu":1}}],
           "per_server":2,"select":{"z":"a"},"pack":"k"})"},
      {Do::outcome_put,
       R"({"outcome":"failed","exit_code":-9,"attempt":2,"usage":{"cpu_ns":5},"reason":"r"})"},
      {Do::policy_put,
       R"({"discipline":"drf","placement":"best-fit","tie":"random","share_scale":{"gpu":2},
           "reservations":{"after":"10m"},"preemption":{"tasks":3,"per":"1h"}})"},
      {Do::token_put,
       R"({"scopes":["submit","executor"],"tenant":"t","server":"s","expires":"2027-03-01T08:00:00Z"})"},
  };
  for (const auto& [what, body] : bodies) {
    const auto read = content(what, body);
    ASSERT_TRUE(std::holds_alternative<Content>(read)) << body << std::get<Problem>(read).detail;
    const Json form = normal_form(std::get<Content>(read), three());
    const auto again = read_content(what, form, three(), Units::Form::normal);
    ASSERT_TRUE(std::holds_alternative<Content>(again)) << form << std::get<Problem>(again).detail;
    EXPECT_EQ(normal_form(std::get<Content>(again), three()), form);
  }
}

TEST(LiveCommands, JsonIsReadStrictly) {
  for (const std::string text : {"", "{", "{} {}", R"({"a":1,"a":2})", R"({"a":{"b":1,"c":2,"b":3}})",
                                 "\"\xff\"", "nul", "{\"a\":01}"})
    EXPECT_TRUE(std::holds_alternative<Problem>(read_json(text))) << text;
  const auto nested = [](int levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  EXPECT_TRUE(std::holds_alternative<Json>(read_json(nested(16))));
  EXPECT_TRUE(std::holds_alternative<Problem>(read_json(nested(17))));
  EXPECT_TRUE(std::holds_alternative<Problem>(read_json(std::string(1'000'000, '['))));
  EXPECT_TRUE(std::holds_alternative<Json>(read_json(R"([{"a":1},{"a":2},"[[[[[[[[[[[[[[[[[["])")));
}

TEST(LiveCommands, SubmitsAreReadOneByOne) {
  const auto read = parse_submits(admin(), parse(R"({"jobs":[{"queue":"q","name":"a","demand":{"cpu":1}},
      {"queue":"q","name":"b","demand":{"cpu":"x"}},{"name":"c","demand":{"cpu":1}}]})"),
                                  three());
  const auto& jobs = std::get<0>(read);
  ASSERT_EQ(jobs.size(), 3U);
  EXPECT_EQ(std::get<Command>(jobs[0]).target, (Target{.name = "a", .queue = "q"}));
  EXPECT_EQ(std::get<Problem>(jobs[1]).key, "/jobs/1/demand/cpu");
  EXPECT_EQ(std::get<Problem>(jobs[2]).key, "/jobs/2/queue");
}

TEST(LiveCommands, TimesAndDurationsReadBack) {
  EXPECT_EQ(text_of(*wall_of("2027-03-01T08:00:00.123Z")), "2027-03-01T08:00:00.123Z");
  EXPECT_EQ(text_of(*wall_of("2027-03-01T09:30:00+01:30")), "2027-03-01T08:00:00.000Z");
  for (const char* const text : {"2027-02-30T08:00:00Z", "2027-03-01 08:00:00Z", "2027-03-01T08:00:00", "x"})
    EXPECT_FALSE(wall_of(text)) << text;
  EXPECT_EQ(duration_text(*parse_duration("120m")), "2h");
  EXPECT_EQ(duration_text(*parse_duration("90")), "90s");
  EXPECT_FALSE(parse_duration("2 h"));
  EXPECT_FALSE(parse_duration("99999999999d"));
}

// FIPS 180-4, and the empty text.
TEST(LiveCommands, HashesAreSha256) {
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, OfPartsIsThatOfTheWhole) {
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  Sha256 parts;
  parts.add("a");
  parts.add("");
  parts.add("bc");
  EXPECT_EQ(parts.text(), sha256("abc"));
}

}  // namespace
}  // namespace mirab::live
