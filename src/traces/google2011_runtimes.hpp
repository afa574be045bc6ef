#pragma once

#include "traces/google2011_lives.hpp"
#include "traces/lifetimes.hpp"

/// How long the tasks of the Google trace of 2011 run, where its window shows only a part of it.
namespace mirab::traces::google2011 {

/// How a life lies to the window.
enum class Kind {
  whole,      ///< starts and ends in it
  old,        ///< ran before it and ends in it
  old_open,   ///< ran before it and outlives it
  open,       ///< starts in it and outlives it
  pending,    ///< never starts in it
  withdrawn,  ///< ends without having started
};
Kind kind_of(const Life& life);

/// What all lives together tell of how long a task lives. One that its machine cut short lived at least so
/// long: it counts as one that outlives what was seen of it.
Lifetimes lifetimes_of(const Lives& lives);

/// From its start, or from the beginning of the window, to its end, at least 1 µs: measured where the window
/// shows both, and drawn beyond it (traces/lifetimes.hpp). Requires a life that is not withdrawn.
Duration runtime_of(const Life& life, std::uint64_t window_end, const Lifetimes& lifetimes, Random& random);

}  // namespace mirab::traces::google2011
