#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <mirab/model/quantity.hpp>
#include <mirab/model/time.hpp>
#include <mirab/scheduling/fields.hpp>

namespace mirab::scheduling {

/// What the engine calls the things it knows. A number is never given twice, so one that has gone is unknown
/// and not another user's.
enum class ServerId : std::uint64_t {};
enum class UserId : std::uint64_t {};
enum class JobId : std::uint64_t {};
enum class TaskId : std::uint64_t {};
enum class GroupId : std::uint64_t {};

/// The group of all groups and users, the root of the tree. It is always there.
inline constexpr GroupId kCluster{0};

/// One amount per resource, in the order of EngineOptions::resources, in whole units that the caller chooses
/// (thousandths of a CPU, bytes).
using Amounts = std::vector<std::int64_t>;

/// In a limit: this resource has none.
inline constexpr std::int64_t kNoLimit = INT64_MAX;

// What happens. Who applies an event gets what it brought about, or an error and an engine as it was. Below
// each struct is the list of its fields (mirab/scheduling/fields.hpp).

struct ServerAdded {
  std::string name;  ///< servers of one kind may share theirs; jobs may ask for servers by it
  Amounts capacity;
  std::map<std::string, std::string> labels = {};
  friend bool operator==(const ServerAdded&, const ServerAdded&) = default;
};
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

/// Another capacity, of at least what its tasks take there; or of less, where that is allowed: then they go
/// on, and nothing is free of what they have too much of.
struct ServerChanged {
  ServerId server;
  Amounts capacity;
  bool allow_below_use = false;
  friend bool operator==(const ServerChanged&, const ServerChanged&) = default;
};
template <>
struct Declared<ServerChanged> {
  static constexpr std::string_view kName = "server-changed";
  static constexpr std::string_view kEffect = "the server has another capacity";
  static constexpr std::string_view kRefused =
      "less than what is in use there, unless `allow_below_use` is set";
  static constexpr std::tuple kFields{
      field("server", &ServerChanged::server, "its identifier"),
      field("capacity", &ServerChanged::capacity, "in whole units, one amount for each resource"),
      field("allow_below_use", &ServerChanged::allow_below_use,
            "also less than what its tasks take: they go on, and nothing new starts until it fits")
          .optional()};
};

/// Its tasks go on, and it takes no new ones.
struct ServerDrained {
  ServerId server;
  friend bool operator==(const ServerDrained&, const ServerDrained&) = default;
};
template <>
struct Declared<ServerDrained> {
  static constexpr std::string_view kName = "server-drained";
  static constexpr std::string_view kEffect = "its tasks go on and it takes no new ones";
  static constexpr std::string_view kRefused = "";
  static constexpr std::tuple kFields{field("server", &ServerDrained::server, "its identifier")};
};

/// A drained server takes tasks again.
struct ServerReopened {
  ServerId server;
  friend bool operator==(const ServerReopened&, const ServerReopened&) = default;
};
template <>
struct Declared<ServerReopened> {
  static constexpr std::string_view kName = "server-reopened";
  static constexpr std::string_view kEffect = "a drained server takes tasks again";
  static constexpr std::string_view kRefused = "";
  static constexpr std::tuple kFields{field("server", &ServerReopened::server, "its identifier")};
};

/// It is gone; nothing may run there.
struct ServerRemoved {
  ServerId server;
  friend bool operator==(const ServerRemoved&, const ServerRemoved&) = default;
};
template <>
struct Declared<ServerRemoved> {
  static constexpr std::string_view kName = "server-removed";
  static constexpr std::string_view kEffect = "the server is gone";
  static constexpr std::string_view kRefused = "tasks run there";
  static constexpr std::tuple kFields{field("server", &ServerRemoved::server, "its identifier")};
};

/// It is gone with its tasks, which wait again, before the others of their jobs.
struct ServerFailed {
  ServerId server;
  friend bool operator==(const ServerFailed&, const ServerFailed&) = default;
};
template <>
struct Declared<ServerFailed> {
  static constexpr std::string_view kName = "server-failed";
  static constexpr std::string_view kEffect =
      "the server is gone with its tasks, which wait again, before the other tasks of their jobs";
  static constexpr std::string_view kRefused = "";
  static constexpr std::tuple kFields{field("server", &ServerFailed::server, "its identifier")};
};

struct UserAdded {
  std::string name;
  Quantity weight{1};                     ///< φ ≥ 0
  GroupId group = kCluster;               ///< whose member it is
  std::optional<Amounts> guarantee = {};  ///< g: used first
  std::optional<Amounts> limit = {};      ///< L: never more; kNoLimit where there is none
  std::optional<Amounts> reserved = {};   ///< k ≤ g: not lent while idle
  std::int64_t tier = 0;                  ///< users of a higher one come before all others
  friend bool operator==(const UserAdded&, const UserAdded&) = default;
};
template <>
struct Declared<UserAdded> {
  using T = UserAdded;
  static constexpr std::string_view kName = "user-added";
  static constexpr std::string_view kEffect = "a new user";
  static constexpr std::string_view kRefused =
      "a weight with more digits than shares are compared with; a guarantee above what the group or the "
      "cluster has, above the limit, or below what is reserved; a tier below 0; a discipline without groups";
  static constexpr std::tuple kFields{
      field("name", &T::name, "several users may have the same name"),
      field("weight", &T::weight, "an exact decimal of 0 or more: how much the user counts").defaulted(),
      field("group", &T::group, "whose member it is; left out: of the cluster").optional(),
      field("guarantee", &T::guarantee, "what it uses before others use more than theirs").optional(),
      field("limit", &T::limit, "what it never uses more than; 9223372036854775807: no limit").optional(),
      field("reserved", &T::reserved, "the part of the guarantee that is not lent").optional(),
      field("tier", &T::tier, "users of a higher tier come before all others").optional()};
};

struct UserReweighted {
  UserId user;
  Quantity weight;
  friend bool operator==(const UserReweighted&, const UserReweighted&) = default;
};
template <>
struct Declared<UserReweighted> {
  static constexpr std::string_view kName = "user-reweighted";
  static constexpr std::string_view kEffect = "the user has another weight";
  static constexpr std::string_view kRefused =
      "a weight with more digits than shares are compared with; of 0, a discipline without groups";
  static constexpr std::tuple kFields{
      field("user", &UserReweighted::user, "its identifier"),
      field("weight", &UserReweighted::weight, "an exact decimal of 0 or more: how much the user counts")};
};

/// Only without jobs.
struct UserRemoved {
  UserId user;
  friend bool operator==(const UserRemoved&, const UserRemoved&) = default;
};
template <>
struct Declared<UserRemoved> {
  static constexpr std::string_view kName = "user-removed";
  static constexpr std::string_view kEffect = "the user is gone";
  static constexpr std::string_view kRefused =
      "the user has jobs; without it a group around it is guaranteed less than it reserves";
  static constexpr std::tuple kFields{field("user", &UserRemoved::user, "its identifier")};
};

/// A task goes to a domain, the servers with one value of the label, only while the job's tasks there, with
/// it, are at most this many more than in the domain with the fewest. Kubernetes' topologySpreadConstraints
/// with DoNotSchedule.
struct Spread {
  std::string label;
  std::int64_t most_apart = 1;  ///< ≥ 1
  friend bool operator==(const Spread&, const Spread&) = default;
};
template <>
struct Declared<Spread> {
  static constexpr std::tuple kFields{
      field("label", &Spread::label, "servers with the same value of it are a domain"),
      field("most_apart", &Spread::most_apart, "tasks that one domain may have more than another")
          .defaulted()};
};

/// Where a job stands among those of its user, whenever they are submitted: the higher priority comes first,
/// then the lower time, then the lower tie, then the job that was submitted first.
struct Rank {
  std::int64_t priority = 0;
  Time time = {};
  std::int64_t tie = 0;
  friend bool operator==(const Rank&, const Rank&) = default;
};
template <>
struct Declared<Rank> {
  static constexpr std::tuple kFields{
      field("priority", &Rank::priority, "the higher comes first").of_any_sign().defaulted(),
      field("time", &Rank::time, "of equal priority, the lower comes first").defaulted(),
      field("tie", &Rank::tie, "of equal time, the lower comes first").of_any_sign().defaulted()};
};

/// Tasks of a gang that take the same, and start together with those of its other roles.
struct Role {
  std::int64_t tasks = 1;  ///< ≥ 1
  Amounts demand = {};     ///< of each; at least one amount > 0
  friend bool operator==(const Role&, const Role&) = default;
};
template <>
struct Declared<Role> {
  static constexpr std::tuple kFields{field("tasks", &Role::tasks, "how many"),
                                      field("demand", &Role::demand, "what each takes, in whole units")};
};

/// `tasks` identical tasks of a user, or a gang of several demands. What gang, per_server, spread, pack and
/// roles mean exactly: docs/reference/engine.md.
struct JobSubmitted {
  UserId user;
  Amounts demand = {};                                          ///< of each task; at least one amount > 0
  std::int64_t tasks = 1;                                       ///< ≥ 1
  std::optional<std::vector<std::string>> servers = {};         ///< eligible servers by name; else all
  std::map<std::string, std::vector<std::string>> select = {};  ///< by label: any of the values
  std::map<std::string, Amounts> demand_on = {};                ///< another demand on servers of one name
  std::int64_t gang = 1;                        ///< this many of them start together, or none; 1 … tasks
  std::optional<std::int64_t> per_server = {};  ///< at most this many on one server at a time; ≥ 1
  std::optional<Spread> spread = {};            ///< over the domains of a label
  std::optional<std::string> pack = {};         ///< all that run in one domain of this label
  std::optional<std::string> within = {};       ///< only on servers of this set; see SetChanged
  std::optional<Rank> rank = {};                ///< among the jobs of its user; without it that of Rank()
  bool may_be_preempted = true;
  std::vector<Role> roles = {};  ///< in place of demand, tasks, gang and demand_on: all start together
  friend bool operator==(const JobSubmitted&, const JobSubmitted&) = default;
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
      field("demand", &J::demand, "what each task takes, in whole units; needed where there are no roles")
          .replaceable()
          .of_class(),
      field("tasks", &J::tasks, "how many").defaulted(),
      field("servers", &J::servers, "names of the servers where they may run, else all")
          .optional()
          .of_class(),
      field("select", &J::select, "by label, the values of which a server must have one")
          .optional()
          .of_class(),
      field("demand_on", &J::demand_on, "by name of a server, another demand there").optional().of_class(),
      field("gang", &J::gang, "this number of tasks start together or not at all").optional().of_class(),
      field("per_server", &J::per_server, "tasks of the job on one server, at most").optional().of_class(),
      field("spread", &J::spread, "evens out the running tasks over the domains of a label")
          .optional()
          .of_class(),
      field("pack", &J::pack, "a label: all running tasks are in one domain of it").optional().of_class(),
      field("within", &J::within, "a set of servers: the tasks run on no other").optional().of_class(),
      field("rank", &J::rank, "where it stands among the jobs of its user").optional(),
      field("may_be_preempted", &J::may_be_preempted, "may its tasks end for those of others?").optional(),
      field("roles", &J::roles, "in place of demand and tasks: tasks of several demands that start together")
          .optional()
          .of_class()};
};

