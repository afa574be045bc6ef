// Events, decisions and options of the engine, each record once: its name, its members, and what they mean.
// The JSON of event logs, snapshots and options, the methods and named tuples of Python and their .pyi, the
// schema of event logs and the table in docs/reference/engine.md all come from these lists, or are compared
// with them by tests/scheduling/records_test.cpp. A list that lacks a member of its record does not compile.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <mirab/scheduling/engine.hpp>
#include <mirab/scheduling/events.hpp>

namespace mirab::scheduling {

/// Where a member may be left out. Its default is that of the C++ struct.
enum class Presence {
  required,
  defaulted,  ///< callers may leave it out; JSON always has it
  optional,   ///< JSON leaves it out too where it has its default
};

template <class Of, class Member>
struct Field {
  std::string_view name;
  Member Of::*member;
  std::string_view meaning;
  Presence presence = Presence::required;
  bool in_class = false;  ///< tasks that differ in it are of different task classes
  bool in_c = true;       ///< may the C interface give it?
  bool in_tuples = true;  ///< do Python's named tuples have it?
  std::string_view python_name = {};

  constexpr Field defaulted() const { return with(&Field::presence, Presence::defaulted); }
  constexpr Field optional() const { return with(&Field::presence, Presence::optional); }
  constexpr Field of_class() const { return with(&Field::in_class, true); }
  constexpr Field not_in_c() const { return with(&Field::in_c, false); }
  /// For what Python's callers know already.
  constexpr Field not_in_tuples() const { return with(&Field::in_tuples, false); }
  /// For names that are words of Python.
  constexpr Field in_python(std::string_view other) const { return with(&Field::python_name, other); }

