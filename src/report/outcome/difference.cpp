// The difference of two outcomes as a table, JSON and CSV.
#include "report/outcome/difference.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string_view>

#include "audit/persons.hpp"
#include "audit/team_standing.hpp"
#include "model/eligibility.hpp"
#include "model/names.hpp"
#include "report/outcome/comparison.hpp"
#include "report/outcome/team_table.hpp"
#include "report/text/format.hpp"
#include "report/text/json.hpp"
#include "report/text/table.hpp"
#include "report/text/width.hpp"

namespace mirab::report {

// Who gains and who loses, before and after side by side: the users whose tasks change most, then the sums.

namespace {

constexpr std::size_t kColumns = 7;

std::string side_words(const DiffSide& side) {
  return fmt::format("{}, {}: {} on {}", side.title, side.outcome.mechanism,
                     counted(total_users(side.problem), "user"),
                     counted(static_cast<std::size_t>(total_servers(side.problem)), "server"));
}

std::string signed_percent(double part) {
  if (std::isinf(part)) return "from 0";
  if (std::abs(part) <= kSameWithin) return "0%";
  return (part > 0 ? "+" : "") + percent(part, 2);
}

// Teams of both sides in front, and those of one side behind them.
std::size_t teams_of_both(const Difference& difference) {
  const ChangedUsers& changed = difference.changed;
  return changed.gain + changed.lose + changed.mixed + changed.unchanged;
}

// How many gainers from the front and losers from the back of the sorted teams are shown; all others are
// alike or change less.
struct Shown {
  std::size_t gainers;
  std::size_t losers;
};

Shown shown(const Difference& difference, std::size_t most) {
  const std::size_t both = teams_of_both(difference);
  if (both <= 2 * most) return {both, 0};
  return {std::min(most, difference.changed.gain), std::min(most, difference.changed.lose)};
}

int task_decimals(const Difference& difference) {
  std::vector<double> tasks{0};
  for (const auto* users : {&difference.users, &difference.gone, &difference.come}) {
    for (const UserChange& user : *users) {
      if (user.before) tasks.push_back(user.before->tasks);
      if (user.after) tasks.push_back(user.after->tasks);
    }
  }
  return decimals_for(tasks);
}

// What each user and task shape of a side asks for, by name, and whether it has it.
struct Wish {
  std::optional<double> asked;
  bool satisfied;
};
using Wishes = std::unordered_map<std::string, Wish>;

Wishes wishes_of(const DiffSide& side) {
  const Satisfaction satisfied = satisfaction(side.problem, side.outcome);
  Wishes wishes;
  for (std::size_t n = 0; n < satisfied.satisfied.size(); ++n)
    wishes.emplace(side.problem.users()[n].name, Wish{satisfied.asked[n], satisfied.satisfied[n]});
  for (const TeamStanding& team : team_standings(side.problem, side.outcome))
    wishes.emplace(team.who.name, Wish{team.asked, team.satisfied()});
  return wishes;
}

// Where the teams of a side stand, by name.
class SideTeams {
 public:
  explicit SideTeams(const DiffSide& side)
      : side_(side),
        teams_(team_standings(side.problem, side.outcome)),
        stops_(side.problem, side.outcome),
        decimals_(waiting_decimals(teams_)) {
    for (const TeamStanding& team : teams_) by_name_.emplace(team.who.name, &team);
  }

  /// Null of a team that the side lacks.
  const TeamStanding* find(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }
  std::string held_by(const TeamStanding& team) const {
    return held_by_words(side_.problem, side_.outcome, stops_, team);
  }
  /// Of the tasks that wait.
  int decimals() const { return decimals_; }

 private:
  const DiffSide& side_;
  std::vector<TeamStanding> teams_;
  Stops stops_;
  int decimals_;
  std::unordered_map<std::string_view, const TeamStanding*> by_name_;
};

// By which part what each user and team of a side has may differ from a division of the servers as they are,
// by name; only where that is known, and not nothing.
using Bounds = std::unordered_map<std::string, double>;

Bounds bounds_of(const DiffSide& side) {
  std::vector<double> of_user(side.problem.user_count());
  for (const MergedLevel& level : side.outcome.merged_levels) {
    for (const std::size_t n : level.users) of_user[n] = level.user_bound;
  }
  Bounds bounds;
  for (const Person& person : persons(side.problem, side.outcome.allocation)) {
    double most = 0;
    for (const std::size_t n : person.users) {
      most = std::max(most, of_user[n]);
      if (of_user[n] > 0) bounds.emplace(side.problem.users()[n].name, of_user[n]);
    }
    if (most > 0) bounds.emplace(person.name, most);
  }
  return bounds;
}

// May two figures of a user be the same where servers do not count together?
class MayBeNone {
 public:
  explicit MayBeNone(const Diff& diff) : before_(bounds_of(diff.before)), after_(bounds_of(diff.after)) {}

