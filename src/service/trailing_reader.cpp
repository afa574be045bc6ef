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

std::shared_ptr<const live::Reader> TrailingReader::give_up_unused(Clock::time_point now) {
  const std::lock_guard guard(mutex_);
  if (reader_ == nullptr) return nullptr;  // it is not there, or it follows
  if (missing_bytes_ <= kMostMissingBytes && now - asked_ < kUnused) return nullptr;
  is_there_ = false;
  missing_ = {};
  return std::move(reader_);
}

std::shared_ptr<const live::Reader> TrailingReader::get(const Further& further) {
  const std::lock_guard follows(following_);
  std::shared_ptr<live::Reader> reader;
  std::vector<live::Batch> missing;
  {
    const std::lock_guard guard(mutex_);
    asked_ = Clock::now();
    if (!is_there_ || (missing_.empty() && !further)) return reader_;
    reader = std::move(reader_);
    missing.swap(missing_);
    missing_bytes_ = 0;
  }
  const auto keep = [&](const std::shared_ptr<live::Reader>& followed) {
    const std::lock_guard guard(mutex_);
    reader_ = followed;
    is_there_ = followed != nullptr;
    if (!is_there_) missing_ = {};
  };
  try {
    reader = followed(std::move(reader), missing, further);
  } catch (...) {
    keep(nullptr);
    throw;
  }
  keep(reader);
  return reader;
}

std::shared_ptr<live::Reader> TrailingReader::followed(std::shared_ptr<live::Reader> reader,
                                                       const std::vector<live::Batch>& missing,
                                                       const Further& further) {
  // Others may still read the state as it was: then they keep it, and a copy goes on.
  if (reader.use_count() > 1) reader = std::make_shared<live::Reader>(reader->copy());
  std::atomic_thread_fence(std::memory_order_acquire);  // what the last of them read was read before
  for (const live::Batch& batch : missing) {
    const bool is_known = batch.last <= reader->revision();  // from `further` of an earlier call
    if (!is_known && !reader->apply(batch)) return nullptr;
  }
  return !further || further(*reader) ? reader : nullptr;
}

}  // namespace mirab::service
