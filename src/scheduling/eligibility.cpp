#include "scheduling/eligibility.hpp"

#include <algorithm>
#include <utility>

#include <mirab/model/assert.hpp>

namespace mirab::scheduling {
namespace {

bool is_among(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool Selection::admits(const std::string& name, const std::map<std::string, std::string>& labels) const {
  if (servers && !is_among(name, *servers)) return false;
  if (is_among(name, except)) return false;
  return std::all_of(select.begin(), select.end(), [&](const auto& wanted) {
    const auto label = labels.find(wanted.first);
    return label != labels.end() && is_among(label->second, wanted.second);
  });
}

Eligibility::Eligibility() { rows_.push_back({.holders = 1}); }

std::uint32_t Eligibility::hold(const Selection& selection) {
  if (selection == Selection{}) return kAll;
  const auto lowest = vacant_.empty() ? static_cast<std::uint32_t>(rows_.size()) : vacant_.back();
  const auto [known, is_new] = numbers_.emplace(selection, lowest);
  if (!is_new) {
    ++rows_[known->second].holders;
    return known->second;
  }
  if (vacant_.empty()) {
    rows_.emplace_back();
  } else {
    vacant_.pop_back();
  }
  auto servers = std::make_unique<ServerSet>();
  std::vector<bool> admitted;  // [description]
  for (const Described& each : descriptions_) {
    admitted.push_back(each.servers > 0 &&
                       selection.admits(each.description->name, each.description->labels));
  }
  for (std::uint32_t server = 0; server < present_.size(); ++server) {
    if (present_[server] != kAbsent && admitted[present_[server]]) servers->insert(server);
  }
  rows_[lowest] = {
      .selection = selection, .servers = std::move(servers), .holders = 1, .sequence = selections_before_++};
  return lowest;
}

void Eligibility::release(std::uint32_t number) {
  if (number == kAll) return;
  Row& row = rows_[number];
  MIRAB_ASSERT(row.holders > 0, "a selection that nobody holds is released");
  if (--row.holders > 0) return;
  numbers_.erase(row.selection);
  row = {};
  vacant_.push_back(number);
}

void Eligibility::server_added(std::uint32_t server, const Description& description) {
  if (server >= present_.size()) present_.resize(server + 1, kAbsent);
  const auto lowest = vacant_descriptions_.empty() ? static_cast<std::uint32_t>(descriptions_.size())
                                                   : vacant_descriptions_.back();
  const auto [known, is_new] = description_numbers_.emplace(description, lowest);
  if (is_new && vacant_descriptions_.empty()) {
    descriptions_.emplace_back();
  } else if (is_new) {
    vacant_descriptions_.pop_back();
  }
  descriptions_[known->second].description = &known->first;
  ++descriptions_[known->second].servers;
  present_[server] = known->second;
  for (Row& row : rows_) {
    if (row.servers && row.selection.admits(description.name, description.labels))
      row.servers->insert(server);
  }
}

void Eligibility::server_removed(std::uint32_t server) {
  for (const Row& row : rows_) {
    if (row.servers) row.servers->erase(server);
  }
  const std::uint32_t number = std::exchange(present_[server], kAbsent);
  if (--descriptions_[number].servers > 0) return;
  description_numbers_.erase(description_numbers_.find(*descriptions_[number].description));
  descriptions_[number] = {};
  vacant_descriptions_.push_back(number);
}

}  // namespace mirab::scheduling
