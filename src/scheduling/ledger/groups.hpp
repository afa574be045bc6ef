#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <mirab/model/result.hpp>
#include <mirab/scheduling/events.hpp>

#include "fairness/exact_part.hpp"
#include "scheduling/ledger/demands_seen.hpp"
#include "scheduling/ledger/index.hpp"

namespace mirab::scheduling {

class Ledger;

using GroupIndex = Index<GroupId>;
inline constexpr GroupIndex kRoot{0};  ///< the cluster

/// The deepest nesting of groups.
inline constexpr std::size_t kMostDepth = 64;

/// What a group or a user is promised, and what bounds it. Each [m], or empty: nothing of it.
struct NodeQuota {
  std::optional<Amounts> guarantee = {};  ///< g; of a group without one Σ ĝ of the members
  Amounts limit = {};                     ///< L, kNoLimit where there is none
  Amounts reserved = {};                  ///< k
  bool is_any() const { return guarantee.has_value() || !limit.empty() || !reserved.empty(); }
  friend bool operator==(const NodeQuota&, const NodeQuota&) = default;
};

/// Users and other groups that share what they get.
struct GroupRow {
  std::string name = {};
  GroupIndex parent = kNone;  ///< of the root none
  fairness::Weight weight = {};
  NodeQuota quota = {};
  std::vector<GroupIndex> groups = {};  ///< members
  std::vector<UserIndex> users = {};
  std::int64_t running = 0;  ///< tasks of the users below; of the root not kept
  Amounts used = {};         ///< the same
  DemandsSeen seen = {};     ///< kinds of tasks below
  Amounts promised = {};     ///< Σ ĝ of the members
  Amounts charged = {};      ///< Σ q of the members, while anything is reserved (Ledger::charged)
};

/// A group or a user.
struct TreeNode {
  GroupIndex group = kNone;
  UserIndex user = kNone;
  bool is_user() const { return user != kNone; }
  friend bool operator==(TreeNode, TreeNode) = default;
};

/// Why a task that would fit may not start: what bounds a node on its path, or is reserved for others.
struct QuotaInTheWay {
  bool is_reserve = false;  ///< else a limit
  TreeNode node = {};       ///< whose limit
  std::size_t resource = 0;
  std::int64_t held = 0;     ///< used by the node; of a reserve q of the cluster
  std::int64_t allowed = 0;  ///< L; of a reserve C
};

/// The first limit on the user's path, from the user up, over which it would be with this demand, and else
/// the first resource of which the demand takes what is reserved for others. Nothing: it may start. O(depth
/// m).
std::optional<QuotaInTheWay> quota_in_the_way(const Ledger& ledger, UserIndex user,
                                              std::span<const std::int64_t> demand);

/// The lowest node of the user's path, not the root, within whose guarantee it would be with this demand of
/// what the demand takes: the task is covered. O(depth m).
std::optional<TreeNode> covering(const Ledger& ledger, UserIndex user, std::span<const std::int64_t> demand);

/// The node that has reserved most of the resource that it does not use. Requires that one has. O(nodes).
TreeNode largest_reserve(const Ledger& ledger, std::size_t resource);

std::size_t depth_of(const Ledger& ledger, GroupIndex group);   ///< of the root 0
std::size_t height_of(const Ledger& ledger, GroupIndex group);  ///< groups on the longest way down, with it

// What an event of the tree may not be. Errors name the key.

/// A group or user as an event would leave it.
struct ProposedNode {
  GroupIndex parent = kNone;        ///< as it is; none: it comes
  GroupIndex parent_after = kNone;  ///< none: it goes
  Amounts guarantee = {};           ///< ĝ as it is, [m]
  Amounts guarantee_after = {};     ///< [m]
};

/// The quota of a node whose members are promised this much, by itself: Σ ĝ ≤ g, k ≤ ĝ ≤ L.
Check check_quota(const NodeQuota& quota, std::span<const std::int64_t> promised,
                  std::span<const std::string> resources);

/// The nodes above: what they are promised is enough, no more than their limits, and no less than what they
/// reserve; and no event raises what is promised above what the cluster has. The key is `key`, with the
/// resource where it is that of a guarantee.
Check check_promises(const Ledger& ledger, const ProposedNode& node, const std::string& key,
                     std::span<const std::string> resources);

/// The first that does not hold of groups, in words.
std::string broken_group(const Ledger& ledger);

}  // namespace mirab::scheduling
