// The events of mirab/scheduling/events.hpp as methods of mirab.Engine, one for each.
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <mirab/scheduling/events.hpp>

#include "python/arguments.hpp"
#include "python/records.hpp"
#include "python/refusal.hpp"
#include "python/scheduler.hpp"

namespace mirab::python {
namespace {

namespace py = pybind11;
using namespace py::literals;
using namespace scheduling;

using MaybeTime = std::optional<Time>;
using Number = std::uint64_t;  // of an identifier
using Names = std::vector<std::string>;
using AnySpread = std::variant<std::string, std::pair<std::string, std::int64_t>>;  // label, most apart

Spread spread_of(const AnySpread& spread) {
  if (const auto* const label = std::get_if<std::string>(&spread)) return {.label = *label};
  const auto& [label, most_apart] = std::get<std::pair<std::string, std::int64_t>>(spread);
  return {.label = label, .most_apart = most_apart};
}

/// Adds methods that apply an event and give what came of it: None, an identifier, or a list of Lost.
class Events {
 public:
  Events(EngineClass& engine, const Record& lost) : engine_(engine), lost_(lost) {}

  /// `event` makes one of the arguments that `names` name.
  template <class... Arguments, class... Extra>
  void add(const char* name, const char* what, auto(*event)(Arguments...), const Extra&... names) {
    constexpr const char* kNow =
        "\n\n`now`: nanoseconds since an origin that the caller chooses, or a datetime.timedelta since it; "
        "left out: the time of the latest event. Raises Refused, and leaves the engine as it was.";
    engine_.def(
        name,
        [lost = lost_, event](Scheduler& s, Arguments... arguments, const MaybeTime& now) {
          return told(lost, s.engine.apply(event(std::move(arguments)...), s.at(now)));
        },
        names..., "now"_a = py::none(), (std::string(what) + kNow).c_str());
  }

  /// Of an event that names one thing and no more.
  template <class Event, class Id>
  void add_for(const char* thing, const char* name, const char* what) {
    add(
        name, what, +[](Number number) { return Event{Id{number}}; }, py::arg(thing), py::kw_only());
  }

 private:
  static void told(const Record& /*lost*/, const Check& bad) { check(bad); }

  template <class Id>
  static Number told(const Record& /*lost*/, Result<Id> id) {
    return static_cast<Number>(value_of(std::move(id)));
  }

  static py::list told(const Record& lost, Result<std::vector<Lost>> result) {
    py::list list;
    for (const Lost& each : value_of(std::move(result))) list.append(lost_record(lost, each));
    return list;
  }

  EngineClass& engine_;
  Record lost_;
};

void add_server_events(Events& events) {
  events.add(
      "server_added",
      "A server with `capacity` in whole units, one amount for each resource; servers of one kind may share "
      "their name. Returns its identifier. Refused: too many units to count in all.",
      +[](std::string name, Amounts capacity, std::map<std::string, std::string> labels) {
        return ServerAdded{
            .name = std::move(name), .capacity = std::move(capacity), .labels = std::move(labels)};
      },
      "name"_a, "capacity"_a.noconvert(), py::kw_only(), "labels"_a = py::dict());
  events.add(
      "server_changed", "Another capacity. Refused: less than what is taken there.",
      +[](Number server, Amounts capacity) {
        return ServerChanged{.server = ServerId{server}, .capacity = std::move(capacity)};
      },
      "server"_a, "capacity"_a.noconvert(), py::kw_only());
  events.add_for<ServerDrained, ServerId>("server", "server_drained",
                                          "Its tasks go on, and it takes no new ones.");
  events.add_for<ServerReopened, ServerId>("server", "server_reopened",
                                           "A drained server takes tasks again.");
  events.add_for<ServerRemoved, ServerId>("server", "server_removed",
                                          "It is gone. Refused: tasks run there.");
  events.add_for<ServerFailed, ServerId>("server", "server_failed",
                                         "It is gone with its tasks, which wait again, before the others of "
                                         "their jobs. Returns them, Lost each.");
}

void add_user_events(Events& events) {
  events.add(
      "user_added",
      "A user who counts `weight` times: an int, float, decimal.Decimal or a text such as \"0.5\". Returns "
      "its identifier. Refused: a weight of 0, or with more digits than shares are compared with.",
      +[](std::string name, py::object weight) {
        return UserAdded{.name = std::move(name), .weight = quantity_of(weight, "weight")};
      },
      "name"_a, "weight"_a = 1, py::kw_only());
  events.add(
      "user_reweighted", "Another weight.",
      +[](Number user, py::object weight) {
        return UserReweighted{.user = UserId{user}, .weight = quantity_of(weight, "weight")};
      },
      "user"_a, "weight"_a, py::kw_only());
  events.add_for<UserRemoved, UserId>("user", "user_removed", "Refused: it has jobs.");
}

void add_job_events(Events& events) {
  events.add(
      "job_submitted",
      "`tasks` equal tasks of a user that take `demand` each, in whole units: on `servers` by name (else on "
      "all), on those whose labels have one of the values that `select` gives, with other demands on the "
      "servers that `demand_on` names. `gang` tasks start together, or none; at most `per_server` run on one "
      "server; `spread`, a label or (label, most apart), evens out how many run where it has which value; "
      "`pack`, a label: all run where it has one value (docs/engine.md). Returns its identifier. Refused: a "
      "task that takes nothing, or is larger than every server that it may use, terms that cannot hold.",
      +[](Number user, Amounts demand, std::int64_t tasks, std::optional<Names> servers,
          std::map<std::string, Names> select, std::map<std::string, Amounts> demand_on, std::int64_t gang,
          std::optional<std::int64_t> per_server, const std::optional<AnySpread>& spread,
          std::optional<std::string> pack) {
        return JobSubmitted{.user = UserId{user},
                            .demand = std::move(demand),
                            .tasks = tasks,
                            .servers = std::move(servers),
                            .select = std::move(select),
                            .demand_on = std::move(demand_on),
                            .gang = gang,
                            .per_server = per_server,
                            .spread = spread ? std::optional(spread_of(*spread)) : std::nullopt,
                            .pack = std::move(pack)};
      },
      "user"_a, "demand"_a.noconvert(), "tasks"_a.noconvert() = 1, py::kw_only(), "servers"_a = py::none(),
      "select"_a = py::dict(), "demand_on"_a.noconvert() = py::dict(), "gang"_a.noconvert() = 1,
      "per_server"_a.noconvert() = py::none(), "spread"_a.noconvert() = py::none(), "pack"_a = py::none());
  events.add_for<JobCancelled, JobId>(
      "job", "job_cancelled",
      "What runs of it stops, what waits is forgotten. Returns the tasks that ran, Lost each.");
  events.add_for<TaskFinished, TaskId>("task", "task_finished", "It is over.");
  events.add_for<TaskFailed, TaskId>("task", "task_failed", "It waits again, before the others of its job.");
}

}  // namespace

void add_events(EngineClass& engine, const Record& lost) {
  Events events(engine, lost);
  add_server_events(events);
  add_user_events(events);
  add_job_events(events);
}

}  // namespace mirab::python
