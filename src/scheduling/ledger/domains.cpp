// The servers by the values of two labels, kept up to date while servers come, go, and get other labels.
#include "scheduling/ledger/domains.hpp"

#include <algorithm>

namespace mirab::scheduling {
namespace {

using Word = Domains::Word;

auto word_at(std::vector<Word>& words, std::size_t index) {
  return std::lower_bound(words.begin(), words.end(), index,
                          [](const Word& word, std::size_t at) { return word.index < at; });
}

}  // namespace

template <class Row, class Index>
Index Domains::next(IndexedVector<Index, Row>& rows, std::vector<Index>& vacant) {
  if (vacant.empty()) return rows.push_back({});
  const Index index = vacant.back();
  vacant.pop_back();
  rows[index] = {};
  return index;
}

void Domains::add(ServerIndex server, const Labels& labels) {
  of_.cover(server);
  std::string packed;
  if (labels_.pack) {
    const auto value = labels.find(*labels_.pack);
    if (value == labels.end()) return;
    packed = value->second;
  }
  Spread spread = labels_.spread ? Spread() : Spread("");
  if (labels_.spread) {
    if (const auto value = labels.find(*labels_.spread); value != labels.end()) spread = value->second;
  }
  const auto [pack, is_new_pack] = known_packs_.emplace(packed, kNone);
  if (is_new_pack) pack->second = next(packs_, vacant_packs_);
  const auto [known, is_new] = known_.emplace(std::pair(pack->second, spread), kNone);
  if (is_new) {
    known->second = next(domains_, vacant_domains_);
    domains_[known->second] = {.pack = pack->second, .takes_tasks = spread.has_value()};
    ++packs_[pack->second].domains;
  }
  of_[server] = known->second;
  std::vector<Word>& words = domains_[known->second].words;
  const std::size_t index = server.number() / ServerSet::kWord;
  const auto at = word_at(words, index);
  const std::uint64_t bit = std::uint64_t{1} << (server.number() % ServerSet::kWord);
  if (at != words.end() && at->index == index) {
    at->servers |= bit;
  } else {
    words.insert(at, {.index = static_cast<std::uint32_t>(index), .servers = bit});
  }
}

void Domains::remove(ServerIndex server) {
  const DomainIndex gone = of(server);
  if (gone == kNone) return;
  of_[server] = kNone;
  Domain& domain = domains_[gone];
  const auto at = word_at(domain.words, server.number() / ServerSet::kWord);
  at->servers &= ~(std::uint64_t{1} << (server.number() % ServerSet::kWord));
  if (at->servers != 0) return;
  domain.words.erase(at);
  if (!domain.words.empty()) return;
  std::erase_if(known_, [&](const auto& known) { return known.second == gone; });
  vacant_domains_.push_back(gone);
  const PackIndex pack = domain.pack;
  if (--packs_[pack].domains > 0) return;
  std::erase_if(known_packs_, [&](const auto& known) { return known.second == pack; });
  vacant_packs_.push_back(pack);
}

}  // namespace mirab::scheduling
