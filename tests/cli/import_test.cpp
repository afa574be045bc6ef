// Imports of clusters that run, from the command line, and files of others in the wrong place.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <string>

#include "cli/shell.hpp"
#include "support/files.hpp"

namespace mirab {
namespace {

using test::Ran;
using test::shell;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kFiles = "examples/kubernetes/nodes.json examples/kubernetes/pods.json";

std::string example(const std::string& name) { return read_text(MIRAB_SOURCE_DIR "/examples/" + name); }

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

TEST(Import, OfTheExampleRunsAndCanBeAllocated) {
  const TemporaryFolder folder;
  const std::string cluster = folder.path("cluster.yaml");
  const Ran imported = shell(fmt::format("mirab import kubernetes {} -o {}", kFiles, cluster));
  EXPECT_EQ(imported.status, 0);
  EXPECT_THAT(imported.err, HasSubstr("mirab: note: not kept, topology spread: 24 pods: checkout/web\n"));
  EXPECT_THAT(read_text(cluster), HasSubstr("# Note: not kept, topology spread: 24 pods: checkout/web\n"));
  const Ran valid = shell("mirab validate " + cluster);
  EXPECT_THAT(valid.out, HasSubstr("13 users with 15 task shapes, 40 servers, 3 resources"));
  const Ran given = shell(fmt::format("mirab allocate {} -m given --format csv | grep -c ml-", cluster));
  EXPECT_EQ(given.status, 0) << given.err;
}

// A scenario has a `kind` too.
TEST(Import, TellsTheBadAmountOfAListWithoutApiVersion) {
  const TemporaryFolder folder;
  const std::string objects =
      folder.write("o.json", R"({"kind":"List","items":[{"kind":"Node","metadata":{"name":"n"},)"
                             R"("status":{"allocatable":{"cpu":"4x"}}}]})");
  const Ran ran = shell("mirab import kubernetes " + objects);
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("items[0].status.allocatable.cpu: '4x' is not an amount"));
}

TEST(Import, NotesPodsThatNoNodeHolds) {
  const TemporaryFolder folder;
  const std::string objects = folder.write(
      "objects.yaml",
      "kind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: 4, memory: 16Gi, pods: 110}}\n---\n"
      "kind: Pod\nmetadata: {name: big, namespace: ml}\n"
      "spec: {containers: [{name: c, resources: {requests: {cpu: 8, memory: 1Gi}}}]}\n");
  const Ran ran = shell("mirab import kubernetes " + objects);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("mirab: note: no server holds one whole task of 'ml"));
  EXPECT_THAT(ran.err, HasSubstr("': it asks for 8 cpu, and the largest has 4\n"));
  EXPECT_THAT(ran.out, HasSubstr("# Note: no server holds one whole task of 'ml"));
}

