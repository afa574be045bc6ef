#include "service/trailing_reader.hpp"

#include <atomic>
#include <utility>

namespace mirab::service {
namespace {

constexpr std::size_t kMostMissingBytes = std::size_t{16} << 20U;
constexpr auto kUnused = std::chrono::minutes(1);

}  // namespace

void TrailingReader::want(const live::Reader& reader) {
  const std::lock_guard guard(mutex_);
  asked_ = Clock::now();
  if (is_there_) return;
  reader_ = std::make_shared<live::Reader>(reader.copy());
  missing_.clear();
  missing_bytes_ = 0;
  is_there_ = true;
}

void TrailingReader::add(live::Batch batch) {
  const std::lock_guard guard(mutex_);
  if (!is_there_) return;
  missing_bytes_ += batch.body.size();
  missing_.push_back(std::move(batch));
}

void TrailingReader::forget_unused(Clock::time_point now) {
  const std::lock_guard guard(mutex_);
  if (reader_ == nullptr) return;  // it is not there, or it follows
  if (missing_bytes_ <= kMostMissingBytes && now - asked_ < kUnused) return;
  is_there_ = false;
  reader_.reset();
  missing_ = {};
}

std::shared_ptr<const live::Reader> TrailingReader::get() {
  const std::lock_guard follows(following_);
  std::shared_ptr<live::Reader> reader;
  std::vector<live::Batch> missing;
  {
    const std::lock_guard guard(mutex_);
    asked_ = Clock::now();
    if (!is_there_ || missing_.empty()) return reader_;
    reader = std::move(reader_);
    missing.swap(missing_);
    missing_bytes_ = 0;
  }
  // Others may still read the state as it was: then they keep it, and a copy goes on.
  if (reader.use_count() > 1) reader = std::make_shared<live::Reader>(reader->copy());
  std::atomic_thread_fence(std::memory_order_acquire);  // what the last of them read was read before
  bool follows_on = true;
  for (const live::Batch& batch : missing) follows_on = follows_on && reader->apply(batch);
  const std::lock_guard guard(mutex_);
  is_there_ = follows_on;
  if (follows_on) reader_ = reader;
  return reader_;
}

}  // namespace mirab::service
