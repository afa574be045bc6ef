#include "inventory/inventory.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <gmpxx.h>
#include <limits>
#include <set>
#include <tuple>

#include <mirab/model/assert.hpp>

#include "model/alike_servers.hpp"
#include "model/amount_text.hpp"
#include "model/eligibility.hpp"
#include "model/exact.hpp"
#include "model/given_names.hpp"
#include "model/merged_notice.hpp"
#include "model/names.hpp"

namespace mirab::inventory {
namespace {

constexpr std::size_t kMostBits = 200'000'000;                            // machines times rules
constexpr std::size_t kMaxNamed = 5;                                      // in one notice
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();  // of a Quantity

using Bits = std::vector<bool>;
using Select = std::map<std::string, LabelCondition>;
using Labels = std::map<std::string, std::string>;

/// An order of amounts that is quick and total: by how they are written.
using Key = std::vector<std::pair<std::int64_t, int>>;

Key key_of(const ResourceVector& amounts) {
  Key key;
  for (const Quantity& amount : amounts) key.emplace_back(amount.digits(), amount.exponent());
  return key;
}

bool is_nothing(const ResourceVector& amounts) {
  return std::all_of(amounts.begin(), amounts.end(), [](const Quantity& each) { return each.is_zero(); });
}

/// Is there some of everything that is demanded?
bool has_resources(const ResourceVector& capacity, const ResourceVector& demand) {
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (!demand[r].is_zero() && capacity[r].is_zero()) return false;
  }
  return true;
}

/// Which values of a label stay on the machines.
struct KeptValues {
  bool all = false;
  std::set<std::string> some = {};

  bool contains(const std::string& value) const { return all || some.contains(value); }
};

/// Tasks of a team with equal demand and rule; or, of these, the strays: those that run where no new ones may
/// start.
struct Shape {
  std::size_t team = 0;
  bool is_stray = false;
  const ResourceVector* demand = nullptr;
  std::size_t rule = 0;
  std::int64_t count = 0;
  bool is_endless = false;
  std::map<std::string, std::int64_t> names = {};  // with how many tasks
  std::string first_name = {};
  std::map<std::size_t, std::int64_t> running = {};  // by machine
  std::string name = {};
  std::size_t area = 0;  // where it may run, an index into areas_
  bool is_said = false;  // do select and tolerations of the rule say where, with `closed` excluded?
  std::vector<std::size_t> closed = {};  // machines that the rule would allow
  bool is_ahead = false;                 // it waits for a machine that has what it demands
};

struct Team {
  std::string name;
  std::vector<std::size_t> shapes = {};
};

/// What machines of one entry have in common besides their capacity.
struct Like {
  Bits allows = {};    // which shapes may run there
  Labels labels = {};  // on which some `select` depends
  std::vector<Taint> taints = {};
  bool is_overfull = false;

  friend auto operator<=>(const Like&, const Like&) = default;
};

/// A quantity that is no less, and short where it is written: whole Mi, or thousandths of small amounts.
Quantity rounded_up(const mpq_class& amount) {
  constexpr long kMi = 1 << 20, kLarge = 1 << 30;
  const mpq_class unit = amount < kLarge ? mpq_class(1, 1000) : mpq_class(kMi);
  const mpq_class parts = amount / unit;
  mpz_class whole = parts.get_num() / parts.get_den();
  if (whole < parts) ++whole;
  const mpq_class rounded = whole * unit;
  return rounded < kMost ? rounded_down(rounded) : rounded_down(amount);
}

class Describer {
 public:
  explicit Describer(const Inventory& inventory) : inventory_(inventory) {
    description_.cluster.resources = inventory.resources;
    if (inventory.is_state_known) description_.cluster.running.emplace();
  }

  Result<Description> describe() {
    if (inventory_.machines.size() * std::max<std::size_t>(1, inventory_.rules.size()) > kMostBits)
      return Error{.message = fmt::format("{} {}s and {} rules of placement are too many",
                                          inventory_.machines.size(), inventory_.machine_word,
                                          inventory_.rules.size())};
    number_rules();
    find_shapes();
    if (machine_count() * shapes_.size() > kMostBits)
      return Error{.message = fmt::format("{} {}s and {} shapes of tasks are too many", machine_count(),
                                          inventory_.machine_word, shapes_.size())};
    if (Check wrong = find_capacities()) return *std::move(wrong);
    find_areas();
    leave_out_shapes();
    leave_out_machines();
    make_entries();
    make_users();
    if (description_.cluster.users.empty()) return nothing_left();
    const Result<Problem> problem = Problem::from(description_.cluster);
    if (!problem) return Error{.message = problem.error().message, .key = problem.error().key};
    return std::move(description_);
  }