  bool operator()(const std::string& user, double before, double after) const {
    const auto left = [&](const Bounds& bounds) {
      const auto bound = bounds.find(user);
      return bound == bounds.end() ? 1 : 1 - bound->second;
    };
    const double within = left(before_) * left(after_);
    return within < 1 && before != after && std::min(before, after) >= within * std::max(before, after);
  }

 private:
  Bounds before_;
  Bounds after_;
};

constexpr const char* kMayBeNone = " ≈";

// Tasks of different shapes make no meaningful sum: a team has its shares, and how many of its tasks wait.
bool is_by_team(const Diff& diff, Detail detail) {
  return detail == Detail::teams && (has_shapes(diff.before.problem) || has_shapes(diff.after.problem));
}

class Rows {
 public:
  Rows(const Diff& diff, Detail detail, bool bold)
      : decimals_(task_decimals(diff.difference)),
        bold_(bold),
        before_(wishes_of(diff.before)),
        after_(wishes_of(diff.after)),
        may_be_none_(diff) {
    if (is_by_team(diff, detail)) {
      teams_before_.emplace(diff.before);
      teams_after_.emplace(diff.after);
      head_teams();
      return;
    }
    table_.columns = {{.min_width = 5, .shortest = kNameWidth},
                      {Align::decimal, 3},
                      {Align::decimal},
                      {Align::decimal},
                      {Align::decimal, 3},
                      {Align::decimal},
                      {Align::decimal}};
    table_.rows = {{{""}, {"tasks", 3, Align::center}, {"share", 3, Align::center}},
                   {{"user"},
                    {"before", 1, Align::right},
                    {"after", 1, Align::right},
                    {"change", 1, Align::right},
                    {"before", 1, Align::right},
                    {"after", 1, Align::right},
                    {"points", 1, Align::right}}};
    table_.add_rule();
  }

  void add(const TeamChange& team, Detail detail) {
    if (teams_before_) return add_team(team.whole);
    add(team.whole);
    if (detail == Detail::teams) return;
    for (const UserChange& shape : team.shapes) add(shape, "  ");
  }

  void add(const UserChange& user, const std::string& indent = "") {
    const bool both = user.before && user.after;
    const std::string change = both ? signed_percent(user.change) : kNone;
    table_.rows.push_back(
        {{.text = indent + user.user, .mark = user.same_task ? "" : " *"},
         got(user.before, before_, user.user),
         got(user.after, after_, user.user),
         {.text = change,
          .align = align(both),
          .mark = both ? mark_of(change, user.user, user.before->tasks, user.after->tasks) : ""},
         {share(user.before)},
         {share(user.after)},
         {both ? signed_points(user.before->share_of_before, user.after->share_of_before) : kNone, 1,
          align(both)}});
  }

  void add_line(const std::string& text) {
    if (!text.empty()) table_.rows.push_back({{text, kColumns}});
  }

  // A sum of which more is better has numbers, where its sides can be compared.
  struct Sum {
    std::string text;
    std::optional<double> number = {};
  };

  void add_sum(const std::string& what, const Sum& before, const Sum& after) {
    const auto cell = [&](const Sum& sum, const Sum& other) {
      const bool better = sum.number && other.number && *sum.number > *other.number && sum.text != other.text;
      return Cell{.text = sum.text, .align = Align::right, .bold = bold_ && better};
    };
    table_.rows.push_back({{what}, cell(before, after), cell(after, before)});
  }

  void add_rule() { table_.add_rule(); }
  bool any_satisfied() const { return any_satisfied_; }
  bool any_that_may_be_none() const { return any_may_be_none_; }
  std::string tasks(const std::optional<UserShare>& share) const {
    return share ? tasks(share->tasks) : kNone;
  }
  std::string tasks(double count) const { return count == 0 ? "0" : tasks_fixed(count, decimals_); }
  std::string text(std::size_t width) const { return render(table_, width); }

