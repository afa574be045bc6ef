// Nodes as scontrol and sinfo print them.
#include "slurm/nodes.hpp"

#include <gmock/gmock.h>

namespace mirab::slurm {
namespace {

using ::testing::ElementsAre;

std::vector<NodeRow> nodes_of(std::string_view text) {
  std::vector<NodeRow> nodes;
  const Result<std::vector<Record>> records = read_records(text, "nodes.txt");
  EXPECT_TRUE(records) << (records ? "" : describe(records.error()));
  if (!records) return nodes;
  for (const Record& record : *records) {
    const Result<std::vector<NodeRow>> read = read_nodes(record);
    EXPECT_TRUE(read) << (read ? "" : describe(read.error()));
    if (read) nodes.insert(nodes.end(), read->begin(), read->end());
  }
  return nodes;
}

TEST(SlurmNodes, OfSinfoHaveARowForEachPartitionAndMayStandTogether) {
  const std::vector<NodeRow> nodes = nodes_of(
      "NODELIST|CPUS|MEMORY|GRES|STATE|PARTITION|AVAIL_FEATURES\n"
      "c[1-2]|32|1000|(null)|drained~|batch*|ib\nc3|32|1000|gpu:2|mixed|long|(null)\n");
  ASSERT_EQ(nodes.size(), 3u);
  EXPECT_EQ(nodes[1].name, "c2");
  EXPECT_EQ(nodes[1].use, NodeUse::closed);
  EXPECT_TRUE(nodes[1].is_of_a_partition);
  EXPECT_THAT(nodes[1].partitions, ElementsAre("batch")) << "the default one has a *";
  EXPECT_THAT(nodes[1].features, ElementsAre("ib"));
  EXPECT_EQ(nodes[2].amounts.at("gres/gpu"), Quantity(2));
  EXPECT_EQ(nodes[2].use, NodeUse::open);
}

TEST(SlurmNodes, OfJsonSayTheSameAsOfText) {
  const std::vector<NodeRow> nodes = nodes_of(R"json({"nodes": [
    {"name": "g1", "hostname": "g1", "cpus": 72, "effective_cpus": 70, "real_memory": 4096, "specialized_memory": 96,
     "gres": "gpu:gh200:4(S:0-1)", "state": ["MIXED", "DYNAMIC_NORM"], "partitions": ["all", "gpu"],
     "features": ["ib", "nvme"], "active_features": ["ib"], "sockets": 2},
    {"name": "c1", "cpus": {"set": true, "infinite": false, "number": 8}, "effective_cpus": 0,
     "real_memory": {"set": true, "infinite": false, "number": 64}, "specialized_memory": {"set": false, "number": 7},
     "gres": "", "state": "idle", "state_flags": ["DRAIN"], "partitions": [], "features": ""}],
    "errors": [], "meta": {"plugin": {"data_parser": "data_parser/v0.0.43"}}})json");
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[0].name, "g1");
  EXPECT_EQ(nodes[0].amounts.at("cpu"), Quantity(70));
  EXPECT_EQ(nodes[0].amounts.at("mem"), Quantity(std::int64_t{4000} << 20));
  EXPECT_EQ(nodes[0].amounts.at("gres/gpu:gh200"), Quantity(4));
  EXPECT_THAT(nodes[0].partitions, ElementsAre("all", "gpu"));
  EXPECT_THAT(nodes[0].features, ElementsAre("ib"));
  EXPECT_EQ(nodes[0].use, NodeUse::open);
  EXPECT_EQ(nodes[1].amounts.at("cpu"), Quantity(8));
  EXPECT_EQ(nodes[1].amounts.at("mem"), Quantity(64 << 20)) << "what is not set is not there";
  EXPECT_EQ(nodes[1].use, NodeUse::closed) << "of Slurm 21.08";
}

}  // namespace
}  // namespace mirab::slurm
