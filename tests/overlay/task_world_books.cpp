// The books of the small world: what truly runs, and what each user may believe, from the facts alone.

#include <algorithm>
#include <fmt/format.h>

#include "overlay/task_world.hpp"

namespace mirab::overlay {
namespace {

std::string name(const TaskId& task) { return fmt::format("task {} of user {}", task.number, task.user); }

}  // namespace

void TaskWorld::broke(const std::string& promise) {
  if (!broken_) broken_ = fmt::format("{} (tick {})", promise, now_tick_);
}

void TaskWorld::book(NodeId self, const Fact& fact) {
  Site& site = sites_[self];
  const auto leave = [&](const TaskId& task, const ProposalId& proposal, bool ran) {
    const auto place = site.places.find({task, proposal});
    if (place == site.places.end() || place->second.runs != ran)
      broke(fmt::format("{} leaves server {}, where it was not", name(task), self));
    else
      site.places.erase(place);
  };
  if (const auto* served = std::get_if<Served>(&fact)) {
    if (!faults_) offered_.insert(served->task);
  }
  if (const auto* held = std::get_if<Held>(&fact)) {
    const auto size = 1 + static_cast<std::int64_t>((held->task.user - plan_.servers) % 2);
    site.places[{held->task, held->proposal}] = {.size = size};
    if (!names_.emplace(self, held->proposal).second) broke(fmt::format("server {} gave a name twice", self));
  }
  if (const auto* back = std::get_if<GivenBack>(&fact)) leave(back->task, back->proposal, false);
  if (const auto* stopped = std::get_if<Stopped>(&fact)) {
    if (stopped->by_itself) check_ended(self, *stopped);
    leave(stopped->task, stopped->proposal, true);
  }
  if (const auto* leased = std::get_if<Leased>(&fact)) prolong(self, *leased);
  if (const auto* started = std::get_if<Started>(&fact)) {
    const auto place = site.places.find({started->task, started->proposal});
    if (place == site.places.end())
      return broke(fmt::format("{} runs where it was not held", name(started->task)));
    check_start(self, started->task);
    place->second.runs = true;
    place->second.started_at = now_;
    ++started_;
  }
}

void TaskWorld::check_ended(NodeId self, const Stopped& stopped) {
  const auto place = sites_[self].places.find({stopped.task, stopped.proposal});
  const Duration runtime = runtimes_[stopped.task];
  if (place == sites_[self].places.end()) return;
  if (runtime == Duration::zero() || now_ < place->second.started_at + runtime)
    broke(fmt::format("{} is reported as ended, too early", name(stopped.task)));
}

void TaskWorld::prolong(NodeId self, const Leased& leased) {
  Site& site = sites_[self];
  for (const auto& [key, place] : site.places) {
    const bool starts = place.started_at == now_;
    if (key.first.user == leased.user && place.runs && !starts && !is_alive(self, key))
      broke(fmt::format("server {} prolongs {}, which was stopped", self, name(key.first)));
  }
  site.leased_until[leased.user] = leased.until - ahead_[self];
}

// Does it run? What has no lease any more was stopped by the supervisor, also while the server is down.
bool TaskWorld::is_alive(NodeId server, const std::pair<TaskId, ProposalId>& key) const {
  const Site& site = sites_[server];
  const auto place = site.places.find(key);
  if (place == site.places.end() || !place->second.runs) return false;
  const auto lease = site.leased_until.find(key.first.user);
  return plan_.lease == 0 || (lease != site.leased_until.end() && now_ < lease->second);
}

void TaskWorld::check_start(NodeId self, const TaskId& task) {
  for (NodeId server = 0; server < plan_.servers; ++server) {
    for (const auto& [key, place] : sites_[server].places) {
      if (key.first == task && is_alive(server, key))
        broke(fmt::format("{} starts on server {} while it runs on server {}", name(task), self, server));
    }
  }
  const auto server_event = task_numbers_.find(task);
  if (server_event == task_numbers_.end() || server_event->second == ServerEvent::over)
    broke(fmt::format("{} starts on server {}, and nobody wants it", name(task), self));
}

void TaskWorld::check_server(NodeId self) {
  std::int64_t used = 0;
  for (const auto& [key, place] : sites_[self].places) used += place.size;
  if (used > kRoom) broke(fmt::format("server {} holds {} of {}", self, used, kRoom));
  if (sites_[self].server->host.free()[0] != kRoom - used)
    broke(fmt::format("server {} has {} free, and should have {}", self, sites_[self].server->host.free()[0],
                      kRoom - used));
}

void TaskWorld::book_user(NodeId self, const Fact& fact) {
  const auto moves = [&](const TaskId& task, ServerEvent before, ServerEvent after) {
    if (task.user != self) broke("a user tells of another's task");
    const auto server_event = task_numbers_.find(task);
    if (server_event == task_numbers_.end() || server_event->second != before)
      broke(fmt::format("{} goes from {} to {}", name(task),
                        server_event == task_numbers_.end() ? -1 : static_cast<int>(server_event->second),
                        static_cast<int>(after)));
    task_numbers_[task] = after;
  };
  if (const auto* wanted = std::get_if<Wanted>(&fact)) {
    wanted_at_[wanted->task] = now_tick_;
    if (task_numbers_.emplace(wanted->task, ServerEvent::wanted).first->second != ServerEvent::wanted)
      broke(fmt::format("{} is wanted again", name(wanted->task)));
  }
  if (const auto* known = std::get_if<Known>(&fact)) {
    moves(known->task, ServerEvent::wanted, ServerEvent::known);
    hosts_[known->task] = known->host;
  }
  if (const auto* lost = std::get_if<Lost>(&fact)) {
    moves(lost->task, ServerEvent::known, ServerEvent::wanted);
    ++restarted_;
  }
  if (const auto* over = std::get_if<Over>(&fact)) {
    const auto server_event = task_numbers_.find(over->task);
    if (server_event == task_numbers_.end() || server_event->second == ServerEvent::over)
      broke(fmt::format("{} is over twice", name(over->task)));
    task_numbers_[over->task] = ServerEvent::over;
  }
}

// No task is forgotten: a user's tasks are present, owed, known to run, or over.
void TaskWorld::check_users() {
  for (const User& user : users_) {
    std::uint64_t wanted = 0, known = 0;
    for (const auto& [task, server_event] : task_numbers_) {
      if (task.user != user.self()) continue;
      wanted += server_event == ServerEvent::wanted ? 1 : 0;
      known += server_event == ServerEvent::known ? 1 : 0;
    }
    if (known != user.running())
      broke(fmt::format("user {} counts {} tasks for {}", user.self(), user.running(), known));
    if (wanted != user.owed() + (user.present() ? 1 : 0))
      broke(fmt::format("user {} forgot a task", user.self()));
  }
}

std::uint32_t TaskWorld::believed_for() const {
  const auto life = static_cast<std::uint32_t>(longest() / kTick);
  return plan_.lease == 0 ? 0 : (9 * plan_.lease + 3) / 4 + 2 * life + 2;
}

std::uint32_t TaskWorld::offered_for() const {
  const auto life = static_cast<std::uint32_t>(longest() / kTick);
  const auto gone = static_cast<std::uint32_t>(
      std::count_if(sites_.begin(), sites_.end(), [](const Site& site) { return !site.up; }));
  return believed_for() + life + patience_.walk + 2 * patience_.again + (1 + gone) * (patience_.home + 2) + 2;
}

// A task is offered when its user's home gives it its turn, or would when the share allows.
void TaskWorld::note_offers() {
  for (const User& user : users_) {
    if (!user.present() || !user.home() || !sites_[*user.home()].up) continue;
    for (const UserEntry& resident : sites_[*user.home()].server->home.user_entries()) {
      if (resident.task.id == *user.present() && resident.waits() && !resident.silent)
        offered_.insert(resident.task.id);
    }
  }
}

void TaskWorld::check_hosts_of_known() {
  for (const auto& [task, server_event] : task_numbers_) {
    if (plan_.lease > 0 && server_event == ServerEvent::known && !sites_[hosts_[task]].up)
      broke(fmt::format("the host of {} is gone, and believed in", name(task)));
  }
}

void TaskWorld::check_offered() {
  for (const User& user : users_) {
    if (!user.present() || offered_.contains(*user.present())) continue;
    if (std::max(plan_.faulty, wanted_at_[*user.present()]) + offered_for() <= now_tick_)
      broke(fmt::format("{} was not offered", name(*user.present())));
  }
}

bool TaskWorld::all_over() const {
  return std::all_of(task_numbers_.begin(), task_numbers_.end(),
                     [](const auto& task) { return task.second == ServerEvent::over; });
}

// When all is quiet: nothing is held, nothing runs that its user does not know of, and nobody still waits.
void TaskWorld::check_end() {
  std::map<TaskId, int> runs;
  for (NodeId server = 0; server < plan_.servers; ++server) {
    for (const auto& [key, place] : sites_[server].places) {
      if (!sites_[server].up && plan_.lease > 0) continue;
      if (!place.runs)
        broke(fmt::format("room for {} leaked on server {}", name(key.first), server));
      else
        ++runs[key.first];
    }
  }
  for (const auto& [task, server_event] : task_numbers_) {
    const int places = runs[task];
    if (plan_.runtime > 0 && server_event != ServerEvent::over)
      broke(fmt::format("{} never came to its end", name(task)));
    if (plan_.runtime == 0 && server_event == ServerEvent::known && places != 1)
      broke(fmt::format("{} runs {} times, and is believed to run", name(task), places));
  }
  for (const auto& [task, places] : runs) {
    if (places > 0 && task_numbers_[task] != ServerEvent::known)
      broke(fmt::format("{} runs, unknown to its user", name(task)));
  }
}

}  // namespace mirab::overlay
