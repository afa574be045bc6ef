// The reasons of mirab/scheduling/why.hpp, each record once, as mirab/scheduling/events.hpp has events and
// decisions: the named tuples of Python come from these lists, and tests/scheduling/records_test.cpp compares
// mirab.pyi with them. kName is the name in Python.
#pragma once

#include <mirab/scheduling/events.hpp>
#include <mirab/scheduling/fields.hpp>
#include <mirab/scheduling/why.hpp>

namespace mirab::scheduling {

template <>
inline constexpr std::array<std::string_view, 11> kWords<InTheWay>{"nothing", "name", "label", "too_small",
                                                                   "drained", "kept", "pack",  "per_server",
                                                                   "spread",  "full", "set"};

template <>
struct Declared<WhyWaiting::Other> {
  using T = WhyWaiting::Other;
  static constexpr std::string_view kName = "mirab.Other";
  static constexpr std::string_view kEffect = "A task of a user.";
  static constexpr std::tuple kFields{field("user", &T::user, "whose"),
                                      field("user_name", &T::user_name, "of that user"),
                                      field("job", &T::job, "of which job"),
                                      field("key", &T::key, "of the discipline: the lower is served first")};
};

template <>
struct Declared<WhyWaiting::Servers> {
  using T = WhyWaiting::Servers;
  static constexpr std::string_view kName = "mirab.ServersFor";
  static constexpr std::string_view kEffect =
      "All present servers, each counted once, for the first reason that applies.";
  static constexpr std::tuple kFields{
      field("with_room", &T::with_room, "where it fits"),
      field("not_allowed", &T::not_allowed, "by name, label or set"),
      field("too_small", &T::too_small, "even if they were empty"),
      field("drained", &T::drained, "take no new tasks"),
      field("kept", &T::kept, "for other tasks"),
      field("pack", &T::pack, "in another domain of pack than the job's running tasks"),
      field("per_server", &T::per_server, "with as many tasks of the job as it allows on one"),
      field("spread", &T::spread, "in a domain too far ahead of the one with the fewest tasks of the job"),
      field("full", &T::full, "have too little free"),
      field("lacking", &T::lacking, "on how many full ones too little of each resource is free"),
      field("too_small_in", &T::too_small_in, "how many too small ones have too little of each resource")};
};

template <>
struct Declared<KeptServer> {
  using T = KeptServer;
  static constexpr std::string_view kName = "mirab.KeptServer";
  static constexpr std::string_view kEffect = "A server that is kept for one task: it takes no other.";
  static constexpr std::tuple kFields{field("server", &T::server, "its identifier"),
                                      field("server_name", &T::server_name, "of the server"),
                                      field("user", &T::user, "for which user"),
                                      field("user_name", &T::user_name, "of that user"),
                                      field("job", &T::job, "whose next task it is kept for"),
                                      field("since", &T::since, "nanoseconds")};
};

template <>
struct Declared<WhyWaiting::KeptForIt> {
  using T = WhyWaiting::KeptForIt;
  static constexpr std::string_view kName = "mirab.KeptForIt";
  static constexpr std::string_view kEffect = "The server that is kept for a task: it is full, or has room.";
  static constexpr std::tuple kFields{
      field("server", &T::server, "its identifier"), field("name", &T::name, "of the server"),
      field("since", &T::since, "nanoseconds"),
      field("missing", &T::missing, "what is to come free there of each resource; empty: it has room"),
      field("others", &T::others, "the servers that are kept with it, for tasks that start together")};
};

template <>
struct Declared<WhyWaiting::RoleRoom> {
  using T = WhyWaiting::RoleRoom;
  static constexpr std::string_view kName = "mirab.RoleRoom";
  static constexpr std::string_view kEffect = "The waiting tasks of one role of a job.";
  static constexpr std::tuple kFields{
      field("together", &T::together, "how many"),
      field("room", &T::room, "that found room, each on the first server, the largest tasks first")};
};

template <>
struct Declared<WhyWaiting::Gang> {
  using T = WhyWaiting::Gang;
  static constexpr std::string_view kName = "mirab.Gang";
  static constexpr std::string_view kEffect = "Tasks of a job that have to start together.";
  static constexpr std::tuple kFields{
      field("together", &T::together, "how many"),
      field("room", &T::room, "waiting tasks that have room at most, wherever they are placed"),
      field("roles", &T::roles, "of a job with roles: RoleRoom of each").optional()};
};

template <>
struct Declared<ByForce::Loser> {
  using T = ByForce::Loser;
  static constexpr std::string_view kName = "mirab.Loser";
  static constexpr std::string_view kEffect = "A user who loses tasks by force.";
  static constexpr std::tuple kFields{
      field("user", &T::user, "who"),
      field("user_name", &T::user_name, "of that user"),
      field("key_before", &T::key_before, "of the discipline"),
      field("key_after", &T::key_after, "of the discipline; by share no less than that of the ByForce"),
      field("tasks", &T::tasks, "how many end"),
      field("right", &T::right, "by which they may end"),
      field("standing_before", &T::standing_before,
            "with groups or quotas: the keys of the nodes on its path, from the top"),
      field("standing_after", &T::standing_after, "the same, then")};
};

template <>
struct Declared<ByForce> {
  using T = ByForce;
  static constexpr std::string_view kName = "mirab.ByForce";
  static constexpr std::string_view kEffect = "Tasks that end so that another fits on a server.";
  static constexpr std::tuple kFields{
      field("server", &T::server, "its identifier"),
      field("server_name", &T::server_name, "of the server"),
      field("key_before", &T::key_before, "of the user whose task is placed"),
      field("key_after", &T::key_after, "the level that separates it from those who lose"),
      field("losers", &T::losers, "Loser each, once, who loses the first task at first"),
      field("ends", &T::ends, "the tasks, Preempted each"),
      field(
          "standing_before", &T::standing_before,
          "with groups or quotas: of the user whose task is placed, the keys of the nodes on its path, from "
          "the top"),
      field("standing_after", &T::standing_after, "the same, then")};
};

template <>
struct Declared<WhyWaiting::Constraint> {
  using T = WhyWaiting::Constraint;
  static constexpr std::string_view kName = "mirab.Constraint";
  static constexpr std::string_view kEffect = "A wish that keeps a job from servers.";
  static constexpr std::tuple kFields{field("label", &T::label, "its key; empty: the names"),
                                      field("excludes", &T::excludes, "servers on which it does not hold"),
                                      field("alone", &T::alone, "those of them that every other wish admits"),
                                      field("set", &T::set, "the name of the set, if it is one")};
};

template <>
struct Declared<WhyWaiting::NearestMiss> {
  using T = WhyWaiting::NearestMiss;
  static constexpr std::string_view kName = "mirab.NearestMiss";
  static constexpr std::string_view kEffect = "A full server on which little has to be freed for a task.";
  static constexpr std::tuple kFields{
      field("server", &T::server, "its identifier"), field("name", &T::name, "of the server"),
      field("to_free", &T::to_free, "how much of each resource, after which the task has room there")};
};

template <>
struct Declared<InTree::Level> {
  using T = InTree::Level;
  static constexpr std::string_view kName = "mirab.TreeLevel";
  static constexpr std::string_view kEffect = "A group or user on the path of a task, and its keys for it.";
  static constexpr std::tuple kFields{
      field("name", &T::name, "of the group or user"),
      field("key", &T::key, "what counts of its use beyond its guarantee, per weight"),
      field("whole", &T::whole, "all of its use beyond its guarantee, per weight"),
      field("held", &T::held, "the largest part of a resource that it holds, per weight"),
      field(
          "is_last", &T::is_last,
          "its weight is 0, and the task lies beyond its guarantee: it comes after siblings with a weight")};
};

template <>
struct Declared<InTree::Bound> {
  using T = InTree::Bound;
  static constexpr std::string_view kName = "mirab.TreeBound";
  static constexpr std::string_view kEffect = "A limit or a reserve that keeps a task from starting.";
  static constexpr std::tuple kFields{
      field("name", &T::name, "whose limit, or who has reserved most that is idle"),
      field("resource", &T::resource, "its name"),
      field("held", &T::held, "in use; of a reserve in use or reserved in the cluster"),
      field("allowed", &T::allowed, "the limit; of a reserve what the cluster has")};
};

template <>
struct Declared<InTree::Parting> {
  using T = InTree::Parting;
  static constexpr std::string_view kName = "mirab.TreeParting";
  static constexpr std::string_view kEffect = "The members of one group by which two tasks are compared.";
  static constexpr std::tuple kFields{field("group", &T::group, "its name; empty: the cluster"),
                                      field("own", &T::own, "TreeLevel of the task's member"),
                                      field("other", &T::other, "TreeLevel of the other's")};
};

template <>
struct Declared<InTree> {
  using T = InTree;
  static constexpr std::string_view kName = "mirab.InTree";
  static constexpr std::string_view kEffect = "How a task stands in a tree of groups and quotas.";
  static constexpr std::tuple kFields{
      field("path", &T::path, "TreeLevel each, from the top down, the user last"),
      field("covered_by", &T::covered_by, "the lowest whose guarantee covers the task; empty: none"),
      field("limit", &T::limit, "the lowest limit in the way: TreeBound, or None"),
      field("reserve", &T::reserve, "what is reserved for others and in the way: TreeBound, or None"),
      field("parting", &T::parting,
            "from the first of other users that is ahead or comes next: TreeParting, or None")};
};

template <>
struct Declared<WhyWaiting::OverBudget> {
  using T = WhyWaiting::OverBudget;
  static constexpr std::string_view kName = "mirab.OverBudget";
  static constexpr std::string_view kEffect = "What the budget of preemption keeps from ending.";
  static constexpr std::tuple kFields{
      field("first", &T::first, "the task for which it would end: Other"),
      field("tasks", &T::tasks, "that would end for it"),
      field("left", &T::left, "how many the budget allows now"),
      field("free_at", &T::free_at, "when the budget allows them, in nanoseconds; None: never")};
};

template <>
struct Declared<WhyWaiting> {
  using T = WhyWaiting;
  static constexpr std::string_view kName = "mirab.WhyWaiting";
  static constexpr std::string_view kEffect = "Why a job's next task is not placed by a step now.";
  static constexpr std::tuple kFields{
      field("user", &T::user, "whose job it is").not_in_tuples(),
      field("user_name", &T::user_name, "of that user").not_in_tuples(),
      field("job", &T::job, "its identifier").not_in_tuples(),
      field("waiting", &T::waiting, "tasks of the job"),
      field("servers", &T::servers, "what keeps it from them: ServersFor"),
      field("kept_for_others", &T::kept_for_others,
            "the servers counted as kept, in the order in which they were: KeptServer each"),
      field("kept_for_it", &T::kept_for_it, "the server that is kept for this very task: KeptForIt, or None"),
      field("gang", &T::gang, "tasks that have to start together: Gang, or None where one starts"),
      field("constraints", &T::constraints, "the wishes that keep it from servers: Constraint each"),
      field("nearest_miss", &T::nearest_miss,
            "the full server on which least has to be freed: NearestMiss, or None"),
      field("key", &T::key,
            "of the discipline, for its task: the lower is served first; None while no server could run it"),
      field("older_jobs", &T::older_jobs, "of the same user that wait for the same"),
      field("own_ahead", &T::own_ahead,
            "tasks of the user that ask for something else, each kind once, and come before"),
      field("users_ahead", &T::users_ahead, "other users with a task that comes before"),
      field("users_tied", &T::users_tied, "other users with equal keys, between whom a draw decides"),
      field("next", &T::next, "the first of all that come before: Other, or None"),
      field("with_weight", &T::with_weight,
            "with more weight the user comes before other users; None where it is not promised"),
      field("blocked_by", &T::blocked_by,
            "with blocking=freeze, the task that has no room and must come first: Other, or None"),
      field("served_first", &T::served_first,
            "the first kept server that has room for its task, which comes before all: KeptServer, or None"),
      field("forced_first", &T::forced_first,
            "when nothing else can be placed, the task that is placed by force: Other, or None"),
      field("by_force", &T::by_force, "what ends for that task, if it is this one: ByForce, or None"),
      field(
          "over_budget", &T::over_budget,
          "when nothing can be placed and preemption's budget keeps tasks from ending: OverBudget, or None"),
      field("tree", &T::tree, "with groups or quotas: InTree, or None")};
};

template <>
struct Declared<WhyNotOn> {
  using T = WhyNotOn;
  static constexpr std::string_view kName = "mirab.WhyNotOn";
  static constexpr std::string_view kEffect =
      "Why a task of a job does not go to a server: the first reason.";
  static constexpr std::tuple kFields{
      field("reason", &T::reason,
            "\"nothing\", \"name\", \"label\", \"too_small\", \"drained\", \"kept\", \"pack\", "
            "\"per_server\", \"spread\" or \"full\""),
      field("label", &T::label, "the key of the label that does not hold, of pack or of spread; else empty"),
      field("missing", &T::missing,
            "how much more of each resource it would take where that is the reason; else empty"),
      field("running", &T::running, "per_server, spread: tasks of the job there, or in its domain; else 0"),
      field("at_most", &T::at_most, "per_server, spread: how many may run there now; else 0"),
      field("kept", &T::kept, "for whom, where that is the reason: KeptServer; else None")};
};

template <>
struct Declared<WhyPlaced::Line> {
  using T = WhyPlaced::Line;
  static constexpr std::string_view kName = "mirab.Line";
  static constexpr std::string_view kEffect = "Tasks that one resource dominates.";
  static constexpr std::tuple kFields{field("resource", &T::resource, "its name"),
                                      field("round", &T::round, "in which the line is served")};
};

template <>
struct Declared<WhyPlaced::Measure> {
  using T = WhyPlaced::Measure;
  static constexpr std::string_view kName = "mirab.Measure";
  static constexpr std::string_view kEffect = "What a placement compares servers by.";
  static constexpr std::tuple kFields{field("what", &T::what, "in words"),
                                      field("chosen", &T::chosen, "of the chosen server"),
                                      field("runner_up", &T::runner_up, "of the other one, or None")};
};

template <>
struct Declared<WhyPlaced> {
  using T = WhyPlaced;
  static constexpr std::string_view kName = "mirab.WhyPlaced";
  static constexpr std::string_view kEffect =
      "Why this user was served, and on this server: of the moment before.";
  static constexpr std::tuple kFields{
      field("user", &T::user, "who was served").not_in_tuples(),
      field("user_name", &T::user_name, "of that user").not_in_tuples(),
      field("job", &T::job, "whose task it is").not_in_tuples(),
      field("key", &T::key,
            "of the discipline: the lowest of all whose tasks fit, unless kept_since or by_force"),
      field("users_waiting", &T::users_waiting, "with waiting tasks"),
      field("users_fitting", &T::users_fitting, "those of them with a task that fits somewhere"),
      field("users_tied", &T::users_tied, "others of those with an equal key"),
      field("runner_up", &T::runner_up, "the first of another user whose task fits: Other, or None"),
      field("line", &T::line, "mlf-drs and mrfs: the line that is served, Line, or None"),
      field("kind", &T::kind, "ps-dsf: the capacity of the servers for which the key is, or None"),
      field("tree", &T::tree, "with groups or quotas: InTree, or None"),
      field("kept_since", &T::kept_since, "since when the server was kept for it, nanoseconds; or None"),
      field("by_force", &T::by_force,
            "what ended for it when nothing else could be placed: ByForce, or None"),
      field("together", &T::together, "tasks of the job that start at once; the first is explained"),
      field("server", &T::server, "where it was placed").not_in_tuples(),
      field("server_name", &T::server_name, "of that server").not_in_tuples(),
      field("servers_with_room", &T::servers_with_room, "for the task"),
      field("runner_up_server", &T::runner_up_server, "where it would go without the chosen one, or None"),
      field("runner_up_server_name", &T::runner_up_server_name, "of that server").not_in_tuples(),
      field("measure", &T::measure, "what the placement compares servers by: Measure, or None"),
      field("free_before", &T::free_before, "on the server, whole units of each resource"),
      field("free_after", &T::free_after, "on the server, whole units of each resource"),
      field("was_freed", &T::was_freed, "had something just come free there?")};
};

/// Each of the types once, those before that another consists of.
template <class Visit>
void for_each_reason(Visit visit) {
  const auto each = [&]<class... T>(std::type_identity<T>... types) { (visit(types), ...); };
  each(std::type_identity<WhyWaiting::Other>{}, std::type_identity<WhyWaiting::Servers>{},
       std::type_identity<KeptServer>{}, std::type_identity<WhyWaiting::KeptForIt>{},
       std::type_identity<WhyWaiting::RoleRoom>{}, std::type_identity<WhyWaiting::Gang>{},
       std::type_identity<ByForce::Loser>{}, std::type_identity<ByForce>{},
       std::type_identity<InTree::Level>{}, std::type_identity<InTree::Bound>{},
       std::type_identity<InTree::Parting>{}, std::type_identity<InTree>{},
       std::type_identity<WhyWaiting::Constraint>{}, std::type_identity<WhyWaiting::NearestMiss>{},
       std::type_identity<WhyWaiting::OverBudget>{}, std::type_identity<WhyWaiting>{},
       std::type_identity<WhyNotOn>{}, std::type_identity<WhyPlaced::Line>{},
       std::type_identity<WhyPlaced::Measure>{}, std::type_identity<WhyPlaced>{});
}

static_assert(kIsComplete<WhyWaiting::Other> && kIsComplete<WhyWaiting::Servers> && kIsComplete<KeptServer>);
static_assert(kIsComplete<WhyWaiting::KeptForIt> && kIsComplete<WhyWaiting::Gang> &&
              kIsComplete<WhyWaiting::RoleRoom>);
static_assert(kIsComplete<ByForce::Loser> && kIsComplete<ByForce> && kIsComplete<WhyWaiting::Constraint>);
static_assert(kIsComplete<InTree::Level> && kIsComplete<InTree::Bound> && kIsComplete<InTree::Parting>);
static_assert(kIsComplete<InTree> && kIsComplete<WhyWaiting::OverBudget>);
static_assert(kIsComplete<WhyWaiting::NearestMiss> && kIsComplete<WhyWaiting> && kIsComplete<WhyNotOn>);
static_assert(kIsComplete<WhyPlaced::Line> && kIsComplete<WhyPlaced::Measure> && kIsComplete<WhyPlaced>);

}  // namespace mirab::scheduling
