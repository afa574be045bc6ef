// The log wagap-2013 of MetaCentrum: what its jobs request, and the workload.
#include "lab/traces/swf/wagap2013.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <set>

#include "lab/traces/swf/log.hpp"
#include "lab/traces/swf/swf.hpp"
#include "model/lines.hpp"
#include "model/names.hpp"

namespace mirab::traces::wagap2013 {

namespace {

/// The text up to the mark, which is taken away with it.
std::string_view take(std::string_view& text, char mark) {
  const std::string_view part = text.substr(0, text.find(mark));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

bool begins_with_digit(std::string_view text) {
  return !text.empty() && text.front() >= '0' && text.front() <= '9';
}

/// `8` of `8:ppn=8`.
Check read_nodes(std::string_view word, Part& part) {
  constexpr std::int64_t kMaxNodes = 1'000'000;  // of a request: far beyond the cluster
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), part.nodes);
  const bool good = failed == std::errc() && end == word.data() + word.size();
  if (good && part.nodes >= 1 && part.nodes <= kMaxNodes) return std::nullopt;
  return Error{.message = fmt::format("'{}' is no number of nodes", word)};
}

Check read_cpus(std::string_view word, Part& part) {
  Result<Quantity> cpus = Quantity::parse(word);
  if (!cpus || cpus->is_zero()) return Error{.message = fmt::format("'{}' is no number of CPUs", word)};
  part.cpus = *cpus;
  return std::nullopt;
}

Check read_word(std::string_view word, bool is_first, Part& part) {
  constexpr std::string_view kCpus = "ppn=";
  constexpr std::string_view kHost = "host=";
  if (is_first && begins_with_digit(word)) return read_nodes(word, part);
  if (word.starts_with(kCpus)) return read_cpus(word.substr(kCpus.size()), part);
  if (word.starts_with('^')) {
    part.rejected.emplace_back(word.substr(1));
  } else {
    part.wanted.emplace_back(word.starts_with(kHost) ? word.substr(kHost.size()) : word);
  }
  return std::nullopt;
}

}  // namespace

Result<Asked> read_asked(std::string_view text) {
  constexpr std::string_view kExclusive = "#excl";
  Asked asked;
  if (text.ends_with(kExclusive)) {
    asked.exclusive = true;
    text.remove_suffix(kExclusive.size());
  }
  while (!text.empty()) {
    std::string_view words = take(text, '+');
    Part& part = asked.parts.emplace_back();
    for (bool is_first = true; !words.empty(); is_first = false) {
      if (Check failed = read_word(take(words, ':'), is_first, part)) return *failed;
    }
  }
  if (asked.parts.empty()) return Error{.message = "asks for no node"};
  return asked;
}

}  // namespace mirab::traces::wagap2013

// Jobs over time from `wagap-2013`, a log of the Czech national grid MetaCentrum (CERIT-SC): the Standard
// Workload Format with the memory of a node, the queue and what was asked for of nodes.
//
// A job is a gang of tasks, one a node; two of them may share a machine that has room for both.
// Cost: O(jobs + requests · servers).

