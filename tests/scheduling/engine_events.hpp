#pragma once

#include <map>
#include <string>

#include <mirab/model/random.hpp>
#include <mirab/scheduling/events.hpp>

namespace mirab::scheduling {

/// An id as it is printed.
constexpr std::uint64_t id_number(auto id) { return static_cast<std::uint64_t>(id); }

/// What random events are made of: few and small numbers, so that ties, exact fits, zeros and constraints are
/// frequent, times a unit; some are wrong in one way. `even`: all weights are 1, tasks take one unit of one
/// resource or of all, and servers have six of each, so that most keys tie.
class EventMaker {
 public:
  EventMaker(std::size_t resources, std::int64_t unit, std::uint64_t seed, bool even = false)
      : resources_(resources), unit_(unit), even_(even), random_(seed) {}

  bool one_in(std::uint64_t cases) { return random_.below(cases) == 0; }

  ServerAdded server();
  Amounts capacity();
  Quantity weight();
  JobSubmitted job(UserId user);
  std::map<std::string, std::string> labels();
  Amounts held();
  std::string set();

  /// With a quota now and then; of most users none.
  UserAdded user(GroupId group, bool in_tree);
  GroupAdded group(GroupId parent);
  GroupChanged change(GroupId group);
  UserChanged change(UserId user);
  std::uint64_t draw(std::uint64_t below) { return random_.below(below); }

 private:
  Amounts amounts(std::uint64_t below);
  void spoil(Amounts& amounts);
  void add_terms(JobSubmitted& job);
  void add_roles(JobSubmitted& job);
  template <class Event>
  void add_quota(Event& event);

  std::size_t resources_;
  std::int64_t unit_;
  bool even_;
  Random random_;
};

std::string describe(const Event& event);

}  // namespace mirab::scheduling