 private:
  Error nothing_left() const {
    std::string message = fmt::format("no {} is left that a team could run", inventory_.task_word);
    for (const std::string& notice : description_.notices) message += "; " + notice;
    return {.message = std::move(message)};
  }

  std::size_t machine_count() const { return inventory_.machines.size(); }

  // Rules that allow the same machines have the same number.
  void number_rules() {
    std::map<Bits, std::size_t> numbers;
    for (const Rule& rule : inventory_.rules) {
      MIRAB_ASSERT(rule.allowed.size() == machine_count(), "a rule says yes or no to each machine");
      rule_numbers_.push_back(numbers.emplace(rule.allowed, numbers.size()).first->second);
    }
  }

  void find_shapes() {
    std::map<std::string, std::size_t> teams;
    Tally idle;
    for (const Tasks& tasks : inventory_.tasks) {
      if (is_nothing(tasks.demand)) {
        idle.add(tasks.team + "/" + tasks.name, tasks.count.value_or(1));
        continue;
      }
      const auto [team, is_new_team] = teams.emplace(tasks.team, teams_.size());
      if (is_new_team) teams_.push_back({.name = tasks.team});
      const bool is_stray = tasks.machine && !may_start(tasks.rule, *tasks.machine);
      add(tasks,
          shapes_[shape_number(
              {.team = team->second, .is_stray = is_stray, .demand = &tasks.demand, .rule = tasks.rule},
              tasks.name)]);
    }
    note(idle, "left out, request nothing", inventory_.task_word);
  }

  /// May new tasks of the rule start on the machine?
  bool may_start(std::size_t rule, std::size_t machine) const {
    return inventory_.rules[rule].allowed[machine] && !inventory_.machines[machine].is_closed;
  }

  // The shape that is like it; a new one when there is none.
  std::size_t shape_number(const Shape& like, const std::string& name) {
    const auto [place, is_new] =
        shape_numbers_.emplace(std::tuple(like.team, key_of(*like.demand), rule_numbers_[like.rule],
                                          inventory_.are_names_shapes ? name : std::string(), like.is_stray),
                               shapes_.size());
    if (is_new) {
      shapes_.push_back(like);
      teams_[like.team].shapes.push_back(place->second);
    }
    return place->second;
  }

  void add(const Tasks& tasks, Shape& shape) {
    const std::int64_t count = tasks.count.value_or(0);
    shape.count += count;
    shape.is_endless = shape.is_endless || !tasks.count;
    if (shape.names.empty()) shape.first_name = tasks.name;
    shape.names[tasks.name] += count;
    if (tasks.machine) shape.running[*tasks.machine] += count;
  }

  // What runs stays. A machine that has less than that, since a part of it failed or was taken away, has what
  // runs there, so that none of that is free; a closed machine always does.
  Check find_capacities() {
    used_ = use();
    Tally overfull;
    std::vector<double> too_much(inventory_.resources.size());  // of all of these together
    for (std::size_t i = 0; i < machine_count(); ++i) {
      const Machine& machine = inventory_.machines[i];
      MIRAB_ASSERT(!machine.is_closed || machine.count == 1, "a closed machine stands alone");
      capacities_.push_back(machine.capacity);
      std::string beyond;
      const ExactVector used = used_on_each(i);
      for (std::size_t r = 0; r < used.size(); ++r) {
        const mpq_class& each = used[r];
        if (each > kMost) return runs_too_much(machine, r);
        const bool is_more = each > rational(machine.capacity[r]);
        if (is_more || machine.is_closed) capacities_[i][r] = rounded_down(each);
        if (!is_more) continue;
        beyond += (beyond.empty() ? "" : ", ") + instead(i, r);
        if (!machine.is_closed)
          too_much[r] +=
              mpq_class(each - rational(machine.capacity[r])).get_d() * static_cast<double>(machine.count);
      }
      overfull_.push_back(!beyond.empty());
      if (!beyond.empty() && !machine.is_closed) overfull.add(fmt::format("{} ({})", machine.name, beyond));
    }
    std::string in_all;
    for (std::size_t r = 0; overfull.count > 1 && r < too_much.size(); ++r) {
      if (too_much[r] > 0)
        in_all += fmt::format("{}{} {}", in_all.empty() ? ", in all by " : ", ", inventory_.resources[r],
                              amount_text(too_much[r], too_much[r]));
    }
    const std::string what = "counted with what runs there, which is more than they have" + in_all;
    note(overfull, what, inventory_.machine_word);
    return {};
  }

