// What the threads of the network tell the one that decides: of every object only the latest state, so that
// memory is bounded by the number of objects, and the threads that read the network never wait.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "kubernetes/scheduler/scheduler.hpp"

namespace mirab::kube {

/// A list begins or ends.
enum class ListMark {
  nodes_begin,
  nodes_end,
  pods_begin,
  pods_end,
  spaces_begin,
  spaces_end,
  budgets_begin,
  budgets_end
};

struct GoneNode {
  std::string name;
};
struct GonePod {
  std::string uid;
  bool was_rejected = false;  ///< by the kubelet of its node
};
struct GoneSpace {
  std::string name;
};
struct GoneBudget {
  std::string space;
  std::string name;
};
/// An object that cannot be used, and why.
struct Unreadable {
  std::string what;
};

using News =
    std::variant<ListMark, kubernetes::NodeRow, GoneNode, kubernetes::SeenPod, GonePod, kubernetes::SeenSpace,
                 GoneSpace, kubernetes::Budget, GoneBudget, Unreadable, kubernetes::Reply>;

class Mailbox {
 public:
  void put(News news);

  /// All since the last time, in their order, once there is any, or when it is time, or after wake().
  std::vector<News> take(std::chrono::steady_clock::time_point until);
  void wake();

 private:
  std::mutex mutex_;
  std::condition_variable there_;
  std::vector<News> news_ = {};
  std::unordered_map<std::string, std::size_t> latest_ = {};  // of an object: its place in news_
  bool is_woken_ = false;
};

}  // namespace mirab::kube
