#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "live/cluster.hpp"

namespace mirab::live {
namespace {

LiveCluster cluster_with_a_server() {
  LiveCluster cluster;
  cluster.put(Do::tenant_put, "research", "{}");
  cluster.put(Do::queue_put, "ml", R"({"tenant":"research"})");
  cluster.put(Do::server_put, "n1", R"({"capacity":{"cpu":2}})");
  return cluster;
}

TEST(LiveRows, AJobAndItsTaskThatEndedAreRowsUntilTheirNamesAreForgotten) {
  LiveCluster cluster = cluster_with_a_server();
  cluster.submit("ml", "a", R"({"tasks":3,"demand":{"cpu":1}})");
  const Json task = cluster.get({.what = Ask::tasks}).body["items"][0];
  cluster.send(admin(), Do::outcome_put, {.name = task["task"]},
               parse(R"({"outcome":"failed","exit_code":3})"));

  const Json job = json_of_rows("job", cluster.reader.rows("job"));
  ASSERT_EQ(job.size(), 1);
  EXPECT_EQ(job[0]["queue"], "ml");
  EXPECT_EQ(job[0]["name"], "a");
  EXPECT_EQ(job[0]["failed"], 1);
  EXPECT_EQ(job[0]["running"], 2);
  const Json ended = json_of_rows("task_ended", cluster.reader.rows("task_ended"));
  ASSERT_EQ(ended.size(), 1);
  EXPECT_EQ(ended[0]["task"], task["task"]);
  EXPECT_EQ(ended[0]["job"], "ml/a");
  EXPECT_EQ(ended[0]["server"], "n1");
  EXPECT_EQ(ended[0]["exit_code"], 3);

  cluster.send(admin(), Do::job_cancel, {.name = "a", .queue = "ml"});
  cluster.now += std::chrono::hours(24 * 365);
  cluster.submit("ml", "b", R"({"demand":{"cpu":1}})");
  EXPECT_THAT(json_of_rows("job", cluster.reader.rows("job")).dump(),
              testing::Not(testing::HasSubstr("\"a\"")));
  EXPECT_TRUE(cluster.reader.rows("task_ended").empty());
}

TEST(LiveRows, OfOneKindHaveTheSameColumnsAndNoTextIsAFormula) {
  LiveCluster cluster = cluster_with_a_server();
  cluster.put(Do::server_put, "=1+1", R"({"capacity":{"cpu":1},"labels":{"zone":"a"}})");
  cluster.by_service(Do::server_silent, "n1");
  EXPECT_EQ(
      csv_of_rows("server", cluster.reader.rows("server")),
      "name,capacity,labels,silent,state\r\n"
      "'=1+1,\"{\"\"cpu\"\":1000,\"\"gpu\"\":0,\"\"memory\"\":0}\",\"{\"\"zone\"\":\"\"a\"\"}\",,open\r\n"
      "n1,\"{\"\"cpu\"\":2000,\"\"gpu\"\":0,\"\"memory\"\":0}\",{},true,open\r\n");
  EXPECT_EQ(csv_of_rows("token", {}), "name\r\n");
}

TEST(LiveRows, OfTheStateAreThoseThatTheBatchesChanged) {
  LiveCluster cluster = cluster_with_a_server();
  cluster.put(Do::tenant_put, "arts", R"({"limits":{"queued_jobs":7}})");
  cluster.send(admin(), Do::tenant_delete, {.name = "arts"});
  cluster.put(Do::tenant_put, "physics", "{}");
  for (const char* const table : {kTenantTable, kServerTable, kTokenTable}) {
    std::map<std::string, Json> kept;
    for (const Batch& batch : cluster.log) {
      for (const Row& row : batch.rows) {
        if (row.table == table) kept[row.key.dump()] = row.columns;
      }
    }
    std::erase_if(kept, [](const auto& row) { return row.second.is_null(); });
    std::map<std::string, Json> now;
    for (const Row& row : cluster.reader.rows(table)) now[row.key.dump()] = row.columns;
    EXPECT_EQ(kept, now) << table;
  }
}

}  // namespace
}  // namespace mirab::live