// The node with GPUs is closed to new pods, and busy: the pod that waits for GPUs may not run there.
TEST(Import, OfAPodThatWaitsForGpusOfAClosedNodeIsPlannedFor) {
  const TemporaryFolder folder;
  const std::string objects = folder.write(
      "objects.yaml",
      "kind: Node\nmetadata: {name: plain}\nstatus: {allocatable: {cpu: 4, memory: 16Gi, pods: 110}}\n---\n"
      "kind: Node\nmetadata: {name: gpu}\nspec: {unschedulable: true}\n"
      "status: {allocatable: {cpu: 4, memory: 16Gi, nvidia.com/gpu: 8, pods: 110}}\n---\n"
      "kind: Pod\nmetadata: {name: runs, namespace: web}\nspec: {nodeName: gpu, containers: [{name: c, "
      "resources: {requests: {cpu: 1, memory: 1Gi, nvidia.com/gpu: 1}}}]}\n---\n"
      "kind: Pod\nmetadata: {name: train, namespace: ml}\n"
      "spec: {containers: [{name: c, resources: {requests: {cpu: 1, memory: 1Gi, nvidia.com/gpu: 2}}}]}\n");
  const std::string cluster = folder.path("cluster.yaml");
  EXPECT_EQ(shell(fmt::format("mirab import kubernetes {} -o {}", objects, cluster)).status, 0);
  EXPECT_THAT(read_text(cluster), HasSubstr("{name: ml, demand: {cpu: 1, memory: 1Gi, nvidia.com/gpu: 2}, "
                                            "tasks: 1, may_fit_nowhere: true}"));
  EXPECT_THAT(shell(fmt::format("mirab allocate {} -m drfh", cluster)).out, HasSubstr("1 of 2 get all"));
  const std::string kinds = folder.write(
      "kinds.yaml", "kinds:\n  - {name: fast, capacity: {cpu: 8, memory: 64Gi, nvidia.com/gpu: 4}}\n");
  const Ran plan = shell(fmt::format("mirab plan {} --user ml --kinds {} -m drfh", cluster, kinds));
  EXPECT_EQ(plan.status, 0) << plan.err;
  EXPECT_THAT(plan.out, HasSubstr("ml then gets 1 task instead of 0."));
  const std::string tainted = folder.write(
      "tainted.yaml",
      "kinds:\n  - {name: fast, capacity: {cpu: 8, memory: 64Gi, nvidia.com/gpu: 4}, taints: [gpu]}\n");
  EXPECT_THAT(shell(fmt::format("mirab plan {} --user ml --kinds {} -m drfh", cluster, tainted)).out,
              Not(HasSubstr("ml then gets 1 task")))
      << "ml does not tolerate the taint";
}

// No node has a GPU yet, for which ml/train waits; what is bought may run it.
TEST(Import, OfAPodThatWaitsForGpusIsReadBackAndPlannedFor) {
  const TemporaryFolder folder;
  const std::string objects = folder.write(
      "objects.yaml",
      "kind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: 4, memory: 16Gi, pods: 110}}\n---\n"
      "kind: Pod\nmetadata: {name: site, namespace: web}\n"
      "spec: {nodeName: n1, containers: [{name: c, resources: {requests: {cpu: 1, memory: 1Gi}}}]}\n---\n"
      "kind: Pod\nmetadata: {name: train, namespace: ml}\n"
      "spec: {containers: [{name: c, resources: {requests: {cpu: 1, memory: 1Gi, nvidia.com/gpu: 2}}}]}\n");
  const std::string cluster = folder.path("cluster.yaml");
  EXPECT_EQ(shell(fmt::format("mirab import kubernetes {} -o {}", objects, cluster)).status, 0);
  EXPECT_THAT(read_text(cluster), HasSubstr("may_fit_nowhere: true}"));
  const Ran valid = shell("mirab validate " + cluster);
  EXPECT_EQ(valid.status, 0);
  EXPECT_THAT(valid.err, HasSubstr("no server on which 'ml' may run has all that it asks for; missing: "
                                   "nvidia.com/gpu\n"));
  const std::string kinds = folder.write(
      "kinds.yaml", "kinds:\n  - {name: fast, capacity: {cpu: 8, memory: 64Gi, nvidia.com/gpu: 4}}\n");
  const Ran plan = shell(fmt::format("mirab plan {} --user ml --kinds {}", cluster, kinds));
  EXPECT_EQ(plan.status, 0) << plan.err;
  EXPECT_THAT(plan.out, HasSubstr("ml then gets 1 task instead of 0."));
}

TEST(Import, ReadsOneTextOfEverythingFromStandardInput) {
  const Ran two = shell(fmt::format("mirab import kubernetes {} 2>/dev/null | grep -v '^#'", kFiles));
  const Ran one = shell(
      "(cat examples/kubernetes/nodes.json | sed '$d'; echo ,; sed 1d examples/kubernetes/pods.json) | mirab "
      "import "
      "kubernetes - 2>/dev/null | grep -v '^#'");
  EXPECT_EQ(one.status, 0);
  EXPECT_EQ(one.out, two.out);
}