/// What runs of it stops, what waits is forgotten.
struct JobCancelled {
  JobId job;
  friend bool operator==(const JobCancelled&, const JobCancelled&) = default;
};
template <>
struct Declared<JobCancelled> {
  static constexpr std::string_view kName = "job-cancelled";
  static constexpr std::string_view kEffect = "its running tasks stop and its waiting tasks are dropped";
  static constexpr std::string_view kRefused = "";
  static constexpr std::tuple kFields{field("job", &JobCancelled::job, "its identifier")};
};

struct TaskFinished {
  TaskId task;
  friend bool operator==(const TaskFinished&, const TaskFinished&) = default;
};
template <>
struct Declared<TaskFinished> {
  static constexpr std::string_view kName = "task-finished";
  static constexpr std::string_view kEffect = "the task is over";
  static constexpr std::string_view kRefused = "";
  static constexpr std::tuple kFields{field("task", &TaskFinished::task, "its identifier")};
};

/// It waits again, before the others of its job.
struct TaskFailed {
  TaskId task;
  friend bool operator==(const TaskFailed&, const TaskFailed&) = default;
};
template <>
struct Declared<TaskFailed> {
  static constexpr std::string_view kName = "task-failed";
  static constexpr std::string_view kEffect = "the task waits again, before the other tasks of its job";
  static constexpr std::string_view kRefused = "";
  static constexpr std::tuple kFields{field("task", &TaskFailed::task, "its identifier")};
};

