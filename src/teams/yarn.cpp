// The CapacityScheduler of YARN:
// https://hadoop.apache.org/docs/stable/hadoop-yarn/hadoop-yarn-site/CapacityScheduler.html
#include "teams/yarn.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "model/exact.hpp"
#include "model/names.hpp"
#include "slurm/records.hpp"
#include "teams/configuration_xml.hpp"

namespace mirab::teams {
namespace {

constexpr std::string_view kPrefix = "yarn.scheduler.capacity.";
constexpr std::string_view kYarnRoot = "root";

/// As it is written.
struct Capacity {
  enum class Kind { percent, weight, absolute };
  Kind kind = Kind::percent;
  mpq_class number = 0;
  Amounts amounts = {};
};

/// What a queue has: a part of the cluster, or amounts.
struct Part {
  std::optional<mpq_class> fraction = {};
  Amounts amounts = {};
};

/// Bytes whole, and of other resources thousandths, so that parts are together no more than the whole.
Amounts scaled(const Amounts& whole, const mpq_class& factor) {
  Amounts amounts;
  for (const auto& [resource, amount] : whole) {
    const mpz_class step = resource == "memory" ? 1 : 1000;
    const mpq_class steps = amount * factor * step;
    mpq_class rounded(mpz_class(steps.get_num() / steps.get_den()), step);
    rounded.canonicalize();
    amounts.emplace(resource, rounded);
  }
  return amounts;
}

Part part_of(const Part& whole, const mpq_class& factor) {
  if (whole.fraction) return {.fraction = *whole.fraction * factor};
  return {.amounts = scaled(whole.amounts, factor)};
}

Share share_of(const Part& part) {
  if (!part.fraction) return {.amounts = part.amounts};
  if (*part.fraction == 0) return {};
  return {.amounts = {}, .percent = *part.fraction * 100};
}

class YarnImport {
 public:
  explicit YarnImport(std::string file) : file_(std::move(file)) {}

  Result<ImportedTeams> import(std::vector<Property> properties) {
    for (Property& property : properties) {
      if (property.name.starts_with(kPrefix))
        properties_.insert_or_assign(property.name.substr(kPrefix.size()), std::move(property));
    }
    if (find("root.queues") == nullptr)
      return Error{
          .message =
              "has no property yarn.scheduler.capacity.root.queues; it stands in capacity-scheduler.xml",
          .key = "yarn.scheduler.capacity.root.queues",
          .file = file_};
    const Part all{.fraction = 1};
    if (Check wrong = read_below(std::string(kYarnRoot), all, all, 1)) return *std::move(wrong);
    if (groups_.empty()) return *refused("root.queues", "names no queue");
    name_groups();
    map_users();
    name_other_properties();
    Result<ImportedTeams> teams = arrange("users", std::move(groups_), std::move(not_kept_));
    if (!teams) return teams;
    teams->provenance = {
        "From the queues of YARN's CapacityScheduler. A guarantee is a capacity, a limit a maximum-capacity, "
        "both as "
        "parts of the whole cluster; a weight is the capacity beside the others, as YARN divides what is "
        "left."};
    return teams;
  }

 private:
  const Property* find(const std::string& name) {
    const auto found = properties_.find(name);
    if (found == properties_.end()) return nullptr;
    read_.insert(name);
    return &found->second;
  }

  Check refused(const std::string& name, std::string message) const {
    const auto found = properties_.find(name);
    return Error{.message = std::move(message),
                 .key = std::string(kPrefix) + name,
                 .file = file_,
                 .line = found == properties_.end() ? 0 : found->second.line};
  }

