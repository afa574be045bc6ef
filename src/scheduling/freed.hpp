#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace mirab::scheduling {

/// The servers on which something was freed since the shapes that are set aside were last tried there.
class Freed {
 public:
  void add(std::uint32_t server) {
    if (server >= is_freed_.size()) is_freed_.resize(server + 1, false);
    if (is_freed_[server]) return;
    is_freed_[server] = true;
    servers_.push_back(server);
  }

  bool contains(std::uint32_t server) const { return server < is_freed_.size() && is_freed_[server]; }
  bool empty() const { return servers_.empty(); }
  std::size_t size() const { return servers_.size(); }
  std::uint32_t operator[](std::size_t index) const { return servers_[index]; }

  /// The last one takes its index. O(1).
  void drop(std::size_t index) {
    is_freed_[servers_[index]] = false;
    servers_[index] = servers_.back();
    servers_.pop_back();
  }

  /// The server is gone. O(size).
  void forget(std::uint32_t server) {
    const auto at = std::find(servers_.begin(), servers_.end(), server);
    if (at != servers_.end()) drop(static_cast<std::size_t>(at - servers_.begin()));
  }

 private:
  std::vector<std::uint32_t> servers_;
  std::vector<bool> is_freed_;  // [server]
};

}  // namespace mirab::scheduling