 private:
  template <class Value>
  constexpr Field with(Value Field::*what, Value value) const {
    Field changed = *this;
    changed.*what = value;
    return changed;
  }
};

template <class Of, class Member>
constexpr Field<Of, Member> field(std::string_view name, Member Of::*member, std::string_view meaning) {
  return {.name = name, .member = member, .meaning = meaning};
}

/// `kFields`, and of an event also `kName`, `kEffect` and `kRefused`, which may be empty. Required members
/// come first, optional ones last.
template <class>
struct Declared;

template <class T>
concept HasFields = requires {
  Declared<T>::kFields;
};

/// The words of an enumeration in the order of its values.
template <class Enum>
inline constexpr std::array<std::string_view, 0> kWords{};
template <>
inline constexpr std::array<std::string_view, 3> kWords<Tie>{"first", "last", "random"};
template <>
inline constexpr std::array<std::string_view, 2> kWords<Oversized>{"refuse", "wait"};

// Events, in the order of the variant.

template <>
struct Declared<ServerAdded> {
  static constexpr std::string_view kName = "server-added";
  static constexpr std::string_view kEffect = "a new server";
  static constexpr std::string_view kRefused = "the total capacity is too large to count";
  static constexpr std::tuple kFields{
      field("name", &ServerAdded::name, "several servers may have the same name"),
      field("capacity", &ServerAdded::capacity, "in whole units, one amount for each resource"),
      field("labels", &ServerAdded::labels, "values by label").optional()};
};

template <>
struct Declared<ServerChanged> {
  static constexpr std::string_view kName = "server-changed";
  static constexpr std::string_view kEffect = "the server has another capacity";
  static constexpr std::string_view kRefused = "less than what is in use there";
  static constexpr std::tuple kFields{
      field("server", &ServerChanged::server, "its identifier"),
      field("capacity", &ServerChanged::capacity, "in whole units, one amount for each resource")};
};

template <>
struct Declared<ServerDrained> {
  static constexpr std::string_view kName = "server-drained";
  static constexpr std::string_view kEffect = "its tasks go on and it takes no new ones";
  static constexpr std::string_view kRefused = "";
  static constexpr std::tuple kFields{field("server", &ServerDrained::server, "its identifier")};
};

template <>
struct Declared<ServerReopened> {
  static constexpr std::string_view kName = "server-reopened";
  static constexpr std::string_view kEffect = "a drained server takes tasks again";
  static constexpr std::string_view kRefused = "";
  static constexpr std::tuple kFields{field("server", &ServerReopened::server, "its identifier")};
};

template <>
struct Declared<ServerRemoved> {
  static constexpr std::string_view kName = "server-removed";
  static constexpr std::string_view kEffect = "the server is gone";
  static constexpr std::string_view kRefused = "tasks run there";
  static constexpr std::tuple kFields{field("server", &ServerRemoved::server, "its identifier")};
};

template <>
struct Declared<ServerFailed> {
  static constexpr std::string_view kName = "server-failed";
  static constexpr std::string_view kEffect =
      "the server is gone with its tasks, which wait again, before the other tasks of their jobs";
  static constexpr std::string_view kRefused = "";
  static constexpr std::tuple kFields{field("server", &ServerFailed::server, "its identifier")};
};

template <>
struct Declared<UserAdded> {
  static constexpr std::string_view kName = "user-added";
  static constexpr std::string_view kEffect = "a new user";
  static constexpr std::string_view kRefused =
      "a weight of 0, or with more digits than shares are compared with";
  static constexpr std::tuple kFields{
      field("name", &UserAdded::name, "several users may have the same name"),
      field("weight", &UserAdded::weight, "an exact decimal above 0: how much the user counts").defaulted()};
};

template <>
struct Declared<UserReweighted> {
  static constexpr std::string_view kName = "user-reweighted";
  static constexpr std::string_view kEffect = "the user has another weight";
  static constexpr std::string_view kRefused =
      "a weight of 0, or with more digits than shares are compared with";
  static constexpr std::tuple kFields{
      field("user", &UserReweighted::user, "its identifier"),
      field("weight", &UserReweighted::weight, "an exact decimal above 0: how much the user counts")};
};

template <>
struct Declared<UserRemoved> {
  static constexpr std::string_view kName = "user-removed";
  static constexpr std::string_view kEffect = "the user is gone";
  static constexpr std::string_view kRefused = "the user has jobs";
  static constexpr std::tuple kFields{field("user", &UserRemoved::user, "its identifier")};
};

template <>
struct Declared<Spread> {
  static constexpr std::tuple kFields{
      field("label", &Spread::label, "servers with the same value of it are a domain"),
      field("most_apart", &Spread::most_apart, "tasks that one domain may have more than another")
          .defaulted()};
};

template <>
struct Declared<JobSubmitted> {
  using J = JobSubmitted;
  static constexpr std::string_view kName = "job-submitted";
  static constexpr std::string_view kEffect = "equal tasks of a user, which wait";
  static constexpr std::string_view kRefused =
      "a task that takes nothing, or is larger than every server that it may use (with `Oversized::wait` it "
      "waits for a larger server), or terms that cannot hold";
  static constexpr std::tuple kFields{
      field("user", &J::user, "whose job it is"),
      field("demand", &J::demand, "what each task takes, in whole units").of_class(),
      field("tasks", &J::tasks, "how many").defaulted(),
      field("servers", &J::servers, "names of the servers where they may run, else all")
          .optional()
          .of_class(),
      field("select", &J::select, "by label, the values of which a server must have one")
          .optional()
          .of_class(),
      field("demand_on", &J::demand_on, "by name of a server, another demand there")
          .optional()
          .of_class()
          .not_in_c(),
      field("gang", &J::gang, "this number of tasks start together or not at all").optional().of_class(),
      field("per_server", &J::per_server, "tasks of the job on one server, at most").optional().of_class(),
      field("spread", &J::spread, "evens out the running tasks over the domains of a label")
          .optional()
          .of_class(),
      field("pack", &J::pack, "a label: all running tasks are in one domain of it").optional().of_class()};
};

template <>
struct Declared<JobCancelled> {
  static constexpr std::string_view kName = "job-cancelled";
  static constexpr std::string_view kEffect = "its running tasks stop and its waiting tasks are dropped";
  static constexpr std::string_view kRefused = "";
  static constexpr std::tuple kFields{field("job", &JobCancelled::job, "its identifier")};
};

template <>
struct Declared<TaskFinished> {
  static constexpr std::string_view kName = "task-finished";
  static constexpr std::string_view kEffect = "the task is over";
  static constexpr std::string_view kRefused = "";
  static constexpr std::tuple kFields{field("task", &TaskFinished::task, "its identifier")};
};

template <>
struct Declared<TaskFailed> {
  static constexpr std::string_view kName = "task-failed";
  static constexpr std::string_view kEffect = "the task waits again, before the other tasks of its job";
  static constexpr std::string_view kRefused = "";
  static constexpr std::tuple kFields{field("task", &TaskFailed::task, "its identifier")};
};

// Decisions.

template <>
struct Declared<Lost> {
  static constexpr std::string_view kEffect = "A task that ended before its time.";
  static constexpr std::tuple kFields{field("task", &Lost::task, "its identifier"),
                                      field("job", &Lost::job, "of which job")};
};

template <>
struct Declared<Companion> {
  static constexpr std::string_view kEffect = "A task that starts together with another.";
  static constexpr std::tuple kFields{field("task", &Companion::task, "its identifier"),
                                      field("server", &Companion::server, "where it starts")};
};

template <>
struct Declared<Placed> {
  static constexpr std::string_view kEffect = "A task that was placed.";
  static constexpr std::tuple kFields{
      field("task", &Placed::task, "its identifier"),
      field("job", &Placed::job, "of which job"),
      field("user", &Placed::user, "whose job it is"),
      field("server", &Placed::server, "where it starts"),
      field("with", &Placed::with, "the other tasks of its gang, which start at the same time")
          .optional()
          .in_python("others"),
      field("preempted", &Placed::preempted, "the tasks that end there first and wait again").optional()};
};

// What an engine begins with.

template <>
struct Declared<Reserving> {
  static constexpr std::tuple kFields{
      field("after", &Reserving::after, "a task that waits this long is due"),
      field("servers", &Reserving::servers, "kept at once, at most").defaulted(),
      field("at_most", &Reserving::at_most, "how long one is kept").optional()};
};

template <>
struct Declared<Preempting> {
  static constexpr std::tuple kFields{
      field("tasks", &Preempting::tasks, "preempted in any time of this length, at most"),
      field("per", &Preempting::per, "that length")};
};

template <>
struct Declared<EngineOptions> {
  using O = EngineOptions;
  static constexpr std::tuple kFields{
      field("resources", &O::resources, "names, the order of all amounts"),
      field("discipline", &O::discipline, "which user is served next"),
      field("placement", &O::placement, "where its task goes"),
      field("tie", &O::tie, "which user comes first among equals").defaulted(),
      field("oversized", &O::oversized, "what becomes of a job with tasks larger than every server")
          .defaulted(),
      field("share_scale", &O::share_scale, "by resource, how much it counts in a share").optional(),
      field("half_life", &O::half_life, "of past use").optional(),
      field("reservations", &O::reservations, "against starvation").optional(),
      field("preemption", &O::preemption, "from users above their fair share").optional()};
};

/// Visits the fields of a record in the order of the list.
template <HasFields T, class Visit>
constexpr void for_each_field(Visit visit) {
  std::apply([&](const auto&... each) { (visit(each), ...); }, Declared<T>::kFields);
}

/// Visits an empty event of each type, in the order of the variant.
template <class Visit>
constexpr void for_each_event(Visit visit) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (visit(std::type_identity<std::variant_alternative_t<I, Event>>{}), ...);
  }
  (std::make_index_sequence<std::variant_size_v<Event>>{});
}

// A list has as many fields as its record has members.

struct AnyMember {
  template <class T>
  operator T() const;
};

template <class T, std::size_t... I>
constexpr bool takes_members(std::index_sequence<I...>) {
  return requires { T{(void(I), AnyMember{})...}; };
}

template <HasFields T>
inline constexpr bool kIsComplete = [] {
  constexpr std::size_t kSize = std::tuple_size_v<decltype(Declared<T>::kFields)>;
  return takes_members<T>(std::make_index_sequence<kSize>{}) &&
         !takes_members<T>(std::make_index_sequence<kSize + 1>{});
}();

template <class... Events>
constexpr bool all_complete(std::type_identity<std::variant<Events...>>) {
  return (kIsComplete<Events> && ...);
}
static_assert(all_complete(std::type_identity<Event>{}), "an event has a member that its list lacks");
static_assert(kIsComplete<Spread> && kIsComplete<Lost> && kIsComplete<Companion> && kIsComplete<Placed>);
static_assert(kIsComplete<Reserving> && kIsComplete<Preempting> && kIsComplete<EngineOptions>);

}  // namespace mirab::scheduling