/// A team: users and other groups that share what they get (docs/explanation/teams.md).
struct GroupAdded {
  std::string name;
  Quantity weight{1};  ///< φ ≥ 0, among the members of the parent
  GroupId parent = kCluster;
  std::optional<Amounts> guarantee = {};  ///< g; left out: the sum of the members'
  std::optional<Amounts> limit = {};      ///< L; kNoLimit where there is none
  std::optional<Amounts> reserved = {};   ///< k ≤ g
  friend bool operator==(const GroupAdded&, const GroupAdded&) = default;
};
template <>
struct Declared<GroupAdded> {
  using T = GroupAdded;
  static constexpr std::string_view kName = "group-added";
  static constexpr std::string_view kEffect = "a new group, without members";
  static constexpr std::string_view kRefused =
      "a guarantee above what the parent or the cluster has, above the limit, or below what is reserved; a "
      "discipline without groups";
  static constexpr std::tuple kFields{
      field("name", &T::name, "several groups may have the same name"),
      field("weight", &T::weight, "an exact decimal of 0 or more: how much the group counts").defaulted(),
      field("parent", &T::parent, "the group whose member it is; left out: the cluster").optional(),
      field("guarantee", &T::guarantee,
            "what its members use before others use more than theirs; left out: the sum of the members'")
          .optional(),
      field("limit", &T::limit, "what its members never use more than; 9223372036854775807: no limit")
          .optional(),
      field("reserved", &T::reserved, "the part of the guarantee that is not lent").optional()};
};