TEST(Import, WithBadInputWritesNothing) {
  const TemporaryFolder folder;
  const std::string kept = folder.write("cluster.yaml", "as it was");
  const std::string broken = folder.write("pods.json", "{\"items\": [{\"kind\": \"Pod\"");
  for (const std::string& command :
       {fmt::format("mirab import kubernetes examples/kubernetes/nodes.json {} -o {}", broken, kept),
        fmt::format("mirab import slurm examples/slurm/nodes.txt {} -o {}", broken, kept),
        fmt::format("mirab import csv examples/csv/hosts.csv {} -o {}", broken, kept),
        fmt::format("mirab import kubernetes - - -o {}", kept)}) {
    const Ran ran = shell(command);
    EXPECT_EQ(ran.status, 2) << command;
    EXPECT_THAT(ran.out, IsEmpty());
    EXPECT_THAT(ran.err, StartsWith("mirab: "));
    EXPECT_EQ(read_text(kept), "as it was");
  }
  const Ran over_itself = shell(fmt::format("mirab import kubernetes {} -o {}", kept, kept));
  EXPECT_EQ(over_itself.status, 2);
  EXPECT_EQ(read_text(kept), "as it was");
}

TEST(Import, SuggestsTheFormatOfWhatPeopleType) {
  for (const auto& [typed, command] : {std::pair("kubectl", "kubernetes"), std::pair("k8s", "kubernetes"),
                                       std::pair("kubernets", "kubernetes"), std::pair("squeue", "slurm")}) {
    const Ran ran = shell(fmt::format("mirab import {} x", typed));
    EXPECT_EQ(ran.status, 2);
    EXPECT_THAT(first_line(ran.err), HasSubstr(fmt::format("did you mean {}?", command)));
  }
}

TEST(Import, FilesOfOthersNameTheCommandThatReadsThem) {
  const TemporaryFolder folder;
  const std::string swf =
      folder.write("log.txt", "; UnixStartTime: 0\n1 0 0 1 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1\n");
  const std::string bare = folder.write("bare.txt", "1 0 0 1 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1\n");
  const std::string pods =
      folder.write("pods.yaml", "# from kubectl\napiVersion: v1\nkind: List\nitems: []\n");
  const std::string slurm = folder.write(
      "nodes.json", R"({"nodes": [{"name": "n", "cpus": 1, "real_memory": 1, "state": ["IDLE"]}]})");
  const std::string table = folder.write("nodes.txt",
                                         "NAME    STATUS   ROLES    AGE   VERSION   INTERNAL-IP\n"
                                         "n1      Ready    <none>   17d   v1.33.1   10.0.0.1\n");
  const std::string described = folder.write("describe.txt",
                                             "Name:               n1\nRoles:              <none>\n"
                                             "Labels:             zone=a\n");
  struct Case {
    std::string command, named;
  };
  for (const Case& each :
       {Case{"mirab import kubernetes " + table,
             "what kubectl prints for people to read; `kubectl get nodes -o json`"},
        Case{"mirab import kubernetes examples/kubernetes/nodes.json " + described, "for people to read"},
        Case{"mirab limits " + table + " --capacity cpu=1", "for people to read"},
        Case{"mirab validate " + table, "for people to read"},
        Case{"mirab allocate examples/kubernetes/nodes.json -m drf", "mirab import kubernetes"},
        Case{"mirab validate examples/kubernetes/pods.json", "mirab limits"},
        Case{"mirab allocate " + pods + " -m drf", "mirab import kubernetes"},
        Case{"mirab validate " + pods, "mirab import kubernetes"},
        Case{"mirab simulate " + swf, "mirab import swf"},
        Case{"mirab simulate " + bare, "mirab import swf"},
        Case{"mirab validate " + swf, "mirab import swf"},
        Case{"mirab explain examples/slurm/nodes.txt a -m drf", "mirab import slurm"},
        Case{"mirab allocate examples/slurm/jobs.txt -m drf", "mirab import slurm"},
        Case{"mirab allocate " + slurm + " -m drf", "mirab import slurm"},
        Case{"mirab allocate examples/csv/hosts.csv -m drf", "mirab import csv"},
        Case{"mirab import kubernetes examples/slurm/nodes.txt", "mirab import slurm"},
        Case{"mirab import slurm examples/kubernetes/nodes.json examples/slurm/jobs.txt",
             "mirab import kubernetes"},
        Case{"mirab import csv examples/csv/hosts.csv examples/slurm/jobs.txt", "mirab import slurm"},
        Case{"mirab import kubernetes examples/csv/hosts.csv", "mirab import csv"},
        Case{"mirab import kubernetes examples/textbook.yaml", "mirab allocate"},
        Case{"mirab import swf examples/kubernetes/nodes.json --workload x", "mirab import kubernetes"},
        Case{"mirab import swf examples/textbook.yaml --workload x", "mirab allocate"},
        Case{"mirab import swf examples/csv/hosts.csv --workload x", "mirab import csv"},
        Case{"mirab import wagap2013 examples/slurm/jobs.txt examples/slurm/nodes.txt --workload x",
             "mirab import slurm"},
        Case{"mirab import openb " + swf + " x", "mirab import swf"},
        Case{"mirab import openb examples/csv/hosts.csv x", "instead of the 5"},
        Case{"mirab import bitbrains examples/slurm/nodes.txt --workload x", "mirab import slurm"},
        Case{"mirab import google2011 examples/kubernetes/nodes.json", "mirab import kubernetes"},
        Case{"mirab allocate examples/jobs/jobs.csv -m drf", "mirab import jobs"},
        Case{"mirab import csv examples/jobs/servers.csv examples/jobs/jobs.csv", "mirab import jobs"},
        Case{"mirab import jobs " + swf + " --servers examples/jobs/servers.csv --workload x",
             "mirab import swf"},
        Case{"mirab import jobs examples/kubernetes/pods.json --servers examples/jobs/servers.csv --workload "
             "x",
             "mirab import kubernetes"},
        Case{"mirab import jobs examples/jobs/jobs.csv --servers examples/textbook.yaml --workload x",
             "mirab allocate"},
        Case{"mirab import jobs examples/csv/jobs.csv --servers examples/jobs/servers.csv --workload x",
             "no column for 'submit'"},
        Case{"mirab limits examples/slurm/jobs.txt --capacity cpu=1", "mirab import slurm"},
        Case{"mirab limits examples/textbook.yaml --capacity cpu=1", "mirab allocate"}}) {
    const Ran ran = shell(each.command);
    EXPECT_EQ(ran.status, 2) << each.command;
    EXPECT_THAT(first_line(ran.err), HasSubstr(each.named)) << each.command;
    EXPECT_THAT(ran.out, IsEmpty());
  }
}

