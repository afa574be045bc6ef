#include "scheduling/shapes.hpp"

#include <algorithm>

#include <mirab/model/assert.hpp>

namespace mirab::scheduling {

std::uint32_t Shapes::hold(const JobSubmitted& job) {
  std::vector<Way> ways;
  Selection elsewhere{.servers = job.servers, .select = job.select, .except = {}};
  for (const auto& [name, demand] : job.demand_on) {
    Selection there{.servers = std::vector{name}, .select = job.select, .except = {}};
    if (job.servers && std::find(job.servers->begin(), job.servers->end(), name) == job.servers->end())
      continue;
    ways.push_back({.demand = demand, .servers = eligibility.number(there)});
    elsewhere.except.push_back(name);
  }
  ways.insert(ways.begin(), {.demand = job.demand, .servers = eligibility.number(elsewhere)});

  const auto known = numbers_.find(ways);
  if (known != numbers_.end()) {
    ++rows_[known->second].holders;
    return known->second;
  }
  std::uint32_t number = end();
  if (vacant_.empty()) {
    rows_.emplace_back();
  } else {
    number = vacant_.back();
    vacant_.pop_back();
  }
  numbers_.emplace(ways, number);
  rows_[number] = {.ways = std::move(ways), .holders = 1};
  return number;
}

void Shapes::release(std::uint32_t shape) {
  Row& row = rows_[shape];
  MIRAB_ASSERT(row.holders > 0, "a shape that nobody holds is released");
  if (--row.holders > 0) return;
  numbers_.erase(row.ways);
  row.ways.clear();
  vacant_.push_back(shape);
  // No number at the end is vacant, so that to hold a shape and to release it at once changes nothing.
  while (!rows_.empty() && rows_.back().holders == 0) {
    rows_.pop_back();
    std::erase(vacant_, end());
  }
}

JobSubmitted Shapes::job_of(std::uint32_t shape) const {
  const std::vector<Way>& ways = rows_[shape].ways;
  const Selection& elsewhere = eligibility.selection(ways.front().servers);
  JobSubmitted job{
      .user = {}, .demand = ways.front().demand, .servers = elsewhere.servers, .select = elsewhere.select};
  for (std::size_t way = 1; way < ways.size(); ++way)
    job.demand_on[elsewhere.except[way - 1]] = ways[way].demand;
  return job;
}

const Way* Shapes::way_on(std::uint32_t shape, std::uint32_t server) const {
  for (const Way& way : rows_[shape].ways) {
    if (eligibility.contains(way.servers, server)) return &way;
  }
  return nullptr;
}

}  // namespace mirab::scheduling
