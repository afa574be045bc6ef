// A file as it was at a revision or a moment: from a backup, and the archive that goes on after it
// (archive.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <mirab/model/result.hpp>

#include "live/records.hpp"

namespace mirab::service {

struct RestoreOptions {
  std::string file;                            ///< to be made
  std::string backup = {};                     ///< empty: the newest base of the archive that fits
  std::string archive = {};                    ///< its folder; empty: the backup as it is
  std::optional<std::uint64_t> revision = {};  ///< the last one that may be in the file
  std::optional<live::Wall> time = {};         ///< nothing that was decided later
};

struct Restored {
  std::uint64_t revision = 0;
  live::Wall wall{};          ///< of its last batch
  std::uint64_t batches = 0;  ///< taken from the archive
  std::vector<std::string> notes = {};
};

/// Makes the file: whole, checked and replayed, or not at all; never over another. A batch became durable at
/// once, and so is restored whole or not. Errors name the file of the archive and the revision: damage, a
/// gap, another cluster, another history, an outcome that differs, a target before the backup or beyond the
/// archive.
Result<Restored> restore_file(const RestoreOptions& options);

}  // namespace mirab::service
