// What a request is answered for which there is no room: in what its tenant may have of it, or in all of it.
#pragma once

#include <fmt/format.h>
#include <string>
#include <string_view>

#include "live/answers.hpp"
#include "service/pipeline.hpp"

namespace mirab::service {

/// Where there is no room.
enum class Full { tenant, all };

/// 429 or 503; `what` waits or is under way, in words: "commands that wait". Each is over in a moment, so
/// that a second is a good time to wait.
inline live::Answer full_answer(Full full, std::string_view what) {
  if (full == Full::all) return busy_answer(fmt::format("there are too many {}", what));
  live::Answer answer = live::answer_of(
      live::too_many("room",
                     fmt::format("this tenant has too many {}: send again when there are fewer", what)),
      0);
  answer.retry_after_s = "1";
  return answer;
}

}  // namespace mirab::service
