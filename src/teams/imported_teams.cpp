#include "teams/imported_teams.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string>

#include <mirab/model/assert.hpp>

#include "model/names.hpp"

namespace mirab::teams {

void NotKept::add(const std::string& what, std::string_view word, std::string name) {
  auto found = std::find_if(things_.begin(), things_.end(),
                            [&](const Thing& each) { return each.what == what && each.word == word; });
  if (found == things_.end()) found = things_.insert(found, {.what = what, .word = std::string(word)});
  if (!found->tally.names.contains(name)) found->tally.add(std::move(name));
}

void NotKept::say(std::string sentence) { sentences_.push_back(std::move(sentence)); }

std::vector<std::string> NotKept::notices() const {
  std::vector<std::string> all = sentences_;
  for (const Thing& each : things_) all.push_back(each.tally.notice(each.what, each.word));
  return all;
}

namespace {

// Of amounts and weights, so that sums of them are numbers that a teams file may have.
const mpq_class kMost = mpz_class("1000000000000000000");

// What the reader of a teams file takes all guarantees to be less than, before it knows the cluster.
const mpq_class kMostOfAll = mpz_class("4000000000000000000");

/// In steps that a Quantity counts whole, and so do sums: of 10^-9, and from 10^9 on of 1.
mpq_class rounded(const mpq_class& value, Rounding rounding) {
  const mpz_class billion = 1'000'000'000;
  const mpz_class step = value < billion ? billion : mpz_class(1);
  const mpq_class scaled = value * step;
  mpz_class whole = scaled.get_num() / scaled.get_den();
  if (rounding == Rounding::up && whole < scaled) ++whole;
  mpq_class result(whole, step);
  result.canonicalize();
  return result;
}

/// Amounts and weights that a teams file may have.
Check check_amounts(const Group& group) {
  const auto error = [&](std::string_view what) -> Check {
    return error_at(group.position, fmt::format("the {} of '{}' is more than 10^18", what, group.name));
  };
  if (group.weight > kMost) return error("weight");
  for (const Share* share : {&group.guarantee, &group.limit, &group.reserved}) {
    for (const auto& [resource, amount] : share->amounts) {
      if (amount > kMost) return error(fmt::format("amount of {}", resource));
      if (Check bad = check_name(resource, "resource", "resource"))
        return error_at(group.position,
                        fmt::format("the resource '{}': {}", printable(resource), bad->message));
    }
  }
  return {};
}

/// Puts each group after its parent.
class Order {
 public:
  explicit Order(std::vector<Group>& groups) : groups_(groups) {
    for (std::size_t g = 0; g < groups.size(); ++g) places_.emplace(groups[g].id, g);
  }

  Result<std::vector<Group>> sorted() {
    levels_.assign(groups_.size(), 0);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (places_.at(groups_[g].id) != g)
        return error_at(groups_[g].position,
                        fmt::format("a second {} '{}'", groups_[g].kind, groups_[g].name));
      if (Check wrong = place(g)) return *std::move(wrong);
    }
    std::vector<Group> all;
    for (const std::size_t g : order_) all.push_back(std::move(groups_[g]));
    return all;
  }

 private:
  /// The group, and those above it that do not stand yet. Each walk ends at one that stands, the cluster, or
  /// where it began.
  Check place(std::size_t group) {
    std::vector<std::size_t> path;
    std::set<std::size_t> on_path;
    std::size_t level = 0;
    for (std::size_t at = group;;) {
      if (levels_[at] > 0) {
        level = levels_[at];
        break;
      }
      if (!on_path.insert(at).second)
        return error_at(groups_[at].position,
                        fmt::format("the {} '{}' is above itself", groups_[at].kind, groups_[at].name));
      path.push_back(at);
      if (!groups_[at].parent) break;
      const auto parent = places_.find(*groups_[at].parent);
      if (parent == places_.end()) return missing_parent(groups_[at]);
      at = parent->second;
    }
    for (; !path.empty(); path.pop_back()) {
      levels_[path.back()] = ++level;
      if (level > kMostLevels)
        return error_at(groups_[path.back()].position,
                        fmt::format("the {} '{}' stands more than {} levels deep", groups_[path.back()].kind,
                                    groups_[path.back()].name, kMostLevels));
      order_.push_back(path.back());
    }
    return {};
  }

  Check missing_parent(const Group& group) const {
    std::vector<std::string_view> known;
    for (const auto& [id, place] : places_) known.push_back(id);
    return error_at(group.position, fmt::format("there is no {} '{}'{}", group.kind, *group.parent,
                                                known_names(*group.parent, known)));
  }