  /// The queues of a list, `a, b`.
  Check read_below(const std::string& parent, const Part& whole, const Part& most, std::size_t level) {
    const Property* const list = find(parent + ".queues");
    if (list == nullptr || list->value.empty()) return {};
    if (level > kMostLevels)
      return refused(parent + ".queues", fmt::format("more than {} levels of queues", kMostLevels));
    std::vector<std::string> paths;
    std::vector<Capacity> capacities;
    mpq_class percents = 0, weights = 0;
    for (const std::string_view each : slurm::split(list->value, ',')) {
      const std::string name(trimmed(each));
      if (name.empty() || name.find('.') != std::string::npos)
        return refused(parent + ".queues", fmt::format("'{}' is no name of a queue", printable(name)));
      paths.push_back(fmt::format("{}.{}", parent, name));
      if (!known_.insert(paths.back()).second)
        return refused(parent + ".queues", fmt::format("a second queue '{}'", printable(name)));
      const Result<Capacity> capacity = read_capacity(paths.back() + ".capacity");
      if (!capacity) return capacity.error();
      if (capacity->kind == Capacity::Kind::percent) percents += capacity->number;
      if (capacity->kind == Capacity::Kind::weight) weights += capacity->number;
      capacities.push_back(*capacity);
    }
    if (percents > 100)
      return refused(parent + ".queues",
                     fmt::format("the capacities of these queues are together more than 100 %: {}",
                                 rounded_down(percents).text()));
    const bool are_percents = std::all_of(capacities.begin(), capacities.end(), [](const Capacity& each) {
      return each.kind == Capacity::Kind::percent;
    });
    if (are_percents && percents > 0 && percents < 100)
      not_kept_.say(fmt::format(
          "the capacities of the queues of {} are together {} %, where YARN asks for 100 %: the rest "
          "is guaranteed to none of them",
          printable(parent), rounded_down(percents).text()));
    for (std::size_t q = 0; q < paths.size(); ++q) {
      if (Check wrong = read_queue(paths[q], parent, capacities[q], weights, whole, most, level))
        return wrong;
    }
    return {};
  }

  Check read_queue(const std::string& path, const std::string& parent, const Capacity& capacity,
                   const mpq_class& weights, const Part& whole, const Part& most, std::size_t level) {
    Group group{.id = path,
                .name = path.substr(kYarnRoot.size() + 1),
                .kind = "queue",
                .position = {.key = fmt::format("{}{}.capacity", kPrefix, path),
                             .file = file_,
                             .line = properties_.at(path + ".capacity").line}};
    if (parent != kYarnRoot) group.parent = parent;
    Part own{.amounts = capacity.amounts};
    switch (capacity.kind) {
      case Capacity::Kind::percent:
        own = part_of(whole, capacity.number / 100);
        group.weight = capacity.number;
        break;
      case Capacity::Kind::weight:
        own = part_of(whole, weights == 0 ? mpq_class(0) : mpq_class(capacity.number / weights));
        group.weight = capacity.number;
        break;
      case Capacity::Kind::absolute:
        not_kept_.add("weight 1: an absolute capacity gives no order among queues beside each other", "queue",
                      group.name);
        break;
    }
    group.guarantee = share_of(own);
    Part own_most = most;
    if (Check wrong = read_most(path, most, own, own_most, group)) return wrong;
    if (const Property* state = find(path + ".state")) {
      if (state->value != "RUNNING" && state->value != "STOPPED")
        return refused(path + ".state", "must be RUNNING or STOPPED");
      group.is_closed = state->value == "STOPPED";
    }
    groups_.push_back(std::move(group));
    return read_below(path, own, own_most, level + 1);
  }

  /// A maximum is of the parent's; of 100 % it says nothing.
  Check read_most(const std::string& path, const Part& parents, const Part& own, Part& most, Group& group) {
    const std::string name = path + ".maximum-capacity";
    const Property* const written = find(name);
    if (written == nullptr || written->value == "-1") return {};
    const Result<Capacity> limit = read_capacity(name);
    if (!limit) return limit.error();
    if (limit->kind == Capacity::Kind::weight)
      return refused(name, "must be in percent, or like [memory=1024,vcores=1]");
    if (limit->kind == Capacity::Kind::percent && limit->number == 100) return {};
    most = limit->kind == Capacity::Kind::percent ? part_of(parents, limit->number / 100)
                                                  : Part{.amounts = limit->amounts};
    if (most.fraction && own.fraction && *most.fraction < *own.fraction)
      return refused(name, "is less than the capacity of the queue");
    group.limit = most.fraction ? Share{.amounts = {}, .percent = *most.fraction * 100} : share_of(most);
    return {};
  }

  /// `12.5`, `2w`, `[memory=10240,vcores=12]`.
  Result<Capacity> read_capacity(const std::string& name) {
    const Property* const written = find(name);
    if (written == nullptr) return *refused(name, "missing");
    std::string_view text = written->value;
    if (text.starts_with('[')) return read_absolute(name, text);
    Capacity capacity;
    if (text.ends_with('w')) {
      capacity.kind = Capacity::Kind::weight;
      text.remove_suffix(1);
    }
    const bool is_number = !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos;
    const Result<Quantity> number = Quantity::parse(text);
    if (!is_number || !number)
      return *refused(name, fmt::format("must be like 12.5, 2w or [memory=1024,vcores=1], not '{}'",
                                        printable(text.substr(0, 40))));
    capacity.number = rational(*number);
    if (capacity.kind == Capacity::Kind::percent && capacity.number > 100)
      return *refused(name, "must be a part from 0 to 100 %");
    return capacity;
  }