/// All of these at once: what is left out is none from then on.
struct GroupChanged {
  GroupId group;
  Quantity weight;
  std::optional<Amounts> guarantee = {};
  std::optional<Amounts> limit = {};
  std::optional<Amounts> reserved = {};
  friend bool operator==(const GroupChanged&, const GroupChanged&) = default;
};
template <>
struct Declared<GroupChanged> {
  using T = GroupChanged;
  static constexpr std::string_view kName = "group-changed";
  static constexpr std::string_view kEffect = "the group has another weight, guarantee, limit and reserve";
  static constexpr std::string_view kRefused =
      "a guarantee below its members', above what the parent or the cluster has, above the limit, or below "
      "what is reserved; the cluster. A limit below what is in use is allowed";
  static constexpr std::tuple kFields{
      field("group", &T::group, "its identifier"),
      field("weight", &T::weight, "an exact decimal of 0 or more: how much the group counts"),
      field("guarantee", &T::guarantee, "as of group-added; left out: the sum of the members'").optional(),
      field("limit", &T::limit, "as of group-added; left out: none").optional(),
      field("reserved", &T::reserved, "as of group-added; left out: nothing").optional()};
};

/// It becomes a member of another group, with all below it and what that uses.
struct GroupMoved {
  GroupId group;
  GroupId parent = kCluster;
  friend bool operator==(const GroupMoved&, const GroupMoved&) = default;
};
template <>
struct Declared<GroupMoved> {
  static constexpr std::string_view kName = "group-moved";
  static constexpr std::string_view kEffect =
      "the group is a member of another one, with all below it and what that uses";
  static constexpr std::string_view kRefused =
      "into itself or a group below it; a guarantee that does not fit there";
  static constexpr std::tuple kFields{
      field("group", &GroupMoved::group, "its identifier"),
      field("parent", &GroupMoved::parent, "whose member it is from now on; left out: the cluster")
          .optional()};
};

/// Only without members.
struct GroupRemoved {
  GroupId group;
  friend bool operator==(const GroupRemoved&, const GroupRemoved&) = default;
};
template <>
struct Declared<GroupRemoved> {
  static constexpr std::string_view kName = "group-removed";
  static constexpr std::string_view kEffect = "the group is gone";
  static constexpr std::string_view kRefused =
      "it has members; without it a group around it is guaranteed less than it reserves; the cluster";
  static constexpr std::tuple kFields{field("group", &GroupRemoved::group, "its identifier")};
};