TEST(Import, OfPackedFilesIsThatOfTheTexts) {
  const TemporaryFolder folder;
  const std::string nodes = folder.write_gzip("nodes.json.gz", example("kubernetes/nodes.json"));
  const std::string pods = folder.write_gzip("pods.gz", example("kubernetes/pods.json"));
  const auto body = [](const std::string& files) {
    return shell("mirab import kubernetes " + files + " | grep -v '^#'").out;
  };
  EXPECT_EQ(body(nodes + " " + pods), body(kFiles));
  EXPECT_EQ(
      shell(fmt::format("cat {} | mirab limits - --node {} --format csv", pods, nodes)).out,
      shell("mirab limits examples/kubernetes/pods.json --node examples/kubernetes/nodes.json --format csv")
          .out);
  const Ran slurm = shell(fmt::format("mirab import slurm {} examples/slurm/jobs.txt | grep -v '^#'",
                                      folder.write_gzip("n.gz", example("slurm/nodes.txt"))));
  EXPECT_EQ(slurm.out,
            shell("mirab import slurm examples/slurm/nodes.txt examples/slurm/jobs.txt | grep -v '^#'").out);
  const auto jobs_of = [&](const std::string& table) {
    const std::string workload = folder.path("jobs.workload");
    const Ran ran = shell(fmt::format(
        "mirab import jobs {} --servers examples/jobs/servers.csv -o {} --workload {} && tail -n +2 {}",
        table, folder.path("c.yaml"), workload, workload));
    EXPECT_EQ(ran.status, 0) << ran.err;
    return ran.out;
  };
  EXPECT_EQ(jobs_of(folder.write_gzip("jobs.csv.gz", example("jobs/jobs.csv"))),
            jobs_of("examples/jobs/jobs.csv"));
  EXPECT_EQ(jobs_of("- < examples/jobs/jobs.csv"), jobs_of("examples/jobs/jobs.csv"));
}