  std::vector<Group>& groups_;
  std::map<std::string_view, std::size_t> places_ = {};
  std::vector<std::size_t> levels_ = {};  // from 1; 0 of a group that does not stand yet
  std::vector<std::size_t> order_ = {};
};

/// A member stands in one group. Nor may its name stand for others: a `*` would.
Check settle_members(std::vector<Group>& groups, NotKept& not_kept) {
  std::map<std::string, std::string, std::less<>> group_of;
  for (Group& group : groups) {
    std::vector<std::string> kept;
    for (std::string& member : group.members) {
      Check bad = check_name(member, "member", "");
      if (!bad && member.find('*') != std::string::npos)
        bad = Error{.message = "holds a *, which a teams file takes for any text"};
      if (bad)
        return error_at(group.position, fmt::format("the name '{}': {}", printable(member), bad->message));
      const auto [own, is_new] = group_of.emplace(member, group.name);
      if (is_new) {
        kept.push_back(std::move(member));
      } else if (own->second != group.name) {
        not_kept.add(fmt::format("not kept, that it is in {} too, beside {}", group.name, own->second),
                     "name", member);
      }
    }
    group.members = std::move(kept);
  }
  return {};
}

/// Groups and users of a cluster have one set of names.
Check settle_names(std::vector<Group>& groups, NotKept& not_kept) {
  std::set<std::string, std::less<>> taken;
  for (const Group& group : groups) taken.insert(group.members.begin(), group.members.end());
  for (Group& group : groups) {
    if (Check bad = check_name(group.name, group.kind, ""))
      return error_at(group.position, fmt::format("the name '{}': {}", printable(group.name), bad->message));
    std::string name = group.name;
    for (int number = 1; !taken.insert(name).second; ++number) {
      name = number == 1 ? fmt::format("{}-{}", group.name, group.kind)
                         : fmt::format("{}-{}-{}", group.name, group.kind, number);
    }
    if (name == group.name) continue;
    not_kept.add("renamed, since a member or another group has the name", "group", name);
    group.name = std::move(name);
  }
  return {};
}

/// Guarantees, reserves and limits that do not contradict each other, from the members up.
class Quotas {
 public:
  Quotas(std::vector<Group>& groups, NotKept& not_kept) : groups_(groups), not_kept_(not_kept) {
    for (std::size_t g = 0; g < groups.size(); ++g) places_.emplace(groups[g].id, g);
  }

  Check settle() {
    close();
    sums_.resize(groups_.size());
    Amounts of_all;
    for (std::size_t g = groups_.size(); g-- > 0;) {
      Group& group = groups_[g];
      settle(group, sums_[g]);
      Amounts& above = group.parent ? sums_[places_.at(*group.parent)] : of_all;
      for (const auto& [resource, amount] : effective_) {
        above[resource] += amount;
        if (above[resource] > kMostOfAll)
          return error_at(group.position,
                          fmt::format("the guarantees of {} together are more than 4·10^18", resource));
      }
    }
    return {};
  }

 private:
  /// Nothing is guaranteed below a group that is closed.
  void close() {
    std::set<std::string_view> closed;
    for (Group& group : groups_) {
      const bool is_closed = group.is_closed || (group.parent && closed.contains(*group.parent));
      if (!is_closed) continue;
      closed.insert(group.id);
      group.guarantee = {};
      group.reserved = {};
      if (group.is_closed) group.limit = Share{.amounts = {}, .percent = 0};
    }
  }

  /// `below`: what the groups below are guaranteed together, in amounts. A percentage is compared with
  /// nothing: YARN's, from which it comes, are parts of the parent's, and add up.
  void settle(Group& group, const Amounts& below) {
    effective_ = below;
    if (!group.guarantee.amounts.empty()) {
      Amounts& given = group.guarantee.amounts;
      for (auto& [resource, amount] : given) amount = rounded(amount, Rounding::up);
      for (const auto& [resource, sum] : below) {
        const auto own = given.find(resource);
        if (own != given.end() && own->second < sum)
          not_kept_.add("raised to the guarantees below: the guarantee", group.kind, group.name);
        if (own == given.end() || own->second < sum) given[resource] = rounded(sum, Rounding::up);
      }
      effective_ = given;
    }
    for (auto& [resource, amount] : group.reserved.amounts) {
      amount = rounded(amount, Rounding::down);
      const auto own = effective_.find(resource);
      const mpq_class most = own == effective_.end() ? mpq_class(0) : own->second;
      if (amount <= most) continue;
      amount = most;
      not_kept_.add("lowered to the guarantee: the reserve", group.kind, group.name);
    }
    for (auto& [resource, amount] : group.limit.amounts) {
      amount = rounded(amount, Rounding::down);
      const auto own = effective_.find(resource);
      if (own == effective_.end() || own->second <= amount) continue;
      amount = own->second;
      not_kept_.add("raised to the guarantee: the limit", group.kind, group.name);
    }
  }

  std::vector<Group>& groups_;
  NotKept& not_kept_;
  std::map<std::string_view, std::size_t> places_ = {};
  std::vector<Amounts> sums_ = {};  // of the effective guarantees below each group
  Amounts effective_ = {};          // of the group that was settled last
};

}  // namespace

Result<ImportedTeams> arrange(std::string members_key, std::vector<Group> groups, NotKept not_kept) {
  MIRAB_ASSERT(!groups.empty(), "an importer refuses a file without queues, and says how to print them");
  for (const Group& group : groups) {
    if (Check wrong = check_amounts(group)) return *std::move(wrong);
  }
  Result<std::vector<Group>> sorted = Order(groups).sorted();
  if (!sorted) return std::move(sorted).error();
  if (Check wrong = settle_members(*sorted, not_kept)) return *std::move(wrong);
  if (Check wrong = settle_names(*sorted, not_kept)) return *std::move(wrong);
  if (Check wrong = Quotas(*sorted, not_kept).settle()) return *std::move(wrong);
  return ImportedTeams{
      .members_key = std::move(members_key), .groups = *std::move(sorted), .notices = not_kept.notices()};
}

}  // namespace mirab::teams
