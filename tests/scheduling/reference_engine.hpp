#pragma once

#include <algorithm>
#include <cstdint>
#include <gmpxx.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <mirab/model/random.hpp>
#include <mirab/model/time.hpp>
#include <mirab/scheduling/engine.hpp>

namespace mirab::scheduling {

/// The engine once more, as plainly as can be: lists, and for each decision all queues and all servers are
/// looked at. Shares are added up from the running tasks and compared as rational numbers. What depends on
/// chance, or on doubles, it does not decide but says what may be.
class ReferenceEngine {
 public:
  explicit ReferenceEngine(EngineOptions options);

  /// The key of the error that the event deserves; nothing when it can be applied.
  std::optional<std::string> refusal(const Event& event, Time now) const;

  /// Requires that it can be applied. `id` is what the engine calls who came, if anybody did. The tasks that
  /// ended before their time, the youngest first.
  std::vector<Lost> apply(const Event& event, Time now, std::uint64_t id);

  /// A job to be served next, and the servers that its task may go to.
  struct Option {
    JobId job;
    UserId user;
    std::vector<ServerId> servers;
    std::vector<Preempted> preempted = {};
    std::int64_t role = 0;
  };
  struct Options {
    std::vector<Option> options;
    bool or_nothing;  ///< nothing may be placed
  };

  /// What the next step may do. Draws for the placement `random` what the engine draws.
  Options next(Random& random) const;
  void place(const Placed& placed);

  /// How many tasks of the job its next decision starts.
  std::int64_t batch(JobId job) const;

  /// The servers for the next task of a batch that starts together, after the first one. Draws what
  /// the engine draws.
  std::vector<ServerId> next_of_gang(JobId job, std::int64_t batch, Random& random) const;
  std::int64_t next_role(JobId job) const;  ///< of that task; 0 without roles
  void place_companion(JobId job, const Companion& companion);

  void pass(Time now);  ///< a step is about to be taken then
  void nothing();       ///< the step placed nothing

  struct Server {
    ServerId id;
    std::size_t slot;  ///< its place in the order of the cluster
    ServerAdded added;
    bool drained = false;
    Amounts held = {};  ///< by others; empty: nothing
  };
  struct Bounds {
    std::optional<Amounts> guarantee = {};
    std::optional<Amounts> limit = {};
    std::optional<Amounts> reserved = {};
  };
  struct User {
    UserId id;
    std::uint64_t order;
    mpq_class weight;
    GroupId group = kCluster;
    Bounds bounds = {};
    std::int64_t tier = 0;
    std::vector<Amounts> kinds = {};  ///< of tasks that it had; the 17th is the largest of all others
  };
  /// A group of users and groups; the first is the cluster.
  struct Team {
    GroupId id;
    GroupId parent = kCluster;
    mpq_class weight = 1;
    Bounds bounds = {};
    std::vector<Amounts> kinds = {};  ///< of tasks below
  };
  /// The jobs of a user whose tasks look alike wait together.
  struct Group {
    std::uint64_t number;
    UserId user;
    JobSubmitted look;  ///< without what does not matter
    std::uint64_t arrival = 0;
    Time since = {};  ///< began to wait or got a task
  };
  struct Job {
    JobId id;
    UserId user;
    std::uint64_t group;
    std::uint64_t sequence;
    std::int64_t waiting;
    Rank rank = {};
    bool may_be_preempted = true;
    std::vector<std::int64_t> waiting_by_role = {};
  };
  struct Task {
    TaskId id;
    JobId job;
    UserId user;
    ServerId server;
    Amounts demand;
    Time started;
    bool is_protected = false;  ///< started on a server that was kept for it
    bool is_fresh = false;      ///< started after the latest event
    std::int64_t role = 0;
    mpq_class turn = 0;  ///< within a search: the work by which it is its user's turn
    std::vector<std::pair<bool, mpq_class>> poorest =
        {};  ///< the same: the keys of the loser that stands lowest
  };

  const std::vector<Server>& servers() const { return servers_; }
  const std::vector<User>& users() const { return users_; }
  const std::vector<Job>& jobs() const { return jobs_; }
  const std::vector<Team>& teams() const { return teams_; }
  /// What the engine says of the group and is otherwise; nothing when it is right.
  std::optional<std::string> wrong_in(const Engine::GroupState& there, const Team& team) const;

  /// The key of a node on a candidate's path.
  struct Level {
    std::vector<mpq_class> e, e_with;
    mpq_class kappa = 0, kappa_with = 0, rho = 0;
    bool is_last = false, cuts_nothing = false;
  };
  const std::vector<Task>& tasks() const { return tasks_; }  ///< as they started

