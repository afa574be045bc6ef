#include "service/command_queue.hpp"

#include <algorithm>

namespace mirab::service {
namespace {

constexpr std::size_t kQuantum = 64;  // commands of a tenant in its turn

}  // namespace

bool CommandQueue::push(CommandWork work, const std::string& tenant, bool is_urgent) {
  {
    const std::lock_guard guard(mutex_);
    const std::size_t count = work.commands.size();
    if (is_closed_) return false;
    if (is_urgent) {
      if (urgent_.size() >= 8 * most_) return false;
      urgent_.push_back(std::move(work));
    } else {
      if (waiting_ > 0 && waiting_ + count > most_) return false;
      Line& line = lines_[tenant];
      // No tenant fills the queue alone: half of it stays for the others.
      if (!tenant.empty() && line.waiting > 0 && line.waiting + count > most_ / 2) return false;
      line.waiting += count;
      if (line.works.empty()) turn_.push_back(tenant);
      line.works.push_back(std::move(work));
      waiting_ += count;
    }
  }
  wakes_.notify_one();
  return true;
}

std::vector<CommandWork> CommandQueue::take(std::size_t most, std::chrono::milliseconds wait) {
  std::vector<CommandWork> taken;
  std::unique_lock lock(mutex_);
  wakes_.wait_for(lock, wait, [&] { return is_closed_ || !urgent_.empty() || waiting_ > 0; });
  std::size_t count = 0;
  while (!urgent_.empty() && count < most) {
    taken.push_back(std::move(urgent_.front()));
    urgent_.pop_front();
    ++count;
  }
  while (!turn_.empty() && count < most) {
    const std::string tenant = std::move(turn_.front());
    turn_.pop_front();
    Line& line = lines_[tenant];
    line.credit += kQuantum;
    while (!line.works.empty() && count < most) {
      const std::size_t size = std::max<std::size_t>(1, line.works.front().commands.size());
      if (size > line.credit) break;
      line.credit -= size;
      count += size;
      line.waiting -= line.works.front().commands.size();
      waiting_ -= line.works.front().commands.size();
      taken.push_back(std::move(line.works.front()));
      line.works.pop_front();
    }
    if (line.works.empty()) {
      lines_.erase(tenant);
    } else {
      turn_.push_back(tenant);
    }
  }
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
  return waiting_ + urgent_.size();
}

}  // namespace mirab::service
