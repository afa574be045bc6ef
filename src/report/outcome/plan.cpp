// What to buy, or which weight to give, as a table, JSON and CSV.
#include "report/outcome/plan.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "report/outcome/comparison.hpp"
#include "report/outcome/difference.hpp"
#include "report/text/format.hpp"
#include "report/text/json.hpp"
#include "report/text/table.hpp"
#include "report/text/width.hpp"

namespace mirab::report {

namespace {

const std::string& user_of(const PlanReport& report) { return report.goal.user; }

double tasks_before(const PlanReport& report) { return report.goal.tasks_of(report.plan.before.allocation); }
double tasks_after(const PlanReport& report) { return report.goal.tasks_of(report.plan.after.allocation); }

bool is_needed(const PlanReport& report) {
  const Plan& plan = report.plan;
  if (plan.weight) return *plan.weight != plan.weight_before;
  return std::any_of(plan.bought.begin(), plan.bought.end(), [](std::int64_t count) { return count > 0; });
}

std::string task_words(double tasks) {
  const std::vector<double> one{tasks};
  return tasks == 0 ? "0" : tasks_fixed(tasks, decimals_for(one));
}

// `1 task`, `2.5 tasks`.
std::string counted_tasks(double tasks) {
  const std::string number = task_words(tasks);
  return fmt::format("{} {}", number, number == "1" ? "task" : "tasks");
}

bool all_cost_one(const PlanReport& report) {
  return std::all_of(report.kinds.begin(), report.kinds.end(),
                     [](const ServerKind& kind) { return kind.price == Quantity(1); });
}

std::string purchase_table(const PlanReport& report, std::size_t width) {
  const Plan& plan = report.plan;
  Table table;
  table.columns = {{.shortest = kNameWidth}, {Align::decimal}, {Align::decimal}, {Align::decimal}};
  table.rows = {
      {{"buy"}, {"servers", 1, Align::right}, {"price of one", 1, Align::right}, {"price", 1, Align::right}}};
  table.add_rule();
  std::int64_t servers = 0;
  for (std::size_t k = 0; k < report.kinds.size(); ++k) {
    if (plan.bought[k] == 0) continue;
    servers += plan.bought[k];
    const Quantity& price = report.kinds[k].price;
    table.rows.push_back({{report.kinds[k].name},
                          {std::to_string(plan.bought[k])},
                          {price.text()},
                          {csv_number(static_cast<double>(plan.bought[k]) * price.value())}});
  }
  table.add_rule();
  table.rows.push_back({{"all"}, {std::to_string(servers)}, {""}, {csv_number(plan.price)}});
  return render(table, width);
}

/// What was tried was tried on servers that count with less than they may have. Where it can be checked on
/// these as they are, it was.
std::string of_counted_servers(const PlanReport& report) {
  if (report.plan.checked) {
    return " That was searched on servers that count together. Then all servers were divided as they are: "
           "the weight is enough there, and a smaller one may be.";
  }
  return report.problem.cluster().merged
             ? " This holds for the servers as they count together: as they are, less may be enough."
             : "";
}

/// Nothing has to change: of which servers is that known?
std::string already_words(const PlanReport& report) {
  return report.plan.checked ? "nothing has to change, on all servers as they are" : "nothing has to change";
}

// How good the plan is.
std::string certainty(const PlanReport& report) {
  const Plan& plan = report.plan;
  if (plan.weight) {
    std::string text =
        plan.too_little ? fmt::format("A weight of {} is not enough. ", plan.too_little->text()) : "";
    text += plan.steady ? fmt::format("More weight never brought it less, in {} weights that were tried.",
                                      plan.solved)
                        : fmt::format(
                              "More weight once brought it less, so a smaller one that was not among the {} "
                              "tried may be enough.",
                              plan.solved);
    return text + of_counted_servers(report);
  }
  if (plan.checked)
    return fmt::format(
        "It was found in {} purchases, on servers that count together. Then all servers were divided as they "
        "are: it is enough there, and with one server less of a kind it is not. Another that is cheaper is "
        "not ruled out.",
        plan.solved);
  std::string text;
  if (plan.exact) {
    text = fmt::format(
        "No {} purchase of these kinds is enough: {} were tried, all cheaper ones among them or ruled out.",
        all_cost_one(report) ? "smaller" : "cheaper", plan.solved);
  } else if (plan.least_price <= 0) {
    text = fmt::format("After {} purchases nothing is proved about cheaper ones.", plan.solved);
  } else {
    text = fmt::format(
        "After {} purchases a cheaper one is not ruled out, but none below {} is enough: this one costs at "
        "most {} more than the cheapest.",
        plan.solved, csv_number(plan.least_price), percent(plan.price / plan.least_price - 1, 1));
  }
  if (plan.uncertain > 0)
    text += fmt::format(" {} of the cheaper ones could not be divided exactly enough.", plan.uncertain);
  else if (!plan.exact)
    text += " --solves tries more.";
  if (plan.falls_after) {
    text += fmt::format(" More is not always better here: with {} it gets less than with {}.",
                        *plan.falls_after + 1, *plan.falls_after);
  }
  return text + of_counted_servers(report);
}

// Is it a user with task shapes, or else a group of users?
bool is_of_shapes(const PlanReport& report) {
  const User& first = report.problem.users()[report.goal.tasks.front().user];
  return first.shape && first.group == report.goal.user;
}

// Of a task shape of the user who is asked about, the shape.
const std::string& short_name(const PlanReport& report, std::size_t user) {
  const User& wanted = report.problem.users()[user];
  return is_of_shapes(report) ? *wanted.shape : wanted.name;
}

// What each task shape or user gets, and what is wanted of it; nothing where the goal is one number.
std::string shapes_words(const PlanReport& report) {
  if (report.goal.tasks.size() == 1) return {};
  std::vector<std::string> words;
  for (const WantedTasks& wanted : report.goal.tasks)
    words.push_back(fmt::format("{} {} ({} wanted)", short_name(report, wanted.user),
                                task_words(report.plan.after.allocation.tasks[wanted.user]),
                                task_words(wanted.tasks.value())));
  return fmt::format("{}: {}. ", is_of_shapes(report) ? "By task shape" : "By user", fmt::join(words, ", "));
}

std::string advice(const PlanReport& report, std::size_t width) {
  const Plan& plan = report.plan;
  const std::string& user = user_of(report);
  if (!is_needed(report))
    return broken(fmt::format("{} has {} under {} already: {}.", user, counted_tasks(tasks_before(report)),
                              plan.before.mechanism, already_words(report)),
                  width);
  const std::string brings =
      fmt::format("{} then gets {} instead of {}.", user, counted_tasks(tasks_after(report)),
                  task_words(tasks_before(report)));
  const std::string what = plan.weight ? fmt::format("Give {} the weight {} instead of {}.\n", user,
                                                     plan.weight->text(), plan.weight_before.text())
                                       : purchase_table(report, width) + "\n";
  return what + broken(brings + " " + shapes_words(report) + certainty(report), width, "");
}

Diff before_and_after(const PlanReport& report) {
  const Plan& plan = report.plan;
  return {{report.title, report.problem, plan.before},
          {report.title, plan.problem, plan.after},
          difference({report.problem, plan.before.allocation}, {plan.problem, plan.after.allocation})};
}

}  // namespace

std::string plan_table(const PlanReport& report, std::size_t most, const Terminal& terminal) {
  const std::size_t page = std::min(terminal.width, kPageWidth);
  std::string text = broken(printable(fmt::format("{}: {} for {} under {}", report.title,
                                                  counted_tasks(report.goal.all_tasks()), user_of(report),
                                                  report.plan.before.mechanism)),
                            page) +
                     "\n" + advice(report, page);
  if (!is_needed(report)) {
    const Outcome& outcome = report.plan.after;
    for (const std::string& notice : outcome.notices)
      text += broken(fmt::format("{}: {}: {}", notice_kind(notice), outcome.mechanism, printable(notice)),
                     page, "      ");
    return text;
  }
  return text + "\n" + difference_table(before_and_after(report), {.most = most}, terminal);
}

namespace {

using Json = nlohmann::ordered_json;

Json kinds_json(const PlanReport& report) {
  Json kinds = Json::array();
  for (std::size_t k = 0; k < report.kinds.size(); ++k) {
    const ServerKind& kind = report.kinds[k];
    const std::vector<Server>& servers = report.problem.servers();
    const auto entry = std::find_if(servers.begin(), servers.end(),
                                    [&](const Server& server) { return server.name == kind.name; });
    kinds.push_back({{"name", kind.name},
                     {"is_new", kind.fresh.has_value()},
                     {"capacity", by_resource(report.problem.resources(),
                                              kind.fresh ? kind.fresh->capacity : entry->capacity)},
                     {"price_of_one", kind.price.value()},
                     {"count", report.plan.bought[k]},
                     {"price", static_cast<double>(report.plan.bought[k]) * kind.price.value()}});
  }
  return kinds;
}

// What is wanted of each task shape, and what it gets; empty for a user without shapes.
Json shapes_json(const PlanReport& report) {
  Json shapes = Json::array();
  for (const WantedTasks& wanted : report.goal.tasks) {
    const User& user = report.problem.users()[wanted.user];
    if (user.name == report.goal.user) continue;
    shapes.push_back({{"name", user.name},
                      {"wanted", wanted.tasks.value()},
                      {"tasks_before", report.plan.before.allocation.tasks[wanted.user]},
                      {"tasks_after", report.plan.after.allocation.tasks[wanted.user]}});
  }
  return shapes;
}

}  // namespace

Json plan_json(const PlanReport& report) {
  const Plan& plan = report.plan;
  Json json{{"version", 1},
            {"cluster", report.title},
            {"mechanism", plan.before.mechanism},
            {"status", status_name(plan.after.status)},
            {"certificate", certificate_json(plan.after.certificate)},
            {"user", user_of(report)},
            {"wanted", report.goal.all_tasks()},
            {"shapes", shapes_json(report)},
            {"tasks_before", tasks_before(report)},
            {"tasks_after", tasks_after(report)}};
  if (plan.weight) {
    json["weight"] = {{"before", plan.weight_before.value()},
                      {"after", plan.weight->value()},
                      {"too_little", plan.too_little ? Json(plan.too_little->value()) : Json(nullptr)},
                      {"steady", plan.steady}};
  } else {
    json["kinds"] = kinds_json(report);
    json["price"] = plan.price;
    json["least_price"] = plan.least_price;
    json["uncertain"] = plan.uncertain;
  }
  json["exact"] = plan.exact && !report.problem.cluster().merged;
  json["falls_after"] = plan.falls_after ? Json(*plan.falls_after) : Json(nullptr);
  json["solved"] = plan.solved;
  if (plan.checked) json["checked"] = true;
  json["words"] = is_needed(report) ? certainty(report) : already_words(report);
  json["notices"] = plan.after.notices;
  add_merged(json, plan.problem, plan.after);
  json["difference"] = difference_json(before_and_after(report));
  return json;
}

std::string plan_csv(const PlanReport& report) {
  const Plan& plan = report.plan;
  if (plan.weight) {
    return csv_record({"user", "weight_before", "weight_after"}) +
           csv_record(
               {user_of(report), csv_number(plan.weight_before.value()), csv_number(plan.weight->value())});
  }
  std::string csv = csv_record({"kind", "count", "price_of_one", "price"});
  for (std::size_t k = 0; k < report.kinds.size(); ++k) {
    const double price = report.kinds[k].price.value();
    csv += csv_record({report.kinds[k].name, std::to_string(plan.bought[k]), csv_number(price),
                       csv_number(static_cast<double>(plan.bought[k]) * price)});
  }
  return csv;
}

}  // namespace mirab::report
