#pragma once

#include <cstddef>
#include <functional>

#include <mirab/simulation/progress.hpp>

namespace mirab::simulation {

/// Calls task(0) … task(count - 1) once each, on at most `threads` threads (≥ 1; this one among them), on
/// fewer where the system has no more. Nothing depends on their number when a task writes only to what is its
/// own and draws only from streams of its index. Tasks are begun in their order: let the long ones come
/// first. A task must not throw.
void sweep(std::size_t count, int threads, const std::function<void(std::size_t task)>& task,
           const Progress& progress = {});

}  // namespace mirab::simulation
