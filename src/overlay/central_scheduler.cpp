// The centralised solutions (Östman, 4.1): DRFH with first fit (Wang, Li and Liang 2014), and FIFO.
//
// One task a tick: of the user with the lowest share, or the one that came first, on the first server where
// it fits by the books. A server's book is what it last said that it has free, less what was sent to it since
// and not answered. A book that was wrong, because messages were lost or came late, is closed by the server's
// NoRoom until the server says again what is free, and the task goes to the next.
//
// With Search::best_fit the server of least H(i, l) (2.1.4) instead of the first. A task that fits nowhere
// blocks (Stuck::block) or leaves. Cost: see the header.
#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <utility>

#include <mirab/overlay/central_scheduler.hpp>

#include "overlay/coordinator.hpp"
#include "overlay/walk.hpp"

namespace mirab::overlay {
/// What the centre believes of a server.
struct ServerEstimate {
  Amounts free;
  std::pair<std::uint64_t, std::uint64_t> said = {};  ///< (incarnation, sequence) of the last word
  std::vector<Walk> sent = {};                        ///< to it, not answered

  void take(const Amounts& demand) {
    for (std::size_t r = 0; r < free.size(); ++r) free[r] -= demand[r];
  }
};

namespace {

std::vector<Walk>::iterator find_sent(ServerEstimate& book, const TaskId& task) {
  return std::ranges::find_if(book.sent, [&](const Walk& walk) { return walk.task.id == task; });
}

}  // namespace

struct CentralScheduler::State {
  State(Setting given, Scheduler chosen, const OverlayOptions& with)
      : setting(std::move(given)),
        scheduler(chosen),
        options(with),
        total(setting.total.begin(), setting.total.end()),
        home(options, setting.tick) {
    for (const Amounts& capacity : setting.capacity) books.push_back({.free = capacity});
  }

  Setting setting;
  Scheduler scheduler;
  OverlayOptions options;
  std::vector<double> total;
  Coordinator home;
  std::vector<ServerEstimate> books;  ///< by server
  std::deque<TaskId> arrived;         ///< FIFO: in the order in which they came
  std::deque<Walk> turned_away;       ///< had their turn; the book of the server was wrong

  void on_submit(Time now, NodeId from, const Submit& submit, Effects& effects);
  void line_up(const TaskId& task);
  void on_free(NodeId from, const Free& free);
  void on_no_room(NodeId from, const NoRoom& no_room);
  void settle(NodeId from, const TaskId& task, std::uint64_t attempt);

  const UserEntry* next();
  const UserEntry* first_arrived();
  std::optional<NodeId> server_for(const Amounts& demand) const;
  void send(NodeId server, Walk walk, Effects& effects);
  void forget(const TaskId& task);
  void forget_past(NodeId user, std::uint64_t present);
  void forget_lost();
};

void CentralScheduler::State::on_submit(Time now, NodeId from, const Submit& submit, Effects& effects) {
  if (submit.task.id.user != from || submit.task.demand.size() != total.size()) return;
  home.on_submit(now, submit, effects);
  forget_past(from, submit.task.id.number);
  if (scheduler == Scheduler::centralised_fifo) line_up(submit.task.id);
}

/// Unless it is an old one: of a user the present task alone stands in line.
void CentralScheduler::State::line_up(const TaskId& task) {
  const auto resident = std::ranges::find(home.user_entries(), task.user, &UserEntry::user);
  if (resident == home.user_entries().end() || resident->task.id != task) return;
  if (std::ranges::find(arrived, task) != arrived.end()) return;
  std::erase_if(arrived, [&](const TaskId& other) { return other.user == task.user; });
  arrived.push_back(task);
}

void CentralScheduler::State::on_free(NodeId from, const Free& free) {
  ServerEstimate& book = books[from];
  const std::pair said{free.incarnation, free.sequence};
  if (said <= book.said || !fits_in(free.free, setting.capacity[from])) return;
  book.said = said;
  book.free = free.free;
  for (const Walk& walk : book.sent) book.take(walk.task.demand);
}

/// The server has answered: what it holds now it counts itself.
void CentralScheduler::State::settle(NodeId from, const TaskId& task, std::uint64_t attempt) {
  ServerEstimate& book = books[from];
  const auto sent = find_sent(book, task);
  if (sent != book.sent.end() && sent->attempt == attempt) book.sent.erase(sent);
}

void CentralScheduler::State::on_no_room(NodeId from, const NoRoom& no_room) {
  ServerEstimate& book = books[from];
  const auto sent = find_sent(book, no_room.task);
  if (sent == book.sent.end() || sent->attempt != no_room.attempt) return;
  turned_away.push_back(*sent);
  book.sent.erase(sent);
  std::ranges::fill(book.free, 0);
}

const UserEntry* CentralScheduler::State::next() {
  const UserEntry* resident =
      scheduler == Scheduler::centralised_fifo ? first_arrived() : home.poorest(total);
  return resident && resident->waits() ? resident : nullptr;
}

/// Of the tasks that are still wanted. Tasks that had their turn stay in line, in case that it is taken back.
const UserEntry* CentralScheduler::State::first_arrived() {
  const auto entry_of = [&](const TaskId& task) {
    const auto& user_entries = home.user_entries();
    const auto found = std::ranges::find(user_entries, task.user, &UserEntry::user);
    return found != user_entries.end() && found->task.id == task && found->pending ? &*found : nullptr;
  };
  std::erase_if(arrived, [&](const TaskId& task) { return entry_of(task) == nullptr; });
  for (const TaskId& task : arrived) {
    const UserEntry* resident = entry_of(task);
    if (resident->waits() && !resident->stuck && !resident->silent) return resident;
  }
  return nullptr;
}

std::optional<NodeId> CentralScheduler::State::server_for(const Amounts& demand) const {
  std::optional<NodeId> best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t l = 0; l < books.size(); ++l) {
    const Amounts& free = books[l].free;
    if (!fits_in(demand, free)) continue;
    if (options.search != Search::best_fit) return static_cast<NodeId>(l);
    const double distance = drfh_distance(demand, free, total);
    if (best && distance >= least) continue;
    best = static_cast<NodeId>(l);
    least = distance;
  }
  return best;
}

