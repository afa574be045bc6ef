// Who gains and who loses, before and after side by side: the users whose tasks change most, then the sums.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "report/comparison.hpp"
#include "report/difference.hpp"
#include "report/figures.hpp"
#include "report/table.hpp"
#include "report/text_width.hpp"

namespace mirab::report {
namespace {

constexpr std::size_t kNameWidth = 24;
constexpr std::size_t kResourceWidth = 10;
constexpr std::size_t kColumns = 7;
const std::string kNone = "–";

std::string side_words(const DiffSide& side) {
  return fmt::format("{}, {}: {} on {}", side.title, side.outcome.mechanism,
                     counted(side.problem.user_count(), "user"),
                     counted(static_cast<std::size_t>(total_servers(side.problem)), "server"));
}

std::string signed_percent(double part) {
  if (std::isinf(part)) return "from 0";
  if (std::abs(part) <= kSameWithin) return "0%";
  return (part > 0 ? "+" : "") + percent(part, 2);
}

// In points: the difference of two percentages.
std::string signed_points(double before, double after) {
  const std::string points = fixed(100 * (after - before), 2);
  return after > before && points != "0.00" ? "+" + points : points;
}

// How many gainers from the front and losers from the back of the sorted users are shown; all others are
// alike or change less.
struct Shown {
  std::size_t gainers;
  std::size_t losers;
};

Shown shown(const Difference& difference, std::size_t most) {
  if (difference.users.size() <= 2 * most) return {difference.users.size(), 0};
  return {std::min(most, difference.gainers), std::min(most, difference.losers)};
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

class Rows {
 public:
  explicit Rows(const Difference& difference) : decimals_(task_decimals(difference)) {
    table_.columns = {{.min_width = 5},    {Align::decimal, 3}, {Align::decimal}, {Align::decimal},
                      {Align::decimal, 3}, {Align::decimal},    {Align::decimal}};
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

  void add(const UserChange& user) {
    const std::string mark = user.same_task ? "" : " *";
    const bool both = user.before && user.after;
    table_.rows.push_back(
        {{shorten(user.user, kNameWidth) + mark},
         {tasks(user.before)},
         {tasks(user.after)},
         {both ? signed_percent(user.change) : kNone, 1, align(both)},
         {share(user.before)},
         {share(user.after)},
         {both ? signed_points(user.before->dominant_share, user.after->dominant_share) : kNone, 1,
          align(both)}});
  }

  void add_line(const std::string& text) {
    if (!text.empty()) table_.rows.push_back({{text, kColumns}});
  }

  void add_sum(const std::string& what, const std::string& before, const std::string& after) {
    table_.rows.push_back({{what}, {before, 1, Align::right}, {after, 1, Align::right}});
  }

  void add_rule() { table_.add_rule(); }
  std::string tasks(double count) const { return count == 0 ? "0" : fixed(count, decimals_); }
  std::string text() const { return render(table_); }

 private:
  static Align align(bool number) { return number ? Align::decimal : Align::right; }
  std::string tasks(const std::optional<UserShare>& share) const {
    return share ? tasks(share->tasks) : kNone;
  }
  static std::string share(const std::optional<UserShare>& share) {
    return share ? percent(share->dominant_share, 2) : kNone;
  }

  Table table_;
  int decimals_;
};

std::string between(const Difference& difference, const Shown& part) {
  const std::size_t left = difference.users.size() - part.gainers - part.losers;
  if (left == 0) return {};
  const std::size_t gainers = difference.gainers - std::min(part.gainers, difference.gainers);
  const std::size_t losers = difference.losers - part.losers;
  return fmt::format("… {} more: {} gain less, {} lose less, {} unchanged", left, gainers, losers,
                     left - gainers - losers);
}

void add_one_sided(Rows& rows, const std::string& heading, const std::vector<UserChange>& users,
                   std::size_t most) {
  if (users.empty()) return;
  rows.add_rule();
  rows.add_line(heading);
  for (std::size_t i = 0; i < std::min(most, users.size()); ++i) rows.add(users[i]);
  if (users.size() > most) rows.add_line(fmt::format("… {} more", users.size() - most));
}

void add_sums(Rows& rows, const Difference& difference) {
  rows.add_rule();
  rows.add_sum("all tasks", rows.tasks(difference.tasks_before), rows.tasks(difference.tasks_after));
  rows.add_sum("fewest tasks", rows.tasks(difference.lowest_before.tasks),
               rows.tasks(difference.lowest_after.tasks));
  rows.add_sum("lowest share", percent(difference.lowest_before.dominant_share, 2),
               percent(difference.lowest_after.dominant_share, 2));
  for (const UseChange& use : difference.resources) {
    const auto part = [](const std::optional<double>& value) { return value ? percent(*value, 2) : kNone; };
    rows.add_sum(shorten(use.resource, kResourceWidth) + " used", part(use.before), part(use.after));
  }
}

std::string remarks(const Diff& diff, std::size_t width) {
  const std::vector<UserChange>& users = diff.difference.users;
  std::string text = broken(
      "change: of the tasks; share: the largest part of any one resource that the user holds", width, "  ");
  if (std::any_of(users.begin(), users.end(), [](const UserChange& user) { return !user.same_task; }))
    text += broken("* a task of this user demands something else on either side", width, "  ");
  for (const DiffSide* side : {&diff.before, &diff.after}) {
    const Outcome& outcome = side->outcome;
    if (outcome.status == Status::not_converged) {
      text += fmt::format("{}: NOT CONVERGED: {} {}\n", outcome.mechanism, outcome.certificate.kind,
                          magnitude(outcome.certificate.value));
    }
    for (const std::string& notice : outcome.notices)
      text += broken(fmt::format("note: {}: {}", outcome.mechanism, printable(notice)), width, "      ");
  }
  return "\n" + text;
}

}  // namespace

std::string difference_table(const Diff& diff, std::size_t most, std::size_t width) {
  const Difference& difference = diff.difference;
  const std::size_t page = std::min(width, kPageWidth);
  Rows rows(difference);
  const Shown part = shown(difference, most);
  for (std::size_t i = 0; i < part.gainers; ++i) rows.add(difference.users[i]);
  rows.add_line(between(difference, part));
  for (std::size_t i = difference.users.size() - part.losers; i < difference.users.size(); ++i)
    rows.add(difference.users[i]);
  add_one_sided(rows, "only before", difference.gone, most);
  add_one_sided(rows, "only after", difference.come, most);
  add_sums(rows, difference);

  const std::size_t unchanged = difference.users.size() - difference.gainers - difference.losers;
  return broken("before: " + printable(side_words(diff.before)), page, "  ") +
         broken("after:  " + printable(side_words(diff.after)), page, "  ") + "\n" +
         fmt::format("{} gain, {} lose, {} unchanged\n\n", difference.gainers, difference.losers, unchanged) +
         rows.text() + remarks(diff, page);
}

}  // namespace mirab::report
