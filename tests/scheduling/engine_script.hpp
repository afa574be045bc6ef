#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <mirab/scheduling/engine.hpp>

#include "scheduling/reference_engine.hpp"

namespace mirab::scheduling {

/// How an engine of a random test is set up; drawn from the seed.
struct Setting {
  EngineOptions options;
  std::int64_t unit;  ///< all amounts are about this many times a small number
  std::uint64_t seed;
  bool in_tree = false;  ///< groups and quotas come and go
  bool even = false;     ///< tasks, weights and servers are alike: most keys tie
};
Setting random_setting(const std::string& discipline, std::uint64_t seed);
Setting even_setting(const std::string& discipline, std::uint64_t seed);  ///< the same, with `even`
std::string describe(const Setting& setting);

enum class Act : std::uint8_t {
  step,
  add_server,
  change,
  drain,
  reopen,
  remove,
  fail_server,
  add_user,
  reweight,
  remove_user,
  submit,
  cancel,
  finish,
  fail_task,
  hold,
  relabel,
  change_set,
  adopt,
  add_group,
  change_group,
  move_group,
  remove_group,
  change_user,
  move_user
};

/// One line of a script. It names whom it is about by the line that brought it, so that it means the same
/// when other lines are left out; what else it says follows from its own seed.
struct Line {
  Act act;
  std::uint32_t label;    ///< of this line
  std::uint32_t subject;  ///< the label of the line that brought the server, user, job or task
  std::uint64_t seed;
  std::uint32_t server = UINT32_MAX;  ///< of an adoption: the label of the line that brought it
};

/// An engine and its reference, which live through the same lines.
class Play {
 public:
  explicit Play(const Setting& setting);

  /// A line that goes on from here, mostly a sensible one.
  Line next_line(std::uint32_t label, Random& random) const;

  /// Both do it. What differs afterwards, in words; nothing when nothing does.
  std::optional<std::string> perform(const Line& line);

  /// The event of the line, as it would be now.
  std::string describe(const Line& line) const;

 private:
  enum class What { server, user, job, task, group };
  static What subject_of(Act act);

  std::uint32_t label_of(What what, std::uint64_t id) const;
  std::uint64_t id_of(What what, std::uint32_t label) const;
  void came(What what, std::uint32_t label, std::uint64_t id);
  GroupId some_group(const Line& line) const;
  std::uint32_t some_subject(Act act, Random& random) const;
  Event event_of(const Line& line) const;
  Time time_of(const Line& line) const;
  std::optional<std::string> step(const Line& line);
  std::optional<std::string> start_companions(const Line& line, const Placed& placed);
  std::optional<std::string> happen(const Line& line);
  bool is_remembered(const Line& line) const;
  std::optional<std::string> difference() const;

  Setting setting_;
  Engine engine_;
  ReferenceEngine reference_;
  Random draws_of_engine_, draws_of_reference_;
  Time now_{};
  std::array<std::unordered_map<std::uint64_t, std::uint32_t>, 5> labels_;  // [what][id]
  std::array<std::unordered_map<std::uint32_t, std::uint64_t>, 5> ids_;     // [what][label]
};

}  // namespace mirab::scheduling
