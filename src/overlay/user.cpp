// When a user may be sure that a host it no longer hears has stopped its tasks (after Gray and Cheriton 1989,
// Leases; docs/explanation/overlay-safety.md has the proof).
//
//   said at s ─► taken by the host at s + M at the latest ─► stopped at s + M + L at the latest, by its clock
//
// L the lease, M the longest time from what the sender's clock shows to what the receiver's shows. It is the
// last thing said that counts, not the first that was not answered: perhaps only the answers are lost. Hence
// the user itself falls silent when nothing came back for L, and gives up at last + M + L, which is at most
// 2 L + M + one tick after the first thing that was not answered.
#include <algorithm>
#include <utility>

#include <mirab/model/assert.hpp>
#include <mirab/overlay/user.hpp>

#include "overlay/user_state.hpp"

namespace mirab::overlay {

void Leases::said(Time now, NodeId host) {
  if (lease_ == Duration::zero()) return;
  auto grant = find(host);
  if (grant == grants_.end())
    grant = grants_.insert(grant, {.host = host, .waits = false, .waits_since = now, .asked_at = now});
  if (!grant->waits) grant->waits_since = now;
  grant->waits = true;
  grant->sent_at = now;
}

void Leases::heard(NodeId host) {
  const auto grant = find(host);
  if (grant != grants_.end()) grant->waits = false;
}

void Leases::forget(NodeId host) {
  const auto grant = find(host);
  if (grant != grants_.end()) grants_.erase(grant);
}

bool Leases::may_send(Time now, NodeId host) const {
  const auto grant = find(host);
  return grant == grants_.end() || !grant->waits || now - grant->waits_since < lease_;
}

Leases::Due Leases::due(Time now) {
  Due due;
  for (Grant& grant : grants_) {
    const Duration since = now - grant.sent_at;
    if (!grant.waits || now - grant.waits_since < lease_) {
      if (now - grant.asked_at < lease_ / 4 && !(grant.waits && since >= again_)) continue;
      grant.asked_at = now;
      due.renew.push_back(grant.host);
    } else if (since > lease_ + lifetime_) {
      due.give_up.push_back(grant.host);
    }
  }
  for (const NodeId host : due.give_up) forget(host);
  return due;
}

std::vector<Leases::Grant>::iterator Leases::find(NodeId host) {
  return std::find_if(grants_.begin(), grants_.end(), [&](const Grant& grant) { return grant.host == host; });
}

std::vector<Leases::Grant>::const_iterator Leases::find(NodeId host) const {
  return std::find_if(grants_.begin(), grants_.end(), [&](const Grant& grant) { return grant.host == host; });
}

// Where a user's tasks are (Östman, Algorithm 3, with its losses made good).
//
//   present ──accept──► accepted ──runs──► placed ──ended──► over
//      ▲                   │ refused,        │ refused, not listed,
//      │                   │ gave_up         │ gave_up
//      └───────────────────┴───── owed ◄─────┘
//
// One place at a time: a task leaves accepted and placed only when that place surely does not run it: the
// host said that it never will (Refused), does not list it in an answer to a Renew that was sent after the
// news that it runs, has restarted (a later incarnation), or its lease has run out (user_state.hpp).

namespace {

constexpr auto kByNumber = [](const auto& task, std::uint64_t number) { return task.number < number; };

}  // namespace

std::uint64_t UserTasks::number() const {
  if (present_) return *present_;
  return owed_.empty() ? next_ : owed_.front();
}

bool UserTasks::on(NodeId host) const {
  if (accepted_ && accepted_->host == host) return true;
  return std::any_of(placed_.begin(), placed_.end(), [&](const Placed& task) { return task.host == host; });
}

bool UserTasks::next(Effects& effects) {
  if (present_ || (owed_.empty() && next_ > tasks_)) return false;
  if (owed_.empty()) {
    present_ = next_++;
  } else {
    present_ = owed_.front();
    owed_.erase(owed_.begin());
  }
  effects.facts.push_back(Wanted{{user_, *present_}});
  return true;
}

void UserTasks::set_aside() {
  if (!present_ || accepted_) return;
  owe(*present_);
  present_.reset();
}

void UserTasks::accept(Time now, NodeId host, const ProposalId& proposal) {
  MIRAB_ASSERT(present_ && !accepted_, "one place at a time");
  accepted_ = Accepted{host, proposal, now};
}

bool UserTasks::runs(NodeId host, std::uint64_t number, const ProposalId& proposal, std::uint64_t round,
                     Effects& effects) {
  if (!is_accepted(host, number, proposal)) return false;
  const auto place = std::lower_bound(placed_.begin(), placed_.end(), number, kByNumber);
  placed_.insert(place, {number, proposal, round, host});
  accepted_.reset();
  present_.reset();
  effects.facts.push_back(Known{{user_, number}, host});
  return true;
}

bool UserTasks::refused(NodeId host, std::uint64_t number, const ProposalId& proposal, Effects& effects) {
  if (is_accepted(host, number, proposal)) {
    accepted_.reset();
    return true;
  }
  const auto placed = find(host, number, proposal);
  return placed != placed_.end() && lose([&](const Placed& task) { return task.number == number; }, effects);
}

bool UserTasks::ended(NodeId host, std::uint64_t number, const ProposalId& proposal, Effects& effects) {
  const auto placed = find(host, number, proposal);
  if (placed != placed_.end()) {
    placed_.erase(placed);
    return finish(number, effects);
  }
  const bool wanted = present_ == number;
  if (wanted && (!accepted_ || is_accepted(host, number, proposal))) {
    accepted_.reset();
    present_.reset();
    return finish(number, effects);
  }
  // It was given up, and has ended before its lease.
  const auto owed = std::lower_bound(owed_.begin(), owed_.end(), number);
  if (owed == owed_.end() || *owed != number) return false;
  owed_.erase(owed);
  return finish(number, effects);
}

bool UserTasks::listed(NodeId host, const Running& running, Effects& effects) {
  return lose(
      [&](const Placed& task) {
        if (task.host != host || task.round >= running.round) return false;
        return task.proposal.incarnation != running.incarnation ||
               !std::binary_search(running.numbers.begin(), running.numbers.end(), task.number);
      },
      effects);
}

bool UserTasks::gave_up(NodeId host, Effects& effects) {
  const bool accepted = accepted_ && accepted_->host == host;
  if (accepted) accepted_.reset();
  return lose([&](const Placed& task) { return task.host == host; }, effects) || accepted;
}

std::vector<UserTasks::Placed>::iterator UserTasks::find(NodeId host, std::uint64_t number,
                                                         const ProposalId& proposal) {
  const auto place = std::lower_bound(placed_.begin(), placed_.end(), number, kByNumber);
  if (place == placed_.end() || place->number != number) return placed_.end();
  return place->host == host && place->proposal == proposal ? place : placed_.end();
}

bool UserTasks::is_accepted(NodeId host, std::uint64_t number, const ProposalId& proposal) const {
  return accepted_ && present_ == number && accepted_->host == host && accepted_->proposal == proposal;
}

bool UserTasks::finish(std::uint64_t number, Effects& effects) {
  effects.facts.push_back(Over{{user_, number}});
  return true;
}

void UserTasks::owe(std::uint64_t number) {
  owed_.insert(std::lower_bound(owed_.begin(), owed_.end(), number), number);
}

template <class IsLost>
bool UserTasks::lose(IsLost is_lost, Effects& effects) {
  const auto lost = std::erase_if(placed_, [&](const Placed& task) {
    if (!is_lost(task)) return false;
    owe(task.number);
    effects.facts.push_back(Lost{{user_, task.number}});
    return true;
  });
  return lost > 0;
}

// A user's life (Östman, Algorithm 3): it asks the gateway for a server, submits its task there, accepts the
// first proposal, and asks the gateway again. As printed, except for what repairs losses: a message without
// an answer is sent again every Patience::again, a silent home is left (Patience::home), a silent host is
// given up, and a task that was lost is submitted again under its number (user_state.hpp). Tasks
// are numbered from 1 (as printed, 0 < 0 never accepts).

struct User::State {
  enum class Why : std::uint8_t { next_task, silent_home };

