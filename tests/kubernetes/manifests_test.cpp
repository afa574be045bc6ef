#include <algorithm>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <mirab/kubernetes/manifests.hpp>
#include <mirab/model/random.hpp>

#include "kubernetes/examples.hpp"
#include "random_cases.hpp"

namespace mirab::kubernetes {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The text with the limits that drf gives its pods.
std::string edited(const std::string& text, const std::string& capacity, Syntax syntax = Syntax::yaml,
                   const std::vector<Amount>& default_request = {}) {
  const Allocatable node = *read_capacity(capacity);
  const Result<Pods> pods = read_pods(
      text, syntax, "pods", {.resources = node.resources, .default_request = default_request, .node = {}});
  EXPECT_TRUE(pods) << (pods ? "" : describe(pods.error()));
  const Result<Limits> limits = fair_limits(*pods, node, {.mechanism = *choose_mechanism("drf")});
  EXPECT_TRUE(limits) << (limits ? "" : describe(limits.error()));
  const Result<std::string> result = with_limits(text, syntax, "pods", *pods, *limits);
  return result ? *result : describe(result.error());
}

const std::string kHead = "kind: Pod\nmetadata:\n  name: a\nspec:\n  containers:\n";

TEST(Manifests, KeepEveryCommentAndByteButTheLimits) {
  std::string expected = testing::example("two-pods.yaml");
  const auto replace = [&](const std::string& old, const std::string& fresh) {
    expected.replace(expected.rfind(old), old.size(), fresh);
  };
  replace("limits: {cpu: 400m, memory: 1500Mi}", "limits: {cpu: 300m, memory: 1200Mi}");
  replace("cpu: 800m\n          memory: 400Mi", "cpu: 600m\n          memory: 200Mi");
  EXPECT_EQ(edited(testing::example("two-pods.yaml"), "cpu=900m,memory=1800Mi"), expected);
}

TEST(Manifests, ThatWereEditedReadAsTheLimitsThatWereCalculated) {
  for (const char* file : {"two-pods.yaml", "minikube.yaml", "shop.yaml"}) {
    const std::string text = testing::example(file);
    const std::string capacity = "cpu=8,memory=12Gi";
    const Limits limits = testing::limits_of(text, capacity);
    const Pods again = testing::read(edited(text, capacity), {"cpu", "memory"});
    for (std::size_t w = 0; w < again.workloads.size(); ++w) {
      for (std::size_t c = 0; c < again.workloads[w].containers.size(); ++c) {
        for (std::size_t r = 0; r < 2; ++r)
          EXPECT_EQ(again.workloads[w].containers[c].needs[r].limit, limits.workloads[w].limits[c][r])
              << file;
      }
    }
    EXPECT_EQ(edited(edited(text, capacity), capacity), edited(text, capacity)) << file << ", a second time";
  }
}

TEST(Manifests, KeepQuotesAndWhatFollowsAValue) {
  EXPECT_EQ(
      edited(
          kHead +
              "  - name: c\n    resources:\n      requests: {cpu: '1'}\n      limits:\n        cpu: \"1\" # "
              "as measured\n        nvidia.com/gpu: 1\n",
          "cpu=2"),
      kHead +
          "  - name: c\n    resources:\n      requests: {cpu: '1'}\n      limits:\n        cpu: \"2\" # as "
          "measured\n        nvidia.com/gpu: 1\n");
}

TEST(Manifests, TakeLimitsWhereThereAreNone) {
  const std::string rest = "    env:\n    - {name: X, value: y}\n";
  const std::string with_request = "      requests:\n        cpu: 1\n";
  EXPECT_EQ(
      edited(kHead + "  - name: c\n    image: i\n    resources:\n      # measured\n" + with_request + rest,
             "cpu=2"),
      kHead + "  - name: c\n    image: i\n    resources:\n      limits:\n        cpu: 2\n      # measured\n" +
          with_request + rest);
  EXPECT_EQ(edited(kHead + "  - {name: c, resources: {requests: {cpu: 1}}}\n", "cpu=2"),
            kHead + "  - {name: c, resources: {limits: {cpu: 2}, requests: {cpu: 1}}}\n");
  EXPECT_EQ(edited(kHead + "  - { name: c, resources: { requests: { cpu: 1 } } }\n", "cpu=2"),
            kHead + "  - { name: c, resources: { limits: {cpu: 2}, requests: { cpu: 1 } } }\n");
  EXPECT_EQ(edited(kHead + "  - name: c\n    resources: {\n      requests: {cpu: 1}}\n", "cpu=2"),
            kHead + "  - name: c\n    resources: {limits: {cpu: 2},\n      requests: {cpu: 1}}\n");
  EXPECT_EQ(edited(kHead + "  - name: c\n    resources:\n      limits: {}\n" + with_request, "cpu=2"),
            kHead + "  - name: c\n    resources:\n      limits: {cpu: 2}\n" + with_request);
  EXPECT_EQ(edited(kHead + "  - name: c\n    resources:\n      limits: # to come\n" + with_request, "cpu=2"),
            kHead + "  - name: c\n    resources:\n      limits: {cpu: 2} # to come\n" + with_request);
}

TEST(Manifests, TakeARequestWhereItIsNotWritten) {  // or Kubernetes would take the new limit for it
  const std::vector<Amount> given{{"cpu", 100}};
  EXPECT_EQ(
      edited(kHead + "  - name: c\n    image: i # pinned\n    args: [x]\n", "cpu=2", Syntax::yaml, given),
      kHead +
          "  - name: c\n    image: i # pinned\n    resources:\n      limits:\n        cpu: 2\n      "
          "requests:\n"
          "        cpu: 100m\n    args: [x]\n");
  EXPECT_EQ(edited(kHead + "  - args: [x]\n    name: c\n    resources: {}\n", "cpu=2", Syntax::yaml, given),
            kHead + "  - args: [x]\n    name: c\n    resources: {limits: {cpu: 2}, requests: {cpu: 100m}}\n");
  EXPECT_EQ(
      edited(kHead + "  - name: c", "cpu=2", Syntax::yaml, given),
      kHead +
          "  - name: c\n    resources:\n      limits:\n        cpu: 2\n      requests:\n        cpu: 100m");
}

TEST(Manifests, KeepWindowsLineEndsAndAByteOrderMark) {
  const std::string text =
      "\xEF\xBB\xBFkind: Pod\r\nmetadata: {name: a}\r\nspec:\r\n  containers:\r\n  - name: c\r\n    "
      "resources:\r\n      requests:\r\n        cpu: 1\r\n";
  EXPECT_EQ(edited(text, "cpu=2"), text.substr(0, text.find("      requests")) +
                                       "      limits:\r\n        cpu: 2\r\n" +
                                       text.substr(text.find("      requests")));
}

TEST(Manifests, KeepBlankLinesBeforeTheFirstKey) {
  for (const std::string blank : {"\n", "\n\n", "\r\n", "\xEF\xBB\xBF\n"}) {
    const std::string text = blank + kHead + "  - name: c\n    resources: {requests: {cpu: 1}}\n";
    EXPECT_EQ(edited(text, "cpu=2"),
              blank + kHead + "  - name: c\n    resources: {limits: {cpu: 2}, requests: {cpu: 1}}\n");
  }
}

TEST(Manifests, ThatCannotBeEditedInPlaceAreRefusedRatherThanSpoilt) {
  // A complex key before the value: legal YAML that nobody writes.
  const std::string result = edited(
      kHead + "  - name: c\n    resources:\n      requests: {cpu: 1}\n      ? limits\n      : {cpu: 1}\n",
      "cpu=2");
  const std::string text =
      kHead + "  - name: c\n    resources:\n      requests: {cpu: 1}\n      ? limits\n      : {cpu: 2}\n";
  EXPECT_TRUE(result == text || result.find("cannot be written into this text") != std::string::npos)
      << result;
}

// Every way in which people write a container, drawn at random: in blocks and in braces, quoted or not, with
// comments, with all, some or none of the keys, in any order.
class ContainerWriter {
 public:
  explicit ContainerWriter(Random& random) : random_(random) {}

