#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <mirab/model/result.hpp>

#include "slurm/records.hpp"

namespace mirab::slurm {

enum class JobState {
  runs,
  waits,
  suspended,
  held,          ///< until somebody releases it
  never_starts,  ///< a job that it depends on has failed, or no node meets its constraints
  done,
  unknown,  ///< a state that this version does not know
};

/// A job, or several equal ones of an array: what it requests, or holds when it runs.
struct Job {
  std::string id;
  JobState state = JobState::waits;
  std::int64_t array = 1;                       ///< jobs like it
  std::int64_t nodes = 1;                       ///< that it is on, or at least wants
  std::vector<std::string> hosts = {};          ///< on which it runs, as far as the record names them
  Amounts total = {};                           ///< on all nodes together
  std::map<std::string, Amounts> on_host = {};  ///< what it holds on each, where the record says it of all

  std::optional<std::int64_t> tasks = {};  ///< of Slurm; each is on one node
  Amounts of_task = {};                    ///< generic resources that each of these requests
  Amounts of_node = {};                    ///< memory and generic resources that it requests on each node
  std::optional<Quantity> memory_of_cpu = {};

  bool is_exclusive = false;        ///< shares its nodes with no other job
  bool is_generic_unknown = false;  ///< nothing says whether it requests generic resources
};

/// A step of a job, as sacct lists them without -X.
bool is_step(const Record& record);

/// Errors (message and key): no ID, no state, no CPUs, no amount, a bad list of hosts or of an array's tasks.
/// Of a job that is held or done only the ID, the state and the size of the array are read.
Result<Job> read_job(const Record& record);

/// Equal parts of a job, each on one node.
struct Part {
  Amounts amounts;
  std::int64_t count = 1;
};

/// An N-th of each amount on each of its N nodes, rounded up: CPUs to thousandths, all else to whole units.
Part even_part(const Job& job);

/// What a job that runs holds on each of its hosts, where the record tells only the sum: an N-th of each
/// amount, as even_part(); of what some of the nodes have less, all that they have, and an N-th of the rest
/// on the others. `nodes`: what the node of each host has, null where that is not known. [host]
std::vector<Amounts> parts_on(const Job& job, const std::vector<const Amounts*>& nodes);

/// Does Slurm divide it in another way, since whole CPUs and units go into N parts unevenly?
bool is_uneven(const Job& job);

/// The most nodes that it can be divided among: as many as Slurm's tasks, or CPUs where these are not known,
/// or as units of what it requests for all tasks together.
std::int64_t most_nodes(const Job& job);

/// The job on a number of nodes, the largest part first. Slurm's tasks stay whole; what the job requests for
/// all of them together is divided into whole units; each node gives the CPUs of one task at least. Requires
/// nodes from 1 to most_nodes(job).
std::vector<Part> spread(const Job& job, std::int64_t nodes);

}  // namespace mirab::slurm
