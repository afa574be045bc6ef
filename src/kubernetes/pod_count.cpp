// How many pods an object runs at once.
//
//   replicas                                  of Deployments and the like, 1 where it is not written
//   min(parallelism, completions - succeeded) of Jobs; without completions, parallelism
//   0                                         of what is suspended
//
// Source: Kubernetes, "Jobs", parallel execution and suspending; "CronJob", schedule suspension.
// Known failure: a CronJob counts as one of its jobs, also where concurrencyPolicy lets several overlap.
#include "kubernetes/pod_count.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include <mirab/kubernetes/amounts.hpp>

namespace mirab::kubernetes {
namespace {

constexpr std::string_view kParallelism = "/parallelism";
constexpr std::int64_t kMostCompletions = std::numeric_limits<std::int32_t>::max();

std::string_view text_at(const Object& object, std::string_view pointer) {
  const Node* node = value_at(*object.root, pointer);
  return node == nullptr ? std::string_view() : std::string_view(node->text);
}

bool is_true(std::string_view text) { return text == "true" || text == "True" || text == "TRUE"; }

// Where none is written, `otherwise`.
Result<std::int64_t> number_at(const Object& object, std::string_view pointer, std::int64_t most,
                               std::int64_t otherwise, const std::string& file) {
  const Node* node = value_at(*object.root, pointer);
  if (node == nullptr || node->kind == Node::Kind::null) return otherwise;
  const Result<Quantity> number = Quantity::parse(node->text);
  const std::optional<std::int64_t> whole =
      number && number->exponent() >= 0 ? count_units(*number, 0, Rounding::down) : std::nullopt;
  if (whole && *whole <= most) return *whole;
  return Error{.message = fmt::format("must be a whole number from 0 to {}, not '{}'", most,
                                      std::string_view(node->text).substr(0, 40)),
               .key = key_of(object.pointer + std::string(pointer)),
               .file = file,
               .line = node->line};
}

// `job` is where the job's spec stands. What succeeded is known of jobs that run, not of a CronJob's
// template.
Result<std::int64_t> remaining_of_job(const Object& object, const std::string& job, const std::string& file) {
  const Result<std::int64_t> completions =
      number_at(object, job + "/completions", kMostCompletions, kMostCompletions, file);
  if (!completions || *completions == kMostCompletions || object.kind != "Job") return completions;
  const Result<std::int64_t> succeeded = number_at(object, "/status/succeeded", kMostCompletions, 0, file);
  if (!succeeded) return succeeded;
  return std::max<std::int64_t>(0, *completions - *succeeded);
}

}  // namespace

Result<std::int64_t> pods_run_by(const Object& object, std::string_view count, const std::string& file) {
  if (count.empty()) return std::int64_t{1};
  Result<std::int64_t> pods = number_at(object, count, kMostContainers, 1, file);
  if (!pods || !count.ends_with(kParallelism)) return pods;
  const std::string job(count.substr(0, count.size() - kParallelism.size()));
  const Result<std::int64_t> remaining = remaining_of_job(object, job, file);
  if (!remaining) return remaining;
  if (is_true(text_at(object, job + "/suspend")) || is_true(text_at(object, "/spec/suspend")))
    return std::int64_t{0};
  return std::min(*pods, *remaining);
}

bool is_done(const Object& object) {
  const std::string_view phase = text_at(object, "/status/phase");
  if (object.kind == "Pod") return phase == "Succeeded" || phase == "Failed";
  const Node* conditions = object.kind == "Job" ? value_at(*object.root, "/status/conditions") : nullptr;
  if (conditions == nullptr) return false;
  const auto text_of = [](const Node& condition, std::string_view key) {
    const Node* value = condition.find(key);
    return value == nullptr ? std::string_view() : std::string_view(value->text);
  };
  return std::any_of(
      conditions->entries.begin(), conditions->entries.end(), [&](const Node::Entry& condition) {
        const std::string_view type = text_of(condition.value, "type");
        return (type == "Complete" || type == "Failed") && is_true(text_of(condition.value, "status"));
      });
}

}  // namespace mirab::kubernetes
