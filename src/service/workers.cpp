// Long questions, each tenant one at a time, with less of the processor than decisions get.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/resource.h>
#include <utility>

#include "service/threads.hpp"

namespace mirab::service {
namespace {

constexpr std::size_t kJobs = 128;  // that wait
constexpr std::size_t kJobsOfTenant = 8;
constexpr int kNice = 10;  // a tenth of the processor time of another thread, where both want it

}  // namespace

void Workers::start(unsigned count) {
  for (unsigned n = 0; n < count; ++n) threads_.emplace_back([this] { run(); });
}

void Workers::stop() {
  {
    const std::lock_guard guard(mutex_);
    is_ending_ = true;
  }
  wakes_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

/// With the mutex held.
std::optional<live::Answer> Workers::refusal(const std::string& tenant) const {
  constexpr std::string_view kWait = "long questions that wait";
  if (jobs_.size() >= kJobs) return full_answer(Full::all, kWait);
  const auto waiting =
      std::count_if(jobs_.begin(), jobs_.end(), [&](const Job& job) { return job.tenant == tenant; });
  if (tenant.empty() || std::cmp_less(waiting, kJobsOfTenant)) return std::nullopt;
  live::Answer full = full_answer(Full::tenant, kWait);
  full.retry_after_s.clear();  // nobody knows how long each of them takes
  return full;
}

bool Workers::has_room(const std::string& tenant, const Reply& refuse) {
  std::optional<live::Answer> refused;
  {
    const std::lock_guard guard(mutex_);
    refused = refusal(tenant);
  }
  if (refused) refuse(*std::move(refused));
  return !refused;
}

void Workers::give(Job job) {
  std::optional<live::Answer> refused;
  {
    const std::lock_guard guard(mutex_);
    refused = refusal(job.tenant);
    if (!refused) jobs_.push_back(std::move(job));
  }
  if (refused) return job.refuse(*std::move(refused));
  wakes_.notify_one();
}

void Workers::run() {
  if (::setpriority(PRIO_PROCESS, 0, kNice) != 0)  // on Linux: of this thread alone
    shared_.events.say("warning", "priority",
                       {{"why", fmt::format("long questions get as much of the processor as decisions: {}",
                                            std::strerror(errno))}});
  std::unique_lock lock(mutex_);
  // One job of a tenant at a time; its next ones go behind those of all others.
  const auto next = [&] {
    return std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& job) {
      return job.tenant.empty() || !tenants_at_work_.contains(job.tenant);
    });
  };
  while (true) {
    wakes_.wait(lock, [&] { return is_ending_ || next() != jobs_.end(); });
    const auto found = next();
    if (found == jobs_.end()) {
      if (is_ending_) return;
      continue;
    }
    Job job = std::move(*found);
    jobs_.erase(found);
    if (!job.tenant.empty()) {
      tenants_at_work_.insert(job.tenant);
      std::stable_partition(jobs_.begin(), jobs_.end(),
                            [&](const Job& other) { return other.tenant != job.tenant; });
    }
    lock.unlock();
    try {
      job.work();
    } catch (const std::exception& failure) {
      job.refuse(shared_.internal_answer(failure));
    }
    job.work = nullptr;
    job.refuse = nullptr;
    lock.lock();
    tenants_at_work_.erase(job.tenant);
    wakes_.notify_all();
  }
}

}  // namespace mirab::service
