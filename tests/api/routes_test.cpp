#include "api/routes.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

#include "api/requests.hpp"
#include "live/cluster.hpp"
#include "live/content.hpp"

namespace mirab::api {
namespace {

TEST(Routes, EachIsFoundByItsOwnPath) {
  for (const Route& route : routes()) {
    std::string path(route.path);
    for (std::size_t at = path.find('{'); at != std::string::npos; at = path.find('{'))
      path.replace(at, path.find('}') - at + 1, "a%2Fb");
    const auto target = net::read_target(path);
    ASSERT_TRUE(target) << path;
    std::vector<std::string> allowed;
    const auto found = match(route.method, *target, allowed);
    ASSERT_TRUE(found) << path;
    EXPECT_EQ(found->route, &route) << path;
    EXPECT_EQ(found->target.name, route.path.find("{name}") != std::string_view::npos ? "a/b" : "") << path;
    EXPECT_EQ(found->target.queue, route.path.find("{queue}") != std::string_view::npos ? "a/b" : "") << path;
  }
}

TEST(Routes, OnlyWhatChangesNothingNeedsNoToken) {
  for (const Route& route : routes()) {
    EXPECT_TRUE(route.scopes != kNoToken || route.method == "GET") << route.path;
  }
}

TEST(Routes, AnotherMethodOfAPathIsNamed) {
  std::vector<std::string> allowed;
  EXPECT_FALSE(match("PATCH", *net::read_target("/v1/servers/a"), allowed));
  EXPECT_EQ(allowed, (std::vector<std::string>{"GET", "PUT", "DELETE"}));
}

Asked asked(const std::string& method, const std::string& target) {
  const auto read = net::read_target(target);
  std::vector<std::string> allowed;
  return asked_of(*match(method, *read, allowed), *read, {});
}

TEST(Routes, AParameterWithWordsOfItsOwnTakesNoOther) {
  const auto key_of = [](const std::string& target) {
    const auto wrong = wrong_parameter(asked("GET", target));
    return wrong ? wrong->key + ": " + wrong->detail : "";
  };
  EXPECT_EQ(key_of("/v1/servers?state=drained&limit=3"), "");
  EXPECT_EQ(key_of("/v1/servers?state=blah"), "/state: open, drained or lost is expected here");
  EXPECT_EQ(key_of("/v1/servers?state=waiting"), "/state: open, drained or lost is expected here");
  EXPECT_EQ(key_of("/v1/servers?state="), "/state: open, drained or lost is expected here");
  EXPECT_EQ(key_of("/v1/servers?stat=open"), "/stat: this route has no such parameter");
  EXPECT_EQ(key_of("/v1/events?kind=task-placed&kind=job-ended"), "");
  EXPECT_NE(key_of("/v1/events?kind=task-placed&kind=task"), "");
  EXPECT_EQ(key_of("/v1/servers?label=a=1&label=b=2"), "");
  EXPECT_EQ(key_of("/v1/servers?limit=1&limit=2"), "/limit: this parameter is given once at most");
  EXPECT_EQ(key_of("/v1/servers?state=open&state=open"), "/state: this parameter is given once at most");
  for (const Route& route : routes()) {
    for (const Parameter& parameter : parameters_of(route)) {
      for (const std::string_view value : parameter.values)
        EXPECT_TRUE(!value.empty() && value.find('|') == std::string_view::npos) << route.path;
    }
  }
}

// JSON Schema's `default` is a remark: the service itself fills in what is left out.
TEST(OpenApi, DefaultsAreWhatTheServiceFillsIn) {
  const auto document = nlohmann::json::parse(openapi_document("1.2.3"));
  const live::Units units({*live::parse_resource("cpu:milli")});
  const std::pair<live::Do, const char*> bodies[] = {
      {live::Do::server_put, R"({"capacity":{"cpu":1}})"},
      {live::Do::tenant_put, "{}"},
      {live::Do::group_put, "{}"},
      {live::Do::queue_put, R"({"tenant":"t"})"},
      {live::Do::job_put, R"({"demand":{"cpu":1}})"},
      {live::Do::token_put, R"({"scopes":["admin"]})"},
      {live::Do::outcome_put, R"({"outcome":"failed"})"},
      {live::Do::policy_put, R"({"discipline":"drf","placement":"best-fit"})"}};
  std::size_t compared = 0;
  for (const auto& [what, body] : bodies) {
    const auto route = std::find_if(routes().begin(), routes().end(),
                                    [&, at = what](const Route& each) { return each.action == Action(at); });
    const auto content = live::read_content(what, live::Json::parse(body), units, live::Units::Form::people);
    ASSERT_TRUE(std::holds_alternative<live::Content>(content)) << body;
    const live::Json filled = live::normal_form(std::get<live::Content>(content), units);
    const auto& schema = document["components"]["schemas"][std::string(route->schema)];
    for (const auto& [key, value] : schema["properties"].items()) {
      if (!value.contains("default")) continue;
      EXPECT_EQ(filled.value(key, live::Json()), value["default"]) << route->schema << " " << key;
      ++compared;
    }
  }
  EXPECT_EQ(compared, 12U);
}

std::string text_of_file(const std::string& name) {
  std::ifstream file(std::string(MIRAB_SOURCE_DIR) + "/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Routes, TheReferenceAndTheDictionaryOfTheFuzzersAreThoseOfTheTable) {
  EXPECT_EQ(text_of_file("docs/reference/api.md"), api_markdown())
      << "mirab generate api > docs/reference/api.md";
  EXPECT_EQ(text_of_file("fuzz/api.dict"), fuzz_dictionary()) << "mirab generate api-words > fuzz/api.dict";
}

TEST(OpenApi, EveryKeyOfAServerIsInItsSchema) {
  live::LiveCluster cluster = live::small_cluster();
  cluster.submit("ml", "j", R"({"demand":{"cpu":1}})");
  cluster.by_service(live::Do::server_silent, "n1");
  const auto properties =
      nlohmann::json::parse(openapi_document("1.2.3"))["components"]["schemas"]["Server"]["properties"];
  std::set<std::string> seen;
  for (const live::Caller& caller : {live::admin(), live::member("vision")}) {
    for (const char* const name : {"n1", "n2"}) {
      const live::Json server = cluster.get({.what = live::Ask::server, .name = name}, caller).body;
      for (const auto& [key, value] : server.items()) {
        ASSERT_TRUE(properties.contains(key)) << key;
        EXPECT_TRUE(properties[key].value("type", "") != "integer" || value.is_number_integer()) << key;
        seen.insert(key);
      }
    }
  }
  for (const auto& [key, schema] : properties.items()) EXPECT_TRUE(seen.contains(key)) << key;
}

// Of a job that preemption's budget keeps waiting, one that lost tasks, one of weight 0, and a server.
TEST(OpenApi, EveryKeyOfAnExplanationIsInItsSchema) {
  live::LiveCluster cluster = live::small_cluster();
  cluster.put(live::Do::tenant_put, "speech", "{}");
  cluster.put(live::Do::queue_put, "poor", R"({"tenant":"speech"})");
  cluster.put(live::Do::queue_put, "last", R"({"tenant":"speech","weight":0})");
  cluster.put(live::Do::policy_put, "",
              R"({"discipline":"drf","placement":"best-fit","preemption":{"tasks":3,"per":"1h"}})");
  cluster.submit("ml", "rich", R"({"tasks":8,"demand":{"cpu":1}})");
  cluster.submit("poor", "late", R"({"tasks":4,"demand":{"cpu":1}})");
  cluster.submit("last", "waits", R"({"demand":{"cpu":1}})");
  const auto schemas = nlohmann::json::parse(openapi_document("1.2.3"))["components"]["schemas"];
  std::set<std::string> seen;
  const auto check = [&](const live::Query& query, const std::string& schema) {
    const live::Answer answer = cluster.get(query);
    for (const auto& [key, value] : answer.body.items()) {
      EXPECT_TRUE(schemas[schema]["properties"].contains(key)) << schema << " " << key;
      seen.insert(key);
    }
    return answer.body;
  };
  const auto explain = [](const std::string& queue, const std::string& name) {
    return live::Query{.what = live::Ask::explain, .name = name, .queue = queue};
  };
  check(explain("ml", "rich"), "Explanation");
  const live::Json late = check(explain("poor", "late"), "Explanation");
  check(explain("last", "waits"), "Explanation");
  live::Query on_server = explain("poor", "late");
  on_server.given.emplace("server", "n1");
  check(on_server, "Explanation");
  for (const char* const key : {"preempted", "over_budget", "last", "next_step", "reason"})
    EXPECT_TRUE(seen.contains(key)) << key;
  for (const auto& [key, value] : late.at("over_budget").items())
    EXPECT_TRUE(schemas["OverBudget"]["properties"].contains(key)) << key;
  seen.clear();
  check({.what = live::Ask::what_if,
         .body = live::Json::parse(R"({"changes":[{"queue":"poor","weight":"2"}]})")},
        "WhatIfAnswer");
  for (const char* const key : {"settled", "queues", "over_budget", "invariant"})
    EXPECT_TRUE(seen.contains(key)) << key;
}

TEST(OpenApi, DescribesEveryRouteWithSchemasThatAreThere) {
  const auto document = nlohmann::json::parse(openapi_document("1.2.3"));
  EXPECT_EQ(document["openapi"], "3.1.0");
  std::set<std::string> ids;
  std::size_t operations = 0;
  for (const auto& [path, methods] : document["paths"].items()) {
    for (const auto& [method, operation] : methods.items()) {
      ++operations;
      EXPECT_TRUE(ids.insert(operation["operationId"].get<std::string>()).second) << path;
    }
  }
  EXPECT_EQ(operations, routes().size());
  const std::string text = document.dump();
  const std::string begin = "#/components/schemas/";
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1)) {
    const std::size_t from = at + begin.size();
    const std::string name = text.substr(from, text.find('"', from) - from);
    EXPECT_TRUE(document["components"]["schemas"].contains(name)) << name;
  }
}

}  // namespace
}  // namespace mirab::api
