#include "scheduling/eligibility.hpp"

#include <algorithm>

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

std::uint32_t Eligibility::number(const Selection& selection) {
  const auto [known, is_new] = numbers_.emplace(selection, static_cast<std::uint32_t>(sets_.size()));
  if (!is_new) return known->second;
  auto set = std::make_unique<ServerSet>();
  std::vector<bool> admitted;  // [description]
  for (const Description* description : descriptions_)
    admitted.push_back(selection.admits(description->name, description->labels));
  for (std::uint32_t server = 0; server < present_.size(); ++server) {
    if (present_[server] != kAbsent && admitted[present_[server]]) set->insert(server);
  }
  sets_.push_back(std::move(set));
  selections_.push_back(selection);
  return known->second;
}

std::uint32_t Eligibility::describe(Description description) {
  const auto [known, is_new] =
      description_numbers_.emplace(std::move(description), static_cast<std::uint32_t>(descriptions_.size()));
  if (is_new) descriptions_.push_back(&known->first);
  return known->second;
}

void Eligibility::server_added(std::uint32_t server, std::uint32_t description) {
  if (server >= present_.size()) present_.resize(server + 1, kAbsent);
  present_[server] = description;
  const auto& [name, labels] = *descriptions_[description];
  for (std::size_t number = 1; number < sets_.size(); ++number) {
    if (selections_[number].admits(name, labels)) sets_[number]->insert(server);
  }
}

void Eligibility::server_removed(std::uint32_t server) {
  present_[server] = kAbsent;
  for (std::size_t number = 1; number < sets_.size(); ++number) sets_[number]->erase(server);
}

}  // namespace mirab::scheduling
