// What the states of a node mean for the jobs that wait. docs/how-to/import-slurm.md has the same table.
//
// Source: NODE STATE CODES in the manual page of sinfo, with what Slurm's controller takes out of the nodes
// that it may allocate (it lets a node that is powered down boot for a job, but not one that is powering
// down).
#include "slurm/node_states.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "model/names.hpp"
#include "slurm/records.hpp"

namespace mirab::slurm {
namespace {

// The words of scontrol and of sinfo, which shortens some.
constexpr auto kOpen = std::to_array<std::string_view>({"idle",
                                                        "allocated",
                                                        "alloc",
                                                        "mixed",
                                                        "mix",
                                                        "completing",
                                                        "comp",
                                                        "planned",
                                                        "plnd",
                                                        "cloud",
                                                        "external",
                                                        "dynamic",
                                                        "dynamic_norm",
                                                        "dynamic_future",
                                                        "power",
                                                        "power_up",
                                                        "pow_up",
                                                        "powering_up",
                                                        "powered_down",
                                                        "power_down",
                                                        "pow_dn",
                                                        "reboot",
                                                        "boot",
                                                        "reboot_requested",
                                                        "reboot_canceled",
                                                        "cancel_reboot",
                                                        "resume",
                                                        "undrain"});
constexpr auto kSetAside =
    std::to_array<std::string_view>({"reserved", "resv", "res", "blocked", "block", "perfctrs", "npc"});
constexpr auto kClosed = std::to_array<std::string_view>(
    {"down",        "drain",          "drained",     "draining",      "drng",          "fail",    "failing",
     "failg",       "error",          "maint",       "maintenance",   "future",        "futr",    "inval",
     "invalid_reg", "not_responding", "power_drain", "powering_down", "reboot_issued", "unknown", "unk"});

// Not responding, in a reservation for maintenance, powering down, rebooting.
constexpr std::string_view kClosedSuffixes = "*$%^";
// Powered down, powering up, to be powered down, to be rebooted, planned for a job.
constexpr std::string_view kOpenSuffixes = "~#!@-";

NodeUse use_of_word(std::string_view word) {
  NodeUse use = NodeUse::open;
  for (; !word.empty(); word.remove_suffix(1)) {
    if (kClosedSuffixes.find(word.back()) != std::string_view::npos)
      use = NodeUse::closed;
    else if (kOpenSuffixes.find(word.back()) == std::string_view::npos)
      break;
  }
  if (word.empty()) return use;
  if (is_one_of(word, kClosed)) return NodeUse::closed;
  if (is_one_of(word, kSetAside)) return std::max(use, NodeUse::set_aside);
  return is_one_of(word, kOpen) ? use : std::max(use, NodeUse::unnamed);
}

}  // namespace

NodeUse use_of(std::string_view state) {
  NodeUse use = NodeUse::open;
  const std::string words = lower_case(trimmed(state));
  for (const std::string_view word : split(words, '+')) use = std::max(use, use_of_word(trimmed(word)));
  return use;
}

}  // namespace mirab::slurm