  // By what runs, of machines on which something does; [machine][r].
  std::vector<ExactVector> use() const {
    std::vector<ExactVector> used(machine_count());
    for (const Shape& shape : shapes_) {
      for (const auto& [machine, tasks] : shape.running) {
        used[machine].resize(shape.demand->size());
        for (std::size_t r = 0; r < shape.demand->size(); ++r)
          used[machine][r] += rational((*shape.demand)[r]) * static_cast<long>(tasks);
      }
    }
    return used;
  }

  // Of one of several equal machines, what runs on all of them divided by their number.
  ExactVector used_on_each(std::size_t machine) const {
    ExactVector used = used_[machine];
    for (mpq_class& each : used) each /= static_cast<long>(inventory_.machines[machine].count);
    return used;
  }

  // `nvidia.com/gpu 8 instead of 7`
  std::string instead(std::size_t machine, std::size_t r) const {
    const double counted = capacities_[machine][r].value();
    return fmt::format("{} {} instead of {}", inventory_.resources[r], amount_text(counted, counted),
                       amount_text(inventory_.machines[machine].capacity[r].value(), counted));
  }

  Error runs_too_much(const Machine& machine, std::size_t r) const {
    return {.message = fmt::format("more {} than can be counted is in use on the {} '{}'",
                                   inventory_.resources[r], inventory_.machine_word, machine.name)};
  }

  // Where the tasks of each shape may run: strays where they do, all others where new ones may start.
  void find_areas() {
    std::map<Bits, std::size_t> numbers;
    std::map<std::size_t, std::size_t> of_rule;  // by its number
    Tally strays;
    for (Shape& shape : shapes_) {
      if (!shape.is_stray) {
        const auto known = of_rule.find(rule_numbers_[shape.rule]);
        if (known != of_rule.end()) {
          shape.area = known->second;
          continue;
        }
      }
      Bits area(machine_count(), false);
      for (std::size_t i = 0; i < machine_count(); ++i)
        area[i] = shape.is_stray ? shape.running.contains(i) : may_start(shape.rule, i);
      const auto [place, is_new] = numbers.emplace(std::move(area), areas_.size());
      if (is_new) areas_.push_back(place->first);
      shape.area = place->second;
      if (!shape.is_stray) {
        of_rule.emplace(rule_numbers_[shape.rule], shape.area);
        continue;
      }
      for (const auto& [machine, tasks] : shape.running)
        strays.add("on " + inventory_.machines[machine].name, tasks);
    }
    note(strays, "kept where they run, although no new ones may start there", inventory_.task_word);
  }

  // A shape that waits for a resource of which no machine that may run it has any stays, beside one that
  // fits: a machine that has some may be bought.
  void leave_out_shapes() {
    Tally homeless, ahead;
    const bool any_fits = std::any_of(shapes_.begin(), shapes_.end(),
                                      [&](const Shape& shape) { return fits_somewhere(shape); });
    for (Team& team : teams_) {
      std::erase_if(team.shapes, [&](std::size_t number) {
        Shape& shape = shapes_[number];
        if (fits_somewhere(shape)) return false;
        const Bits& area = areas_[shape.area];
        shape.is_ahead = any_fits && std::find(area.begin(), area.end(), true) != area.end();
        for (const auto& [name, tasks] : shape.names)
          (shape.is_ahead ? ahead : homeless).add(team.name + "/" + name, std::max<std::int64_t>(tasks, 1));
        return !shape.is_ahead;
      });
    }
    note(ahead,
         fmt::format("kept, although no {} on which they may run has all that they ask for",
                     inventory_.machine_word),
         inventory_.task_word);
    note(homeless, fmt::format("left out, allowed on no {}", inventory_.machine_word), inventory_.task_word);
    std::erase_if(teams_, [](const Team& team) { return team.shapes.empty(); });
  }