/// All of these at once: what is left out is none from then on.
struct UserChanged {
  UserId user;
  Quantity weight;
  std::optional<Amounts> guarantee = {};
  std::optional<Amounts> limit = {};
  std::optional<Amounts> reserved = {};
  friend bool operator==(const UserChanged&, const UserChanged&) = default;
};
template <>
struct Declared<UserChanged> {
  using T = UserChanged;
  static constexpr std::string_view kName = "user-changed";
  static constexpr std::string_view kEffect = "the user has another weight, guarantee, limit and reserve";
  static constexpr std::string_view kRefused =
      "as of user-added. A limit below what is in use is allowed: nothing starts until it fits";
  static constexpr std::tuple kFields{
      field("user", &T::user, "its identifier"),
      field("weight", &T::weight, "an exact decimal of 0 or more: how much the user counts"),
      field("guarantee", &T::guarantee, "as of user-added; left out: nothing").optional(),
      field("limit", &T::limit, "as of user-added; left out: none").optional(),
      field("reserved", &T::reserved, "as of user-added; left out: nothing").optional()};
};

/// It becomes a member of another group, with what it uses.
struct UserMoved {
  UserId user;
  GroupId group = kCluster;
  friend bool operator==(const UserMoved&, const UserMoved&) = default;
};
template <>
struct Declared<UserMoved> {
  static constexpr std::string_view kName = "user-moved";
  static constexpr std::string_view kEffect = "the user is a member of another group, with what it uses";
  static constexpr std::string_view kRefused = "a guarantee that does not fit there";
  static constexpr std::tuple kFields{
      field("user", &UserMoved::user, "its identifier"),
      field("group", &UserMoved::group, "whose member it is from now on; left out: of the cluster")
          .optional()};
};

// What is known of a cluster that others change too: the events take it as it is, whatever the engine would
// have decided.

/// Others take this much of the server, and no longer what they took before. Free is the capacity without
/// this and without what the running tasks take, and 0 where that is more than there is.
struct ServerHeld {
  ServerId server;
  Amounts amounts;
  friend bool operator==(const ServerHeld&, const ServerHeld&) = default;
};
template <>
struct Declared<ServerHeld> {
  static constexpr std::string_view kName = "server-held";
  static constexpr std::string_view kEffect =
      "others take so much of the server, instead of what they took before";
  static constexpr std::string_view kRefused = "";
  static constexpr std::tuple kFields{
      field("server", &ServerHeld::server, "its identifier"),
      field("amounts", &ServerHeld::amounts,
            "what others take, in whole units, one amount for each resource")};
};

/// Other labels; what runs there stays.
struct ServerRelabelled {
  ServerId server;
  std::map<std::string, std::string> labels = {};
  friend bool operator==(const ServerRelabelled&, const ServerRelabelled&) = default;
};
template <>
struct Declared<ServerRelabelled> {
  static constexpr std::string_view kName = "server-relabelled";
  static constexpr std::string_view kEffect = "the server has these labels, and its tasks go on";
  static constexpr std::string_view kRefused = "";
  static constexpr std::tuple kFields{
      field("server", &ServerRelabelled::server, "its identifier"),
      field("labels", &ServerRelabelled::labels, "all its labels, values by label").optional()};
};

/// A set of servers, which the caller keeps, has these servers more, and those no longer. A set that was
/// never changed is empty; a server that goes leaves all sets. What runs stays.
struct SetChanged {
  std::string set;  ///< its name
  std::vector<ServerId> add = {};
  std::vector<ServerId> remove = {};
  friend bool operator==(const SetChanged&, const SetChanged&) = default;
};
template <>
struct Declared<SetChanged> {
  static constexpr std::string_view kName = "set-changed";
  static constexpr std::string_view kEffect = "a set of servers, to which jobs may keep, has others";
  static constexpr std::string_view kRefused = "a server in both lists";
  static constexpr std::tuple kFields{
      field("set", &SetChanged::set, "the name of the set"),
      field("add", &SetChanged::add, "servers that it has from now on").optional(),
      field("remove", &SetChanged::remove, "servers that it has no longer").optional()};
};

/// A waiting task of the job is known to run there, whatever its room, terms, labels or drain.
struct TaskAdopted {
  JobId job;
  ServerId server;
  Time since;             ///< when it started
  std::int64_t role = 0;  ///< of a job with roles: the place of its role among them
  friend bool operator==(const TaskAdopted&, const TaskAdopted&) = default;
};
template <>
struct Declared<TaskAdopted> {
  static constexpr std::string_view kName = "task-adopted";
  static constexpr std::string_view kEffect =
      "a waiting task of the job is known to run on the server, whatever the engine would have decided";
  static constexpr std::string_view kRefused =
      "no task of the job, or of that role of it, waits; a start after the event";
  static constexpr std::tuple kFields{
      field("job", &TaskAdopted::job, "its identifier"),
      field("server", &TaskAdopted::server, "where the task runs"),
      field("since", &TaskAdopted::since, "when it started"),
      field("role", &TaskAdopted::role, "of a job with roles: the place of its role among them, from 0")
          .optional()
          .of_any_sign()};
};

