#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scheduling/ledger/columns.hpp"

namespace mirab::scheduling {

using DomainIndex = Index<struct DomainTag>;
using PackIndex = Index<struct PackTag>;

/// The labels by which a job spreads and packs its tasks; without one all servers count as equal in it.
struct DomainLabels {
  std::optional<std::string> spread = {};
  std::optional<std::string> pack = {};
  friend auto operator<=>(const DomainLabels&, const DomainLabels&) = default;
};

/// The servers by their values of two labels: those of one value of pack are a pack, and those of a pack with
/// one value of spread are a domain of it. Servers of a pack without the label of spread stand together in a
/// domain that takes no tasks; a server without the label of pack is in no domain.
///
/// Invariant: every domain has a server, or its index is vacant.
class Domains {
 public:
  using Labels = std::map<std::string, std::string>;

  explicit Domains(DomainLabels labels) : labels_(std::move(labels)) {}

  /// The server is there from now on with these labels, or no longer. O(log domains + words of its domain);
  /// O(domains) when the last server of one goes.
  void add(ServerIndex server, const Labels& labels);
  void remove(ServerIndex server);

  /// kNone: in none.
  DomainIndex of(ServerIndex server) const { return of_.holds(server) ? of_[server] : DomainIndex(kNone); }

  /// Some servers of a domain: the bits of a word of a ServerSet.
  struct Word {
    std::uint32_t index;
    std::uint64_t servers;
  };
  struct Domain {
    PackIndex pack = kNone;
    bool takes_tasks = false;
    std::vector<Word> words = {};  ///< by index; none: the index is vacant
  };
  const IndexedVector<DomainIndex, Domain>& domains() const { return domains_; }
  const Domain& operator[](DomainIndex domain) const { return domains_[domain]; }
  std::size_t pack_count() const { return packs_.size(); }  ///< above every index

  const DomainLabels& labels() const { return labels_; }

 private:
  struct Pack {
    std::size_t domains = 0;
  };
  using Spread = std::optional<std::string>;  // its value

  template <class Row, class Index>
  static Index next(IndexedVector<Index, Row>& rows, std::vector<Index>& vacant);

  DomainLabels labels_;
  IndexedVector<ServerIndex, DomainIndex> of_;
  IndexedVector<DomainIndex, Domain> domains_;
  IndexedVector<PackIndex, Pack> packs_;
  std::map<std::string, PackIndex> known_packs_;
  std::map<std::pair<PackIndex, Spread>, DomainIndex> known_;
  std::vector<DomainIndex> vacant_domains_;
  std::vector<PackIndex> vacant_packs_;
};

}  // namespace mirab::scheduling
