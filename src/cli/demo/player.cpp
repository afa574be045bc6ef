#include "cli/demo/player.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <thread>

namespace mirab::cli::demo {
namespace {

using client::Answer;
using client::Json;
using client::target_of;

constexpr std::size_t kJobsTogether = 200;
constexpr std::chrono::milliseconds kPause{50};

/// What is wrong with an answer.
Check failure_of(const Result<Answer>& answer, const std::string& subject) {
  if (!answer) return answer.error();
  if (answer->is_problem()) return client::error_of(*answer, subject);
  return std::nullopt;
}

Check put_all(client::Service& service, const char* kind, const Named& named) {
  for (const auto& [name, body] : named) {
    if (Check wrong = failure_of(service.ask("PUT", target_of({kind, name}), body), name)) return wrong;
  }
  return std::nullopt;
}

}  // namespace

Check set_up(client::Service& service, const Trace& trace) {
  Named tenants;
  for (const std::string& name : trace.tenants) tenants.emplace_back(name, Json::object());
  // Servers first: a guarantee is of what there is.
  if (Check wrong = put_all(service, "servers", trace.servers)) return wrong;
  if (Check wrong = put_all(service, "tenants", tenants)) return wrong;
  if (Check wrong = put_all(service, "groups", trace.groups)) return wrong;
  return put_all(service, "queues", trace.queues);
}

std::string Player::name_of(const TimedJob& job) const {
  return round_ == 1 ? job.name : fmt::format("{}-again{}", job.name, round_ - 1);
}

Check Player::submit_due(double now_s) {
  while (next_ < trace_.jobs.size() && trace_.jobs[next_].at_s <= now_s && !is_over_) {
    Json jobs = Json::array();
    for (; next_ < trace_.jobs.size() && trace_.jobs[next_].at_s <= now_s && jobs.size() < kJobsTogether;
         ++next_) {
      const TimedJob& job = trace_.jobs[next_];
      const std::string name = name_of(job);
      Json body = job.body;
      body["queue"] = job.queue;
      body["name"] = name;
      runtimes_[job.queue + "/" + name] = job.runtime_s;
      jobs.push_back(std::move(body));
    }
    if (Check wrong =
            failure_of(service_.ask("POST", "/v1/jobs:submit", {{"jobs", std::move(jobs)}}), "jobs"))
      return wrong;
  }
  return std::nullopt;
}

Check Player::report(const std::string& task, const std::string& outcome) {
  const Result<Answer> answer =
      service_.ask("PUT", target_of({"tasks", task, "outcome"}), {{"outcome", outcome}});
  if (answer && answer->status == 404) return std::nullopt;  // its queue was removed meanwhile
  return failure_of(answer, task);
}

/// Tasks that the service placed start; those that it gave up stop.
Check Player::hear(double now_s) {
  for (bool has_more = true; has_more && !is_over_;) {
    const Result<Answer> answer =
        service_.get(target_of({"events"}, {{"after", std::to_string(heard_)}, {"wait", "0s"}}));
    if (Check wrong = failure_of(answer, "events")) return wrong;
    has_more = !answer->body.at("changes").empty();
    heard_ = answer->body.at("revision").get<std::uint64_t>();
    for (const Json& change : answer->body.at("changes")) {
      for (const Json& event : change.at("events")) {
        const std::string kind = client::text_at(event, "kind");
        const std::string task = client::text_at(event, "task");
        if (kind == "task-placed") {
          // What somebody submits to try things out runs for a minute.
          const auto known = runtimes_.find(client::text_at(event, "job"));
          const double end_s = now_s + (known == runtimes_.end() ? 60 * speed_ : known->second);
          ends_[task] = end_s;
          tasks_by_end_.emplace(end_s, task);
          if (Check wrong = report(task, "running")) return wrong;
        } else if (kind == "task-ended" && ends_.erase(task) > 0) {
          if (Check wrong = report(task, client::text_at(event, "why"))) return wrong;
        }
      }
    }
  }
  return std::nullopt;
}

Check Player::end_due(double now_s) {
  while (!tasks_by_end_.empty() && tasks_by_end_.begin()->first <= now_s && !is_over_) {
    const auto [end_s, task] = *tasks_by_end_.begin();
    tasks_by_end_.erase(tasks_by_end_.begin());
    if (ends_.erase(task) == 0) continue;
    if (Check wrong = report(task, "succeeded")) return wrong;
  }
  return std::nullopt;
}

Check Player::cancel_rest() {
  for (const auto& [name, runtime] : runtimes_) {
    if (is_over_) break;
    const std::size_t slash = name.find('/');
    const client::JobName job{.queue = name.substr(0, slash), .name = name.substr(slash + 1)};
    const Result<Answer> answer = service_.ask("DELETE", job.target());
    if (answer && answer->status == 404) continue;
    if (Check wrong = failure_of(answer, name)) return wrong;
  }
  return hear(trace_.span_s);
}

Check Player::play_once() {
  using Clock = std::chrono::steady_clock;
  const auto began = Clock::now();
  next_ = 0;
  for (double now_s = 0; now_s < trace_.span_s && !is_over_;) {
    if (Check wrong = end_due(now_s)) return wrong;
    if (Check wrong = submit_due(now_s)) return wrong;
    if (Check wrong = hear(now_s)) return wrong;
    std::this_thread::sleep_for(kPause);
    now_s = std::chrono::duration<double>(Clock::now() - began).count() * speed_;
  }
  return std::nullopt;
}

Check Player::play(const std::function<void(const std::string& sentence)>& says) {
  const Result<Answer> now = service_.get("/v1/cluster");
  if (Check wrong = failure_of(now, "cluster")) return wrong;
  heard_ = now->revision;
  while (!is_over_) {
    ++round_;
    says(round_ == 1 ? "the trace begins" : "the trace is over, and begins again");
    if (Check wrong = play_once()) return wrong;
    if (Check wrong = cancel_rest()) return wrong;
    runtimes_.clear();
    ends_.clear();
    tasks_by_end_.clear();
  }
  return std::nullopt;
}

}  // namespace mirab::cli::demo