  bool fits_somewhere(const Shape& shape) const {
    const Bits& area = areas_[shape.area];
    for (std::size_t i = 0; i < machine_count(); ++i) {
      if (area[i] && has_resources(capacities_[i], *shape.demand)) return true;
    }
    return false;
  }

  void leave_out_machines() {
    kept_.assign(machine_count(), true);
    Bits busy(machine_count(), false);
    for (const Shape& shape : shapes_) {
      for (const auto& [machine, tasks] : shape.running) busy[machine] = true;
    }
    Tally closed, full;
    for (std::size_t i = 0; i < machine_count(); ++i) {
      const Machine& machine = inventory_.machines[i];
      kept_[i] = !machine.is_closed || busy[i];
      if (machine.is_closed) (kept_[i] ? full : closed).add(machine.name, machine.count);
    }
    note(closed, fmt::format("left out, closed to new {}s and without one of a team", inventory_.task_word),
         inventory_.machine_word);
    note(
        full,
        fmt::format("closed to new {}s, counted with what runs there and no free room", inventory_.task_word),
        inventory_.machine_word);
  }

  // The taints that keep tasks off the machine.
  std::vector<Taint> taints_of(std::size_t machine) const {
    std::vector<Taint> taints = inventory_.machines[machine].taints;
    std::erase_if(taints, [](const Taint& taint) { return !taint.keeps_off(); });
    if (taints.empty() && inventory_.machines[machine].is_closed) taints.push_back({.key = "closed"});
    std::sort(taints.begin(), taints.end());
    return taints;
  }

  // Asks the condition for more than one of some values that are named, of a label that has many?
  bool has_many_values(const std::string& label) const {
    constexpr std::size_t kMany = 8;
    std::set<std::string_view> values;
    for (const Machine& machine : inventory_.machines) {
      if (const auto own = machine.labels.find(label); own != machine.labels.end())
        values.insert(own->second);
    }
    return values.size() > kMany;
  }

  // Can a file that keeps few labels say the rule?
  bool can_be_said(const Rule& rule) const {
    return rule.select && std::all_of(rule.select->begin(), rule.select->end(), [&](const auto& each) {
             const auto& [label, condition] = each;
             const bool needs_all = condition.exists || condition.above || condition.below;
             return label != inventory_.name_label && !(needs_all && has_many_values(label));
           });
  }

  // Says whether the rule allows the same machines, of those that are kept, and which closed ones it allows
  // besides.
  void say(Shape& shape) const {
    const Rule& rule = inventory_.rules[shape.rule];
    const Bits& area = areas_[shape.area];
    if (!can_be_said(rule)) return;
    for (std::size_t i = 0; i < machine_count(); ++i) {
      if (!kept_[i]) continue;
      const Machine& machine = inventory_.machines[i];
      const bool allows =
          are_selected(*rule.select, machine.labels) && are_tolerated(taints_[i], rule.tolerates);
      if (allows == area[i]) continue;
      if (!allows || !machine.is_closed) return;
      shape.closed.push_back(i);
    }
    shape.is_said = true;
  }

  // The labels that a `select` needs: of a machine, those values on which some shape depends.
  std::map<std::string, KeptValues> choose_selects() {
    std::map<std::string, KeptValues> needed;
    for (std::size_t i = 0; i < machine_count(); ++i) taints_.push_back(taints_of(i));
    for (const Team& team : teams_) {
      for (const std::size_t number : team.shapes) {
        Shape& shape = shapes_[number];
        if (shape.is_stray) continue;
        say(shape);
        if (!shape.is_said) {
          if (shape.is_ahead && !any_has_resources(*shape.demand)) shape.area = everywhere();
          continue;
        }
        for (const auto& [label, condition] : *inventory_.rules[shape.rule].select) {
          KeptValues& kept = needed[label];
          kept.all = kept.all || condition.exists || condition.above || condition.below;
          if (condition.any_of) kept.some.insert(condition.any_of->begin(), condition.any_of->end());
          kept.some.insert(condition.none_of.begin(), condition.none_of.end());
        }
      }
    }
    return needed;
  }