namespace mirab::traces {

namespace {

using swf::Entry;
using swf::Head;
using wagap2013::Asked;
using wagap2013::Part;

constexpr std::size_t kFields = 21;
constexpr std::size_t kAsked = 20;
constexpr std::string_view kCluster = "cluster";
constexpr std::string_view kCpus = "cpus";

/// `0 zewura 20 80 1 529426432`, tabs between them: number, name, how many, CPUs, 1, KB.
Result<Server> machine(std::string_view line, const std::string& file, int number) {
  std::array<std::string_view, 6> fields;
  const auto wrong = [&](std::string message) {
    return Error{.message = std::move(message), .file = file, .line = number};
  };
  const auto found = static_cast<std::size_t>(std::count(line.begin(), line.end(), '\t')) + 1;
  if (found != fields.size())
    return wrong(fmt::format("{} {} instead of the 6 of a list of machines, with tabs between them", found,
                             found == 1 ? "column" : "columns"));
  for (std::string_view& field : fields) {
    field = line.substr(0, line.find('\t'));
    line.remove_prefix(std::min(field.size() + 1, line.size()));
  }
  if (!is_utf8(fields[1]) || has_control(fields[1]))
    return wrong("the name must be UTF-8 text without control characters");
  Server server{.name = std::string(fields[1]), .capacity = {}};
  const auto [end, failed] =
      std::from_chars(fields[2].data(), fields[2].data() + fields[2].size(), server.count);
  const bool counted = failed == std::errc() && end == fields[2].data() + fields[2].size();
  if (!counted || server.count < 1) return wrong(fmt::format("\"{}\" is no number of machines", fields[2]));
  for (const std::string& text : {std::string(fields[3]), fmt::format("{}Ki", fields[5])}) {
    const Result<Quantity> amount = Quantity::parse(text);
    if (!amount || amount->is_zero()) return wrong(fmt::format("\"{}\" is no capacity", text));
    server.capacity.push_back(*amount);
  }
  server.labels = {{std::string(kCluster), server.name}, {std::string(kCpus), server.capacity[0].text()}};
  return server;
}

Result<std::vector<Server>> read_machines(const std::string& path) {
  Result<Lines> lines = Lines::open(path);
  if (!lines) return lines.error();
  std::vector<Server> servers;
  std::map<std::string, int> lines_of_names;
  while (true) {
    const auto line = lines->next();
    if (!line) return line.error();
    if (!line->has_value()) break;
    Result<Server> server = machine(**line, path, lines->number());
    if (!server) return server.error();
    const auto [first, is_new] = lines_of_names.try_emplace(server->name, lines->number());
    if (!is_new) {
      return Error{
          .message = fmt::format("\"{}\" is named twice, first in line {}", server->name, first->second),
          .file = path,
          .line = lines->number()};
    }
    servers.push_back(*std::move(server));
  }
  if (servers.empty()) return Error{.message = "the list has no machine", .file = path};
  return servers;
}

/// What of the requests is not kept, or not wholly.
struct DroppedRequirements {
  std::uint64_t properties = 0, hosts_wanted = 0, hosts_rejected = 0, exclusive = 0, split = 0;
};

/// What a part asks for, in the labels of the servers.
class Selection {
 public:
  explicit Selection(const std::vector<Server>& servers) : servers_(servers) {}

  std::map<std::string, std::vector<std::string>> of(const Part& part, DroppedRequirements& relaxed) const {
    std::set<std::string> clusters;
    for (const Server& server : servers_) clusters.insert(server.name);
    const std::size_t all = clusters.size();
    std::map<std::string, std::vector<std::string>> select;
    for (const std::string& word : part.wanted) want(word, clusters, select, relaxed);
    for (const std::string& word : part.rejected) {
      if (word.starts_with(kClusterWord)) {
        clusters.erase(word.substr(kClusterWord.size()));
      } else {
        ++relaxed.hosts_rejected;
      }
    }
    if (clusters.size() < all) select.emplace(kCluster, std::vector(clusters.begin(), clusters.end()));
    return select;
  }

 private:
  static constexpr std::string_view kClusterWord = "cl_";
  static constexpr std::string_view kCpusWord = "nodecpus";

  void want(const std::string& word, std::set<std::string>& clusters,
            std::map<std::string, std::vector<std::string>>& select, DroppedRequirements& relaxed) const {
    if (word.starts_with(kClusterWord)) {
      keep_only(clusters, word.substr(kClusterWord.size()));
    } else if (word.starts_with(kCpusWord)) {
      select.insert_or_assign(std::string(kCpus), std::vector{word.substr(kCpusWord.size())});
    } else if (const std::string cluster = cluster_of_host(word); !cluster.empty()) {
      ++relaxed.hosts_wanted;
      keep_only(clusters, cluster);
    } else {
      ++relaxed.properties;
    }
  }

