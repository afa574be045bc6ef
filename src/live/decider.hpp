#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <mirab/model/result.hpp>
#include <mirab/model/time.hpp>
#include <mirab/scheduling/engine.hpp>

#include "live/amounts.hpp"
#include "live/answers.hpp"
#include "live/commands.hpp"
#include "live/records.hpp"

namespace mirab::live {

/// What does not change while a cluster lives, but for the options, which are those of the beginning.
struct Settings {
  Units units{{}};
  scheduling::EngineOptions options = {};  ///< `resources` and `oversized` are set from the units
  std::uint64_t seed = 0;
  std::string cluster_id = {};
  Duration keep_ended = std::chrono::hours(7 * 24);  ///< ended jobs keep their names so long
};

/// `resources` as `mirab serve init` takes them: `cpu:milli`. Errors: no such unit, discipline or placement.
Result<Settings> make_settings(const std::vector<std::string>& resources, std::string_view discipline,
                               std::string_view placement, std::uint64_t seed, std::string cluster_id);

class State;

/// Takes commands, decides, and hands out what is to be made durable. One thread; no clock, no I/O.
///
/// An answer is to be sent when the batch that was taken next, and all before it, are durable: it may show
/// what they hold even where it changes nothing itself.
class Decider {
 public:
  static Result<Decider> from(Settings settings);
  /// From the bytes of snapshot(). Errors: not such bytes, or of another version.
  static Result<Decider> restore(std::string_view bytes);

  Decider(Decider&&) noexcept;
  Decider& operator=(Decider&&) noexcept;
  ~Decider();

  /// Does what a command wants, or says why not. A refused command changes nothing. A time before the last
  /// one counts as the last one.
  Answer apply(const Command& command, Time now, Wall wall);

  /// Takes at most `at_most` steps of the engine, if it may have something to decide; returns how many tasks
  /// were placed. `is_enough`, if given, is asked after each step: true ends it there. The random numbers of
  /// a batch come from mix(cluster seed, its first revision).
  int decide(int at_most, Time now, Wall wall, const std::function<bool()>& is_enough = {});

  /// May decide() place something when it is called again at once? Else after the next command, or at
  /// next_by_time(): Engine::next_by_time().
  bool wants_steps() const;
  std::optional<Time> next_by_time() const;

  /// All since the last one. Empty when nothing happened.
  Batch take_batch();

  /// All up to here is durable: who sent the same job again before gets the first answer, who does so now
  /// gets the job as it is.
  void committed(Revision last);

  /// Applies a batch of the log, as after restore(). Errors name the first line whose outcome differs, or a
  /// hash that does. Afterwards only restore() helps.
  Check replay(const Batch& batch, Replay how = Replay::compared);
  /// The same for a batch whose rows are not in a store yet: it gets its rows and uses.
  Check take_over(Batch& batch, Replay how);

  Revision revision() const;  ///< of the latest record
  Time now() const;           ///< of the latest record or step
  std::string hash() const;   ///< of the latest batch
  const Settings& settings() const;

  /// All of the state. Two that applied the same batches give the same bytes. Requires that no batch is open:
  /// take_batch() first.
  std::string snapshot() const;
  /// For those who know it (live/state.hpp).
  const State& state() const;

  /// For tests and `check`: the first invariant that does not hold; empty when all do.
  std::string broken_invariant() const;

 private:
  struct Open;
  explicit Decider(std::unique_ptr<Open> open);
  std::unique_ptr<Open> open_;
};

/// Do these bytes, of snapshots that can be read, say the same but for the form of the engine's part and how
/// the clocks stood, which snapshots of earlier versions lack? By neither anything is decided.
bool same_state(std::string_view a, std::string_view b);

}  // namespace mirab::live