 private:
  // With a mark where it is all that the user asks for, in bold where it is fewer.
  Cell got(const std::optional<UserShare>& share, const Wishes& wishes, const std::string& user) {
    const auto wish = wishes.find(user);
    if (!share || wish == wishes.end() || !wish->second.asked) return {tasks(share)};
    if (!wish->second.satisfied) return {.text = tasks(share), .bold = bold_};
    any_satisfied_ = true;
    return {tasks(*wish->second.asked) + " ✓"};
  }

  void head_teams() {
    table_.columns = {{.min_width = 5, .shortest = kShortNameWidth},
                      {Align::decimal, 3},
                      {Align::decimal},
                      {Align::decimal},
                      {Align::decimal, 3},
                      {Align::decimal},
                      {.gap = 3, .shortest = kShortNameWidth}};
    table_.rows = {{{""}, {"share", 3, Align::center}, {"tasks that wait", 2, Align::center}},
                   {{"team"},
                    {"before", 1, Align::right},
                    {"after", 1, Align::right},
                    {"points", 1, Align::right},
                    {"before", 1, Align::right},
                    {"after", 1, Align::right},
                    {"held by"}}};
    table_.add_rule();
  }

  void add_team(const UserChange& team) {
    const TeamStanding* old = teams_before_->find(team.user);
    const TeamStanding* fresh = teams_after_->find(team.user);
    const auto waiting = [](const TeamStanding* of, const SideTeams& side) {
      return of ? waiting_words(*of, side.decimals()) : kNone;
    };
    const bool is_short = fresh && !fresh->satisfied();
    const bool both = old && fresh;
    const double share_before = both ? team.before->share_of_before : 0;
    const double share_after = both ? team.after->share_of_before : 0;
    const std::string points = both ? signed_points(share_before, share_after) : kNone;
    table_.rows.push_back({{.text = team.user, .mark = team.same_task ? "" : " *"},
                           {share(team.before)},
                           {.text = share(team.after), .bold = bold_ && is_short},
                           {.text = points,
                            .align = align(both),
                            .mark = both ? mark_of(points, team.user, share_before, share_after) : ""},
                           {waiting(old, *teams_before_)},
                           {waiting(fresh, *teams_after_)},
                           {is_short ? teams_after_->held_by(*fresh) : ""}});
  }

  // A change that reads as none needs no mark.
  std::string mark_of(const std::string& change, const std::string& user, double before, double after) {
    if (change.find_first_of("123456789") == std::string::npos) return {};
    if (!may_be_none_(user, before, after)) return {};
    any_may_be_none_ = true;
    return kMayBeNone;
  }

  static Align align(bool number) { return number ? Align::decimal : Align::right; }
  static std::string share(const std::optional<UserShare>& share) {
    return share ? percent(share->share_of_before, 2) : kNone;
  }