  struct Question {  // to the gateway, not answered yet
    Why why = Why::next_task;
    Time sent_at{};
  };

  UserSetting setting;
  Duration again, home_patience;
  Leases leases;
  UserTasks tasks;
  bool paused = false;
  std::uint64_t round = 0;  // of Renew

  std::optional<NodeId> home = {};
  Time home_heard_at{}, sent_at{};
  std::uint64_t sequence = 0;  // of what was said to homes
  std::optional<Question> question = {};
  std::uint64_t request = 0;  // of the question

  void ask(Time now, Why why, Effects& effects) {
    ++request;
    question = Question{why, now};
    ask_again(now, effects);
  }

  void ask_again(Time now, Effects& effects) {
    question->sent_at = now;
    const bool silent = question->why == Why::silent_home;
    effects.sends.push_back({setting.gateway, ServerRequest{request, home.value_or(setting.self), silent}});
  }

  // Tells the home how things are.
  void say(Time now, Effects& effects) {
    if (!home) return;
    sent_at = now;
    ++sequence;
    const auto& present = tasks.present();
    if (!present) {
      effects.sends.push_back({*home, Pause{tasks.number(), tasks.placed(), setting.demand, sequence}});
      return;
    }
    const Duration runtime = setting.runtime ? setting.runtime(*present) : Duration::zero();
    const Task task{{setting.self, *present}, setting.demand, runtime, tasks.placed()};
    effects.sends.push_back({*home, Submit{task, sequence}});
  }

  // Something changed: the next task, when there is none; otherwise the home is to know.
  void go_on(Time now, Effects& effects) {
    if (paused) tasks.set_aside();
    if (!paused && tasks.next(effects))
      ask(now, Why::next_task, effects);
    else
      say(now, effects);
  }

  void accept(Time now, Effects& effects) {
    UserTasks::Accepted& accepted = *tasks.accepted();
    accepted.sent_at = now;
    leases.said(now, accepted.host);
    effects.sends.push_back({accepted.host, Accept{tasks.number(), accepted.proposal}});
  }