  bool any_has_resources(const ResourceVector& demand) const {
    return std::any_of(capacities_.begin(), capacities_.end(),
                       [&](const ResourceVector& capacity) { return has_resources(capacity, demand); });
  }

  // For a shape that no machine can run yet: a list of those that may would keep it off one that is bought.
  std::size_t everywhere() {
    const Bits all(machine_count(), true);
    const auto known = std::find(areas_.begin(), areas_.end(), all);
    if (known != areas_.end()) return static_cast<std::size_t>(known - areas_.begin());
    areas_.push_back(all);
    return areas_.size() - 1;
  }

  void make_entries() {
    find_kinds();
    if (inventory_.tolerance > 0) share_what_is_too_much();
    std::vector<AlikeServer> servers;
    for (const std::size_t i : kept_machines()) {
      servers.push_back({.capacity = capacities_[i], .kind = kinds_[i]});
      if (!shares_[i]) servers.back().used = used_on_each(i);
    }
    entry_of_.assign(machine_count(), 0);
    std::map<std::pair<Key, Like>, std::size_t> entries;
    std::vector<AlikeClass> classes = alike(kept_machines(), servers);
    for (const AlikeClass& each : classes) {
      const Like& own = likes_[kinds_[each.servers.front()]].first;
      const auto [place, is_new] = entries.emplace(std::pair(key_of(each.capacity), own), entries.size());
      if (is_new) {
        description_.cluster.servers.push_back({.name = {},
                                                .capacity = each.capacity,
                                                .count = 0,
                                                .labels = own.labels,
                                                .taints = own.taints,
                                                .is_overfull = own.is_overfull});
        description_.machines.emplace_back();
      }
      for (const std::size_t machine : each.servers) {
        entry_of_[machine] = place->second;
        description_.cluster.servers[place->second].count += inventory_.machines[machine].count;
        description_.machines[place->second].push_back(machine);
      }
    }
    for (std::vector<std::size_t>& machines : description_.machines)
      std::sort(machines.begin(), machines.end());
    note_alike(classes);
    name_entries();
  }

  std::vector<std::size_t> kept_machines() const {
    std::vector<std::size_t> machines;
    for (std::size_t i = 0; i < machine_count(); ++i) {
      if (kept_[i]) machines.push_back(i);
    }
    return machines;
  }

  // Machines of one kind have the same in common.
  void find_kinds() {
    const std::map<std::string, KeptValues> needed = choose_selects();
    std::set<std::size_t> used;
    for (const Team& team : teams_) {
      for (const std::size_t number : team.shapes) used.insert(shapes_[number].area);
    }
    std::map<std::pair<Like, std::string>, std::size_t> numbers;
    kinds_.assign(machine_count(), 0);
    shares_.assign(machine_count(), false);
    for (const std::size_t i : kept_machines()) {
      Like own{.taints = taints_[i], .is_overfull = overfull_[i]};
      for (const std::size_t area : used) own.allows.push_back(areas_[area][i]);
      for (const auto& [label, value] : inventory_.machines[i].labels) {
        const auto wanted = needed.find(label);
        if (wanted != needed.end() && wanted->second.contains(value)) own.labels.emplace(label, value);
      }
      const auto [place, is_new] =
          numbers.emplace(std::pair(std::move(own), inventory_.machines[i].kind), numbers.size());
      if (is_new) likes_.push_back(place->first);
      kinds_[i] = place->second;
    }
  }

  // The classes of some machines, which `servers` describes in the same order.
  std::vector<AlikeClass> alike(const std::vector<std::size_t>& machines,
                                const std::vector<AlikeServer>& servers) const {
    std::vector<AlikeClass> classes = alike_servers(servers, inventory_.tolerance);
    for (AlikeClass& each : classes) {
      for (std::size_t& server : each.servers) server = machines[server];
    }
    return classes;
  }

