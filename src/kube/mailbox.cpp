#include "kube/mailbox.hpp"

#include <utility>

namespace mirab::kube {
namespace {

/// What the object is called here; empty for news that replace none.
std::string key_of(const News& news) {
  if (const auto* node = std::get_if<kubernetes::NodeRow>(&news)) return "n" + node->name;
  if (const auto* gone = std::get_if<GoneNode>(&news)) return "n" + gone->name;
  if (const auto* pod = std::get_if<kubernetes::SeenPod>(&news)) return "p" + pod->uid;
  if (const auto* gone = std::get_if<GonePod>(&news)) return "p" + gone->uid;
  if (const auto* space = std::get_if<kubernetes::SeenSpace>(&news)) return "s" + space->name;
  if (const auto* gone = std::get_if<GoneSpace>(&news)) return "s" + gone->name;
  if (const auto* budget = std::get_if<kubernetes::Budget>(&news))
    return "b" + budget->space + "/" + budget->name;
  if (const auto* gone = std::get_if<GoneBudget>(&news)) return "b" + gone->space + "/" + gone->name;
  return {};
}

}  // namespace

void Mailbox::put(News news) {
  {
    const std::lock_guard lock(mutex_);
    // Nothing is moved over the begin or end of a list.
    if (std::holds_alternative<ListMark>(news)) latest_.clear();
    const std::string key = key_of(news);
    const auto [known, is_new] =
        key.empty() ? std::pair(latest_.end(), true) : latest_.try_emplace(key, news_.size());
    if (is_new) {
      news_.push_back(std::move(news));
    } else {
      news_[known->second] = std::move(news);
    }
  }
  there_.notify_one();
}

std::vector<News> Mailbox::take(std::chrono::steady_clock::time_point until) {
  std::unique_lock lock(mutex_);
  there_.wait_until(lock, until, [&] { return is_woken_ || !news_.empty(); });
  is_woken_ = false;
  latest_.clear();
  return std::exchange(news_, {});
}

void Mailbox::wake() {
  {
    const std::lock_guard lock(mutex_);
    is_woken_ = true;
  }
  there_.notify_one();
}

}  // namespace mirab::kube
