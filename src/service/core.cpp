// The core of a pipeline: commands in, decisions, batches out.
#include <algorithm>

#include "service/threads.hpp"

namespace mirab::service {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kLongestWait{1000};  // so often the core shows that it is alive

/// Only a new start helps, so it names no time.
live::Answer differs_answer() {
  live::Answer answer = busy_answer("the two engines differ, so that nothing is changed until a new start");
  answer.retry_after_s.clear();
  return answer;
}

}  // namespace

std::int64_t steady_ms() {
  return std::chrono::duration_cast<milliseconds>(Steady::now().time_since_epoch()).count();
}

EngineClock::EngineClock(Time last, live::Wall last_wall) : at_start_(boot_time()) {
  auto gap = std::chrono::nanoseconds(0);
  if (last_wall.time_since_epoch().count() > 0) {
    gap = std::clamp<std::chrono::nanoseconds>(wall_now() - last_wall, std::chrono::nanoseconds(0),
                                               std::chrono::hours(24));
  }
  start_ = last + gap;
}

live::Moment EngineClock::now() const {
  return {.now = start_ + (boot_time() - at_start_), .wall = wall_now()};
}

Core::Core(Shared& shared, CommandQueue& commands, Writer& writer, live::Decider decider,
           std::uint64_t last_snapshot)
    : shared_(shared),
      commands_(commands),
      writer_(writer),
      decider_(std::move(decider)),
      last_snapshot_(last_snapshot) {
  shared_.figures.core_alive_ms = shared_.figures.reader_alive_ms = steady_ms();
}

live::Answer Core::apply(CommandWork& work, const live::Moment& moment) {
  std::vector<live::Answer> answers;
  answers.reserve(work.commands.size());
  for (const auto& command : work.commands) {
    const auto* problem = std::get_if<live::Problem>(&command);
    answers.push_back(problem != nullptr
                          ? live::answer_of(*problem, decider_.revision())
                          : decider_.apply(std::get<live::Command>(command), moment.now, moment.wall));
  }
  return work.is_list ? live::answer_of_submits(std::move(answers)) : std::move(answers.front());
}

/// What is durable waits in memory until the reader has applied it: commands wait rather than that.
void Core::wait_for_reader() {
  PipelineFigures& figures = shared_.figures;
  while (decider_.revision() > figures.reader_revision.load() + shared_.options.most_behind &&
         !shared_.differs.load() && !writer_.is_stuck() && !commands_.is_closed()) {
    figures.core_alive_ms = steady_ms();
    std::this_thread::sleep_for(milliseconds(1));
  }
}

/// How long to wait for commands when time alone may bring a decision then.
milliseconds Core::until(std::optional<Time> due) const {
  if (!due) return kLongestWait;
  const Duration left = *due - std::min(*due, shared_.clock.now().now);
  return std::min(kLongestWait, std::chrono::ceil<milliseconds>(left));
}

void Core::run() {
  while (true) {
    shared_.figures.core_alive_ms = steady_ms();
    wait_for_reader();
    const auto wait = decider_.wants_steps() ? milliseconds(0) : until(decider_.next_by_time());
    std::vector<CommandWork> taken = commands_.take(shared_.options.commands_of_batch, wait);
    if (shared_.differs.load()) {
      for (const CommandWork& work : taken) work.reply(differs_answer());
      if (commands_.is_closed() && taken.empty()) break;
      if (taken.empty()) std::this_thread::sleep_for(milliseconds(10));
      continue;
    }
    const bool is_ending = commands_.is_closed() && taken.empty();
    decider_.committed(shared_.figures.durable_revision.load());
    const live::Moment moment = shared_.clock.now();
    Group group;
    group.answers.reserve(taken.size());
    for (CommandWork& work : taken) {
      live::Answer answer = apply(work, moment);
      group.answers.emplace_back(std::move(work.reply), std::move(answer));
    }
    if ((decider_.wants_steps() || !taken.empty() || wait < kLongestWait) &&
        (commands_.size() == 0 || Steady::now() >= decides_at_)) {
      const auto enough_at = Steady::now() + shared_.options.decides_of_batch;
      shared_.figures.placed += static_cast<std::uint64_t>(
          decider_.decide(shared_.options.steps_of_batch, moment.now, moment.wall,
                          [&] { return Steady::now() >= enough_at && commands_.size() > 0; }));
      decides_at_ = Steady::now() + shared_.options.applies_alone;
    }
    group.batch = decider_.take_batch();
    const std::uint64_t revision = decider_.revision();
    if (wants_snapshot(revision, is_ending)) {
      group.snapshot = std::make_shared<const std::string>(decider_.snapshot());
      last_snapshot_ = revision;
      last_snapshot_time_ = Steady::now();
    }
    shared_.figures.core_revision = revision;
    if (!group.batch.empty() || !group.answers.empty() || group.snapshot != nullptr)
      hand_over(std::move(group));
    if (is_ending) break;
  }
  writer_.end();
}

bool Core::wants_snapshot(std::uint64_t revision, bool is_last) const {
  if (shared_.differs.load() || revision == last_snapshot_) return false;
  return is_last || revision - last_snapshot_ >= shared_.options.snapshot_revisions ||
         Steady::now() - last_snapshot_time_ >= shared_.options.snapshot_time;
}

void Core::hand_over(Group group) {
  while (!writer_.offer(group, milliseconds(100))) {
    shared_.figures.core_alive_ms = steady_ms();
    if (!writer_.is_stuck()) continue;
    Writer::refuse(group);
    refuse_commands();
  }
}

/// While the disk is full for long: commands are refused before anything is done for them.
void Core::refuse_commands() {
  while (true) {
    const std::vector<CommandWork> taken = commands_.take(shared_.options.commands_of_batch, milliseconds(0));
    if (taken.empty()) return;
    for (const CommandWork& work : taken) work.reply(busy_answer("the disk is full"));
  }
}

}  // namespace mirab::service
