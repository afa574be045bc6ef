// `mirab limits`, from manifests to limits.

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/shell.hpp"

namespace mirab {
namespace {

using nlohmann::json;
using test::Ran;
using test::shell;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const std::string kTwoPods = "mirab limits examples/pods/two-pods.yaml --capacity cpu=900m,memory=1800Mi";

std::vector<std::string> limits_of(const std::string& line) {
  const Ran ran = shell(line + " --format json");
  EXPECT_EQ(ran.status, 0) << ran.err;
  std::vector<std::string> limits;
  const json result = json::parse(ran.out);
  for (const json& pod : result["pods"]) {
    const json& limit = pod["containers"][0]["limit"];
    limits.push_back(limit["cpu"].get<std::string>() + " " + limit["memory"].get<std::string>());
  }
  return limits;
}

TEST(LimitsCommand, GivesThePodsOfTheThesisTheLimitsOfItsFigures) {  // figures 4.15 and 4.16
  EXPECT_THAT(limits_of(kTwoPods), ElementsAre("300m 1200Mi", "600m 200Mi"));
  EXPECT_THAT(limits_of("mirab limits examples/pods/minikube.yaml --capacity cpu=2,memory=1800Mi -m mlf-drs"),
              ElementsAre("720m 81Mi", "799m 245Mi", "159m 736Mi", "319m 736Mi"));
}

TEST(LimitsCommand, WritesManifestsThatNeedNoFurtherChange) {
  const TemporaryFolder folder;
  const std::string copy = folder.path("shop.yaml");
  const std::string line =
      "mirab limits " + copy + " --node examples/pods/node.yaml --only-when-exceeded --format ";
  ASSERT_EQ(shell("cp examples/pods/shop.yaml " + copy).status, 0);
  const Ran first = shell(line + "manifest -o " + copy);
  EXPECT_EQ(first.status, 0) << first.err;
  const std::string text = read_text(copy);
  EXPECT_THAT(text, HasSubstr("# measured on a Monday"));
  EXPECT_FALSE(json::parse(shell(line + "json").out)["recalculated"]);
  shell(line + "manifest -o " + copy);
  EXPECT_EQ(read_text(copy), text);
}

TEST(LimitsCommand, ReadsWhatKubectlPrintsAsJsonFromAPipe) {
  const std::string list =
      R"({"kind": "List", "items": [{"kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": [)"
      R"({"name": "c", "resources": {"requests": {"cpu": "1"}}}]}}]})";
  const Ran ran = shell("echo '" + list + "' | mirab limits - --capacity cpu=2 --format manifest");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(json::parse(ran.out)["items"][0]["spec"]["containers"][0]["resources"]["limits"]["cpu"], "2");
}

TEST(LimitsCommand, PrintsPatchesInBothSpellings) {
  const std::string patches = shell(kTwoPods + " --patch").out;
  EXPECT_THAT(patches, HasSubstr("\nkubectl patch pod a --subresource resize --patch '{"));
  EXPECT_EQ(shell(kTwoPods + " --format patch").out, patches);
}

// The neighbours on a node are counted, though they are not shown.
TEST(LimitsCommand, OfANamespaceAreThoseThatItsPodsHaveAmongAll) {
  const std::string line =
      "mirab limits examples/kubernetes/pods.json --node examples/kubernetes/nodes.json --at-most 4x ";
  const json all = json::parse(shell(line + "--format json").out);
  const json some = json::parse(shell(line + "--namespace payments --format json").out);
  json expected = json::array();
  for (const json& pod : all["pods"]) {
    if (pod["namespace"] == "payments") expected.push_back(pod);
  }
  ASSERT_LT(expected.size(), all["pods"].size());
  EXPECT_EQ(some["pods"], expected);
  EXPECT_EQ(some["namespace"], "payments");
  EXPECT_EQ(all["namespace"], nullptr);
  for (const char* sum : {"allocatable", "requested", "old_limits", "limits"}) EXPECT_EQ(some[sum], all[sum]);
  std::map<std::string, json> counts;
  for (const json& node : all["on_nodes"]) counts[node["name"]] = node["pods"];
  ASSERT_LT(some["on_nodes"].size(), all["on_nodes"].size());
  for (const json& node : some["on_nodes"]) {
    for (const auto& [name, count] : node["pods"].items()) {
      EXPECT_THAT(name, ::testing::StartsWith("payments/"));
      EXPECT_EQ(count, counts[node["name"]][name]);
    }
  }
  const std::string patches = shell(line + "--namespace payments --patch").out;
  EXPECT_THAT(patches, HasSubstr(" --namespace payments "));
  EXPECT_THAT(patches, ::testing::Not(HasSubstr("checkout")));
}

TEST(LimitsCommand, OfOneNamespaceGoIntoItsManifestsAlone) {
  const std::string line = "mirab limits examples/pods/shop.yaml --node examples/pods/node.yaml --namespace ";
  const Ran none = shell(line + "shop --format manifest | diff examples/pods/shop.yaml -");
  EXPECT_THAT(none.out, HasSubstr("limits"));
  const Ran wrong = shell(line + "elsewhere");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("examples/pods/shop.yaml: --namespace: namespace elsewhere has no pod "
                                   "that counts here; known are shop"));
  const Ran empty = shell(line + "''");
  EXPECT_EQ(empty.status, 2);
  EXPECT_THAT(empty.err, HasSubstr("--namespace: must be the name of a namespace"));
}

TEST(LimitsCommand, AColumnHasOneUnitOfMemory) {
  const std::string pod =
      "kind: Pod\\nmetadata: {name: %s}\\nspec: {containers: [{name: app, resources: {requests: {cpu: 1, "
      "memory: %s}}}]}\\n---\\n";
  const Ran ran = shell("printf '" + pod + "' a 512Mi b 3Gi | mirab limits - --capacity cpu=4,memory=7Gi");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, testing::ContainsRegex("\na +app +1 +– +[0-9m]+ +512Mi +– +1293Mi"));
  EXPECT_THAT(ran.out, testing::ContainsRegex("\nb +app +1 +– +[0-9m]+ +3072Mi +– +4527Mi"));
}

