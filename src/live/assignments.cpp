// What an executor is to run, and what it is to stop: the whole wanted set of its server, so that nothing is
// lost when either side starts again.
//
// A task may start when its room is there. The engine frees room at once, machines do not: what is to stop
// holds its room until the executor says that it is gone. So the tasks of the server, the oldest first, are
// given the capacity without what is to stop; those for which that does not suffice have `after`, the tasks
// that must be gone before. Those that run since before anything was to stop have had their room all along,
// and come first.
#include <algorithm>

#include "live/views.hpp"

namespace mirab::live {
namespace {

bool takes(Amounts& room, const Amounts& demand) {
  for (std::size_t r = 0; r < room.size(); ++r) {
    if (demand[r] > room[r]) return false;
  }
  for (std::size_t r = 0; r < room.size(); ++r) room[r] -= demand[r];
  return true;
}

}  // namespace

Answer assignments_of(const Reading& reading, const Query& query) {
  const State& state = reading.state;
  const Server* const server = state.server(query.name);
  const Scopes& scopes = reading.caller.scopes;
  const bool any = scopes.admin || scopes.operates;
  if (server == nullptr || (!any && reading.caller.server != query.name)) return reading.refuse(not_found());
  const Units& units = state.settings.units;
  Json run = Json::array();
  Json stop = Json::array();
  Json stops = Json::array();
  Amounts room = server->content.capacity;
  for (const auto& [key, each] : server->stopping) {
    stop.push_back({{"task", text_of(key)}, {"attempt", each.attempt}, {"job", each.job}, {"why", each.why}});
    stops.push_back(text_of(key));
    for (std::size_t r = 0; r < room.size(); ++r) room[r] -= each.demand[r];
  }
  std::vector<Engine::TaskState> tasks;
  if (server->id) state.engine.for_each_task(*server->id, [&](const auto& task) { tasks.push_back(task); });
  std::map<const Job*, JobContent> contents;
  for (auto task = tasks.rbegin(); task != tasks.rend(); ++task) {
    const State::TaskView view = state.view_of(*task);
    auto content = contents.find(view.job);
    if (content == contents.end()) content = contents.emplace(view.job, content_of(state, *view.job)).first;
    const Amounts demand = state.demand_of(*view.job, view.role, query.name);
    Json each = {{"task", text_of(view.key)},
                 {"attempt", view.tries.attempt},
                 {"job", view.job->label()},
                 {"tenant", state.queue(view.job->queue)->content.tenant},
                 {"spec", content->second.spec}};
    if (view.job->has_roles()) each["role"] = view.job->roles[view.role].name;
    units.add(each, "demand", demand);
    if (!takes(room, demand) && !stops.empty()) each["after"] = stops;
    run.push_back(std::move(each));
  }
  return reading.found({{"server", query.name},
                        {"state", !server->id       ? "lost"
                                  : server->drained ? "drained"
                                                    : "open"},
                        {"run", std::move(run)},
                        {"stop", std::move(stop)}},
                       state.last.revision);
}

}  // namespace mirab::live
