#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <mirab/model/assert.hpp>
#include <mirab/model/problem.hpp>
#include <mirab/model/random.hpp>
#include <mirab/model/workload.hpp>

#include "lab/traces/google2011/events.hpp"
#include "lab/traces/workload_import.hpp"

/// Machines of the Google trace of 2011 as servers.
namespace mirab::traces::google2011 {

/// A machine that can be a server.
struct Candidate {
  std::uint64_t id;
  std::string platform;  ///< the label
  Amounts capacity;
};

/// The labels of platforms: a, b and c for those of the trace whose machines have a capacity, from small to
/// large; for any other the start of its hash. One owner.
class PlatformLabels {
 public:
  const std::string& label(const std::string& hash);

 private:
  std::map<std::string, std::string> known_;
  ShortNames names_;
};

/// The machine as a server; nothing when it has no cpu or no memory.
std::optional<Candidate> candidate(std::uint64_t id, const Machine& machine, PlatformLabels& labels);

/// In the order of the ids.
std::vector<Candidate> machines_with_capacity(const Machines& machines, PlatformLabels& labels);

ResourceVector vector_of(const Amounts& amounts);

/// One entry for each machine: `m-38709`.
Server server_of(const Candidate& machine);
std::vector<Server> server_each(const std::vector<Candidate>& machines);

/// One entry for each platform and capacity, with a count: `b-0.5-0.2493`.
std::string class_name(const Candidate& machine);
std::vector<Server> server_classes(const std::vector<Candidate>& machines);

/// `wanted` of the items, drawn without replacement and kept in their order. O(items).
template <class Item>
std::vector<Item> draw(std::vector<Item> items, std::size_t wanted, Random& random) {
  MIRAB_ASSERT(wanted <= items.size(), "more to draw than there is");
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = 0; i < wanted; ++i) std::swap(order[i], order[i + random.below(order.size() - i)]);
  order.resize(wanted);
  std::sort(order.begin(), order.end());

  std::vector<Item> drawn;
  drawn.reserve(wanted);
  for (const std::size_t i : order) drawn.push_back(std::move(items[i]));
  return drawn;
}

/// Errors: there is nothing in the trace, of which `file` is a part; less than is wanted, or none is wanted.
Check enough(std::optional<std::size_t> wanted, std::size_t available, std::string_view what,
             const std::string& file);

/// The servers of the beginning, and what becomes of them.
struct ServerTimeline {
  std::vector<Server> servers;
  std::vector<ServerChange> changes;  ///< by time
  std::size_t machines = 0;           ///< that could be drawn
};

/// Timestamps of the trace begin 600 s before it: 0 stands for all that was there at its beginning.
Duration time_in_window(std::uint64_t microseconds);

/// The machines at time 0, all of them in classes or `sample` of them one by one, and what happens to them,
/// and in full to new ones, until `end` (µs). A machine without cpu or memory is none. One whose platform or
/// capacity changes goes and comes back, in full as another instance of its new class. Errors: more to draw
/// than there is; `file` is one of the trace's.
Result<ServerTimeline> servers_over_time(const MachineEvents& events, std::optional<std::size_t> sample,
                                         std::uint64_t end, const std::string& file, Random& random);

}  // namespace mirab::traces::google2011