  static void keep_only(std::set<std::string>& clusters, const std::string& name) {
    std::erase_if(clusters, [&](const std::string& cluster) { return cluster != name; });
  }

  /// `zegox` of `zegox20.cerit-sc.cz`; empty when it is no host of a known cluster.
  std::string cluster_of_host(const std::string& word) const {
    const std::string name = word.substr(0, word.find_first_of("0123456789"));
    const bool known =
        name.size() < word.size() &&
        std::any_of(servers_.begin(), servers_.end(), [&](const Server& s) { return s.name == name; });
    return known ? name : "";
  }

  const std::vector<Server>& servers_;
};

std::vector<std::string> provenance(const std::vector<Server>& servers, const Workload& workload) {
  std::string park;
  for (const Server& server : servers) {
    park += fmt::format("{}{} {} of {} CPUs", park.empty() ? "" : ", ", server.count, server.name,
                        server.capacity[0].text());
  }
  return {
      "From wagap-2013, the log of the clusters of CERIT-SC in the Czech National Grid Infrastructure "
      "MetaCentrum,",
      "which asks to be acknowledged (https://www.metacentrum.cz).",
      "Changed: another form; the jobs' nodes, queues and requested times are left out.",
      fmt::format("Servers: {}; memory in bytes.", park),
      fmt::format("{} jobs of {} users; a job is a task for each node that it asks for, all of which start",
                  workload.jobs.size(), workload.users.size()),
      "together. All runtimes are measured. Nothing is drawn at random.",
  };
}

void add_notices(const DroppedRequirements& relaxed, std::vector<std::string>& notices) {
  note(notices, "made several jobs, jobs that ask for unlike nodes", relaxed.split);
  note(notices, "not kept, wishes to have nodes alone (#excl)", relaxed.exclusive);
  note(notices, "not kept, properties that the list of machines does not tell", relaxed.properties);
  note(notices, "not kept, hosts rejected by name", relaxed.hosts_rejected);
  note(notices, "widened to their cluster, hosts wanted by name", relaxed.hosts_wanted);
}

}  // namespace

Result<WorkloadImport> import_wagap2013(const std::string& log, const std::string& machine_list,
                                        const SwfOptions& options) {
  const Result<std::vector<Server>> servers = read_machines(machine_list);
  if (!servers) return servers.error();
  const Selection selection(*servers);
  swf::Jobs jobs(options.days);
  DroppedRequirements relaxed;
  const auto on_entry = [&](const Entry& entry) -> Check {
    const auto times = jobs.times(entry);
    if (!times) return times.error();
    const auto memory = entry.known(swf::requested_memory);
    if (!memory) return memory.error();
    const Result<Asked> asked = wagap2013::read_asked(entry.text(kAsked));
    if (!asked) return entry.error(kAsked, asked.error().message);
    if (!*times) return std::nullopt;
    if (asked->exclusive) ++relaxed.exclusive;
    if (asked->parts.size() > 1) ++relaxed.split;
    for (const Part& part : asked->parts) {
      const Request request{.demand = {part.cpus, Quantity(memory->value_or(0))},
                            .select = selection.of(part, relaxed)};
      jobs.add(entry, **times, request, part.nodes);
    }
    return std::nullopt;
  };
  const Result<Head> head = swf::read_log(log, {kFields, "the log wagap-2013"}, on_entry);
  if (!head) return head.error();

  Result<Workload> workload = jobs.finish({"cpu", "memory"}, *servers, log);
  if (!workload) return workload.error();
  WorkloadImport import;
  import.workload = *std::move(workload);
  import.provenance = provenance(*servers, import.workload);
  import.notices = jobs.notices();
  if (options.days) import.provenance.push_back(swf::first_days(*options.days));
  add_notices(relaxed, import.notices);
  import.cluster = {import.workload.resources, *servers, users_of(import.workload)};
  return import;
}

}  // namespace mirab::traces