// In examples/jobs/: the table, its servers, and a scenario that names what is made of them.
TEST(Import, OfATableOfJobsRunsUnderItsScenario) {
  const TemporaryFolder folder;
  folder.write("compare.yaml", example("jobs/compare.yaml"));
  const Ran imported =
      shell(fmt::format("mirab import jobs examples/jobs/jobs.csv --servers examples/jobs/servers.csv -o "
                        "{0}/jobs.yaml --workload {0}/jobs.workload",
                        folder.path()));
  ASSERT_EQ(imported.status, 0) << imported.err;
  EXPECT_THAT(imported.err, HasSubstr("mirab: note: left out, jobs that do not fit on the servers: 1\n"));
  const Ran ran = shell(fmt::format("mirab simulate {}", folder.path("compare.yaml")));
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("jobs finished                     10        10        10\n"));
}

TEST(Import, PackedFilesInTheWrongPlaceAreNamed) {
  const TemporaryFolder folder;
  const std::string nodes = folder.write_gzip("nodes.json.gz", example("kubernetes/nodes.json"));
  const std::string cluster = folder.write_gzip("c.yaml.gz", example("textbook.yaml"));
  const std::string whole = read_text(nodes);
  const std::string cut = folder.write("cut.json.gz", whole.substr(0, whole.size() / 2));
  const std::string xz = folder.write("nodes.json.xz",
                                      "\xfd"
                                      "7zXZ and so on");
  const std::string workload = folder.write_gzip("w.gz", "{\"mirab\": \"workload\", \"version\": 1}\n");
  struct Case {
    std::string command, named;
  };
  for (const Case& each :
       {Case{"mirab allocate " + nodes, "this is Kubernetes objects"},
        Case{"mirab validate " + nodes, "Kubernetes objects"},
        Case{"mirab import slurm " + nodes + " examples/slurm/jobs.txt", "this is Kubernetes objects"},
        Case{"mirab import swf " + nodes + " --workload x", "this is Kubernetes objects"},
        Case{"mirab allocate " + cluster, "c.yaml.gz: is compressed with gzip; decompress it first"},
        Case{"mirab validate " + cluster, "is compressed with gzip; decompress it first"},
        Case{"mirab simulate " + cluster, "is compressed with gzip; decompress it first"},
        Case{"mirab import kubernetes " + cluster, "this is a cluster file"},
        Case{"mirab import kubernetes " + cut, "cut.json.gz: the file is truncated"},
        Case{"mirab import kubernetes " + xz, "nodes.json.xz: is compressed with xz; decompress it first"},
        Case{"mirab allocate " + xz, "is compressed with xz; decompress it first"},
        Case{"mirab import swf " + xz + " --workload x", "is compressed with xz; decompress it first"},
        Case{"mirab import kubernetes " + workload, "this is a workload file"},
        Case{"mirab allocate " + workload, "this is a workload file"}}) {
    const Ran ran = shell(each.command);
    EXPECT_EQ(ran.status, 2) << each.command;
    EXPECT_THAT(first_line(ran.err), HasSubstr(each.named)) << each.command;
    EXPECT_THAT(ran.out, IsEmpty());
  }
}

TEST(Import, LimitsOfAClusterKeepToTheWidthOfTheTerminal) {
  const std::string limits =
      "mirab limits examples/kubernetes/pods.json --node examples/kubernetes/nodes.json --weight "
      "namespace/payments=3";
  const Ran narrow = shell("script -qec 'stty cols 80; " + limits + "' /dev/null | LC_ALL=C.UTF-8 wc -L");
  EXPECT_LE(std::stoi(narrow.out), 80);
  const Ran wide = shell(limits);
  EXPECT_THAT(wide.out, HasSubstr("payments/deployment/api ×16"));
  EXPECT_THAT(wide.out, HasSubstr("nvidia.com/gpu"));
}

}  // namespace
}  // namespace mirab
