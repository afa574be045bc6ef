#include "api/routes.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

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
