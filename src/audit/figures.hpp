// The figures of an outcome, each once: its name, its meaning, and the member in which it is computed. The
// JSON and CSV of `mirab allocate` and `fill`, the summary below their table, Allocation.metrics in Python
// and mirab.pyi, docs/schema/outcomes.schema.json, the table in docs/reference/output.md and the report
// page's figures.ts follow from this list; tests/audit/figures_test.cpp writes the texts. A list that lacks a
// member of Metrics or GroupMetrics does not compile.
//
// To add one: a member of Metrics (mirab/audit/metrics.hpp), its formula in metrics.cpp, and its row here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include <mirab/audit/metrics.hpp>
#include <mirab/model/allocation.hpp>
#include <mirab/model/members.hpp>

namespace mirab {

/// What there is one value for.
enum class Per { outcome, resource, user, server };

/// How a value is read; each has its form in the tables.
enum class Unit {
  number,
  share,     ///< a part of a whole, shown in per cent
  ratio,     ///< of two amounts, which may be infinite
  amount,    ///< in the units of the resource
  tasks,     ///< whole after a filling
  count,     ///< whole
  resource,  ///< the name of one
};

/// Which direction is better, where one is.
enum class Better { neither, more, less };

template <Per of, class In, class Value>
struct Figure {
  static constexpr Per kPer = of;
  using Record = In;

  std::string_view name;  ///< in JSON, CSV and Python
  Value In::*member;      ///< where it is computed: by measure(), measure_groups(), fill() or allocate()
  Unit unit;
  std::string_view meaning;
  Better better = Better::neither;
  std::string_view heading = {};  ///< in the tables; empty: not shown there
  bool negative = false;          ///< may it be below zero, by rounding at least?
  bool within_1 = false;
  bool over_short = false;  ///< also without those who are content with less: of_short_users()
  bool in_detail = false;   ///< in the table with `--metrics all` only

  constexpr Figure headed(std::string_view text) const { return with(&Figure::heading, text); }
  constexpr Figure more_is_better() const { return with(&Figure::better, Better::more); }
  constexpr Figure less_is_better() const { return with(&Figure::better, Better::less); }
  constexpr Figure may_be_negative() const { return with(&Figure::negative, true); }
  constexpr Figure at_most_1() const { return with(&Figure::within_1, true); }
  constexpr Figure of_short_too() const { return with(&Figure::over_short, true); }
  constexpr Figure detailed() const { return with(&Figure::in_detail, true); }

