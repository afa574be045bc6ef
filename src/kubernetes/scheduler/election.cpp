// Which of several processes acts.
//
// Source: the Kubernetes API, coordination.k8s.io/v1 Lease.
#include "kubernetes/scheduler/election.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include <mirab/model/assert.hpp>

namespace mirab::kubernetes {
namespace {

using LeaseJson = nlohmann::json;

std::string micro_time(Wall wall) {
  std::string time = text_of(wall);
  time.insert(time.size() - 1, "000");
  return time;
}

std::string text_at(const LeaseJson& map, const char* key) {
  const auto found = map.find(key);
  return found != map.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::int64_t number_at(const LeaseJson& map, const char* key, std::int64_t otherwise) {
  const auto found = map.find(key);
  return found != map.end() && found->is_number_integer() ? found->get<std::int64_t>() : otherwise;
}

}  // namespace

Election::Election(Options options) : options_(std::move(options)) {
  MIRAB_ASSERT(options_.deadline() + options_.answer_time() < options_.duration,
               "a leader that acts longer than its lease lasts");
}

std::string Election::path() const {
  return fmt::format("/apis/coordination.k8s.io/v1/namespaces/{}/leases", options_.space);
}

Request Election::write(Wall wall, const std::string& holder) const {
  const bool is_change = holder != seen_holder_;
  const std::int64_t transitions = transitions_ + (is_change && exists_ && !holder.empty() ? 1 : 0);
  LeaseJson metadata = {{"name", options_.name}, {"namespace", options_.space}};
  if (exists_) metadata["resourceVersion"] = version_;
  const LeaseJson body = {
      {"apiVersion", "coordination.k8s.io/v1"},
      {"kind", "Lease"},
      {"metadata", metadata},
      {"spec",
       {{"holderIdentity", holder},
        {"leaseDurationSeconds", std::chrono::duration_cast<std::chrono::seconds>(options_.duration).count()},
        {"acquireTime", is_change || acquired_.empty() ? micro_time(wall) : acquired_},
        {"renewTime", micro_time(wall)},
        {"leaseTransitions", transitions}}}};
  return {.method = exists_ ? "PUT" : "POST",
          .path = exists_ ? path() + "/" + options_.name : path(),
          .content_type = "application/json",
          .body = body.dump(-1, ' ', false, LeaseJson::error_handler_t::replace)};
}

Request Election::next(Time now, Wall wall) {
  MIRAB_ASSERT(asked_ == Asked::nothing && due_ <= now, "a request about the lease that is not due");
  asked_at_ = now;
  due_ = Time::max();
  const bool is_free = seen_holder_.empty() || now - changed_ > seen_duration_;
  const bool may_write = !exists_ || (!version_.empty() && (seen_holder_ == options_.holder || is_free));
  if (!may_write) {
    asked_ = Asked::look;
    return {.method = "GET", .path = path() + "/" + options_.name};
  }
  asked_ = exists_ ? Asked::renew : Asked::create;
  return write(wall, options_.holder);
}

// A lease that another holds counts from when it is first seen so.
void Election::read(std::string_view body, Time now) {
  const LeaseJson lease = LeaseJson::parse(body, nullptr, false);
  const auto spec = lease.is_object() ? lease.find("spec") : lease.end();
  if (!lease.is_object() || !lease.contains("metadata") || spec == lease.end() || !spec->is_object()) {
    trouble_ = "an answer that is no Lease";
    return;
  }
  version_ = text_at(lease["metadata"], "resourceVersion");
  std::string renewed = text_at(*spec, "renewTime");
  std::string holder = text_at(*spec, "holderIdentity");
  if (renewed != seen_renewed_ || holder != seen_holder_ || !exists_) changed_ = now;
  seen_renewed_ = std::move(renewed);
  seen_holder_ = std::move(holder);
  acquired_ = text_at(*spec, "acquireTime");
  seen_duration_ = std::chrono::seconds(number_at(*spec, "leaseDurationSeconds", 15));
  transitions_ = number_at(*spec, "leaseTransitions", 0);
  exists_ = true;
}

void Election::answer(int status, std::string_view body, Time now) {
  MIRAB_ASSERT(asked_ != Asked::nothing, "an answer about the lease to no request");
  const Asked asked = std::exchange(asked_, Asked::nothing);
  due_ = now + options_.retry();
  const bool is_good = status >= 200 && status < 300;
  trouble_.clear();
  if (is_good) {
    read(body, now);
    if (asked != Asked::look && seen_holder_ == options_.holder)
      leads_until_ = asked_at_ + options_.deadline();
    // What was found free, or as one's own from before, is taken at once.
    const bool is_ours = seen_holder_.empty() || seen_holder_ == options_.holder;
    if (asked == Asked::look && is_ours && trouble_.empty()) due_ = now;
    return;
  }
  if (status == 404 && asked != Asked::create) {
    exists_ = false;
    version_.clear();
    seen_holder_.clear();
    due_ = now;
    return;
  }
  if (status == 409) {
    // Somebody else was faster, or the answer to the last renewal was lost: look first.
    exists_ = true;
    version_.clear();
    if (seen_holder_ == options_.holder) due_ = now;
    return;
  }
  trouble_ = status == 0
                 ? "no answer"
                 : fmt::format("{}: {}", status, message_of({.status = status, .body = std::string(body)}));
}

std::optional<Request> Election::release(Wall wall) {
  if (leads_until_ == Time::min() || seen_holder_ != options_.holder || version_.empty()) return {};
  leads_until_ = Time::min();
  return write(wall, "");
}

}  // namespace mirab::kubernetes