using Event = std::variant<ServerAdded, ServerChanged, ServerDrained, ServerReopened, ServerRemoved,
                           ServerFailed, UserAdded, UserReweighted, UserRemoved, JobSubmitted, JobCancelled,
                           TaskFinished, TaskFailed, ServerHeld, ServerRelabelled, SetChanged, TaskAdopted,
                           GroupAdded, GroupChanged, GroupMoved, GroupRemoved, UserChanged, UserMoved>;

/// Visits the type of each event, in the order of the variant.
template <class Visit>
constexpr void for_each_event(Visit visit) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (visit(std::type_identity<std::variant_alternative_t<I, Event>>{}), ...);
  }
  (std::make_index_sequence<std::variant_size_v<Event>>{});
}

/// A task that ended before its time.
struct Lost {
  TaskId task;
  JobId job;
  friend bool operator==(const Lost&, const Lost&) = default;
};
template <>
struct Declared<Lost> {
  static constexpr std::string_view kEffect = "A task that ended before its time.";
  static constexpr std::tuple kFields{field("task", &Lost::task, "its identifier"),
                                      field("job", &Lost::job, "of which job")};
};

/// Why a task may end for another one (docs/explanation/teams.md, "Who may end whose tasks").
enum class Right {
  share,      ///< its user stays at or above the standing that the other's user reaches
  guarantee,  ///< the other's side stays within what it is guaranteed
  rank,       ///< of the same user, with a lower priority
  tier        ///< of a user in a lower tier
};
template <>
inline constexpr std::array<std::string_view, 4> kWords<Right>{"share", "guarantee", "rank", "tier"};

/// A task that ends so that another one starts.
struct Preempted {
  TaskId task;
  JobId job;
  Right right = Right::share;
  friend bool operator==(const Preempted&, const Preempted&) = default;
};
template <>
struct Declared<Preempted> {
  static constexpr std::string_view kEffect = "A task that ends so that another one starts.";
  static constexpr std::tuple kFields{
      field("task", &Preempted::task, "its identifier"), field("job", &Preempted::job, "of which job"),
      field("right", &Preempted::right, "why it may: share, guarantee, rank or tier").optional()};
};

/// A task that starts together with another.
struct Companion {
  TaskId task;
  ServerId server;
  std::int64_t role = 0;  ///< of a job with roles: the place of its role among them
  friend bool operator==(const Companion&, const Companion&) = default;
};
template <>
struct Declared<Companion> {
  static constexpr std::string_view kEffect = "A task that starts together with another.";
  static constexpr std::tuple kFields{
      field("task", &Companion::task, "its identifier"),
      field("server", &Companion::server, "where it starts"),
      field("role", &Companion::role, "of a job with roles: the place of its role among them, from 0")
          .optional()
          .of_any_sign()};
};

/// What the engine decides.
struct Placed {
  TaskId task;
  JobId job;
  UserId user;
  ServerId server;
  std::vector<Companion> with = {};  ///< the other tasks of its gang, which start at the same time
  /// Those that end there first. They wait again, before the others of their jobs.
  std::vector<Preempted> preempted = {};
  std::int64_t role = 0;  ///< of a job with roles: the place of the task's role among them
  friend bool operator==(const Placed&, const Placed&) = default;
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
      field("preempted", &Placed::preempted, "the tasks that end there first and wait again").optional(),
      field("role", &Placed::role, "of a job with roles: the place of its role among them, from 0")
          .optional()
          .of_any_sign()};
};

// A list has as many fields as its record has members.
template <class... Events>
constexpr bool all_complete(std::type_identity<std::variant<Events...>>) {
  return (kIsComplete<Events> && ...);
}
static_assert(all_complete(std::type_identity<Event>{}), "an event has a member that its list lacks");
static_assert(kIsComplete<Spread> && kIsComplete<Rank> && kIsComplete<Role> && kIsComplete<Lost> &&
              kIsComplete<Preempted> && kIsComplete<Companion> && kIsComplete<Placed>);

}  // namespace mirab::scheduling
