// Whatever bytes come, the importers of traces answer with an error that says where, or with a cluster and a
// workload that files can hold: written and read again they are the same.
//
// The first line says which importer reads the rest: `swf`, `wagap2013`, `openb`, `bitbrains`, `google2011`,
// `jobs`; anything else tries all. A line `---8<---` parts the two files that some of them take.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <mirab/model/random.hpp>
#include <mirab/model/workload_file.hpp>

#include "imported.hpp"
#include "lab/traces/bitbrains.hpp"
#include "lab/traces/csv_jobs.hpp"
#include "lab/traces/google2011/import.hpp"
#include "lab/traces/openb.hpp"
#include "lab/traces/swf/swf.hpp"

namespace {

using namespace mirab;

constexpr std::string_view kCut = "\n---8<---\n";

/// The folder of the files, which ends with the process.
class Folder {
 public:
  Folder() { std::filesystem::create_directories(path_); }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  /// The path of the file with this text.
  std::string write(const std::string& name, std::string_view text) const {
    const std::string path = path_ / name;
    std::ofstream(path, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
    return path;
  }

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / fmt::format("mirab-fuzz-traces-{}", getpid());
};

void check_workload(const Workload& workload) {
  const Result<Workload> again = read_workload_text(write_workload(workload), "written");
  MIRAB_ASSERT(static_cast<bool>(again), "what is imported can be read");
  MIRAB_ASSERT(again->resources == workload.resources && again->users == workload.users, "users survive");
  MIRAB_ASSERT(again->requests == workload.requests && again->jobs == workload.jobs, "jobs survive");
  MIRAB_ASSERT(again->usages == workload.usages && again->changes == workload.changes, "changes survive");
  MIRAB_ASSERT(again->span == workload.span, "the span survives");
}

template <class Import>
void check(const Result<Import>& import) {
  if (!import) return fuzz::check_error(import.error());
  fuzz::check_cluster(import->cluster);
  if constexpr (requires { import->workload; }) check_workload(import->workload);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view which = text.substr(0, text.find('\n'));
  const bool is_named = which == "swf" || which == "wagap2013" || which == "openb" || which == "bitbrains" ||
                        which == "google2011" || which == "jobs";
  if (is_named) text.remove_prefix(std::min(which.size() + 1, text.size()));
  const auto reads = [&](std::string_view importer) { return !is_named || which == importer; };
  const std::size_t cut = text.find(kCut);
  const std::string machines = folder.write("machine_events.csv", text.substr(0, cut));
  const std::string tasks =
      folder.write("task_events.csv", cut == std::string_view::npos ? text : text.substr(cut + kCut.size()));
  Random random(1);
  if (reads("swf")) {
    check(traces::import_swf(tasks, {}));
    check(traces::import_swf(tasks, {.processors = 64, .days = 1}));
  }
  if (reads("wagap2013")) check(traces::import_wagap2013(tasks, machines));
  if (reads("openb")) {
    check(traces::import_openb(machines, tasks));
    check(traces::import_openb_workload(machines, tasks, random));
  }
  if (reads("bitbrains")) check(traces::import_bitbrains(tasks, {}));
  if (reads("google2011")) {
    check(traces::import_google2011({machines, tasks}, {}, random));
    check(traces::import_google2011({machines, tasks}, {.sample_machines = 1, .sample_users = 1}, random));
    check(traces::import_google2011_workload({machines, tasks}, {}, random));
  }
  if (reads("jobs")) {
    const std::string_view servers = text.substr(0, cut);
    const CsvText jobs{"jobs", cut == std::string_view::npos ? text : text.substr(cut + kCut.size())};
    if (const Result<CsvTable> table = read_csv_table({"servers", servers})) {
      check(traces::import_jobs(jobs, {*table}, {}));
      check(
          traces::import_jobs(jobs, {*table}, std::vector<std::string>{"submit=when*0.001", "cpus=cores*2"}));
    }
    const std::string_view amounts = servers.substr(0, servers.find('\n'));
    if (const Result<traces::JobServers> hosts = traces::equal_hosts(2, amounts))
      check(traces::import_jobs(jobs, *hosts, {}));
  }
  return 0;
}