  void follow_hosts(Time now, Effects& effects) {
    const Leases::Due due = leases.due(now);
    for (const NodeId host : due.renew) {
      leases.said(now, host);
      effects.sends.push_back({host, Renew{++round}});
    }
    bool changed = false;
    for (const NodeId host : due.give_up) changed = tasks.gave_up(host, effects) || changed;
    if (changed) go_on(now, effects);
  }

  // A host answered; what it said changed something, or not.
  void heard(Time now, NodeId host, bool changed, Effects& effects) {
    leases.heard(host);
    if (!changed) return;
    if (!tasks.on(host)) leases.forget(host);
    go_on(now, effects);
  }

  void on(Time now, NodeId from, const ServerAnswer& answer, Effects& effects) {
    if (from != setting.gateway || !question || answer.request != request) return;
    question.reset();
    home = answer.server;
    home_heard_at = now;
    say(now, effects);
  }

  void on(Time now, NodeId from, const Received& received, Effects& effects) {
    if (from != home) return;
    home_heard_at = now;
    if (received.gone)
      ask(now, Why::silent_home, effects);
    else if (question && question->why == Why::silent_home)
      question.reset();
  }

  void on(Time now, NodeId from, const Propose& proposed, Effects& effects) {
    const auto& present = tasks.present();
    const auto& accepted = tasks.accepted();
    const bool wanted = present && *present == proposed.number;
    if (wanted && !accepted) {
      tasks.accept(now, from, proposed.proposal);
      return accept(now, effects);
    }
    // The same proposal twice counts once: the clock sends the acceptance again.
    if (wanted && accepted->host == from && accepted->proposal == proposed.proposal) return;
    effects.sends.push_back({from, Reject{proposed.number, proposed.proposal}});
  }

  void on(Time now, NodeId from, const Allocated& allocated, Effects& effects) {
    heard(now, from, tasks.runs(from, allocated.number, allocated.proposal, round, effects), effects);
  }

  void on(Time now, NodeId from, const Refused& refused, Effects& effects) {
    effects.sends.push_back({from, EndSeen{refused.number, refused.proposal}});
    heard(now, from, tasks.refused(from, refused.number, refused.proposal, effects), effects);
  }

  void on(Time now, NodeId from, const Ended& ended, Effects& effects) {
    effects.sends.push_back({from, EndSeen{ended.number, ended.proposal}});
    heard(now, from, tasks.ended(from, ended.number, ended.proposal, effects), effects);
  }

  void on(Time now, NodeId from, const Running& running, Effects& effects) {
    heard(now, from, tasks.listed(from, running, effects), effects);
  }

  template <class Other>
  void on(Time, NodeId, const Other&, Effects&) {}  // makes no sense to a user
};

User::User(UserSetting setting, const Patience& patience, Duration lifetime) {
  const Duration tick = setting.tick;
  UserTasks tasks(setting.self, setting.tasks);
  state_ =
      std::make_unique<State>(State{.setting = std::move(setting),
                                    .again = patience.again * tick,
                                    .home_patience = patience.home * tick,
                                    .leases = Leases(patience.lease * tick, patience.again * tick, lifetime),
                                    .tasks = std::move(tasks)});
}

User::~User() = default;
User::User(User&&) noexcept = default;
User& User::operator=(User&&) noexcept = default;

void User::on_start(Time now, Effects& effects) {
  if (!state_->paused) state_->tasks.next(effects);
  state_->ask(now, State::Why::next_task, effects);
}

void User::on_message(Time now, NodeId from, const Message& message, Effects& effects) {
  std::visit([&](const auto& one) { state_->on(now, from, one, effects); }, message);
}

void User::on_tick(Time now, Effects& effects) {
  State& user = *state_;
  user.follow_hosts(now, effects);

  const auto& accepted = user.tasks.accepted();
  if (accepted && now - accepted->sent_at >= user.again && user.leases.may_send(now, accepted->host))
    user.accept(now, effects);

  if (user.question && now - user.question->sent_at >= user.again) user.ask_again(now, effects);
  if (user.home && !user.question && now - user.home_heard_at >= user.home_patience)
    user.ask(now, State::Why::silent_home, effects);
  if (user.home && now - user.sent_at >= user.again) user.say(now, effects);
}

void User::pause(Time now, Effects& effects) {
  if (state_->paused) return;
  state_->paused = true;
  state_->go_on(now, effects);
}

void User::resume(Time now, Effects& effects) {
  if (!state_->paused) return;
  state_->paused = false;
  state_->go_on(now, effects);
}

NodeId User::self() const { return state_->setting.self; }
std::uint64_t User::running() const { return state_->tasks.placed(); }
std::uint64_t User::owed() const { return state_->tasks.owed(); }
std::optional<TaskId> User::present() const {
  const auto& present = state_->tasks.present();
  if (!present) return {};
  return TaskId{state_->setting.self, *present};
}
bool User::paused() const { return state_->paused; }
std::optional<NodeId> User::home() const { return state_->home; }

}  // namespace mirab::overlay
