#include "service/refusals.hpp"

#include <fmt/format.h>
#include <string>
#include <utility>

#include "service/metrics.hpp"

namespace mirab::service {

bool Refusals::may_say(int status) {
  const std::lock_guard guard(mutex_);
  if (said_ < kSaid) {
    ++said_;
    return true;
  }
  ++not_said_[status];
  return false;
}

void Refusals::say(const live::Json& fields) { journal("warning", "refused", fields); }

void Refusals::turn() {
  std::map<int, std::uint64_t> not_said;
  {
    const std::lock_guard guard(mutex_);
    said_ = 0;
    not_said.swap(not_said_);
  }
  if (not_said.empty()) return;
  std::uint64_t all = 0;
  live::Json of = live::Json::object();
  for (const auto& [status, count] : not_said) {
    all += count;
    of[std::to_string(status)] = count;
  }
  say({{"why", fmt::format("and {} more in the last second", all)}, {"more", all}, {"statuses", of}});
}

}  // namespace mirab::service
