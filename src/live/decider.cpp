// The decider: a state, and the batch that is open.
#include "live/decider.hpp"

#include <utility>

#include <mirab/model/assert.hpp>

#include "live/state.hpp"

namespace mirab::live {

struct Decider::Open {
  State state;
  std::string hash;
  Batch batch = {};
  Time clock = {};

  void take(Record record) {
    if (batch.body.empty()) batch.first = record.stamp.revision;
    batch.last = record.stamp.revision;
    batch.wall = record.stamp.wall;
    batch.body += json_of(std::move(record)).dump();
    batch.body += '\n';
  }
  Stamp next(Time now, Wall wall) {
    clock = std::max(clock, now);
    return {.revision = state.last.revision + 1, .now = clock, .wall = wall};
  }
};

Decider::Decider(std::unique_ptr<Open> open) : open_(std::move(open)) {}
Decider::Decider(Decider&&) noexcept = default;
Decider& Decider::operator=(Decider&&) noexcept = default;
Decider::~Decider() = default;

Result<Decider> Decider::from(Settings settings) {
  std::string hash = first_hash(settings.cluster_id);
  Result<State> state = State::from(std::move(settings));
  if (!state) return state.error();
  return Decider(std::make_unique<Open>(Open{.state = *std::move(state), .hash = std::move(hash)}));
}

Result<Decider> Decider::restore(std::string_view bytes) {
  Result<Whole> whole = read_whole(bytes);
  if (!whole) return whole.error();
  const Time clock = whole->state.last.now;
  return Decider(std::make_unique<Open>(
      Open{.state = std::move(whole->state), .hash = std::move(whole->hash), .clock = clock}));
}

std::string Decider::snapshot() const {
  MIRAB_ASSERT(open_->batch.empty(), "a snapshot while a batch is open");
  return write_whole(open_->state, open_->hash);
}

const State& Decider::state() const { return open_->state; }

Answer Decider::apply(const Command& command, Time now, Wall wall) {
  Decided decided = open_->state.apply(command, open_->next(now, wall));
  if (decided.record) open_->take(*std::move(decided.record));
  return std::move(decided.answer);
}

int Decider::decide(int at_most_steps, Time now, Wall wall, const std::function<bool()>& is_enough) {
  const std::optional<Time> due = wants_steps() ? now : next_by_time();
  if (!due || *due > now) return 0;
  const Stamp stamp = open_->next(now, wall);
  const std::uint64_t seed = open_->batch.empty() ? stamp.revision : open_->batch.first;
  return open_->state.step(at_most_steps, stamp, seed, is_enough,
                           [&](Record record) { open_->take(std::move(record)); });
}

bool Decider::wants_steps() const { return open_->state.wants_steps; }

std::optional<Time> Decider::next_by_time() const { return open_->state.engine.next_by_time(); }

Batch Decider::take_batch() {
  Batch batch = std::exchange(open_->batch, {});
  if (batch.empty()) {
    batch.first = open_->state.last.revision + 1;
    batch.last = open_->state.last.revision;
    batch.hash = open_->hash;
    return batch;
  }
  open_->hash = chain_hash(open_->hash, batch.body);
  batch.hash = open_->hash;
  batch.rows = open_->state.take_rows();
  batch.uses = open_->state.take_uses();
  return batch;
}

void Decider::committed(Revision last) { open_->state.committed = std::max(open_->state.committed, last); }

Check Decider::replay(const Batch& batch, Replay how) {
  Check bad = replay_on(open_->state, open_->hash, batch, how);
  open_->clock = std::max(open_->clock, open_->state.last.now);
  open_->state.committed = open_->state.last.revision;
  open_->state.forget_rows();
  return bad;
}

Check Decider::take_over(Batch& batch, Replay how) {
  if (Check bad = replay_on(open_->state, open_->hash, batch, how)) return bad;
  open_->clock = std::max(open_->clock, open_->state.last.now);
  open_->state.committed = open_->state.last.revision;
  batch.rows = open_->state.take_rows();
  batch.uses = open_->state.take_uses();
  return {};
}

Revision Decider::revision() const { return open_->state.last.revision; }
Time Decider::now() const { return open_->clock; }
std::string Decider::hash() const { return open_->hash; }
const Settings& Decider::settings() const { return open_->state.settings; }
std::string Decider::broken_invariant() const { return open_->state.broken_invariant(); }

}  // namespace mirab::live