void CentralScheduler::State::send(NodeId server, Walk walk, Effects& effects) {
  books[server].take(walk.task.demand);
  books[server].sent.push_back(walk);
  effects.sends.push_back({server, std::move(walk)});
}

/// A task that has its turn again was lost where it was sent: that server may be gone, and gets no other
/// before it has said what is free.
void CentralScheduler::State::forget(const TaskId& task) {
  for (ServerEstimate& book : books) {
    const auto sent = find_sent(book, task);
    if (sent == book.sent.end()) continue;
    book.sent.erase(sent);
    std::ranges::fill(book.free, 0);
  }
  std::erase_if(turned_away, [&](const Walk& walk) { return walk.task.id == task; });
}

/// Where the others of this user were sent has been told to the user, though not to us: the servers count
/// them.
void CentralScheduler::State::forget_past(NodeId user, std::uint64_t present) {
  std::vector<TaskId> past;
  for (const ServerEstimate& book : books) {
    for (const Walk& walk : book.sent) {
      if (walk.task.id.user == user && walk.task.id.number != present) past.push_back(walk.task.id);
    }
  }
  for (const TaskId& task : past) forget(task);
}

/// A user that waits for a turn had no result from its last one: no server holds room for it by our leave.
void CentralScheduler::State::forget_lost() {
  for (const UserEntry& resident : home.user_entries()) {
    if (resident.waits()) forget(resident.task.id);
  }
}

CentralScheduler::CentralScheduler(Setting setting, Scheduler scheduler, const OverlayOptions& options)
    : state_(std::make_unique<State>(std::move(setting), scheduler, options)) {}
CentralScheduler::~CentralScheduler() = default;
CentralScheduler::CentralScheduler(CentralScheduler&&) noexcept = default;
CentralScheduler& CentralScheduler::operator=(CentralScheduler&&) noexcept = default;

void CentralScheduler::on_message(Time now, NodeId from, const Message& message, Effects& effects) {
  State& centre = *state_;
  if (const auto* submit = std::get_if<Submit>(&message))
    return centre.on_submit(now, from, *submit, effects);
  if (const auto* pause = std::get_if<Pause>(&message)) {
    if (pause->demand.size() != centre.total.size()) return;
    centre.home.on_pause(now, from, *pause, effects);
    return centre.forget_past(from, pause->number);
  }
  if (from >= centre.books.size()) return;
  if (const auto* free = std::get_if<Free>(&message)) return centre.on_free(from, *free);
  if (const auto* placed = std::get_if<Placed>(&message))
    return centre.settle(from, placed->task, placed->attempt);
  if (const auto* no_room = std::get_if<NoRoom>(&message)) return centre.on_no_room(from, *no_room);
}

void CentralScheduler::on_tick(Time now, Effects& effects) {
  State& centre = *state_;
  centre.home.on_tick(now, effects);

  if (!centre.turned_away.empty()) {
    Walk walk = std::move(centre.turned_away.front());
    centre.turned_away.pop_front();
    const auto server = centre.server_for(walk.task.demand);
    if (!server) {
      centre.home.on_no_room(walk.task.id, walk.attempt, effects);
    } else if (const auto attempt = centre.home.go_on(now, walk.task.id, walk.attempt)) {
      walk.attempt = *attempt;  // to a server that had this walk before, the old one would be a double
      return centre.send(*server, std::move(walk), effects);
    }
  }

  const UserEntry* resident = centre.next();
  if (!resident) return;
  std::optional<NodeId> server = centre.server_for(resident->task.demand);
  if (!server) {
    centre.forget_lost();
    server = centre.server_for(resident->task.demand);
  }
  if (!server && centre.options.stuck == Stuck::block) return;
  const UserEntry& served = centre.home.serve(now, resident->user, 0, effects);
  centre.forget(served.task.id);
  if (!server) return centre.home.on_no_room(served.task.id, served.attempt, effects);
  centre.home.on_placed(served.task.id, served.attempt);  // by the books: the next tick need not wait for it
  centre.send(*server,
              {.task = served.task, .home = centre.setting.self, .attempt = served.attempt, .hops_left = 0},
              effects);
}

}  // namespace mirab::overlay
