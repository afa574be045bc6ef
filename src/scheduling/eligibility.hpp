#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scheduling/server_set.hpp"

namespace mirab::scheduling {

/// Which servers may be used, in the words of a job.
struct Selection {
  std::optional<std::vector<std::string>> servers = {};         ///< by name; else all
  std::map<std::string, std::vector<std::string>> select = {};  ///< by label: any of the values
  std::vector<std::string> except = {};                         ///< by name
  friend bool operator==(const Selection&, const Selection&) = default;
  friend auto operator<=>(const Selection&, const Selection&) = default;

  bool admits(const std::string& name, const std::map<std::string, std::string>& labels) const;
};

/// The servers that each selection in use admits, kept up to date while servers come and go.
class Eligibility {
 public:
  /// Number 0 admits all servers.
  Eligibility() { sets_.push_back(nullptr), selections_.emplace_back(), numbers_.emplace(Selection{}, 0); }

  /// O(log selections); for a new one O(servers).
  std::uint32_t number(const Selection& selection);

  const Selection& selection(std::uint32_t number) const { return selections_[number]; }

  void server_added(std::uint32_t server, const std::string& name,
                    const std::map<std::string, std::string>& labels);
  void server_removed(std::uint32_t server);

  bool contains(std::uint32_t number, std::uint32_t server) const {
    return sets_[number] == nullptr || sets_[number]->contains(server);
  }

  /// The set to search; nullptr when all may be used. It stays where it is.
  const ServerSet* servers(std::uint32_t number) const { return sets_[number].get(); }

 private:
  struct Present {
    std::string name;
    std::map<std::string, std::string> labels;
  };
  std::map<Selection, std::uint32_t> numbers_;
  std::vector<Selection> selections_;
  std::vector<std::unique_ptr<ServerSet>> sets_;
  std::vector<std::optional<Present>> present_;  // [server]
};

}  // namespace mirab::scheduling
