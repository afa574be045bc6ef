#include "scheduling/kinds.hpp"

#include <algorithm>
#include <bit>

namespace mirab::scheduling {

std::uint32_t Kinds::hold(std::uint32_t server, std::span<const std::int64_t> capacity) {
  const auto vacant = std::find(counts_.begin(), counts_.end(), 0);
  const auto lowest = static_cast<std::uint32_t>(vacant - counts_.begin());
  const auto [known, is_new] = numbers_.emplace(Amounts(capacity.begin(), capacity.end()), lowest);
  const std::uint32_t kind = known->second;
  if (is_new) {
    if (vacant == counts_.end()) {
      capacities_.emplace_back();
      counts_.push_back(0);
      sets_.emplace_back();
    }
    capacities_[kind] = known->first;
  }
  ++counts_[kind];
  sets_[kind].insert(server);
  admitted_.clear();
  return kind;
}

void Kinds::release(std::uint32_t server, std::uint32_t kind) {
  if (--counts_[kind] == 0) numbers_.erase(capacities_[kind]);
  sets_[kind].erase(server);
  admitted_.clear();
}

bool Kinds::set_capacities(const std::vector<std::optional<Amounts>>& capacities, std::size_t resources) {
  counts_.assign(capacities.size(), 0);
  sets_.resize(capacities.size());
  for (std::uint32_t kind = 0; kind < capacities.size(); ++kind) {
    capacities_.push_back(capacities[kind].value_or(Amounts(resources, 0)));
    if (capacities[kind] && !numbers_.emplace(*capacities[kind], kind).second) return false;
  }
  return true;
}

const ServerSet* Kinds::servers_of(std::uint32_t kind, std::uint32_t selection,
                                   const Eligibility& eligibility) {
  const ServerSet* const admitted = eligibility.servers(selection);
  if (admitted == nullptr) return &sets_[kind];
  const auto [known, is_new] = admitted_.try_emplace({kind, selection});
  if (is_new) {
    for (std::size_t word = 0; word < sets_[kind].words().size(); ++word) {
      for (std::uint64_t both = sets_[kind].word(word) & admitted->word(word); both != 0; both &= both - 1)
        known->second.insert(static_cast<std::uint32_t>(word * ServerSet::kWord +
                                                        static_cast<std::size_t>(std::countr_zero(both))));
    }
  }
  return &known->second;
}

}  // namespace mirab::scheduling