  // What runs on overfull machines differs on each: hundreds of them would be hundreds of entries. Those that
  // are alike in what they really have, and run too much of the same resources, share what runs on them; but
  // as many whole devices each, since two tasks on 7 and 8 devices are not two on 7.5.
  void share_what_is_too_much() {
    std::vector<std::size_t> machines;
    std::vector<AlikeServer> servers;
    const std::vector<std::size_t> devices = counted_in_devices();
    std::map<std::tuple<std::size_t, std::vector<bool>, ResourceVector>, std::size_t> numbers;
    for (const std::size_t i : kept_machines()) {
      const Machine& machine = inventory_.machines[i];
      if (!overfull_[i] || machine.is_closed) continue;
      ResourceVector has;
      for (const std::size_t r : devices) has.push_back(capacities_[i][r]);
      const auto number =
          numbers.emplace(std::tuple(kinds_[i], what_is_too_much(i), std::move(has)), numbers.size());
      machines.push_back(i);
      servers.push_back({.capacity = machine.capacity, .kind = number.first->second});
    }
    const std::vector<ResourceVector> largest = largest_tasks();
    std::int64_t shared = 0;
    for (AlikeClass& each : alike(machines, servers)) {
      // A task that is larger than the mean would be on no server: its machine stays as it is.
      ResourceVector mean;
      std::size_t count = 0;
      do {
        count = each.servers.size();
        mean = with_mean_use(each);
        std::erase_if(each.servers, [&](std::size_t machine) {
          return !std::equal(mean.begin(), mean.end(), largest[machine].begin(),
                             [](const Quantity& has, const Quantity& task) { return task <= has; });
        });
      } while (each.servers.size() > 1 && each.servers.size() < count);
      if (each.servers.size() < 2) continue;
      likes_.push_back(likes_[kinds_[each.servers.front()]]);
      for (const std::size_t machine : each.servers) {
        capacities_[machine] = mean;
        kinds_[machine] = likes_.size() - 1;
        shares_[machine] = true;
        shared += inventory_.machines[machine].count;
      }
    }
    if (shared == 0) return;
    description_.notices.push_back(
        fmt::format("{0}s that run more than they have, and are alike, count with the mean of what runs on "
                    "them: {1} {0}s",
                    inventory_.machine_word, shared));
  }

  // Resources of which every task demands a whole number, and no machine has many.
  std::vector<std::size_t> counted_in_devices() const {
    constexpr int kMany = 1'000;
    const auto is_device = [&](std::size_t r) {
      return std::all_of(shapes_.begin(), shapes_.end(),
                         [&](const Shape& shape) { return rational((*shape.demand)[r]).get_den() == 1; }) &&
             std::all_of(capacities_.begin(), capacities_.end(),
                         [&](const ResourceVector& has) { return has[r] <= Quantity(kMany); });
    };
    std::vector<std::size_t> devices;
    for (std::size_t r = 0; r < inventory_.resources.size(); ++r) {
      if (is_device(r)) devices.push_back(r);
    }
    return devices;
  }

  std::vector<bool> what_is_too_much(std::size_t machine) const {
    std::vector<bool> too_much;
    const ExactVector used = used_on_each(machine);
    for (std::size_t r = 0; r < used.size(); ++r)
      too_much.push_back(used[r] > rational(inventory_.machines[machine].capacity[r]));
    return too_much;
  }

  // Of each resource the most that one task demands which runs there; [machine][r].
  std::vector<ResourceVector> largest_tasks() const {
    std::vector<ResourceVector> largest(machine_count(), ResourceVector(inventory_.resources.size()));
    for (const Shape& shape : shapes_) {
      for (const auto& [machine, tasks] : shape.running) {
        for (std::size_t r = 0; r < shape.demand->size(); ++r)
          largest[machine][r] = std::max(largest[machine][r], (*shape.demand)[r]);
      }
    }
    return largest;
  }

  // What each machine of the class counts with: the mean of what runs there where that is more than the least
  // of them has.
  ResourceVector with_mean_use(const AlikeClass& of) const {
    ExactVector all(inventory_.resources.size());
    std::int64_t count = 0;
    for (const std::size_t machine : of.servers) {
      for (std::size_t r = 0; r < all.size(); ++r) all[r] += used_[machine][r];
      count += inventory_.machines[machine].count;
    }
    ResourceVector capacity = of.capacity;
    for (std::size_t r = 0; r < all.size(); ++r) {
      const mpq_class mean = all[r] / static_cast<long>(count);
      if (mean > rational(capacity[r])) capacity[r] = rounded_up(mean);
    }
    return capacity;
  }