 private:
  template <class Attribute>
  constexpr Figure with(Attribute Figure::*which, Attribute value) const {
    Figure changed = *this;
    changed.*which = value;
    return changed;
  }
};

template <Per of, class In, class Value>
constexpr Figure<of, In, Value> figure(std::string_view name, Value In::*member, Unit unit,
                                       std::string_view meaning) {
  return {.name = name, .member = member, .unit = unit, .meaning = meaning};
}

/// In the order of the tables.
inline constexpr std::tuple kFigures{
    figure<Per::outcome>(
        "min_dominant_share", &Metrics::min_dominant_share, Unit::share,
        "The lowest dominant share, not per weight: the part that this user holds of the resource it needs "
        "most.")
        .headed("lowest share")
        .of_short_too()
        .more_is_better(),
    figure<Per::outcome>(
        "gini", &Metrics::gini, Unit::number,
        "The Gini coefficient of the dominant shares per weight: 0 when all are equal, 1 − 1/N when one "
        "user has all.")
        .headed("Gini")
        .of_short_too()
        .less_is_better(),
    figure<Per::outcome>(
        "jain", &Metrics::jain, Unit::number,
        "Jain's index of the dominant shares per weight: 1 when all are equal, 1/N when one user has all.")
        .headed("Jain")
        .of_short_too()
        .more_is_better(),
    figure<Per::outcome>("ratio_20_20", &Metrics::ratio_20_20, Unit::ratio,
                         "What the fifth of the users with the highest shares holds over what the fifth with "
                         "the lowest holds, "
                         "per weight: 1 when all are equal, infinite when the lowest hold nothing.")
        .headed("top/bottom 20%")
        .of_short_too()
        .less_is_better(),
    figure<Per::outcome>(
        "sample_standard_deviation", &Metrics::sample_standard_deviation, Unit::number,
        "The sample standard deviation of the dominant shares per weight: 0 when all are equal.")
        .headed("std deviation")
        .of_short_too()
        .less_is_better(),
    figure<Per::outcome>(
        "beta_dominant", &Metrics::beta_dominant, Unit::number,
        "How differently the resources serve the users whom they dominate: the largest less the smallest "
        "part of a resource that such users hold.")
        .headed("β dominant")
        .detailed()
        .less_is_better(),
    figure<Per::outcome>("beta_non_dominant", &Metrics::beta_non_dominant, Unit::number,
                         "The same for the users whom the resource does not dominate.")
        .headed("β non-dominant")
        .detailed()
        .less_is_better(),
    figure<Per::resource>("utilization", &Metrics::utilization, Unit::share,
                          "How much of the resource is in use, of its capacity.")
        .headed("used")
        .more_is_better(),
    figure<Per::resource>(
        "pareto_index", &GroupMetrics::pareto_index, Unit::amount,
        "Among the users whom the resource dominates, the most that one holds of it less a fair share C_r "
        "φ_n/Φ (Hamzeh, 7.9); null where it dominates none.")
        .may_be_negative(),
    figure<Per::outcome>(
        "sharing_incentive_index", &GroupMetrics::sharing_incentive_index, Unit::share,
        "The part of the users who hold at least a fair share of their dominant resource (Hamzeh, 7.5.2).")
        .more_is_better()
        .at_most_1(),
    figure<Per::resource>(
        "jain_dominant", &GroupMetrics::jain_dominant, Unit::number,
        "Jain's index of what the users whom the resource dominates hold of it (Hamzeh, 4.26).")
        .more_is_better(),
    figure<Per::resource>(
        "jain_non_dominant", &GroupMetrics::jain_non_dominant, Unit::number,
        "Jain's index of what the users whom the resource does not dominate hold of it (Hamzeh, 4.27).")
        .more_is_better(),
    figure<Per::outcome>("placed", &FillRecord::placed, Unit::count,
                         "How many tasks were placed. Task by task only.")
        .headed("placed tasks")
        .more_is_better(),
    figure<Per::outcome>(
        "errors", &FillRecord::errors, Unit::count,
        "How many tasks were placed for a user who did not have the lowest share per weight of the users "
        "that could be served. Task by task only.")
        .headed("out of turn")
        .less_is_better(),
    figure<Per::user>("tasks", &Allocation::tasks, Unit::tasks, "How many tasks the user can run.")
        .headed("tasks"),
    figure<Per::user>("dominant_resource", &Metrics::dominant_resources, Unit::resource,
                      "Of which the user's tasks take the largest part of the cluster, where they run.")
        .headed("dominant"),
    figure<Per::user>("dominant_share", &Metrics::dominant_shares, Unit::share,
                      "The largest part of any one resource that the user holds.")
        .headed("share"),
    figure<Per::server>(
        "consumption", &GroupMetrics::consumption, Unit::share,
        "Λ: for each resource, the mean demand of the tasks that it dominates there, over the capacity of "
        "one server (Hamzeh, 5.4)."),
    figure<Per::server>("penalty", &GroupMetrics::penalty, Unit::share,
                        "α: the largest less the smallest consumption.")};

/// Visits the figures that there is one for each of these, in the order of the list; `visit` takes a Figure.
template <Per... kinds, class Visit>
constexpr void for_each_figure(Visit visit) {
  const auto each = [&](const auto& figure) {
    if constexpr (((std::remove_cvref_t<decltype(figure)>::kPer == kinds) || ...)) visit(figure);
  };
  std::apply([&](const auto&... figure) { (each(figure), ...); }, kFigures);
}

/// Is a figure a member of `Of`?
template <class Of, class Each>
inline constexpr bool kIsIn = std::is_same_v<typename std::remove_cvref_t<Each>::Record, Of>;

template <class Of>
inline constexpr bool kHasAll = [] {
  return kHasMembers<
      Of, std::apply([](const auto&... figure) { return (std::size_t{kIsIn<Of, decltype(figure)>} + ...); },
                     kFigures)>;
}();
static_assert(kHasAll<Metrics> && kHasAll<GroupMetrics>, "a metric is no figure");

// The figures of groups take longer: they are measured for JSON and Python, and not for the tables.
static_assert(std::apply(
    [](const auto&... figure) {
      return ((!kIsIn<GroupMetrics, decltype(figure)> || figure.heading.empty()) && ...);
    },
    kFigures));

}  // namespace mirab