  Engine::UserState state(const User& user) const;
  Engine::ServerState state(const Server& server) const;
  Engine::JobState state(const Job& job) const;
  bool fits(const Job& job) const;
  std::vector<Reservation> reservations() const;

  mpq_class satisfaction_now() const { return satisfaction(); }  ///< Γ
  /// V: whether a node comes after siblings with a weight, and its key, from the top.
  using Standing = std::vector<std::pair<bool, mpq_class>>;
  std::vector<Standing> standings() const;  ///< of all users, sorted
  /// Of tasks that end for another, before the reference learns of it: which of the conditions of
  /// docs/explanation/teams.md, "Who may end whose tasks", does not hold; nothing when all do.
  std::optional<std::string> wrong_move(const Placed& placed) const;

  /// Are there groups, quotas, tiers or weights of 0?
  bool has_tree() const;

 private:
  struct Candidate;

  // reference_tree.cpp
  struct Node {
    bool is_user;
    GroupId team = kCluster;
    UserId user = {};
    friend bool operator==(const Node&, const Node&) = default;
  };
  struct Representative {
    const Candidate* candidate;
    Level level = {};
    std::vector<const Candidate*> drawable = {};  // it, and those with whom it is drawn for
    std::size_t waiting = 0;
    Node node = {};  // below the group
  };
  const Team& team(GroupId id) const;
  const User& user(UserId id) const;
  bool is_known(GroupId id) const;
  bool needs_tree(const mpq_class& weight, const Bounds& bounds) const;
  std::optional<std::string> no_tree() const;
  std::vector<Node> members(GroupId of) const;
  GroupId parent(const Node& node) const;
  const mpq_class& weight(const Node& node) const;
  const Bounds& bounds(const Node& node) const;
  std::vector<Node> path(UserId id) const;
  std::vector<UserId> users_below(const Node& node) const;
  std::vector<const Task*> tasks_below(const Node& node) const;
  mpz_class used(const Node& node, std::size_t r) const;
  mpz_class guarantee(const Node& node, std::size_t r) const;
  mpz_class charged(const Node& node, std::size_t r, UserId user, const mpz_class& more) const;
  std::optional<std::string> refused(const Bounds& bounds) const;
  std::optional<std::string> refused_by_itself(const Bounds& bounds,
                                               const std::vector<mpz_class>& sums) const;
  std::optional<std::size_t> unsound(const ReferenceEngine& after) const;
  std::optional<std::string> refused_after(const Event& event, const std::string& key) const;
  std::vector<mpz_class> taken_together(const Candidate& candidate) const;
  bool any_reserved() const;
  bool is_allowed(UserId id, const std::vector<mpz_class>& taken) const;
  bool is_covered(UserId id, const std::vector<mpz_class>& taken) const;
  std::vector<mpq_class> beyond(const Node& node, const Candidate& candidate, bool with) const;
  mpq_class held(const Node& node, const Candidate& candidate) const;
  Level finished(const Node& node, const Candidate& candidate, std::vector<mpq_class> e,
                 std::vector<mpq_class> e_with) const;
  Level level(const Node& node, const Node& child, const Level& of_child, const Candidate& candidate) const;
  std::vector<Representative> representatives(const Node& node,
                                              const std::vector<const Candidate*>& candidates) const;
  Options next_in_tree(Random& random) const;

  // reference_starvation.cpp
  struct Kept {
    ServerId server;
    std::uint64_t group;
    Time since;
  };
  std::vector<Kept>::const_iterator kept_on(ServerId server) const;
  void keep_no_longer(ServerId server);
  void keep_where_due();
  bool can_be_kept(const Group& group, const Server& server) const;
  std::optional<Option> kept_with_room(Random& random) const;
  ReferenceEngine without_kept(const Group& group) const;
  std::vector<const Server*> servers_if_emptied(const Group& group,
                                                const std::vector<const Server*>& candidates) const;
  std::vector<const Server*> servers_to_keep(const Group& group) const;
  std::vector<mpz_class> taken_by_batch(const Group& group) const;
  const Job& first_waiting(const Group& group) const;
  std::vector<mpz_class> balance(const Server& server) const;
  void check_kept(ServerId server);
  std::int64_t budget() const;
  std::optional<Option> preemption() const;
  using Height = std::tuple<std::int64_t, bool, std::int64_t>;  // tier, is it b's, priority of b's
  Height height(const Task& task, UserId b) const;
  std::vector<std::pair<Task, Right>> victims(const Candidate& candidate, const Server& server,
                                              const std::vector<double>& prices) const;
  std::vector<Candidate> order_of_force() const;
  std::vector<mpq_class> over(const Node& node) const;
  static void note_kind(std::vector<Amounts>& kinds, const Amounts& demand);
  void note_demand(UserId user, const Amounts& demand);
  std::vector<mpq_class> begun(const Node& node, const mpq_class& level) const;
  std::vector<mpq_class> begun(const Node& node, const Amounts& kind, const mpq_class& level) const;
  Standing view(UserId user, bool by_whole_tasks) const;
  Standing standing(UserId user) const { return view(user, true); }
  Standing whole_keys(UserId user) const;
  mpq_class satisfaction() const;
  std::optional<Right> right(const ReferenceEngine& after, UserId b, UserId q,
                             const std::vector<std::size_t>& missing) const;
  bool is_protected(const ReferenceEngine& after, UserId b, UserId q, const std::vector<std::size_t>& missing,
                    bool by_guarantee) const;
  bool may_be_made(const ReferenceEngine& after, UserId b, const Amounts& demand, bool any_asked) const;

