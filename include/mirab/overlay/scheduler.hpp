#pragma once

#include <span>
#include <string_view>

#include <mirab/model/result.hpp>
#include <mirab/overlay/options.hpp>

namespace mirab::overlay {

/// All schedulers, in the order of the thesis.
std::span<const SchedulerRow> schedulers();

const SchedulerRow& row_of(Scheduler scheduler);

/// By name. Errors: an unknown name, with the nearest ones.
Result<Scheduler> find_scheduler(std::string_view name);

}  // namespace mirab::overlay
