// What tasks ask for: the servers that they may use, the constraints of a job, and the classes of equal
// tasks.
#include "scheduling/ledger/task_classes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>

#include <mirab/model/assert.hpp>

namespace mirab::scheduling {
namespace {

bool is_among(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool Selection::admits(const std::string& name, const std::map<std::string, std::string>& labels) const {
  if (servers && !is_among(name, *servers)) return false;
  if (is_among(name, except)) return false;
  return std::all_of(select.begin(), select.end(), [&](const auto& wanted) {
    const auto label = labels.find(wanted.first);
    return label != labels.end() && is_among(label->second, wanted.second);
  });
}

Eligibility::Eligibility() { rows_.push_back({.holders = 1}); }

Eligibility::Eligibility(const Eligibility& other)
    : rows_(other.rows_),
      known_(other.known_),
      vacant_(other.vacant_),
      selections_before_(other.selections_before_),
      known_descriptions_(other.known_descriptions_),
      descriptions_(other.descriptions_),
      vacant_descriptions_(other.vacant_descriptions_),
      description_of_(other.description_of_),
      sets_(other.sets_),
      domains_(other.domains_),
      changes_(other.changes_) {
  for (const auto& [description, index] : known_descriptions_)
    descriptions_[index].description = &description;
}

SelectionIndex Eligibility::hold(const Selection& selection) {
  if (selection == Selection{}) return kAll;
  const SelectionIndex next = vacant_.empty() ? rows_.end_index() : vacant_.back();
  const auto [known, is_new] = known_.emplace(selection, next);
  if (!is_new) {
    ++rows_[known->second].holders;
    return known->second;
  }
  if (vacant_.empty()) {
    rows_.push_back({});
  } else {
    vacant_.pop_back();
  }
  auto servers = std::make_unique<ServerSet>();
  IndexedVector<DescriptionIndex, bool> admitted;
  for (const Described& each : descriptions_) {
    admitted.push_back(each.servers > 0 &&
                       selection.admits(each.description->name, each.description->labels));
  }
  if (selection.within) sets_[*selection.within].selections.push_back(next);
  for (const ServerIndex server : description_of_.indices()) {
    if (description_of_[server] != kNone && admitted[description_of_[server]] && is_within(selection, server))
      servers->insert(server);
  }
  rows_[next] = {.selection = selection,
                 .servers = OwnCopy(std::move(servers)),
                 .holders = 1,
                 .sequence = selections_before_++};
  return next;
}

void Eligibility::release(SelectionIndex index) {
  if (index == kAll) return;
  Row& row = rows_[index];
  MIRAB_ASSERT(row.holders > 0, "a selection without holders is released");
  if (--row.holders > 0) return;
  known_.erase(row.selection);
  if (row.selection.within) {
    std::erase(sets_[*row.selection.within].selections, index);
    forget_set_if_unused(*row.selection.within);
  }
  row = {};
  vacant_.push_back(index);
}

bool Eligibility::is_within(const Selection& selection, ServerIndex server) const {
  return !selection.within || in_set(*selection.within, server);
}

void Eligibility::enter_set(const std::string& set, ServerIndex server) {
  ++changes_;
  NamedSet& named = sets_[set];
  if (named.servers.contains(server)) return;
  named.servers.insert(server);
  ++named.count;
  const Description& description = description_of(server);
  for (const SelectionIndex index : named.selections) {
    const Row& row = rows_[index];
    if (row.selection.admits(description.name, description.labels)) row.servers->insert(server);
  }
}

void Eligibility::leave_set(const std::string& set, ServerIndex server) {
  ++changes_;
  const auto named = sets_.find(set);
  if (named == sets_.end() || !named->second.servers.contains(server)) return;
  named->second.servers.erase(server);
  --named->second.count;
  for (const SelectionIndex index : named->second.selections) rows_[index].servers->erase(server);
  forget_set_if_unused(set);
}

void Eligibility::forget_set_if_unused(const std::string& set) {
  const NamedSet& named = sets_.at(set);
  if (named.selections.empty() && named.count == 0) sets_.erase(set);
}

void Eligibility::server_added(ServerIndex server, const Description& description) {
  ++changes_;
  describe(server, description);
  admit(server, description);
}

/// Puts it into every selection that admits it.
void Eligibility::admit(ServerIndex server, const Description& description) {
  for (Row& row : rows_) {
    if (row.servers && row.selection.admits(description.name, description.labels) &&
        is_within(row.selection, server))
      row.servers->insert(server);
  }
  for (auto& [by, held] : domains_) held.domains.add(server, description.labels);
}

void Eligibility::describe(ServerIndex server, const Description& description) {
  description_of_.cover(server);
  const DescriptionIndex next =
      vacant_descriptions_.empty() ? descriptions_.end_index() : vacant_descriptions_.back();
  const auto [known, is_new] = known_descriptions_.emplace(description, next);
  if (is_new && vacant_descriptions_.empty()) {
    descriptions_.push_back({});
  } else if (is_new) {
    vacant_descriptions_.pop_back();
  }
  descriptions_[known->second].description = &known->first;
  ++descriptions_[known->second].servers;
  description_of_[server] = known->second;
}

void Eligibility::server_removed(ServerIndex server) {
  ++changes_;
  for (const Row& row : rows_) {
    if (row.servers) row.servers->erase(server);
  }
  for (auto& [by, held] : domains_) held.domains.remove(server);
  for (auto& [name, set] : sets_) {
    if (!set.servers.contains(server)) continue;
    set.servers.erase(server);
    --set.count;
  }
  std::erase_if(sets_,
                [](const auto& set) { return set.second.selections.empty() && set.second.count == 0; });
  forget_description(server);
}

void Eligibility::server_relabelled(ServerIndex server, const std::map<std::string, std::string>& labels) {
  ++changes_;
  const Description description{.name = description_of(server).name, .labels = labels};
  for (const Row& row : rows_) {
    if (row.servers) row.servers->erase(server);
  }
  for (auto& [by, held] : domains_) held.domains.remove(server);
  forget_description(server);
  describe(server, description);
  admit(server, description);
}

void Eligibility::forget_description(ServerIndex server) {
  const DescriptionIndex gone = std::exchange(description_of_[server], kNone);
  if (--descriptions_[gone].servers > 0) return;
  known_descriptions_.erase(known_descriptions_.find(*descriptions_[gone].description));
  descriptions_[gone] = {};
  vacant_descriptions_.push_back(gone);
}

Domains Eligibility::domains_by(const DomainLabels& labels) const {
  Domains domains(labels);
  for (const ServerIndex server : description_of_.indices()) {
    if (description_of_[server] != kNone) domains.add(server, description_of(server).labels);
  }
  return domains;
}

void Eligibility::hold_domains(const DomainLabels& labels) {
  if (labels == DomainLabels{}) return;
  const auto held = domains_.find(labels);
  if (held != domains_.end()) {
    ++held->second.holders;
  } else {
    domains_.emplace(labels, HeldDomains{.domains = domains_by(labels), .holders = 1});
  }
}

void Eligibility::release_domains(const DomainLabels& labels) {
  if (labels == DomainLabels{}) return;
  const auto held = domains_.find(labels);
  if (--held->second.holders == 0) domains_.erase(held);
}

bool Eligibility::holds_what_is_admitted() const {
  return std::all_of(rows_.begin(), rows_.end(), [&](const Row& row) {
    if (!row.servers) return true;
    IndexedVector<DescriptionIndex, bool> admitted;
    for (const Described& each : descriptions_)
      admitted.push_back(each.servers > 0 &&
                         row.selection.admits(each.description->name, each.description->labels));
    const auto is_right = [&](ServerIndex server) {
      const DescriptionIndex description = description_of_[server];
      return row.servers->contains(server) ==
             (description != kNone && admitted[description] && is_within(row.selection, server));
    };
    const Indices<ServerIndex> servers = description_of_.indices();
    return std::all_of(servers.begin(), servers.end(), is_right);
  });
}

DomainLabels labels_of(const PlacementConstraints& terms) {
  return {.spread = terms.spread ? std::optional(terms.spread->label) : std::nullopt, .pack = terms.pack};
}

std::optional<PlacementConstraints> constraints_of(const JobSubmitted& job) {
  PlacementConstraints terms{
      .gang = job.gang, .per_server = job.per_server, .spread = job.spread, .pack = job.pack};
  if (!job.roles.empty()) terms.gang = 0;
  for (const Role& role : job.roles) {
    terms.gang += role.tasks;
    terms.roles.push_back(role.tasks);
  }
  if (terms == PlacementConstraints{}) return {};
  return terms;
}

void set_constraints(JobSubmitted& job, const PlacementConstraints& terms) {
  job.gang = terms.roles.empty() ? terms.gang : 1;  // roles say it themselves
  job.per_server = terms.per_server;
  job.spread = terms.spread;
  job.pack = terms.pack;
}

namespace {

/// Errors: roles without tasks, or with more than kMaxGang together; besides what they stand in place of.
Check check_roles(const JobSubmitted& job) {
  const auto together = [](const char* key) {
    return Error{.message = "a job with roles has none of its own: each role says it", .key = key};
  };
  if (!job.demand.empty()) return together("demand");
  if (job.tasks != 1) return together("tasks");
  if (job.gang != 1) return together("gang");
  if (!job.demand_on.empty()) return together("demand_on");
  std::int64_t left = kMaxGang;
  for (std::size_t role = 0; role < job.roles.size(); ++role) {
    if (job.roles[role].tasks < 1)
      return Error{.message = fmt::format("must be at least 1, not {}", job.roles[role].tasks),
                   .key = fmt::format("roles.{}.tasks", role)};
    if (job.roles[role].tasks > left)
      return Error{
          .message = fmt::format("at most {} tasks together, since one step starts them all", kMaxGang),
          .key = "roles"};
    left -= job.roles[role].tasks;
  }
  return {};
}

}  // namespace

Check check_constraints(const JobSubmitted& job) {
  if (!job.roles.empty()) {
    if (Check bad = check_roles(job)) return bad;
  } else if (job.gang < 1 || job.gang > job.tasks) {
    return Error{
        .message = fmt::format("must be between 1 and the job's tasks ({}), not {}", job.tasks, job.gang),
        .key = "gang"};
  }
  if (job.roles.empty() && job.gang > kMaxGang) {
    return Error{.message = fmt::format("must be at most {}, since one step starts them all, not {}",
                                        kMaxGang, job.gang),
                 .key = "gang"};
  }
  if (job.per_server && *job.per_server < 1) {
    return Error{.message = fmt::format("must be at least 1, not {}", *job.per_server), .key = "per_server"};
  }
  if (job.spread && job.spread->most_apart < 1) {
    return Error{.message = fmt::format("must be at least 1, not {}", job.spread->most_apart),
                 .key = "spread.most_apart"};
  }
  if (job.spread && job.spread->label == job.pack) {
    return Error{.message = fmt::format("the tasks are spread over the domains of '{}' already", *job.pack),
                 .key = "pack"};
  }
  return {};
}

namespace {

/// Sorted, each name once: lists of the same names ask for the same.
std::vector<std::string> as_set(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace

TaskClassIndex TaskClasses::hold(const JobSubmitted& job) {
  Selection elsewhere;
  if (job.servers) elsewhere.servers = as_set(*job.servers);
  for (const auto& [label, values] : job.select) elsewhere.select[label] = as_set(values);
  elsewhere.within = job.within;
  Wish wish;
  for (const auto& [name, demand] : job.demand_on) {
    if (elsewhere.servers && !is_among(name, *elsewhere.servers)) {
      wish.elsewhere.emplace(name, demand);
      continue;
    }
    const Selection there{
        .servers = std::vector{name}, .select = elsewhere.select, .except = {}, .within = elsewhere.within};
    wish.alternatives.push_back({.demand = demand, .servers = eligibility.hold(there)});
    elsewhere.except.push_back(name);
  }
  if (job.roles.empty()) {
    wish.alternatives.insert(wish.alternatives.begin(),
                             {.demand = job.demand, .servers = eligibility.hold(elsewhere)});
  }
  for (const Role& role : job.roles)
    wish.alternatives.push_back({.demand = role.demand, .servers = eligibility.hold(elsewhere)});

  const std::optional<PlacementConstraints> terms = constraints_of(job);
  const auto known = terms ? known_.end() : known_.find(wish);
  if (known != known_.end()) {
    for (const DemandAlternative& alternative : wish.alternatives) eligibility.release(alternative.servers);
    ++rows_[known->second].holders;
    return known->second;
  }
  while (!vacant_.empty() && !rows_.holds(vacant_.back())) vacant_.pop_back();
  TaskClassIndex next = rows_.end_index();
  if (vacant_.empty()) {
    rows_.push_back({});
  } else {
    next = vacant_.back();
    vacant_.pop_back();
  }
  if (!terms) known_.emplace(wish, next);
  if (terms) eligibility.hold_domains(labels_of(*terms));
  rows_[next] = {.wish = std::move(wish),
                 .terms = OwnCopy(terms ? std::make_unique<const PlacementConstraints>(*terms) : nullptr),
                 .holders = 1};
  return next;
}

void TaskClasses::release(TaskClassIndex task_class) {
  Row& row = rows_[task_class];
  MIRAB_ASSERT(row.holders > 0, "a task class without holders is released");
  if (--row.holders > 0) return;
  if (!row.terms) known_.erase(row.wish);
  if (row.terms) eligibility.release_domains(labels_of(*row.terms));
  for (const DemandAlternative& alternative : row.wish.alternatives) eligibility.release(alternative.servers);
  row = {};
  vacant_.push_back(task_class);
  // No index at the end is vacant, so that to hold a task class and to release it at once changes nothing.
  while (!rows_.empty() && rows_.back().holders == 0) rows_.pop_back();
}

std::vector<TaskClassIndex> TaskClasses::vacant() const {
  std::vector<TaskClassIndex> vacant;
  std::copy_if(vacant_.begin(), vacant_.end(), std::back_inserter(vacant),
               [&](TaskClassIndex each) { return rows_.holds(each); });
  return vacant;
}

JobSubmitted TaskClasses::job_of(TaskClassIndex task_class) const {
  const std::vector<DemandAlternative>& alternatives = rows_[task_class].wish.alternatives;
  const Selection& elsewhere = eligibility.selection(alternatives.front().servers);
  JobSubmitted job{.user = {},
                   .demand = alternatives.front().demand,
                   .servers = elsewhere.servers,
                   .select = elsewhere.select};
  const std::span<const std::int64_t> roles = this->roles(task_class);
  for (std::size_t role = 0; role < roles.size(); ++role)
    job.roles.push_back({.tasks = roles[role], .demand = alternatives[role].demand});
  if (!roles.empty()) job.demand.clear();
  for (std::size_t alternative = 1; roles.empty() && alternative < alternatives.size(); ++alternative)
    job.demand_on[elsewhere.except[alternative - 1]] = alternatives[alternative].demand;
  job.demand_on.insert(rows_[task_class].wish.elsewhere.begin(), rows_[task_class].wish.elsewhere.end());
  job.within = elsewhere.within;
  if (rows_[task_class].terms) set_constraints(job, *rows_[task_class].terms);
  return job;
}

const DemandAlternative* TaskClasses::alternative_on(TaskClassIndex task_class, ServerIndex server) const {
  for (const DemandAlternative& alternative : rows_[task_class].wish.alternatives) {
    if (eligibility.contains(alternative.servers, server)) return &alternative;
  }
  return nullptr;
}

const Amounts& TaskClasses::demand_anywhere(TaskClassIndex task_class, ServerIndex server) const {
  const Wish& wish = rows_[task_class].wish;
  const std::string& name = eligibility.description_of(server).name;
  if (const auto there = wish.elsewhere.find(name); there != wish.elsewhere.end()) return there->second;
  const std::vector<std::string>& named = eligibility.selection(wish.alternatives.front().servers).except;
  const auto alternative = std::lower_bound(named.begin(), named.end(), name);
  if (alternative == named.end() || *alternative != name) return wish.alternatives.front().demand;
  return wish.alternatives[static_cast<std::size_t>(alternative - named.begin()) + 1].demand;
}

}  // namespace mirab::scheduling
