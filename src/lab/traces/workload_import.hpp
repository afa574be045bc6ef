#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/workload.hpp>

namespace mirab::traces {

/// What a trace tells of servers, users and jobs over time.
struct WorkloadImport {
  /// The servers of the beginning, and every user of the workload, who asks for what most of its tasks ask
  /// for (the first such, in a tie) without a limit.
  Cluster cluster;
  Workload workload;

  /// Lines for the heads of both files: attribution, and what was drawn and decided.
  std::vector<std::string> provenance;

  /// What was left out or mended, a sentence each, with its count.
  std::vector<std::string> notices;
};

}  // namespace mirab::traces

/// What all importers of workloads do with jobs and who submits them.
namespace mirab::traces {

/// The different requests, each once, in the order in which they first appear. One owner.
class Requests {
 public:
  /// The number of the request. O(its size).
  std::uint32_t number(const Request& request);

  std::vector<Request> take() { return std::move(requests_); }

 private:
  std::vector<Request> requests_;
  std::unordered_map<std::string, std::uint32_t> number_of_;  // by what it says
};

/// The users of a workload as users of a cluster: each asks for the request of most of its tasks (of those,
/// the one that appears first). Users without a job are left out.
std::vector<User> users_of(const Workload& workload);

/// Takes users and requests without a job out of the workload.
void forget_unused(Workload& workload);

/// Does one server have room for one task of the request, in all it asks for?
bool fits_somewhere(const Request& request, const std::vector<Server>& servers);

/// How many tasks of the request all servers together have room for, while nothing else runs there. Requires
/// a request that asks for something.
double room_for(const Request& request, const std::vector<Server>& servers);

/// Adds `what: count`, unless nothing was counted.
void note(std::vector<std::string>& notices, std::string_view what, std::uint64_t count);

/// Turns hashes into short names that differ, that a person can read, and that YAML needs no quotes for. One
/// owner.
class ShortNames {
 public:
  /// `prefix` and the first 8 characters of the hash, or as many more as make it unlike every name given
  /// before. Base64 padding is dropped, `+` becomes `-`, and whatever else is no ASCII letter or digit `_`.
  std::string name(std::string_view prefix, std::string_view hash);

 private:
  std::set<std::string> taken_;
};

}  // namespace mirab::traces