TEST(LimitsCommand, PrintsRecordsOfPlainNumbers) {
  EXPECT_EQ(shell(kTwoPods + " --format csv").out,
            "pod,pods,container,resource,request,old_limit,new_limit\n"
            "a,1,app,cpu,0.1,0.4,0.3\na,1,app,memory,419430400,1572864000,1258291200\n"
            "b,1,app,cpu,0.3,0.8,0.6\nb,1,app,memory,104857600,419430400,209715200\n");
}

TEST(LimitsCommand, SaysWhoWouldBeEvictedUnderTheOldLimits) {
  EXPECT_THAT(shell(kTwoPods).out,
              HasSubstr("Kubernetes would evict a\n  (Burstable, 1100Mi above its request)."));
}

struct Refusal {
  std::string name;
  std::string line;
  std::string message;
};

std::ostream& operator<<(std::ostream& stream, const Refusal& refusal) { return stream << refusal.name; }

const std::string kPods = "limits examples/pods/two-pods.yaml ";

const std::vector<Refusal> kRefusals = {
    {"NoNode", kPods, "--capacity: say what the pods may have"},
    {"NodeAndCapacity", kPods + "--capacity cpu=1 --node examples/pods/node.yaml",
     "--capacity: give this or --node"},
    {"BadCapacity", kPods + "--capacity cpu", "--capacity: 'cpu' is not an amount by name"},
    {"BadWeight", kPods + "--capacity cpu=2 --weight a", "--weight: 'a' is not of the form NAME=NUMBER"},
    {"WeightOfZero", kPods + "--capacity cpu=2 --weight a=0", "--weight: 'a=0' must be more than 0"},
    {"WeightOfNobody", kPods + "--capacity cpu=2 --weight c=2", "--weight: there is no pod 'c'"},
    {"ResourceWeightUnderPf", kPods + "--capacity cpu=2 -m pf --resource-weight cpu=2",
     "--resource-weight: pf does not compare"},
    {"BadDefault", kPods + "--capacity cpu=2 --default-request cpu=0",
     "--default-request: 'cpu=0' must be more than 0"},
    {"PatchAsCsv", kPods + "--capacity cpu=2 --patch --format csv", "--patch: prints kubectl's commands"},
    {"NoSuchFile", "limits no-such.yaml --capacity cpu=2", "no-such.yaml: cannot be read"},
    {"NoSuchNode", kPods + "--node examples/pods/two-pods.yaml",
     "examples/pods/two-pods.yaml: the file contains no node"},
    {"NodeOfAnotherName", kPods + "--node examples/pods/node.yaml --node-name big", "there is no node 'big'"},
    {"TwiceStandardInput", "limits - --node -", "--node: pods and node cannot both"},
    {"ReplacedInput", kPods + "--capacity cpu=2 -o examples/pods/two-pods.yaml",
     "-o: output 'examples/pods/two-pods.yaml' would overwrite"},
    {"ReplacedNode", kPods + "--node examples/pods/node.yaml --format manifest -o examples/pods/node.yaml",
     "-o: "},
    {"TooLittle", kPods + "--capacity cpu=300m,memory=400Mi",
     "examples/pods/two-pods.yaml: the requests do not fit on the node: cpu 400m requested, 300m allocatable "
     "(largest: b 300m, a 100m); memory 500Mi requested, 400Mi allocatable (largest: a 400Mi, b 100Mi)"},
};

class ARefusal : public ::testing::TestWithParam<Refusal> {};

TEST_P(ARefusal, OfLimitsIsSaidOnStandardErrorOnly) {
  const Ran ran = shell("mirab " + GetParam().line);
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.out, IsEmpty());
  EXPECT_THAT(ran.err, HasSubstr("mirab: "));
  EXPECT_THAT(ran.err, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(LimitsCommand, ARefusal, ::testing::ValuesIn(kRefusals),
                         [](const auto& refusal) { return refusal.param.name; });

TEST(LimitsCommand, RefusesPodsWithFileLineAndKey) {
  const TemporaryFolder folder;
  const std::string file = folder.write("pods.yaml",
                                        "kind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: c\n"
                                        "    resources:\n      requests:\n        cpu: many\n");
  const Ran ran = shell("mirab limits " + file + " --capacity cpu=1");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, StartsWith("mirab: " + file +
                                  ":8: spec.containers[0].resources.requests.cpu: 'many' is not an amount"));
}

}  // namespace
}  // namespace mirab