  std::string text(const std::string& name) {
    const bool braces = one_in(4);
    std::vector<std::string> keys{
        braces ? "name: " + name : "name: " + name + comment(),
        braces ? "image: i" : "image: " + quoted("registry.example/i:1") + comment()};
    if (one_in(2)) keys.push_back("args: [a, \"b: c\"]");
    if (one_in(2) && !braces) keys.push_back("command:\n    - |\n      echo # no comment\n    - x");
    if (!one_in(6)) keys.push_back("resources:" + resources(braces));
    for (std::size_t i = keys.size(); i > 1; --i) std::swap(keys[i - 1], keys[random_.below(i)]);
    std::string all;
    for (const std::string& key : keys) all += (all.empty() ? "" : braces ? ", " : "\n    ") + key;
    return braces ? "  - {" + all + "}\n" : "  - " + all + "\n";
  }

 private:
  bool one_in(std::uint64_t n) { return random_.below(n) == 0; }
  std::string comment() { return one_in(3) ? "  # as agreed, {cpu: 1}" : ""; }
  std::string quoted(const std::string& text) {
    return one_in(3) ? "'" + text + "'" : one_in(3) ? '"' + text + '"' : text;
  }

  std::string resources(bool braces) {
    if (one_in(5)) return braces || one_in(2) ? " {}" : comment();
    std::vector<std::string> groups;
    for (const std::string group : {"requests", "limits"}) {
      if (!one_in(3)) groups.push_back(group + ":" + amounts(braces, group == "limits" ? "2" : "1"));
    }
    if (groups.empty()) return " {}";
    if (one_in(2)) std::swap(groups.front(), groups.back());
    std::string all;
    for (const std::string& group : groups)
      all += braces ? (all.empty() ? "" : ", ") + group : "\n      " + group;
    return braces ? " {" + all + "}" : comment() + all;
  }

