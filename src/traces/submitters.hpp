#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/workload.hpp>

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

/// Adds `what: count`, unless nothing was counted.
void note(std::vector<std::string>& notices, std::string_view what, std::uint64_t count);

}  // namespace mirab::traces