  std::optional<std::string> refusal(const ServerAdded& event) const;
  std::optional<std::string> refusal(const ServerChanged& event) const;
  std::optional<std::string> refusal(const ServerDrained& event) const;
  std::optional<std::string> refusal(const ServerReopened& event) const;
  std::optional<std::string> refusal(const ServerRemoved& event) const;
  std::optional<std::string> refusal(const ServerFailed& event) const;
  std::optional<std::string> refusal(const UserAdded& event) const;
  std::optional<std::string> refusal(const UserReweighted& event) const;
  std::optional<std::string> refusal(const UserRemoved& event) const;
  std::optional<std::string> refusal(const UserChanged& event) const;
  std::optional<std::string> refusal(const UserMoved& event) const;
  std::optional<std::string> refusal(const GroupAdded& event) const;
  std::optional<std::string> refusal(const GroupChanged& event) const;
  std::optional<std::string> refusal(const GroupMoved& event) const;
  std::optional<std::string> refusal(const GroupRemoved& event) const;
  std::optional<std::string> refusal(const JobSubmitted& event) const;
  std::optional<std::string> refusal(const JobCancelled& event) const;
  std::optional<std::string> refusal(const TaskFinished& event) const;
  std::optional<std::string> refusal(const TaskFailed& event) const;
  std::optional<std::string> refusal(const ServerHeld& event) const;
  std::optional<std::string> refusal(const ServerRelabelled& event) const;
  std::optional<std::string> refusal(const SetChanged& event) const;
  std::optional<std::string> refusal(const TaskAdopted& event) const;
  std::optional<std::string> refused(const Amounts& amounts, const std::string& key) const;
  std::optional<std::string> refused_in_pool(const Amounts& capacity, const Server* instead_of) const;

  std::vector<Lost> happen(const ServerAdded& event, std::uint64_t id);
  std::vector<Lost> happen(const ServerChanged& event, std::uint64_t id);
  std::vector<Lost> happen(const ServerDrained& event, std::uint64_t id);
  std::vector<Lost> happen(const ServerReopened& event, std::uint64_t id);
  std::vector<Lost> happen(const ServerRemoved& event, std::uint64_t id);
  std::vector<Lost> happen(const ServerFailed& event, std::uint64_t id);
  std::vector<Lost> happen(const UserAdded& event, std::uint64_t id);
  std::vector<Lost> happen(const UserReweighted& event, std::uint64_t id);
  std::vector<Lost> happen(const UserRemoved& event, std::uint64_t id);
  std::vector<Lost> happen(const UserChanged& event, std::uint64_t id);
  std::vector<Lost> happen(const UserMoved& event, std::uint64_t id);
  std::vector<Lost> happen(const GroupAdded& event, std::uint64_t id);
  std::vector<Lost> happen(const GroupChanged& event, std::uint64_t id);
  std::vector<Lost> happen(const GroupMoved& event, std::uint64_t id);
  std::vector<Lost> happen(const GroupRemoved& event, std::uint64_t id);
  std::vector<Lost> happen(const JobSubmitted& event, std::uint64_t id);
  std::vector<Lost> happen(const JobCancelled& event, std::uint64_t id);
  std::vector<Lost> happen(const TaskFinished& event, std::uint64_t id);
  std::vector<Lost> happen(const TaskFailed& event, std::uint64_t id);

  std::vector<Lost> happen(const ServerHeld& event, std::uint64_t id);
  std::vector<Lost> happen(const ServerRelabelled& event, std::uint64_t id);
  std::vector<Lost> happen(const SetChanged& event, std::uint64_t id);
  std::vector<Lost> happen(const TaskAdopted& event, std::uint64_t id);

