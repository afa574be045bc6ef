// A disk in memory for SQLite that can lose its power. It remembers every write, truncation and sync; any
// moment of that history can be made the moment of a power loss: what was synced is kept, of each later write
// the test keeps all, nothing, some sectors, or garbage.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <mirab/model/random.hpp>

namespace mirab::service {

class PowerLossDisk {
 public:
  /// Registers a file system of this name at SQLite.
  explicit PowerLossDisk(const std::string& name);
  ~PowerLossDisk();
  PowerLossDisk(const PowerLossDisk&) = delete;
  PowerLossDisk& operator=(const PowerLossDisk&) = delete;

  const std::string& name() const;

  /// Notes something in the history, such as an acknowledged batch.
  void note(std::uint64_t what);
  std::size_t history_size() const;

  /// The files after a power loss when `moment` entries of the history had happened; notes up to then in
  /// `noted`.
  std::map<std::string, std::string> after_power_loss(std::size_t moment, Random& random,
                                                      std::vector<std::uint64_t>& noted) const;
  /// The files as they are when a process dies and the machine goes on.
  std::map<std::string, std::string> files() const;
  /// Replaces all files, and forgets the history.
  void set_files(std::map<std::string, std::string> files);

  /// From the n-th call on (counted from now), every call of these kinds fails; 0: none.
  void fail_from(std::uint64_t n);
  /// The same, once.
  void fail_at(std::uint64_t n);
  std::uint64_t calls() const;
  bool has_failed() const;

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace mirab::service