  // `counted with the least that nodes like them have: 120 nodes in 2 entries, at most 0.31 % of one left
  // out`
  void note_alike(const std::vector<AlikeClass>& classes) {
    std::int64_t machines = 0;
    std::set<std::size_t> entries;  // classes of one capacity share one
    const AlikeClass* most = nullptr;
    for (const AlikeClass& each : classes) {
      if (each.most_left_out == 0) continue;
      entries.insert(entry_of_[each.servers.front()]);
      for (const std::size_t machine : each.servers) machines += inventory_.machines[machine].count;
      if (most == nullptr || each.most_left_out > most->most_left_out) most = &each;
    }
    if (most == nullptr) return;
    description_.cluster.merged = {.nodes = machines,
                                   .classes = static_cast<std::int64_t>(entries.size()),
                                   .largest_difference = most->most_left_out};
    description_.notices.push_back(fmt::format(
        "counted with the least that {0}s like them have: {1} {0}s in {2} {3}, of which at most {4} "
        "of a resource of a {0} is left out",
        inventory_.machine_word, machines, entries.size(), entries.size() == 1 ? "entry" : "entries",
        percent_at_most(most->most_left_out)));
  }

  // A machine alone has its own name, several that of their kind.
  void name_entries() {
    UniqueNames names;
    std::vector<Server>& servers = description_.cluster.servers;
    for (std::size_t i = 0; i < servers.size(); ++i) {  // these cannot choose
      if (description_.machines[i].size() == 1)
        servers[i].name = names.take(inventory_.machines[description_.machines[i][0]].name);
    }
    for (std::size_t i = 0; i < servers.size(); ++i) {
      if (servers[i].name.empty()) servers[i].name = names.take(common_name(description_.machines[i]));
    }
    list_entries();
  }

  void list_entries() {
    constexpr std::size_t kMostEntries = 50;
    constexpr std::size_t kMostNames = 3;
    for (std::size_t i = 0; i < description_.machines.size(); ++i) {
      const std::vector<std::size_t>& machines = description_.machines[i];
      if (machines.size() == 1 || description_.entries.size() == kMostEntries) continue;
      std::vector<std::string_view> names;
      for (const std::size_t machine : machines) names.emplace_back(inventory_.machines[machine].name);
      description_.entries.push_back(fmt::format("{} stands for the {}s {}",
                                                 description_.cluster.servers[i].name,
                                                 inventory_.machine_word, first_names(names, kMostNames)));
    }
  }

  std::string common_name(const std::vector<std::size_t>& machines) const {
    const std::string& kind = inventory_.machines[machines[0]].kind;
    bool same_kind = !kind.empty();
    std::vector<std::string_view> names;
    for (const std::size_t i : machines) {
      same_kind = same_kind && inventory_.machines[i].kind == kind;
      names.emplace_back(inventory_.machines[i].name);
    }
    if (same_kind) return kind;
    const std::string beginning = common_beginning(names);
    return beginning.empty() ? inventory_.machine_word + "s" : beginning;
  }

  void make_users() {
    for (const Team& team : teams_) {
      const auto weight = inventory_.weights.find(team.name);
      const Quantity phi = weight == inventory_.weights.end() ? Quantity{1} : weight->second;
      if (team.shapes.size() == 1) {
        User user = user_of(shapes_[team.shapes[0]]);
        user.name = team.name;
        user.weight = phi;
        user.quota = quota_of(team.name);
        description_.cluster.users.push_back(std::move(user));
        add_running(shapes_[team.shapes[0]], team.name, {});
        continue;
      }
      description_.cluster.groups.push_back(
          {.name = team.name, .weight = phi, .quota = quota_of(team.name), .is_user = true});
      UniqueNames names;
      for (const std::size_t number : team.shapes) {
        User user = user_of(shapes_[number]);
        user.shape = names.take(shape_name(shapes_[number]));
        user.name = fmt::format("{}/{}", team.name, *user.shape);
        user.group = team.name;
        add_running(shapes_[number], team.name, user.shape);
        description_.cluster.users.push_back(std::move(user));
      }
    }
  }

