// A copy of the reader's state for long questions. It follows the log on the threads that ask it: the reader
// copies its state once, and not for each question.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "live/reader.hpp"

namespace mirab::service {

class TrailingReader {
 public:
  using Clock = std::chrono::steady_clock;

  // Of the reader's thread.

  /// A question will ask soon: copies the reader when there is no copy. O(everything) then.
  void want(const live::Reader& reader);
  /// What the reader has applied.
  void add(live::Batch batch);
  /// Gives up the copy when nobody has asked it for a minute, or when what it lacks is large. The caller
  /// destroys it: O(everything). Null: it stays, or there is none.
  std::shared_ptr<const live::Reader> give_up_unused(Clock::time_point now);

  // Of any thread.

  /// Applies more to the state that it is given; false when that failed, and the state is of no use.
  using Further = std::function<bool(live::Reader&)>;

  /// The state with all that was added before the call, and then with `further`, if given; others may ask it
  /// at the same time. Null: there is no copy, or it could not follow.
  std::shared_ptr<const live::Reader> get(const Further& further = {});

 private:
  static std::shared_ptr<live::Reader> followed(std::shared_ptr<live::Reader> reader,
                                                const std::vector<live::Batch>& missing,
                                                const Further& further);

  std::mutex following_;                  ///< one thread at a time applies
  std::mutex mutex_;                      ///< of what is below
  std::shared_ptr<live::Reader> reader_;  ///< null while it follows
  bool is_there_ = false;
  std::vector<live::Batch> missing_;
  std::size_t missing_bytes_ = 0;
  Clock::time_point asked_{};
};

}  // namespace mirab::service