  std::string amounts(bool braces, const std::string& size) {
    if (one_in(6)) return braces || one_in(2) ? " {}" : " null" + comment();
    std::vector<std::string> entries;
    if (!one_in(4)) entries.push_back("cpu: " + quoted(size));
    if (!one_in(4)) entries.push_back("memory: " + quoted(size + "Gi"));
    entries.push_back("example.com/gpu: 1");
    std::string all;
    const bool inline_map = braces || one_in(3);
    for (const std::string& entry : entries)
      all += inline_map ? (all.empty() ? "" : ", ") + entry : "\n        " + entry + comment();
    return inline_map ? " {" + all + "}" : comment() + all;
  }

  Random& random_;
};

TEST(Manifests, AsPeopleWriteThemAreAllEdited) {
  constexpr std::uint64_t kSeed = 7310;
  Random random(kSeed);
  for (int i = 0; i < random_cases(2000); ++i) {
    ContainerWriter writer(random);
    const std::string text = kHead + writer.text("a") + writer.text("b") + "---\n# the end\n";
    const std::string result =
        edited(text, "cpu=40,memory=40Gi", Syntax::yaml, {{"cpu", 100}, {"memory", 64 << 20}});
    ASSERT_THAT(result, Not(HasSubstr("cannot be written"))) << "case " << i << " of seed " << kSeed << ":\n"
                                                             << text;
    ASSERT_EQ(std::count(result.begin(), result.end(), '#'), std::count(text.begin(), text.end(), '#'));
  }
}

TEST(Manifests, InJsonKeepTheOrderOfKeys) {
  const std::string text = R"({"kind": "List", "items": [{"kind": "Pod", "spec": {"containers": [{"resources":
      {"requests": {"memory": "1Gi", "cpu": "1"}}, "name": "c"}]}, "metadata": {"name": "a"}}]})";
  const std::string result = edited(text, "cpu=2,memory=2Gi", Syntax::json);
  nlohmann::ordered_json expected = nlohmann::ordered_json::parse(text);
  expected["items"][0]["spec"]["containers"][0]["resources"]["limits"] = {{"cpu", "2"}, {"memory", "2Gi"}};
  EXPECT_EQ(result, expected.dump(4) + "\n");
}

TEST(Manifests, InSeveralJsonTextsStayOneAfterTheOther) {
  const auto pod = [](const std::string& name) {
    return R"({"kind": "Pod", "metadata": {"name": ")" + name +
           R"("}, "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}]}})";
  };
  std::string expected;
  for (const char* name : {"a", "b"}) {
    nlohmann::ordered_json each = nlohmann::ordered_json::parse(pod(name));
    each["spec"]["containers"][0]["resources"]["limits"] = {{"cpu", "2"}, {"memory", "2Gi"}};
    expected += each.dump(4) + "\n";
  }
  EXPECT_EQ(edited(pod("a") + "\n" + pod("b"), "cpu=4,memory=4Gi", Syntax::json), expected);
}

}  // namespace
}  // namespace mirab::kubernetes
