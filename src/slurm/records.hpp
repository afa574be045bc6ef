#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/quantity.hpp>
#include <mirab/model/result.hpp>

namespace mirab::slurm {

/// What Slurm's commands say of a node or a job. Keys are in lower case.
struct Record {
  std::map<std::string, std::string, std::less<>> fields;
  int line = 0;
  /// Of a job that runs, what it holds on some of its nodes (`scontrol show job -d`): the host list `nodes`,
  /// and on each of these `cpu_ids` or `cpus`, `mem` and `gres`.
  std::vector<Record> on_nodes = {};

  /// The value of the first key that is there and not empty, `(null)`, `N/A`, `None` or `Unknown`; else
  /// empty.
  std::string_view value(std::initializer_list<std::string_view> keys) const;
};

/// Reads what `scontrol show node` or `show job` prints, with -o or without; tables with a head and `|`
/// between their columns, as of `sacct -P`, `squeue -o '%i|%a|…'` and `sinfo`; and what scontrol, squeue and
/// sacct print with --json. Errors name file and line: none of these, a row with another number of columns
/// than the head, a column twice, a table without its head.
Result<std::vector<Record>> read_records(std::string_view text, const std::string& file);

/// The names that a host list stands for: `n[1-3,07],login` is n1, n2, n3, n07 and login. Errors (message
/// only): a bracket or range that is none, more than kMostHosts.
Result<std::vector<std::string>> expand_hosts(std::string_view list);
inline constexpr std::size_t kMostHosts = 200'000;

/// How many jobs `123_[1-100:2,7%5]` stands for; 1 for any other. Errors (message only) as of expand_hosts.
Result<std::int64_t> array_tasks(std::string_view job_id);

/// By Slurm's names: `cpu`, `mem` in bytes, `gres/gpu`, and of these `gres/gpu:a100`.
using Amounts = std::map<std::string, Quantity>;

/// Amounts by name, as in `cpu=64,mem=256G,gres/gpu=4`. Errors (message only): no amount.
Result<Amounts> read_tres(std::string_view text);

/// The generic resources in `gpu:a100:4(S:0-1),nvme:1` or `cpu=2,gres/gpu:2`: `gres/gpu` is all of them,
/// `gres/gpu:a100` those of a type.
Result<Amounts> read_gres(std::string_view text);

/// Memory in bytes: `4000M`, `2.5T`; without a suffix in MB. A suffix counts in steps of 1024, as in Slurm.
Result<Quantity> read_memory(std::string_view text);

/// The parts between separators.
std::vector<std::string_view> split(std::string_view text, char separator);

template <class Words>
bool is_one_of(std::string_view word, const Words& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// What is wrong with a field; file and line are added where they are known.
Error wrong(std::string_view field, std::string message);

}  // namespace mirab::slurm