  Quota quota_of(const std::string& team) const {
    const auto limit = inventory_.limits.find(team);
    if (limit == inventory_.limits.end()) return {};
    return {.limit = limit->second};
  }

  static std::string shape_name(const Shape& shape) {
    auto most = shape.names.find(shape.first_name);
    for (auto each = shape.names.begin(); each != shape.names.end(); ++each) {
      if (each->second > most->second) most = each;
    }
    const std::string others = shape.names.size() == 1 ? "" : fmt::format("+{}", shape.names.size() - 1);
    return most->first + others + (shape.is_stray ? "-stray" : "");
  }

  User user_of(const Shape& shape) const {
    User user{.name = {}, .demand = *shape.demand, .may_fit_nowhere = shape.is_ahead};
    if (!shape.is_endless) user.tasks = Quantity(shape.count);
    if (shape.is_said) {
      const Rule& rule = inventory_.rules[shape.rule];
      user.select = *rule.select;
      user.tolerates = rule.tolerates;
      for (const std::size_t i : shape.closed) {
        const std::string& name = description_.cluster.servers[entry_of_[i]].name;
        const bool is_known = !user.not_servers.empty() && user.not_servers.back() == name;
        if (!is_known) user.not_servers.push_back(name);
      }
      return user;
    }
    const Bits& area = areas_[shape.area];
    bool has_taints = false;
    user.servers.emplace();
    for (std::size_t i = 0; i < description_.machines.size(); ++i) {
      if (!area[description_.machines[i][0]]) continue;
      user.servers->push_back(description_.cluster.servers[i].name);
      has_taints = has_taints || !description_.cluster.servers[i].taints.empty();
    }
    if (has_taints) user.tolerates.emplace_back();  // all: the servers are named
    if (user.servers->size() == description_.machines.size()) user.servers.reset();
    return user;
  }

  void add_running(const Shape& shape, const std::string& user, const std::optional<std::string>& name) {
    if (!inventory_.is_state_known) return;
    std::map<std::size_t, std::int64_t> by_entry;
    for (const auto& [machine, tasks] : shape.running) by_entry[entry_of_[machine]] += tasks;
    for (const auto& [entry, tasks] : by_entry) {
      description_.cluster.running->push_back({.user = user,
                                               .shape = name,
                                               .server = description_.cluster.servers[entry].name,
                                               .tasks = Quantity(tasks)});
    }
  }

  void note(const Tally& tally, std::string_view what, std::string_view word) {
    if (tally.count > 0) description_.notices.push_back(tally.notice(what, word));
  }

  const Inventory& inventory_;
  Description description_;
  std::vector<std::size_t> rule_numbers_;  // [rule]
  std::vector<Team> teams_;
  std::vector<Shape> shapes_;
  std::map<std::tuple<std::size_t, Key, std::size_t, std::string, bool>, std::size_t> shape_numbers_;
  std::vector<ResourceVector> capacities_;  // [machine]
  Bits overfull_;                           // [machine], more runs there than it has
  std::vector<ExactVector> used_;           // the same, of all machines of one together; empty: nothing
  std::vector<Bits> areas_;                 // sets of machines
  std::vector<std::vector<Taint>> taints_;  // [machine], those that keep tasks off
  Bits kept_;                               // [machine]
  std::vector<std::size_t> kinds_;          // [machine], an index into likes_
  std::vector<bool> shares_;                // [machine]: what runs on it, with others
  std::vector<std::pair<Like, std::string>> likes_;
  std::vector<std::size_t> entry_of_;  // [machine]
};

}  // namespace

void Tally::add(std::string name, std::int64_t more) {
  count += more;
  names.insert(std::move(name));
}

std::string Tally::notice(std::string_view what, std::string_view word) const {
  const std::vector<std::string_view> all(names.begin(), names.end());
  return fmt::format("{}: {} {}{}: {}", what, count, word, count == 1 ? "" : "s",
                     first_names(all, kMaxNamed));
}

Result<Description> describe(const Inventory& inventory) { return Describer(inventory).describe(); }

}  // namespace mirab::inventory