  Table table_;
  int decimals_;
  bool bold_;
  Wishes before_;
  Wishes after_;
  std::optional<SideTeams> teams_before_ = {};  // of a table by team
  std::optional<SideTeams> teams_after_ = {};
  MayBeNone may_be_none_;
  bool any_satisfied_ = false;
  bool any_may_be_none_ = false;
};

// Users, a user with task shapes being one.
std::string changed_words(const ChangedUsers& changed) {
  const std::string mixed =
      changed.mixed == 0 ? ""
                         : fmt::format(", {} with the same share of another mix of tasks", changed.mixed);
  return fmt::format("{} gain, {} lose{}, {} unchanged", changed.gain, changed.lose, mixed,
                     changed.unchanged);
}

// Lines, of which each user has one.
std::string not_shown(const Difference& difference, const Shown& part) {
  const ChangedUsers& changed = difference.changed;
  if (part.gainers == teams_of_both(difference)) return {};
  std::vector<std::string> words;
  const auto add = [&](std::size_t left, const char* what) {
    if (left > 0) words.push_back(fmt::format("{} {}", left, what));
  };
  add(changed.gain - part.gainers, "who gain less");
  add(changed.lose - part.losers, "who lose less");
  add(changed.mixed, "with the same share of another mix of tasks");
  add(changed.unchanged, "unchanged");
  return words.empty() ? "" : fmt::format("{} not shown", fmt::join(words, ", "));
}

// Teams that only one side has.
void add_one_sided(Rows& rows, const std::string& heading, std::span<const TeamChange> teams,
                   const DiffView& view) {
  if (teams.empty()) return;
  rows.add_rule();
  rows.add_line(heading);
  for (const TeamChange& team : teams.first(std::min(view.most, teams.size()))) rows.add(team, view.detail);
  if (teams.size() > view.most) rows.add_line(fmt::format("… {} more", teams.size() - view.most));
}

// The fewest tasks of those who are short of tasks on a side and may run there, and their lowest shares, for
// which a user with task shapes is one; none when there are none.
std::optional<UserShare> lowest_short(const Problem& before, const DiffSide& side,
                                      const Satisfaction& satisfaction) {
  if (!satisfaction.lowest_short_share) return {};
  UserShare least{.tasks = std::numeric_limits<double>::infinity(),
                  .dominant_share = *satisfaction.lowest_short_share,
                  .share_of_before = std::numeric_limits<double>::infinity()};
  const Allocation& allocation = side.outcome.allocation;
  const std::vector<bool> is_eligible = eligible_somewhere(side.problem);
  for (std::size_t n = 0; n < satisfaction.satisfied.size(); ++n) {
    if (is_eligible[n] && !satisfaction.satisfied[n])
      least.tasks = std::min(least.tasks, allocation.tasks[n]);
  }
  const std::vector<double> pool = pool_of_before(before, side.problem);
  for (const Person& person : persons(side.problem, allocation, pool)) {
    if (person.is_eligible && !has_all(person, satisfaction.satisfied))
      least.share_of_before = std::min(least.share_of_before, person.share);
  }
  return least;
}

void add_sums(Rows& rows, const Diff& diff) {
  const Difference& difference = diff.difference;
  const Satisfaction before = satisfaction(diff.before.problem, diff.before.outcome);
  const Satisfaction after = satisfaction(diff.after.problem, diff.after.outcome);
  rows.add_rule();
  if (before.any_asked() || after.any_asked()) {
    const bool of_same = before.users == after.users;  // otherwise neither count is better
    const auto count = [&](const Satisfaction& side) -> Rows::Sum {
      return {fmt::format("{} of {}", side.satisfied_users, side.users),
              of_same ? std::optional(static_cast<double>(side.satisfied_users)) : std::nullopt};
    };
    rows.add_sum("get all they ask for", count(before), count(after));
  }
  rows.add_sum("all tasks", {rows.tasks(difference.tasks_before)}, {rows.tasks(difference.tasks_after)});
  const auto lowest_before = lowest_short(diff.before.problem, diff.before, before);
  const auto lowest_after = lowest_short(diff.before.problem, diff.after, after);
  const auto tasks = [&](const std::optional<UserShare>& of) -> Rows::Sum {
    return {rows.tasks(of), of ? std::optional(of->tasks) : std::nullopt};
  };
  const auto part = [](const std::optional<double>& value) -> Rows::Sum {
    return {value ? percent(*value, 2) : kNone, value};
  };
  const auto share = [&](const std::optional<UserShare>& of) {
    return part(of ? std::optional(of->share_of_before) : std::nullopt);
  };
  rows.add_sum("fewest tasks", tasks(lowest_before), tasks(lowest_after));
  rows.add_sum("lowest share", share(lowest_before), share(lowest_after));
  for (const UseChange& use : difference.resources) {
    rows.add_sum(shorten(use.resource, kResourceWidth) + " used", part(use.before), part(use.after));
  }
}

// Groups that hold users or groups; a user with task shapes is none of them.
std::vector<const GroupChange*> proper_groups(const Difference& difference) {
  std::vector<const GroupChange*> groups;
  for (const GroupChange& group : difference.groups) {
    if (!group.is_user) groups.push_back(&group);
  }
  return groups;
}

std::string parent_words(const std::optional<std::string>& parent) {
  return parent ? *parent : "the cluster";
}

// `added: vision in research`, a line for each kind of change.
std::string group_changes(const std::vector<const GroupChange*>& groups, std::size_t width) {
  std::vector<std::string> added, removed, moved, settings;
  for (const GroupChange* group : groups) {
    if (!group->before)
      added.push_back(fmt::format("{} in {}", group->group, parent_words(group->after->parent)));
    if (!group->after)
      removed.push_back(fmt::format("{} in {}", group->group, parent_words(group->before->parent)));
    if (group->moved)
      moved.push_back(fmt::format("{} from {} to {}", group->group, parent_words(group->before->parent),
                                  parent_words(group->after->parent)));
    if (!group->settings.empty())
      settings.push_back(fmt::format("{} ({})", group->group, fmt::join(group->settings, ", ")));
  }
  std::string text;
  const auto add = [&](const char* what, const std::vector<std::string>& names) {
    if (!names.empty())
      text += broken(printable(fmt::format("groups {}: {}", what, fmt::join(names, "; "))), width);
  };
  add("added", added);
  add("removed", removed);
  add("moved", moved);
  add("set otherwise", settings);
  return text;
}

// The index of a resource among those of a problem; nothing where it has none of that name.
std::optional<std::size_t> index_of(const Problem& problem, const std::string& resource) {
  const auto found = std::find(problem.resources().begin(), problem.resources().end(), resource);
  if (found == problem.resources().end()) return {};
  return static_cast<std::size_t>(found - problem.resources().begin());
}

// A group's amount of a resource on a side, whose problem may lack it.
struct GroupAmount {
  const DiffSide& side;
  const std::optional<GroupShare>& of;

