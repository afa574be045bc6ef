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

  /// `description` as describe() gave it. O(selections).
  void server_added(std::uint32_t server, std::uint32_t description);
  void server_removed(std::uint32_t server);

  bool contains(std::uint32_t number, std::uint32_t server) const {
    return sets_[number] == nullptr || sets_[number]->contains(server);
  }

  /// The set to search; nullptr when all may be used. It stays where it is.
  const ServerSet* servers(std::uint32_t number) const { return sets_[number].get(); }

  /// What selections know of a server: its name and labels. Kept once for all servers that share them.
  struct Description {
    std::string name;
    std::map<std::string, std::string> labels;
    friend auto operator<=>(const Description&, const Description&) = default;
  };

  /// O(log descriptions).
  std::uint32_t describe(Description description);
  const Description& description(std::uint32_t number) const { return *descriptions_[number]; }

 private:
  static constexpr std::uint32_t kAbsent = UINT32_MAX;

  std::map<Selection, std::uint32_t> numbers_;
  std::vector<Selection> selections_;
  std::vector<std::unique_ptr<ServerSet>> sets_;
  std::map<Description, std::uint32_t> description_numbers_;
  std::vector<const Description*> descriptions_;  // the keys of description_numbers_
  std::vector<std::uint32_t> present_;            // [server], its description; kAbsent
};

}  // namespace mirab::scheduling
