#include "service/command_queue.hpp"

namespace mirab::service {

std::optional<Full> CommandQueue::push(CommandWork& work, const std::string& tenant, bool is_urgent) {
  {
    const std::lock_guard guard(mutex_);
    if (is_closed_) return Full::all;
    const std::size_t count = work.commands.size();
    if (const auto full = (is_urgent ? urgent_ : common_).push(work, tenant, count)) return full;
  }
  wakes_.notify_one();
  return std::nullopt;
}

std::vector<CommandWork> CommandQueue::take(std::size_t most, std::chrono::milliseconds wait) {
  std::vector<CommandWork> taken;
  std::unique_lock lock(mutex_);
  wakes_.wait_for(lock, wait, [&] { return is_closed_ || !urgent_.is_empty() || !common_.is_empty(); });
  std::size_t count = urgent_.take(most - most / 4, taken);
  if (count < most) count += common_.take(most - count, taken);
  if (count < most) urgent_.take(most - count, taken);
  return taken;
}

void CommandQueue::close() {
  {
    const std::lock_guard guard(mutex_);
    is_closed_ = true;
  }
  wakes_.notify_all();
}

bool CommandQueue::is_closed() {
  const std::lock_guard guard(mutex_);
  return is_closed_;
}

std::size_t CommandQueue::size() {
  const std::lock_guard guard(mutex_);
  return urgent_.size() + common_.size();
}

}  // namespace mirab::service