  double operator()(std::vector<double> GroupShare::*amounts, const std::string& resource) const {
    const std::optional<std::size_t> r = index_of(side.problem, resource);
    return of && r ? ((*of).*amounts)[*r] : 0;
  }
};

// A group's line of shares, and behind it a line for each resource of which it is guaranteed something.
void add_group(Table& table, const Diff& diff, const GroupChange& group) {
  const bool both = group.before && group.after;
  const auto share = [](const std::optional<GroupShare>& of) {
    return of ? percent(of->share_of_before, 2) : kNone;
  };
  std::vector<Cell> head{
      {group.group},
      {share(group.before)},
      {share(group.after)},
      {both ? signed_points(group.before->share_of_before, group.after->share_of_before) : kNone, 1,
       both ? Align::decimal : Align::right}};
  const GroupAmount before{diff.before, group.before}, after{diff.after, group.after};
  for (const UseChange& use : diff.difference.resources) {
    const auto amounts = [&](std::vector<double> GroupShare::*of) {
      const auto text = [&](const GroupAmount& side) {
        const std::optional<std::size_t> r = index_of(side.side.problem, use.resource);
        const double value = side(of, use.resource);
        return !side.of || !r ? kNone : value > 0 ? amount(value, side.side.problem.pool()[*r]) : "0";
      };
      return std::pair(text(before), text(after));
    };
    if (before(&GroupShare::guarantee, use.resource) <= 0 && after(&GroupShare::guarantee, use.resource) <= 0)
      continue;
    std::vector<Cell>& row = table.rows.emplace_back(head);
    row.push_back({shorten(use.resource, kResourceWidth)});
    for (const auto of : {&GroupShare::guarantee, &GroupShare::borrowed, &GroupShare::lent}) {
      const auto [old, fresh] = amounts(of);
      row.push_back({old});
      row.push_back({fresh});
    }
    head = {{""}, {""}, {""}, {""}};  // of its next resource
  }
  if (!head[0].text.empty()) table.rows.push_back(std::move(head));
}

// The groups before and after, where there are some.
std::string groups_difference(const Diff& diff, std::size_t width) {
  const std::vector<const GroupChange*> groups = proper_groups(diff.difference);
  if (groups.empty()) return {};
  const bool guaranteed = std::any_of(groups.begin(), groups.end(), [](const GroupChange* group) {
    const auto any = [](const std::optional<GroupShare>& of) {
      return of && std::any_of(of->guarantee.begin(), of->guarantee.end(), [](double g) { return g > 0; });
    };
    return any(group->before) || any(group->after);
  });
  Table table;
  table.columns = {
      {.min_width = 5, .shortest = kNameWidth}, {Align::decimal}, {Align::decimal}, {Align::decimal}};
  table.rows = {
      {{""}, {"share", 3, Align::center}},
      {{"group"}, {"before", 1, Align::right}, {"after", 1, Align::right}, {"points", 1, Align::right}}};
  if (guaranteed) {
    table.columns.push_back({});
    table.rows[0].push_back({""});
    table.rows[1].push_back({"resource"});
    for (const char* what : {"guarantee", "borrowed", "lent"}) {
      table.rows[0].push_back({what, 2, Align::center});
      for (const char* side : {"before", "after"}) {
        table.columns.push_back({Align::decimal});
        table.rows[1].push_back({side, 1, Align::right});
      }
    }
  }
  table.add_rule();
  for (const GroupChange* group : groups) add_group(table, diff, *group);
  const auto count = [&](const auto& passes) { return std::count_if(groups.begin(), groups.end(), passes); };
  const auto gain = count([](const GroupChange* group) { return group->gain > 0; });
  const auto lose = count([](const GroupChange* group) { return group->gain < 0; });
  const auto same =
      count([](const GroupChange* group) { return group->before && group->after && group->gain == 0; });
  return fmt::format("\ngroups: {} gain, {} lose, {} unchanged\n\n", gain, lose, same) +
         render(table, width) + group_changes(groups, std::min(width, kPageWidth));
}

// Of which side a notice is: said where both have the same mechanism and it is of one of them.
std::string notice_of(const Diff& diff, const DiffSide& side, const std::string& notice) {
  const bool is_before = &side == &diff.before;
  const Outcome& other = (is_before ? diff.after : diff.before).outcome;
  const bool is_clear = other.mechanism != side.outcome.mechanism ||
                        std::find(other.notices.begin(), other.notices.end(), notice) != other.notices.end();
  return side.outcome.mechanism + (is_clear ? "" : is_before ? ", before" : ", after");
}

std::string remarks(const Diff& diff, bool by_team, const Rows& rows, const Terminal& terminal) {
  const std::size_t width = terminal.width;
  const std::vector<UserChange>& users = diff.difference.users;
  std::string legend =
      by_team
          ? "share: the largest part of any one resource that the team holds; a team gains where this grows, "
            "or stays the same while one of its shapes has more tasks and none fewer"
          : "change: of the tasks; share: the largest part of any one resource that the user holds";
  if (!diff.difference.same_pool) legend += ", of the cluster before on both sides";
  if (satisfaction(diff.before.problem, diff.before.outcome).any_asked() ||
      satisfaction(diff.after.problem, diff.after.outcome).any_asked())
    legend += "; fewest tasks and lowest share: of those who are short of tasks";
  if (!by_team && (has_shapes(diff.before.problem) || has_shapes(diff.after.problem)))
    legend += "; a user with task shapes has the tasks of all of them, and one share, of all that they hold";
  if (rows.any_satisfied()) legend += "; ✓ all it asks for";
  std::string text = broken(legend, width);
  if (terminal.bold)
    text += broken(by_team ? "bold: less than the team asks for; of a sum, the better side"
                           : "bold: fewer tasks than the user asks for; of a sum, the better side",
                   width);
  if (std::any_of(users.begin(), users.end(), [](const UserChange& user) { return !user.same_task; }))
    text += broken("* a task of this user demands something else on either side", width);
  if (rows.any_that_may_be_none())
    text += broken("≈ within what counting alike servers together may cost: as they are, it may be no change",
                   width);
  std::set<std::string> notes;  // a notice of both sides stands once
  for (const DiffSide* side : {&diff.before, &diff.after}) {
    const Outcome& outcome = side->outcome;
    if (outcome.status == Status::not_converged) {
      text += fmt::format("{}: NOT CONVERGED: {} {}\n", outcome.mechanism, outcome.certificate.kind,
                          magnitude(outcome.certificate.value));
    }
    for (const std::string& notice : outcome.notices) {
      if (is_of_choice(notice)) continue;
      const std::string note =
          fmt::format("{}: {}: {}", notice_kind(notice), notice_of(diff, *side, notice), printable(notice));
      if (notes.insert(note).second) text += broken(note, width, "      ");
    }
  }
  return "\n" + text;
}

}  // namespace

std::string difference_table(const Diff& diff, const DiffView& view, const Terminal& terminal) {
  const Difference& difference = diff.difference;
  const std::size_t page = std::min(terminal.width, kPageWidth);
  Rows rows(diff, view.detail, terminal.bold);
  const std::span<const TeamChange> teams = difference.teams;
  const std::span<const TeamChange> both = teams.first(teams_of_both(difference));
  const Shown part = shown(difference, view.most);
  for (const TeamChange& team : both.first(part.gainers)) rows.add(team, view.detail);
  for (const TeamChange& team : both.last(part.losers)) rows.add(team, view.detail);
  rows.add_line(not_shown(difference, part));
  const std::span<const TeamChange> one_sided = teams.subspan(both.size());
  const auto come = std::find_if(one_sided.begin(), one_sided.end(),
                                 [](const TeamChange& team) { return !team.whole.before; });
  const auto gone = static_cast<std::size_t>(come - one_sided.begin());
  add_one_sided(rows, "only before", one_sided.first(gone), view);
  add_one_sided(rows, "only after", one_sided.subspan(gone), view);
  add_sums(rows, diff);

  return broken("before: " + printable(side_words(diff.before)), page) +
         broken("after:  " + printable(side_words(diff.after)), page) +
         choice_lines(diff.before.outcome, page) + choice_lines(diff.after.outcome, page) + "\n" +
         broken(changed_words(difference.changed), page) + "\n" + rows.text(terminal.width) +
         groups_difference(diff, terminal.width) +
         remarks(diff, is_by_team(diff, view.detail), rows, {.width = page, .bold = terminal.bold});
}

namespace {

using Json = nlohmann::ordered_json;

Json share_json(const UserShare& share) {
  return {{"tasks", share.tasks},
          {"dominant_share", share.dominant_share},
          {"share_of_before", share.share_of_before}};
}

Json side_json(const Problem& before, const DiffSide& side, const UserShare& lowest, double tasks) {
  const Outcome& outcome = side.outcome;
  const Satisfaction satisfied = satisfaction(side.problem, outcome);
  const std::optional<UserShare> of_short = lowest_short(before, side, satisfied);
  Json json{{"cluster", side.title},
            {"mechanism", outcome.mechanism},
            {"status", status_name(outcome.status)},
            {"certificate", certificate_json(outcome.certificate)},
            {"seconds", outcome.seconds},
            {"users", side.problem.user_count()},
            {"servers", total_servers(side.problem)},
            {"tasks", tasks},
            {"satisfied_users", satisfied.satisfied_users},
            {"satisfied_of", satisfied.users},
            {"lowest", share_json(lowest)},
            {"lowest_short", of_short ? share_json(*of_short) : Json(nullptr)},
            {"notices", outcome.notices}};
  add_merged(json, side.problem, outcome);
  return json;
}

Json share_json(const UserShare& share, const Wish& wish) {
  Json json = share_json(share);
  json["asked"] = wish.asked ? Json(*wish.asked) : Json(nullptr);
  json["satisfied"] = wish.satisfied;
  return json;
}

Json users_json(const Diff& diff) {
  const Wishes before = wishes_of(diff.before);
  const Wishes after = wishes_of(diff.after);
  const MayBeNone may_be_none(diff);
  Json users = Json::array();
  for (const UserChange& change : diff.difference.users) {
    users.push_back({{"name", change.user},
                     {"before", share_json(*change.before, before.at(change.user))},
                     {"after", share_json(*change.after, after.at(change.user))},
                     {"change", change.change},
                     {"same_task", change.same_task}});
    if (may_be_none(change.user, change.before->tasks, change.after->tasks))
      users.back()["may_be_none"] = true;
  }
  return users;
}

Json one_sided_json(const std::vector<UserChange>& changes) {
  Json users = Json::array();
  for (const UserChange& change : changes) {
    Json user = share_json(change.before ? *change.before : *change.after);
    user["name"] = change.user;
    users.push_back(std::move(user));
  }
  return users;
}

const char* direction_name(Direction direction) {
  switch (direction) {
    case Direction::gain:
      return "gain";
    case Direction::lose:
      return "lose";
    case Direction::mixed:
      return "mixed";
    case Direction::unchanged:
      return "unchanged";
  }
  return "";
}

Json teams_json(const Diff& diff) {
  const Wishes before = wishes_of(diff.before);
  const Wishes after = wishes_of(diff.after);
  const SideTeams fresh(diff.after);
  const MayBeNone may_be_none(diff);
  // In parts of the pool before, as the shares beside them.
  std::unordered_map<std::string, std::optional<double>> asked;
  for (const TeamStanding& team : team_standings(diff.before.problem, diff.before.outcome))
    asked[team.who.name] = team.asked_share;
  for (const TeamStanding& team : team_standings(diff.after.problem, diff.after.outcome,
                                                 pool_of_before(diff.before.problem, diff.after.problem)))
    asked[team.who.name] = team.asked_share;
  const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
  Json teams = Json::array();
  for (const TeamChange& team : diff.difference.teams) {
    const UserChange& whole = team.whole;
    const auto side = [&](const std::optional<UserShare>& has, const Wishes& wishes) {
      return has ? share_json(*has, wishes.at(whole.user)) : Json(nullptr);
    };
    Json shapes = Json::array();
    for (const UserChange& shape : team.shapes) shapes.push_back(shape.user);
    const TeamStanding* stands = fresh.find(whole.user);
    const auto share = [&](const std::optional<UserShare>& has) {
      return has ? Json(has->share_of_before) : Json(nullptr);
    };
    teams.push_back(
        {{"name", whole.user},
         {"before", side(whole.before, before)},
         {"after", side(whole.after, after)},
         {"direction", direction_name(team.direction)},
         {"shapes", std::move(shapes)},
         {"now", share(whole.before)},
         {"fair", share(whole.after)},
         {"asked", number(asked.at(whole.user))},
         {"waiting", stands ? number(stands->waiting()) : Json(nullptr)},
         {"held_by", stands && !stands->satisfied() ? Json(fresh.held_by(*stands)) : Json(nullptr)}});
    if (whole.before && whole.after &&
        may_be_none(whole.user, whole.before->share_of_before, whole.after->share_of_before))
      teams.back()["may_be_none"] = true;
  }
  return teams;
}

Json group_json(const Problem& problem, const std::optional<GroupShare>& of) {
  if (!of) return nullptr;
  const auto amounts = [&](const std::vector<double>& values) {
    return by_resource(problem.resources(), values);
  };
  Json json{{"parent", of->parent ? Json(*of->parent) : Json(nullptr)},
            {"weight", of->weight},
            {"share", of->share},
            {"share_of_before", of->share_of_before},
            {"beyond", of->beyond},
            {"used", amounts(of->used)},
            {"guarantee", amounts(of->guarantee)},
            {"borrowed", amounts(of->borrowed)},
            {"lent", amounts(of->lent)}};
  Json limit = Json::object();
  for (std::size_t r = 0; r < of->limit.size(); ++r) {
    if (!std::isinf(of->limit[r])) limit[problem.resources()[r]] = of->limit[r];
  }
  if (!limit.empty()) json["limit"] = std::move(limit);
  return json;
}

Json changed_groups_json(const Diff& diff) {
  Json groups = Json::array();
  for (const GroupChange& group : diff.difference.groups)
    groups.push_back({{"name", group.group},
                      {"is_user", group.is_user},
                      {"before", group_json(diff.before.problem, group.before)},
                      {"after", group_json(diff.after.problem, group.after)},
                      {"gain", group.gain},
                      {"moved", group.moved},
                      {"settings", group.settings}});
  return groups;
}

}  // namespace

Json difference_json(const Diff& diff) {
  const Difference& difference = diff.difference;
  const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(); };
  Json resources = Json::object();
  for (const UseChange& use : difference.resources) {
    resources[use.resource] = {{"before", number(use.before)}, {"after", number(use.after)}};
  }
  Json json{
      {"version", 1},
      {"before",
       side_json(diff.before.problem, diff.before, difference.lowest_before, difference.tasks_before)},
      {"after", side_json(diff.before.problem, diff.after, difference.lowest_after, difference.tasks_after)},
      {"gainers", difference.gainers},
      {"losers", difference.losers},
      {"changed_users",
       {{"gain", difference.changed.gain},
        {"lose", difference.changed.lose},
        {"mixed", difference.changed.mixed},
        {"unchanged", difference.changed.unchanged}}},
      {"teams", teams_json(diff)},
      {"users", users_json(diff)},
      {"only_before", one_sided_json(difference.gone)},
      {"only_after", one_sided_json(difference.come)},
      {"utilization", std::move(resources)}};
  if (!difference.groups.empty()) json["groups"] = changed_groups_json(diff);
  return json;
}

namespace {

void add_share(std::vector<std::string>& record, const std::optional<UserShare>& share) {
  record.push_back(share ? csv_number(share->tasks) : "");
  record.push_back(share ? csv_number(share->dominant_share) : "");
}

}  // namespace

std::string difference_csv(const Diff& diff) {
  std::string csv = csv_record({"user", "tasks_before", "dominant_share_before", "tasks_after",
                                "dominant_share_after", "change", "share_of_before_after"});
  const Difference& difference = diff.difference;
  for (const auto* users : {&difference.users, &difference.gone, &difference.come}) {
    for (const UserChange& user : *users) {
      std::vector<std::string> record{user.user};
      add_share(record, user.before);
      add_share(record, user.after);
      record.push_back(user.before && user.after ? csv_number(user.change) : "");
      record.push_back(user.after ? csv_number(user.after->share_of_before) : "");
      csv += csv_record(record);
    }
  }
  return csv;
}

}  // namespace mirab::report
