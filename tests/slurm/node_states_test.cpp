// What the states of a node mean for the jobs that wait.
#include "slurm/node_states.hpp"

#include <gtest/gtest.h>
#include <string>

namespace mirab::slurm {
namespace {

TEST(SlurmNodeStates, ANodeInServiceIsOpenAlsoWhenItMustBootFirst) {
  for (const std::string state : {"",
                                  "IDLE",
                                  "MIXED",
                                  "ALLOCATED",
                                  "IDLE+CLOUD",
                                  "IDLE+CLOUD+POWERED_DOWN",
                                  "IDLE+CLOUD+POWER",
                                  "MIXED+CLOUD+POWERING_UP",
                                  "IDLE+POWER_DOWN",
                                  "IDLE+PLANNED",
                                  "IDLE+CLOUD+COMPLETING",
                                  "IDLE+DYNAMIC_NORM",
                                  "IDLE+DYNAMIC_FUTURE",
                                  "IDLE+EXTERNAL",
                                  "IDLE+REBOOT_REQUESTED",
                                  "MIXED#+CLOUD",
                                  "idle",
                                  "alloc",
                                  "allocated+",
                                  "mix",
                                  "comp",
                                  "plnd",
                                  "idle~",
                                  "mixed#",
                                  "idle!",
                                  "mixed@",
                                  "mixed-",
                                  "reboot@"})
    EXPECT_EQ(use_of(state), NodeUse::open) << state;
}

TEST(SlurmNodeStates, ANodeThatTakesNoJobsIsClosedWhateverStandsBesideIt) {
  for (const std::string state : {"DOWN",
                                  "IDLE+DRAIN",
                                  "DRAINED",
                                  "DRAINING",
                                  "FAIL",
                                  "IDLE+FAIL",
                                  "FAILING",
                                  "MAINT",
                                  "IDLE+MAINT",
                                  "IDLE+MAINTENANCE+RESERVED",
                                  "MIXED+CLOUD+MAINTENANCE+RESERVED",
                                  "FUTURE",
                                  "IDLE+FUTURE",
                                  "UNKNOWN*",
                                  "ERROR",
                                  "INVAL",
                                  "MIXED+INVALID_REG",
                                  "IDLE+REBOOT_ISSUED",
                                  "IDLE+CLOUD+POWERING_DOWN",
                                  "IDLE+POWER_DRAIN",
                                  "IDLE+CLOUD+DYNAMIC_NORM+NOT_RESPONDING+POWERING_UP",
                                  "drain",
                                  "drng",
                                  "failg",
                                  "maint",
                                  "futr",
                                  "unk",
                                  "inval",
                                  "down"})
    EXPECT_EQ(use_of(state), NodeUse::closed) << state;
}

TEST(SlurmNodeStates, ASuffixIsCutOffAndCountsItself) {
  for (const char suffix : std::string("*~#!%$@^-")) {
    for (const std::string base : {"DOWN", "DRAINED", "drained", "DRAINING", "MAINT", "FAIL"}) {
      EXPECT_EQ(use_of(base + suffix), NodeUse::closed) << base << suffix;
      EXPECT_EQ(use_of(base + suffix + "+CLOUD"), NodeUse::closed) << base << suffix;
    }
    const bool is_closed = std::string("*$%^").find(suffix) != std::string::npos;
    for (const std::string base : {"IDLE", "mixed", "ALLOCATED"})
      EXPECT_EQ(use_of(base + suffix), is_closed ? NodeUse::closed : NodeUse::open) << base << suffix;
  }
}

TEST(SlurmNodeStates, WhatIsReservedOrNotNamedByTheManualIsToldApart) {
  for (const std::string state :
       {"RESERVED", "IDLE+RESERVED", "resv", "MIXED+BLOCKED", "IDLE+PERFCTRS", "npc"})
    EXPECT_EQ(use_of(state), NodeUse::set_aside) << state;
  EXPECT_EQ(use_of("IDLE+HIBERNATING"), NodeUse::unnamed);
  EXPECT_EQ(use_of("DOWN+HIBERNATING"), NodeUse::closed);
}

}  // namespace
}  // namespace mirab::slurm
