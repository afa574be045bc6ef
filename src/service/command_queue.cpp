#include "service/command_queue.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

namespace mirab::service {
namespace {

constexpr std::size_t kPart = 64;  // commands of a list that are applied as one: a tenant's turn

/// Joins the answers to the parts of a list. They come in any order, on any thread.
class PartsOfList {
 public:
  PartsOfList(std::size_t parts, std::function<void(live::Answer)> reply)
      : answers_(parts), missing_(parts), reply_(std::move(reply)) {}

  void answer(std::size_t part, live::Answer answer) {
    {
      const std::lock_guard guard(mutex_);
      answers_[part] = std::move(answer);
      if (--missing_ > 0) return;
    }
    reply_(live::answer_of_parts(std::move(answers_)));
  }

 private:
  std::mutex mutex_;
  std::vector<live::Answer> answers_;
  std::size_t missing_;
  std::function<void(live::Answer)> reply_;
};

std::vector<CommandWork> parts_of(CommandWork list) {
  const std::size_t count = (list.commands.size() + kPart - 1) / kPart;
  const auto whole = std::make_shared<PartsOfList>(count, std::move(list.reply));
  std::vector<CommandWork> parts;
  for (std::size_t n = 0; n < count; ++n) {
    const auto begin = list.commands.begin() + static_cast<std::ptrdiff_t>(n * kPart);
    const auto end = n + 1 < count ? begin + kPart : list.commands.end();
    parts.push_back({.commands = {std::make_move_iterator(begin), std::make_move_iterator(end)},
                     .is_list = true,
                     .reply = [whole, n](live::Answer answer) { whole->answer(n, std::move(answer)); }});
  }
  return parts;
}

}  // namespace

std::optional<Full> CommandQueue::push(CommandWork& work, const std::string& tenant, bool is_urgent) {
  {
    const std::lock_guard guard(mutex_);
    if (is_closed_) return Full::all;
    Turns<CommandWork>& turns = is_urgent ? urgent_ : common_;
    if (const auto full = turns.refusal(tenant, work.commands.size())) return full;
    if (work.commands.size() <= kPart) {
      turns.add(work, tenant, work.commands.size());
    } else {
      for (CommandWork& part : parts_of(std::move(work))) turns.add(part, tenant, part.commands.size());
    }
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
