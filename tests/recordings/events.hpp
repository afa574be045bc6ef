#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <mirab/scheduling/event_log.hpp>

#include "recordings/cases.hpp"
#include "recordings/draws.hpp"

namespace mirab::recordings {

/// Random events of a mix, a few of which an engine refuses. It learns from what came of them, so that later
/// ones name servers, users, jobs and tasks that are there.
class Events {
 public:
  Events(const Mix& mix, std::size_t resources, Draws& draws)
      : mix_(mix), resources_(resources), draws_(draws) {}

  /// The servers and users at the start.
  std::vector<scheduling::Event> opening();

  /// Time goes on, or not, and something happens.
  scheduling::LogEntry next();

  void learn(const scheduling::Event& event, const scheduling::Outcome& outcome);
  void learn(const scheduling::Placed& placed);

  Time now() const { return now_; }
  const std::vector<scheduling::ServerId>& servers() const { return servers_; }
  const std::vector<scheduling::UserId>& users() const { return users_; }
  const std::vector<scheduling::JobId>& jobs() const { return jobs_; }  ///< some of them are over

 private:
  scheduling::Event something();
  scheduling::Event server_event();
  scheduling::Event user_event();
  scheduling::Event job_submitted();
  scheduling::ServerAdded server_added();
  scheduling::UserAdded user_added();
  Quantity weight();
  scheduling::Amounts capacity();
  scheduling::Amounts demand();
  std::string server_name();
  void forget(scheduling::TaskId task);

  Mix mix_;
  std::size_t resources_;
  Draws& draws_;
  Time now_ = Time(Duration(-5));
  std::vector<scheduling::ServerId> servers_;
  std::vector<scheduling::UserId> users_;
  std::vector<scheduling::JobId> jobs_;
  std::vector<scheduling::TaskId> tasks_;  ///< running
};

}  // namespace mirab::recordings
