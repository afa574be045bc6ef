// Why a user has what it has, behind plain functions: what was found, and structs that point into it.
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <utility>
#include <vector>

#include <mirab/audit/explanation.hpp>

#include "c_api/allocation_handle.hpp"
#include "c_api/text.hpp"

struct mirab_explanation {
  mirab::Explanation found;
  std::vector<std::vector<mirab_holding>> others = {};  // of each binding
  std::vector<mirab_binding> bindings = {};
  std::vector<mirab_what_if> what_ifs = {};
};

namespace {

using mirab::ChangeKind;
using mirab::Error;
using mirab::Result;

std::vector<mirab_holding> plain(const std::vector<mirab::Holding>& holdings) {
  std::vector<mirab_holding> plain;
  for (const mirab::Holding& holding : holdings)
    plain.push_back({.user = holding.user, .amount = holding.amount});
  return plain;
}

mirab_binding plain(const mirab::Binding& binding, const std::vector<mirab_holding>& others) {
  return {.servers = binding.servers.data(),
          .server_count = binding.servers.size(),
          .resource = binding.resource,
          .capacity = binding.capacity,
          .held = binding.held,
          .level = binding.level,
          .price = binding.price.value_or(std::nan("")),
          .others = others.data(),
          .other_count = others.size()};
}

mirab_what_if plain(const mirab::WhatIf& what_if) {
  static_assert(static_cast<int>(ChangeKind::server) == MIRAB_MORE_SERVERS &&
                static_cast<int>(ChangeKind::unit) == MIRAB_MORE_UNITS &&
                static_cast<int>(ChangeKind::weight) == MIRAB_MORE_WEIGHT &&
                static_cast<int>(ChangeKind::task) == MIRAB_MORE_TASKS);
  return {.change = static_cast<mirab_change>(what_if.change.kind),
          .servers = what_if.change.servers.data(),
          .server_count = what_if.change.servers.size(),
          .resource = what_if.change.resource,
          .amount = what_if.change.amount.value(),
          .tasks = what_if.tasks,
          .gain = what_if.gain,
          .quality = static_cast<mirab_quality>(what_if.status)};
}

mirab_explanation* handle(mirab::Explanation found) {
  auto explanation = std::make_unique<mirab_explanation>(mirab_explanation{.found = std::move(found)});
  for (const mirab::Binding& binding : explanation->found.bindings)
    explanation->others.push_back(plain(binding.others));
  for (std::size_t b = 0; b < explanation->others.size(); ++b)
    explanation->bindings.push_back(plain(explanation->found.bindings[b], explanation->others[b]));
  for (const mirab::WhatIf& what_if : explanation->found.what_ifs)
    explanation->what_ifs.push_back(plain(what_if));
  return explanation.release();
}

Result<mirab_explanation*> explained(const mirab_allocation& allocation, std::size_t user,
                                     std::size_t what_ifs) {
  if (user >= allocation.problem.user_count())
    return Error{.message = fmt::format("there is no user {}", user), .key = "user"};
  const Result<mirab::Choice> choice = mirab::choose_mechanism(allocation.outcome.mechanism);
  if (!choice) return choice.error();
  Result<mirab::Explanation> found = explain(allocation.problem, *choice, user, {.what_ifs = what_ifs});
  if (!found) return std::move(found).error();
  return handle(*std::move(found));
}

}  // namespace

mirab_explanation* mirab_explain(const mirab_allocation* allocation, size_t user, size_t what_ifs,
                                 char* error, size_t size) {
  return mirab::c_api::made([&] { return explained(*allocation, user, what_ifs); }, error, size);
}

void mirab_explanation_free(mirab_explanation* explanation) { delete explanation; }

int mirab_explanation_has_all_tasks(const mirab_explanation* explanation) {
  return explanation->found.has_all_tasks ? 1 : 0;
}

const mirab_binding* mirab_explanation_bindings(const mirab_explanation* explanation, size_t* count) {
  *count = explanation->bindings.size();
  return explanation->bindings.data();
}

const mirab_what_if* mirab_explanation_what_ifs(const mirab_explanation* explanation, size_t* count) {
  *count = explanation->what_ifs.size();
  return explanation->what_ifs.data();
}

size_t mirab_explanation_untried(const mirab_explanation* explanation) { return explanation->found.untried; }