  Result<Capacity> read_absolute(const std::string& name, std::string_view text) {
    Capacity capacity{.kind = Capacity::Kind::absolute};
    if (!text.ends_with(']')) return *refused(name, "must end with a bracket, like [memory=1024,vcores=1]");
    for (const std::string_view part : slurm::split(text.substr(1, text.size() - 2), ',')) {
      const std::size_t equals = part.find('=');
      const std::string resource(trimmed(part.substr(0, equals)));
      const std::string_view amount =
          equals == std::string_view::npos ? std::string_view() : trimmed(part.substr(equals + 1));
      const bool has_unit = !amount.empty() && (amount.back() < '0' || amount.back() > '9');
      const Result<Quantity> quantity = Quantity::parse(amount);
      if (resource.empty() || !quantity)
        return *refused(name, fmt::format("'{}' is no amount of a resource, like memory=1024",
                                          printable(part.substr(0, 40))));
      const bool is_memory = resource == "memory" || resource == "memory-mb";
      constexpr long kMebi = 1L << 20;
      const mpq_class value = rational(*quantity) * (is_memory && !has_unit ? kMebi : 1L);
      capacity.amounts[name_of(resource)] = value;
    }
    return capacity;
  }

  static std::string name_of(const std::string& resource) {
    static const std::map<std::string, std::string> kNames = {
        {"memory", "memory"}, {"memory-mb", "memory"}, {"vcores", "cpu"}, {"yarn.io/gpu", "gpu"}};
    const auto known = kNames.find(resource);
    return known == kNames.end() ? resource : known->second;
  }

  static std::string last(std::string_view path) { return std::string(path.substr(path.rfind('.') + 1)); }

  /// The last part of its path where no other queue has it.
  void name_groups() {
    std::map<std::string, int> known;
    for (const Group& group : groups_) ++known[last(group.id)];
    for (Group& group : groups_) {
      if (known[last(group.id)] == 1) group.name = last(group.id);
    }
  }

  /// `u:alice:etl`; whom `g:` and `%user` mean, only YARN knows.
  void map_users() {
    const Property* const mappings = find("queue-mappings");
    const std::string text = mappings == nullptr ? std::string() : mappings->value;
    for (const std::string_view each : slurm::split(text, ',')) {
      const std::vector<std::string_view> words = slurm::split(trimmed(each), ':');
      if (trimmed(each).empty()) continue;
      const bool is_of_user =
          words.size() == 3 && words[0] == "u" && words[1].find('%') == std::string_view::npos;
      const auto group = std::find_if(groups_.begin(), groups_.end(), [&](const Group& own) {
        return is_of_user && (own.id == words[2] || last(own.id) == words[2]);
      });
      if (group == groups_.end()) {
        not_kept_.add("not kept, a part of queue-mappings", "mapping", printable(trimmed(each)));
      } else {
        group->members.emplace_back(words[1]);
      }
    }
    std::set<std::string> parents;
    for (const Group& group : groups_) {
      if (group.parent) parents.insert(*group.parent);
    }
    for (const Group& group : groups_) {
      if (group.members.empty() && !parents.contains(group.id))
        not_kept_.add("without a user, since no u: of queue-mappings names it: write its users in", "queue",
                      group.name);
    }
  }

  /// Of a queue by what follows its path, of all by their name.
  void name_other_properties() {
    for (const auto& [name, property] : properties_) {
      if (read_.contains(name) || property.value.empty()) continue;
      std::string path = name.substr(0, name.rfind('.'));
      while (path.find('.') != std::string::npos && !known_.contains(path))
        path = path.substr(0, path.rfind('.'));
      if (known_.contains(path)) {
        const std::string rest = name.substr(path.size() + 1);
        not_kept_.add(fmt::format("not kept, {}", printable(rest.substr(0, rest.find('.')))), "queue",
                      path.substr(kYarnRoot.size() + 1));
      } else {
        not_kept_.add("not kept", "setting", printable(name));
      }
    }
  }

  std::string file_;
  std::map<std::string, Property> properties_ = {};  // without the prefix
  std::set<std::string> read_ = {};                  // names of properties
  std::set<std::string> known_ = {};                 // paths of queues
  std::vector<Group> groups_ = {};
  NotKept not_kept_ = {};
};

}  // namespace

Result<ImportedTeams> import_yarn(const SourceText& source) {
  Result<std::vector<Property>> properties = read_configuration(source);
  if (!properties) return std::move(properties).error();
  return YarnImport(source.file).import(*std::move(properties));
}

}  // namespace mirab::teams
