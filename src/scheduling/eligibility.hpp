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
  /// What selections know of a server: its name and labels.
  struct Description {
    std::string name;
    std::map<std::string, std::string> labels;
    friend auto operator<=>(const Description&, const Description&) = default;
  };

  /// Number 0 admits all servers.
  Eligibility();

  /// The number of the selection, held once more; it means nothing else while somebody holds it. O(log
  /// selections); for a new one O(servers).
  std::uint32_t hold(const Selection& selection);
  void release(std::uint32_t number);

  const Selection& selection(std::uint32_t number) const { return rows_[number].selection; }

  /// How many selections came before it: tells it from earlier ones with the same number.
  std::uint64_t sequence(std::uint32_t number) const { return rows_[number].sequence; }

  /// O(selections + log descriptions).
  void server_added(std::uint32_t server, const Description& description);
  void server_removed(std::uint32_t server);
  const Description& description_of(std::uint32_t server) const {
    return *descriptions_[present_[server]].description;
  }

  /// The number of that description: servers that share it share its number, which is given again when the
  /// last one is gone.
  std::uint32_t description_number(std::uint32_t server) const { return present_[server]; }

  bool contains(std::uint32_t number, std::uint32_t server) const {
    return number == kAll || rows_[number].servers->contains(server);
  }

  /// The set to search; nullptr when all may be used. It stays where it is.
  const ServerSet* servers(std::uint32_t number) const { return rows_[number].servers.get(); }

 private:
  static constexpr std::uint32_t kAll = 0;
  static constexpr std::uint32_t kAbsent = UINT32_MAX;

  struct Row {
    Selection selection = {};
    std::unique_ptr<ServerSet> servers = {};  // none for all
    std::uint64_t holders = 0;
    std::uint64_t sequence = 0;
  };
  struct Described {
    const Description* description = nullptr;  // the key of description_numbers_
    std::uint64_t servers = 0;                 // that share it
  };

  std::vector<Row> rows_;
  std::map<Selection, std::uint32_t> numbers_;
  std::vector<std::uint32_t> vacant_;
  std::uint64_t selections_before_ = 1;
  std::map<Description, std::uint32_t> description_numbers_;
  std::vector<Described> descriptions_;
  std::vector<std::uint32_t> vacant_descriptions_;
  std::vector<std::uint32_t> present_;  // [server], its description; kAbsent
};

}  // namespace mirab::scheduling
