// A user's life (Östman, Algorithm 3): it asks the gateway for a server, submits its task there, accepts the
// first proposal, and asks the gateway again. As printed, but for what makes losses good: what is not
// answered is said again every Patience::again, a silent home is left (Patience::home), a silent host is
// given up (leases.hpp), and a task that was lost is submitted again under its number (user_tasks.hpp). Tasks
// are numbered from 1 (as printed, 0 < 0 never accepts).

#include <utility>

#include <mirab/overlay/user.hpp>

#include "overlay/leases.hpp"
#include "overlay/user_tasks.hpp"

namespace mirab::overlay {
namespace {

enum class Why : std::uint8_t { next_task, silent_home };

struct Question {  // to the gateway, not answered yet
  Why why = Why::next_task;
  Time said_at{};
};

}  // namespace

struct User::State {
  UserSetting setting;
  Duration again, home_patience;
  Leases leases;
  UserTasks tasks;
  bool paused = false;
  std::uint64_t round = 0;  // of Renew

  std::optional<NodeId> home = {};
  Time home_heard_at{}, said_at{};
  std::uint64_t sequence = 0;  // of what was said to homes
  std::optional<Question> question = {};
  std::uint64_t request = 0;  // of the question

  void ask(Time now, Why why, Effects& effects) {
    ++request;
    question = Question{why, now};
    ask_again(now, effects);
  }

  void ask_again(Time now, Effects& effects) {
    question->said_at = now;
    const bool silent = question->why == Why::silent_home;
    effects.sends.push_back({setting.gateway, ServerRequest{request, home.value_or(setting.self), silent}});
  }

  // Tells the home how things are.
  void say(Time now, Effects& effects) {
    if (!home) return;
    said_at = now;
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
    accepted.said_at = now;
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
    // Twice the same proposal is as once: what was accepted is said again by the clock.
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
  state_->ask(now, Why::next_task, effects);
}

void User::on_message(Time now, NodeId from, const Message& message, Effects& effects) {
  std::visit([&](const auto& one) { state_->on(now, from, one, effects); }, message);
}

void User::on_tick(Time now, Effects& effects) {
  State& user = *state_;
  user.follow_hosts(now, effects);

  const auto& accepted = user.tasks.accepted();
  if (accepted && now - accepted->said_at >= user.again && user.leases.may_say(now, accepted->host))
    user.accept(now, effects);

  if (user.question && now - user.question->said_at >= user.again) user.ask_again(now, effects);
  if (user.home && !user.question && now - user.home_heard_at >= user.home_patience)
    user.ask(now, Why::silent_home, effects);
  if (user.home && now - user.said_at >= user.again) user.say(now, effects);
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