  bool waits(std::uint64_t group) const;
  void wait(Job& job, std::int64_t tasks, std::int64_t role = 0);
  void end(TaskId task);
  void drop_if_over(JobId job);
  void drop_empty_kinds();
  void add_kind(const Amounts& capacity);
  Amounts pool() const;
  Amounts taken(ServerId server) const;
  Amounts used(UserId user) const;
  std::int64_t running(const Job& job) const;
  const Group& group(const Job& job) const;
  std::optional<Amounts> demand_on(const JobSubmitted& look, const Server& server) const;
  bool has_room(const JobSubmitted& look, const Server& server) const;
  bool can_ever_run(const JobSubmitted& look, const Server& server) const;
  mpq_class scale(std::size_t r) const;
  std::size_t dominant_resource(const Amounts& demand) const;
  mpq_class alone(const JobSubmitted& look) const;
  std::vector<double> prices() const;
  mpq_class key(const Group& group, const std::vector<double>& prices) const;
  mpq_class virtual_share(const Group& group, const Amounts& capacity, const Amounts& demand) const;
  std::vector<Amounts> demands(const JobSubmitted& look) const;
  std::vector<Candidate> candidates() const;
  std::vector<ServerId> servers_for(const Candidate& candidate) const;
  void run(const Job& job, TaskId task, const Server& server, std::int64_t role);
  bool terms_allow(const JobSubmitted& look, const std::vector<const Server*>& all,
                   const Server& server) const;

  // Of jobs with roles.
  struct RoleOn {
    std::int64_t role;
    const Server* server;
  };
  bool may_run(const JobSubmitted& look, std::size_t role, const Server& server) const;
  std::vector<std::size_t> order_of_roles(const JobSubmitted& look) const;
  std::vector<std::vector<RoleOn>> role_packings(const JobSubmitted& look, JobId job,
                                                 std::vector<std::int64_t> waiting,
                                                 const std::vector<const Server*>& servers) const;
  std::vector<RoleOn> places_of_roles(const JobSubmitted& look, JobId job) const;
  std::vector<mpz_class> taken_by_roles(const Job& job) const;
  bool has_roles(JobId id) const;
  std::map<JobId, std::vector<ServerId>> servers_kept_for(const Job& job) const;
  std::optional<mpq_class> missing_of(const JobSubmitted& look, const Amounts& demand,
                                      const Server& server) const;
  bool may_start(const JobSubmitted& look, const std::vector<const Server*>& running,
                 const std::vector<const Server*>& more, const Server& server) const;
  bool all_start(const JobSubmitted& look, const std::vector<const Server*>& running,
                 std::vector<const Server*> more, std::int64_t batch) const;
  std::vector<const Server*> first_of_batch(const JobSubmitted& look, JobId job, std::int64_t batch) const;
  std::optional<std::string> impossible_by(const JobSubmitted& event) const;
  std::vector<const Server*> best_of(std::vector<const Server*> fitting, const JobSubmitted& look) const;

  EngineOptions options_;
  bool freeze_;
  Time now_ = Time::min();
  std::vector<Server> servers_;  // in the order of the cluster
  std::map<std::string, std::set<ServerId>> sets_;
  std::vector<User> users_;
  std::vector<Team> teams_ = {{.id = kCluster}};
  mutable std::map<std::size_t, std::size_t> waiting_at_;  // groups, by the place of their candidates
  std::vector<Group> groups_;                              // as they came
  std::vector<Job> jobs_;                                  // as they came
  std::vector<Task> tasks_;
  std::vector<std::optional<Amounts>> kinds_;  // capacities; a new one takes the first vacant place
  std::vector<std::int64_t> next_round_;       // of mlf-drs, [resource]
  std::int64_t present_round_ = 0;
  std::size_t last_used_ = 0;  // a slot
  std::vector<Kept> kept_;
  bool spares_companions_ = false;  // the batch that starts has servers that were kept for it
  std::map<JobId, std::vector<ServerId>> first_servers_;  // these, where roles look first
  std::optional<Time> looked_;
  std::vector<Time> preempted_;    // of each task
  std::optional<Time> futile_at_;  // then preemption found nothing, and nothing has changed
  std::uint64_t users_before_ = 0, groups_before_ = 0, jobs_before_ = 0, waits_before_ = 0;
};

/// Is the one job served before the other of its user?
bool is_before(const ReferenceEngine::Job& a, const ReferenceEngine::Job& b);

/// What a task of the job takes on a server of this name, may it run there or not.
const Amounts& demand_anywhere(const JobSubmitted& look, const std::string& name);

/// What a task of the role takes there; without roles any task.
const Amounts& demand_anywhere(const JobSubmitted& look, const std::string& name, std::int64_t role);

/// Does the job ask for more than room for each of its tasks?
bool has_terms(const JobSubmitted& job);

}  // namespace mirab::scheduling
