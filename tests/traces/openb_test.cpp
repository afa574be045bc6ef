#include "lab/traces/openb.hpp"

#include <filesystem>
#include <gmock/gmock.h>

#include <mirab/model/cluster_file.hpp>

#include "support/files.hpp"

// Weng et al., USENIX ATC 2023: the openb node and pod lists. Users are ours: the trace has none.
namespace mirab::traces {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::StartsWith;

const std::string node_excerpt = MIRAB_SOURCE_DIR "/tests/traces/data/openb/nodes-excerpt.csv";
const std::string pod_excerpt = MIRAB_SOURCE_DIR "/tests/traces/data/openb/pods-excerpt.csv";

const std::string node_heading = "sn,cpu_milli,memory_mib,gpu,model\n";
const std::string pod_heading =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,"
    "scheduled_time\n";
const std::string a_node = "n,96000,393216,8,G2\n";
const std::string a_pod = "p,12000,16384,1,1000,,LS,Running,0,9,0\n";

Result<OpenbImport> import_texts(const TemporaryFolder& folder, const std::string& nodes,
                                 const std::string& pods) {
  return import_openb(folder.write("nodes.csv", nodes), folder.write("pods.csv", pods));
}

OpenbImport imported(const std::string& nodes, const std::string& pods) {
  const TemporaryFolder folder;
  auto import = import_texts(folder, node_heading + nodes, pod_heading + pods);
  if (import) return *std::move(import);
  ADD_FAILURE() << describe(import.error());
  return {};
}

OpenbImport openb_excerpt() {
  auto import = import_openb(node_excerpt, pod_excerpt);
  if (import) return *std::move(import);
  ADD_FAILURE() << describe(import.error());
  return {};
}

/// What the import says, with NODES and PODS for the names of the files.
std::string openb_import_error(const std::string& nodes, const std::string& pods) {
  const TemporaryFolder folder;
  const auto import = import_texts(folder, nodes, pods);
  if (import) return "";
  Error error = import.error();
  error.file = error.file == folder.path("nodes.csv") ? "NODES" : "PODS";
  return describe(error);
}

std::string node_error(const std::string& row) {
  return openb_import_error(node_heading + a_node + row, pod_heading + a_pod);
}
std::string pod_error(const std::string& row) {
  return openb_import_error(node_heading + a_node, pod_heading + a_pod + row);
}

Quantity openb_quantity(std::string_view number) { return *Quantity::parse(number); }
ResourceVector amounts(std::string_view cpu, std::string_view memory, std::string_view gpu) {
  return {openb_quantity(cpu), openb_quantity(memory), openb_quantity(gpu)};
}

std::vector<std::string> user_names(const OpenbImport& import) {
  std::vector<std::string> names;
  for (const User& user : import.cluster.users) names.push_back(user.name);
  return names;
}

// Counted by hand in data/openb/nodes-excerpt.csv.
TEST(Openb, ServersAreTheNodesOfOneModelAndCapacity) {
  const OpenbImport import = openb_excerpt();
  EXPECT_EQ(import.nodes, 6u);
  EXPECT_THAT(import.cluster.resources, ElementsAre("cpu", "memory", "gpu"));
  std::vector<std::pair<std::string, std::int64_t>> counts;
  for (const Server& server : import.cluster.servers) counts.emplace_back(server.name, server.count);
  EXPECT_THAT(counts, ElementsAre(Pair("G2-96-393216-8", 1), Pair("P100-16-122880-2", 1),
                                  Pair("T4-104-524288-2", 2), Pair("none-32-262144-0", 2)));
  ASSERT_EQ(import.cluster.servers.size(), 4u);
  EXPECT_EQ(import.cluster.servers[2].capacity, amounts("104", "512Gi", "2"));
  EXPECT_EQ(import.cluster.servers[2].labels.at("gpu-model"), "T4");
  EXPECT_EQ(import.cluster.servers[3].labels.at("gpu-model"), "none");
}

// Counted by hand in data/openb/pods-excerpt.csv: twelve pods, of which two fall away; 0000 and 0004 are of
// one kind, so are 0001 and 0003, and so are 0002 and x001, whose models stand in another order.
TEST(Openb, UsersAreThePodsOfOneKindInTheOrderOfTheTrace) {
  const OpenbImport import = openb_excerpt();
  EXPECT_THAT(user_names(import), ElementsAre("LS-12-16384-1", "LS-6-12288-0.46", "LS-12-24576-1-P100+T4",
                                              "LS-20-65536-0", "LS-4-16384-1", "Burstable-88-327680-8"));
  std::vector<Quantity> tasks;
  for (const User& user : import.cluster.users) tasks.push_back(user.tasks.value_or(Quantity(0)));
  EXPECT_THAT(tasks,
              ElementsAre(Quantity(3), Quantity(2), Quantity(2), Quantity(1), Quantity(1), Quantity(1)));
  EXPECT_EQ(import.pods, 10u);
}

TEST(Openb, AmountsAreExactAndGpusMayBeParts) {
  const OpenbImport import = imported(a_node, "p,3152,5600,1,810,,BE,Failed,0,9,0\n");
  EXPECT_EQ(import.cluster.users[0].demand, amounts("3.152", "5600Mi", "0.81"));
  EXPECT_EQ(imported(a_node, "p,1000,1024,4,1000,,BE,Failed,0,9,\n").cluster.users[0].demand[2], Quantity(4));
}

TEST(Openb, AlternativeModelsBecomeAlternativeLabels) {
  const OpenbImport import = openb_excerpt();
  ASSERT_EQ(import.cluster.users.size(), 6u);
  EXPECT_THAT(import.cluster.users[2].select, ElementsAre(Pair("gpu-model", LabelCondition{"P100", "T4"})));
  EXPECT_THAT(import.cluster.users[0].select, IsEmpty());
}

TEST(Openb, QosTellsUsersApart) {
  EXPECT_THAT(user_names(imported(a_node, a_pod + "q,12000,16384,1,1000,,BE,Running,0,9,0\n")),
              ElementsAre("LS-12-16384-1", "BE-12-16384-1"));
}

TEST(Openb, NoticesCountWhatIsLeftOut) {
  EXPECT_THAT(openb_excerpt().notices,
              ElementsAre("left out, pods that request nothing: 1",
                          "left out, pods that fit on no node of a model that they accept: 1"));
  EXPECT_THAT(imported(a_node + "m,0,0,0,\n", a_pod).notices,
              ElementsAre("left out, nodes without a capacity: 1"));
  EXPECT_THAT(imported(a_node, a_pod + "q,1,1,9,1000,,LS,Running,0,9,0\n").notices,
              ElementsAre("left out, pods that fit on no node of a model that they accept: 1"))
      << "a node has eight GPUs";
}

TEST(Openb, GpusWithoutAModelAreOfAnUnknownOne) {
  EXPECT_EQ(
      imported("n,1000,1024,2,\n", "p,1,1,0,0,,LS,Running,0,9,0\n").cluster.servers[0].labels.at("gpu-model"),
      "unknown");
}

TEST(Openb, ReadingTheWrittenClusterGivesTheSameCluster) {
  const OpenbImport import = openb_excerpt();
  const std::string text = write_cluster_yaml(import.cluster, import.provenance);
  const auto problem = read_cluster_text(text, Syntax::yaml, "written");
  ASSERT_TRUE(problem) << describe(problem.error());
  EXPECT_EQ(problem->servers(), import.cluster.servers);
  EXPECT_EQ(problem->users(), import.cluster.users);
  EXPECT_THAT(text, HasSubstr("memory: 512Gi"));
}

TEST(Openb, TheHeadOfAFileTellsSourceTermsAndHowPodsBecameUsers) {
  const OpenbImport import = openb_excerpt();
  const std::string head = write_cluster_yaml(import.cluster, import.provenance);
  for (const char* part : {"Alibaba", "study and research", "Weng", "USENIX ATC 2023", "6 nodes",
                           "names none", "10 in all", "1 of the users name GPU models"}) {
    EXPECT_THAT(head, HasSubstr(part));
  }
}

TEST(Openb, GzipFilesGiveTheSame) {
  const TemporaryFolder folder;
  const auto nodes = folder.write_gzip("nodes.csv.gz", read_text(node_excerpt));
  const auto pods = folder.write_gzip("pods.csv.gz", read_text(pod_excerpt));
  const auto import = import_openb(nodes, pods);
  ASSERT_TRUE(import) << describe(import.error());
  EXPECT_EQ(import->cluster.users, openb_excerpt().cluster.users);
}

TEST(Openb, BadRowsAreNamedWithFileLineAndColumn) {
  EXPECT_EQ(node_error("m,1000,1024,2\n"),
            "NODES:3: 4 columns instead of the 5 of a list of nodes (sn,cpu_milli,memory_mib,gpu,model)");
  EXPECT_EQ(node_error("m,1.5,1024,2,T4\n"), "NODES:3: cpu_milli: \"1.5\" is not a whole number from 0");
  EXPECT_EQ(node_error("m,1000,,2,T4\n"), "NODES:3: memory_mib: \"\" is not a whole number from 0");
  EXPECT_THAT(node_error("m,1000,9000000000000000000,2,T4\n"), StartsWith("NODES:3: memory_mib: "));
  EXPECT_EQ(pod_error("q,1,1,-1,1000,,LS,Running,0,9,0\n"),
            "PODS:3: num_gpu: \"-1\" is not a whole number from 0");
  EXPECT_EQ(pod_error("q,1,1,1,x,,LS,Running,0,9,0\n"),
            "PODS:3: gpu_milli: \"x\" is not a whole number from 0");
  EXPECT_EQ(pod_error("q,1,1,10000000000000000000,1000,,LS,Running,0,9,0\n"),
            "PODS:3: num_gpu: \"10000000000000000000\" is too many GPUs");
}

TEST(Openb, TextThatNoNameMayHoldIsRefused) {
  const std::string refused = "must be UTF-8 text without control characters";
  EXPECT_EQ(node_error("m,1000,1024,2,T\x01\n"), "NODES:3: model: " + refused);
  EXPECT_EQ(pod_error("q,1,1,1,1000,,L\xff,Running,0,9,0\n"), "PODS:3: qos: " + refused);
  EXPECT_EQ(pod_error("q,1,1,1,1000,T4|\x02,LS,Running,0,9,0\n"), "PODS:3: gpu_spec: " + refused);
}

TEST(Openb, AnotherHeadingIsAnError) {
  EXPECT_EQ(openb_import_error(a_node, pod_heading + a_pod),
            "NODES:1: sn: \"n\" stands where the heading should");
  EXPECT_EQ(openb_import_error(pod_heading + a_pod, node_heading + a_node),
            "NODES:1: 11 columns instead of the 5 of a list of nodes (sn,cpu_milli,memory_mib,gpu,model)")
      << "the lists were swapped";
}

TEST(Openb, EmptyAndUselessListsAreErrors) {
  EXPECT_EQ(openb_import_error("", pod_heading + a_pod), "NODES: the file is empty");
  EXPECT_EQ(openb_import_error(node_heading, pod_heading + a_pod), "NODES: no node has a capacity");
  EXPECT_EQ(openb_import_error(node_heading + a_node, pod_heading),
            "PODS: no pod asks for something that a node has");
}

TEST(Openb, ATruncatedFileIsNamed) {
  const TemporaryFolder folder;
  std::string pods = pod_heading;
  for (int pod = 0; pod < 5000; ++pod) pods += "p" + std::to_string(pod * 7919) + a_pod.substr(1);
  const std::string path = folder.write_gzip("pods.csv.gz", pods);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  const auto import = import_openb(node_excerpt, path);
  ASSERT_FALSE(import);
  EXPECT_EQ(import.error().file, path);
  EXPECT_GT(import.error().line, 100);
  EXPECT_THAT(import.error().message, HasSubstr("truncated"));
}

}  // namespace
}  // namespace mirab::traces
