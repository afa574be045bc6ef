// Random clients, executors and crashes against a decider, a store in memory and a reader: nothing that was
// answered is lost, and everybody sees the same order.
#include <cstdlib>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <optional>
#include <set>

#include <mirab/model/random.hpp>

#include "cluster.hpp"
#include "random_cases.hpp"
#include "sequential.hpp"

namespace mirab::live {
namespace {

/// A request of a client, and the answer when there is one.
struct Request {
  Command command;
  int sent = 0;
  std::optional<Answer> answer = {};
  int answered = 0;
  Time now = {};  ///< when it was applied, for the answer
  Wall wall = {};
};

/// An answer that is not sent yet, of the request with this index.
struct Pending {
  std::size_t request = 0;
  Answer answer = {};
  Time now = {};
  Wall wall = {};
};

/// What is on its way to the store, with the answers that wait for it.
struct Flight {
  Batch batch;
  std::vector<Pending> answers;
};

class World {
 public:
  explicit World(std::uint64_t seed)
      : random_(seed),
        plays_model_((seed + 12) / 24 % 3 == 0),
        settings_(make(seed)),
        units_(settings_.units),
        decider_(*Decider::from(settings_)),
        reader_(*Reader::from(settings_)) {}

  void run(int turns) {
    for (const char* const name : {"t0", "t1"}) send(Do::tenant_put, {.name = name});
    for (const char* const name : {"q0", "q1", "q2"}) send(Do::queue_put, {.name = name});
    for (const char* const name : {"n0", "n1", "n2", "n3"}) send(Do::server_put, {.name = name});
    take_batch();
    store_one();
    for (int turn = 0; turn < turns && !::testing::Test::HasFatalFailure(); ++turn) {
      ++clock_;
      now_ += std::chrono::milliseconds(random_.below(3'000));
      wall_ += std::chrono::milliseconds(random_.below(3'000));
      switch (random_.below(12)) {
        case 0:
          if (random_.below(6) == 0) crash();
          break;
        case 1:
        case 2:
          take_batch();
          break;
        case 3:
        case 4:
          store_one();
          break;
        case 5:
          decider_.decide(static_cast<int>(1 + random_.below(20)), now_, wall_);
          break;
        case 6:
          read();
          break;
        case 7:
          watch();
          break;
        default:
          send();
      }
    }
    decider_.decide(10'000, now_, wall_);
    take_batch();
    while (!flights_.empty()) store_one();
    watch();
    check();
  }

 private:
  static Settings make(std::uint64_t seed) {
    const char* const disciplines[] = {"drf", "asset", "tsf", "round-robin", "fifo", "ps-dsf"};
    const char* const placements[] = {"best-fit", "first-fit", "random", "worst-fit"};
    Settings made =
        *make_settings({"cpu:milli", "gpu"}, disciplines[seed % 6], placements[seed / 6 % 4], seed, "sim");
    if (seed % 5 == 1) made.options.tie = Tie::random;
    if (seed % 12 == 0)
      made.options.preemption = scheduling::Preempting{.tasks = 10, .per = std::chrono::seconds(10)};
    if (seed % 7 == 2) made.options.reservations = scheduling::Reserving{.after = std::chrono::seconds(5)};
    if (seed % 4 == 3) made.keep_ended = std::chrono::minutes(1);
    return made;
  }

  std::string pick(std::string_view letter, std::uint64_t count) {
    return fmt::format("{}{}", letter, random_.below(count));
  }

  Json body_of(Do what) {
    const auto below = [&](std::uint64_t bound) { return random_.below(bound); };
    switch (what) {
      case Do::server_put: {
        Json body = {{"capacity", {{"cpu", 2 + below(6)}, {"gpu", below(3)}}},
                     {"labels", {{"zone", pick("z", 2)}}}};
        if (below(6) == 0) body["state"] = below(2) == 0 ? "open" : "drained";
        return body;
      }
      case Do::tenant_put:
        return below(4) == 0 ? Json{{"limits", {{"queued_jobs", 5 + below(50)}}}} : Json::object();
      case Do::group_put: {
        Json body = {{"weight", std::to_string(1 + below(3))}};
        if (below(3) == 0) body["parent"] = pick("g", 3);
        if (below(4) == 0) body["guarantee"] = {{"cpu", 1 + below(3)}};
        if (below(4) == 0) body["limit"] = {{"cpu", 1 + below(9)}};
        return body;
      }
      case Do::queue_put: {
        Json body = {{"tenant", pick("t", 2)}, {"weight", std::to_string(1 + below(3))}};
        if (below(3) == 0) body["group"] = pick("g", 3);
        if (below(6) == 0) body["guarantee"] = {{"gpu", 1}};
        return body;
      }
      case Do::job_put: {
        Json body = {
            {"tasks", 1 + below(5)}, {"demand", {{"cpu", 1 + below(3)}}}, {"attempts", 1 + below(3)}};
        if (below(4) == 0) body["demand"]["gpu"] = 1;
        if (below(5) == 0) {
          for (const char* const key : {"tasks", "demand"}) body.erase(key);
          for (std::uint64_t k = 0, roles = 1 + below(3); k < roles; ++k)
            body["roles"].push_back({{"name", fmt::format("r{}", k)},
                                     {"tasks", 1 + below(2)},
                                     {"demand", {{"cpu", 1 + below(2)}, {"gpu", below(2)}}}});
        } else if (below(5) == 0) {
          body["gang"] = 1 + below(body["tasks"].get<std::uint64_t>());
        }
        if (below(5) == 0) body["select"] = {{"zone", pick("z", 3)}};
        if (below(6) == 0) body["priority"] = below(3);
        return body;
      }
      case Do::outcome_put: {
        const char* const outcomes[] = {"succeeded", "succeeded", "failed", "lost", "cancelled"};
        return {{"outcome", outcomes[below(5)]}};
      }
      case Do::policy_put: {
        const char* const disciplines[] = {"drf", "tsf", "round-robin"};
        return {{"discipline", disciplines[below(3)]}, {"placement", "first-fit"}};
      }
      case Do::token_put:
        return {{"scopes", {"read"}}, {"tenant", pick("t", 2)}};
      default:
        return {};
    }
  }

  /// A task of some server, as its executor knows it.
  std::string some_task() {
    const Answer answer = reader_.get({.what = Ask::assignments, .name = pick("n", 4)}, admin());
    if (answer.is_problem()) return "t-1";
    const Json& tasks = random_.below(4) == 0 ? answer.body.at("stop") : answer.body.at("run");
    return tasks.empty() ? "t-0" : tasks[random_.below(tasks.size())].at("task").get<std::string>();
  }

  Command command_of(Do what, Target target) {
    auto command = parse_command(admin(), what, std::move(target), body_of(what), units_);
    if (std::holds_alternative<Problem>(command)) ADD_FAILURE() << std::get<Problem>(command).detail;
    return std::get<Command>(std::move(command));
  }

  void send(Do what, Target target) {
    requests_.push_back({.command = command_of(what, std::move(target)), .sent = clock_});
    waiting_.insert(requests_.size() - 1);
    apply(requests_.size() - 1);
  }

  Command some_command() {
    struct Kind {
      Do what;
      unsigned weight;
    };
    static const Kind kinds[] = {{Do::server_put, 6},    {Do::server_delete, 1}, {Do::tenant_put, 2},
                                 {Do::tenant_delete, 1}, {Do::group_put, 2},     {Do::group_delete, 1},
                                 {Do::queue_put, 4},     {Do::queue_delete, 1},  {Do::job_put, 30},
                                 {Do::job_cancel, 4},    {Do::outcome_put, 30},  {Do::policy_put, 1},
                                 {Do::token_put, 1},     {Do::token_delete, 1},  {Do::server_silent, 1},
                                 {Do::server_back, 2},   {Do::server_lost, 1}};
    unsigned sum = 0;
    for (const Kind& kind : kinds) sum += kind.weight;
    std::uint64_t drawn = random_.below(sum);
    Do what = Do::job_put;
    for (const Kind& kind : kinds) {
      what = kind.what;
      if (drawn < kind.weight) break;
      drawn -= kind.weight;
    }
    const std::string_view word = word_of(what);
    Target target;
    if (word.starts_with("server")) target.name = pick("n", 4);
    if (word.starts_with("tenant")) target.name = pick("t", 2);
    if (word.starts_with("group")) target.name = pick("g", 3);
    if (word.starts_with("queue")) target.name = pick("q", 3);
    if (word.starts_with("token")) target.name = pick("k", 2);
    if (word.starts_with("outcome")) target.name = some_task();
    if (word.starts_with("job")) {
      target.queue = pick("q", 3);
      target.name =
          what == Do::job_put ? fmt::format("j{}", jobs_++) : fmt::format("j{}", random_.below(jobs_ + 1));
    }
    Command command = command_of(what, std::move(target));
    command.by_service = word == "server-silent" || word == "server-back" || word == "server-lost";
    command.failed = what == Do::server_delete && random_.below(2) == 0;
    return command;
  }

  void send() {
    // A request without an answer is sent again as it was; some that were answered too.
    std::vector<std::size_t> open;
    for (std::size_t i = requests_.size() < 40 ? 0 : requests_.size() - 40; i < requests_.size(); ++i) {
      if (!requests_[i].answer && !waiting_.contains(i)) open.push_back(i);
    }
    std::size_t index = requests_.size();
    if (!open.empty() && random_.below(2) == 0) {
      index = open[random_.below(open.size())];
    } else if (!requests_.empty() && random_.below(12) == 0) {
      requests_.push_back({.command = requests_[random_.below(requests_.size())].command, .sent = clock_});
    } else {
      requests_.push_back({.command = some_command(), .sent = clock_});
    }
    Request& request = requests_[index];
    request.sent = clock_;
    waiting_.insert(index);
    apply(index);
    ASSERT_NE(pending_.back().answer.status, 500);
  }

  void apply(std::size_t index) {
    pending_.push_back({.request = index, .answer = {}, .now = now_, .wall = wall_});
    pending_.back().answer = decider_.apply(requests_[index].command, now_, wall_);
  }

  void take_batch() {
    Flight flight{.batch = decider_.take_batch(), .answers = std::exchange(pending_, {})};
    if (!flight.batch.empty() || !flight.answers.empty()) flights_.push_back(std::move(flight));
    if (random_.below(5) == 0) {
      snapshot_ = decider_.snapshot();
      snapshot_at_ = decider_.revision();
    }
  }

  /// The oldest batch becomes durable, its answers are sent, and the reader follows.
  void store_one() {
    if (flights_.empty()) return;
    Flight flight = std::move(flights_.front());
    flights_.erase(flights_.begin());
    if (!flight.batch.empty()) {
      log_.push_back(flight.batch);
      decider_.committed(flight.batch.last);
    }
    for (Pending& pending : flight.answers) {
      Request& request = requests_[pending.request];
      waiting_.erase(pending.request);
      if (request.answer) continue;  // an earlier one of the same came first
      request.answer = std::move(pending.answer);
      request.answered = clock_;
      request.now = pending.now;
      request.wall = pending.wall;
      durable_ = std::max(durable_, request.answer->revision);
    }
    follow();
  }

  void follow() {
    for (; followed_ < log_.size(); ++followed_) {
      const auto changes = reader_.apply(log_[followed_]);
      ASSERT_TRUE(changes) << describe(changes.error());
      for (const Change& change : *changes) live_.push_back(change);
    }
  }

  /// What is not durable is gone, with the answers that nobody got.
  void crash() {
    if (!flights_.empty() && random_.below(2) == 0) {  // it became durable, and its answers are lost
      if (!flights_.front().batch.empty()) log_.push_back(flights_.front().batch);
    }
    flights_.clear();
    pending_.clear();
    waiting_.clear();
    const Revision last = log_.empty() ? 0 : log_.back().last;
    const bool from_snapshot = !snapshot_.empty() && snapshot_at_ <= last && random_.below(4) != 0;
    decider_ = from_snapshot ? *Decider::restore(snapshot_) : *Decider::from(settings_);
    reader_ = from_snapshot ? *Reader::restore(snapshot_) : *Reader::from(settings_);
    if (!from_snapshot) snapshot_.clear();
    for (const Batch& batch : log_) {
      if (batch.last <= decider_.revision()) continue;
      const Check bad = decider_.replay(batch);
      ASSERT_FALSE(bad) << describe(*bad);
      ASSERT_TRUE(reader_.apply(batch));
    }
    followed_ = log_.size();
    live_.clear();
    connected_ = false;
    ASSERT_EQ(decider_.snapshot(), reader_.snapshot());
    ASSERT_EQ(decider_.broken_invariant(), "");
    ++crashes_;
  }

  void read() {
    const Revision before = durable_;
    const Ask asks[] = {Ask::cluster, Ask::servers, Ask::queues, Ask::tasks};
    const Query query{.what = asks[random_.below(4)]};
    const Answer answer = reader_.get(query, admin());
    ASSERT_EQ(answer.status, 200);
    ASSERT_GE(answer.revision, before);  // order rule 2
    read_.push_back({.query = query, .caller = admin(), .answer = answer});
  }

  /// A watcher that connects, sees some, and is cut off now and then.
  void watch() {
    if (!connected_) {  // what it missed comes from the log
      live_.clear();
      for (const Batch& batch : log_) {
        const auto changes = changes_of(batch);
        ASSERT_TRUE(changes);
        for (const Change& change : *changes) see(change);
      }
      connected_ = true;
    }
    for (const Change& change : live_) see(change);
    live_.clear();
    if (random_.below(3) == 0) connected_ = false;
  }

  void see(const Change& change) {
    if (change.revision <= seen_) return;
    seen_ = change.revision;
    if (const auto message = message_of(change, {}, admin(), Others::all)) messages_.push_back(*message);
  }

  void check() {
    std::map<Revision, Record> records;
    std::vector<std::string> all;
    std::map<std::string, int> submitted;
    Revision next = 1;
    for (const Batch& batch : log_) {
      const auto read = records_of(batch.body);
      ASSERT_TRUE(read);
      for (const Record& record : *read) {
        ASSERT_EQ(record.stamp.revision, next++);
        records[record.stamp.revision] = record;
        const Change change{
            .revision = record.stamp.revision, .at = record.stamp.wall, .events = record.events};
        if (const auto message = message_of(change, {}, admin(), Others::all)) all.push_back(*message);
        if (record.what == "job-put") ++submitted[record.target.dump()];
        for (const Event& event : record.events) {
          ++happened_[event.kind + (event.why.empty() ? "" : " " + event.why)];
          if (!event.role.empty()) ++happened_[event.kind + " of a role"];
        }
      }
    }
    EXPECT_EQ(messages_, all);  // rule 5
    check_answers(records);
    if (plays_model_) check_model();
    // Rule 4: while names are kept and queues stay, a name is given once however often it is asked for.
    const bool reused = settings_.keep_ended < std::chrono::hours(1);
    for (const auto& [target, times] : submitted) {
      if (!reused && !queue_went(records, Json::parse(target).at("queue"))) {
        EXPECT_EQ(times, 1) << target;
      }
    }
    // Recovery is replay from the start.
    Decider again = *Decider::from(settings_);
    for (const Batch& batch : log_) ASSERT_FALSE(again.replay(batch));
    EXPECT_EQ(again.snapshot(), decider_.snapshot());
    // The JSON library would write the same bytes.
    const std::vector<std::uint8_t> whole = Json::to_cbor(Json::from_cbor(again.snapshot()));
    EXPECT_EQ(std::string(whole.begin(), whole.end()), again.snapshot());
    EXPECT_EQ(reader_.snapshot(), decider_.snapshot());
    EXPECT_EQ(reader_.broken_invariant(), "");
  }

  /// Rule 3: a model that reads the log in its order gives every answer.
  void check_model() {
    std::vector<AnsweredCommand> commands;
    for (const Request& request : requests_) {
      if (!request.answer) continue;
      commands.push_back(
          {.command = request.command, .answer = *request.answer, .now = request.now, .wall = request.wall});
    }
    const SequentialCounts counts = check_sequentially(settings_, log_, commands, read_);
    checked_.made += counts.made;
    checked_.unchanged += counts.unchanged;
    checked_.read += counts.read;
  }

  static bool queue_went(const std::map<Revision, Record>& records, const Json& queue) {
    for (const auto& [revision, record] : records) {
      if (record.what == "queue-delete" && record.target.at("queue") == queue) return true;
    }
    return false;
  }

  /// Rule 1: what was answered is in the log, in the order of the answers.
  void check_answers(const std::map<Revision, Record>& records) {
    const Revision end = records.empty() ? 0 : records.rbegin()->first;
    std::map<int, Revision> by_answer;  // the highest revision answered by then
    for (const Request& request : requests_) {
      if (!request.answer) continue;
      ASSERT_LE(request.answer->revision, end);
      Revision& highest = by_answer[request.answered];
      highest = std::max(highest, request.answer->revision);
      const bool made = request.answer->status == 201 && request.answer->body.contains("uid");
      if (!made) continue;
      const Revision created = std::stoull(request.answer->body.at("uid").get<std::string>().substr(2));
      ASSERT_TRUE(records.contains(created));
      EXPECT_EQ(records.at(created).what, "job-put");
      EXPECT_EQ(records.at(created).target.at("name"), request.command.target.name);
    }
    Revision highest = 0;
    for (auto& [at, revision] : by_answer) revision = highest = std::max(highest, revision);
    for (const Request& request : requests_) {
      if (!request.answer) continue;
      const auto later = by_answer.lower_bound(request.sent);
      if (later == by_answer.begin()) continue;
      EXPECT_GE(request.answer->revision, std::prev(later)->second);
    }
  }

  Random random_;
  bool plays_model_;  // which costs as much as all else: of a third of the lives, with each discipline
  Settings settings_;
  Units units_;
  Decider decider_;
  Reader reader_;
  Time now_ = {};
  Wall wall_ = *wall_of("2027-03-01T08:00:00Z");
  int clock_ = 0;
  std::uint64_t jobs_ = 0;
  std::vector<Request> requests_ = {};
  std::set<std::size_t> waiting_ = {};
  std::vector<Pending> pending_ = {};
  std::vector<AnsweredQuery> read_ = {};
  std::vector<Flight> flights_ = {};
  std::vector<Batch> log_ = {};
  std::size_t followed_ = 0;
  Revision durable_ = 0;
  std::string snapshot_ = {};
  Revision snapshot_at_ = 0;
  std::vector<Change> live_ = {};
  bool connected_ = false;
  Revision seen_ = 0;
  std::vector<std::string> messages_ = {};

 public:
  int crashes_ = 0;
  std::map<std::string, int> happened_ = {};  // events by their kind
  SequentialCounts checked_;                  // answers that the model gave, too
};

std::uint64_t number_from(const char* variable, std::uint64_t fallback) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

constexpr std::uint64_t kRuns = random_cases(150);

// MIRAB_LIVE_RUNS and MIRAB_LIVE_SEED run more of them, or one again.
TEST(LiveSimulation, NothingThatWasAnsweredIsLostWhereverItStops) {
  const std::uint64_t runs = number_from("MIRAB_LIVE_RUNS", kRuns);
  const std::uint64_t first = number_from("MIRAB_LIVE_SEED", 1);
  int crashes = 0;
  std::map<std::string, int> happened;
  SequentialCounts checked;
  for (std::uint64_t seed = first; seed < first + runs; ++seed) {
    SCOPED_TRACE(fmt::format("MIRAB_LIVE_RUNS=1 MIRAB_LIVE_SEED={}", seed));
    World world(seed);
    world.run(600);
    crashes += world.crashes_;
    for (const auto& [kind, times] : world.happened_) happened[kind] += times;
    checked.made += world.checked_.made;
    checked.unchanged += world.checked_.unchanged;
    checked.read += world.checked_.read;
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(crashes, static_cast<int>(runs));
  if (runs < 100) return;
  // Not blind: all of it happens.
  EXPECT_GT(checked.made, 20 * static_cast<int>(runs));
  EXPECT_GT(checked.unchanged, 2 * static_cast<int>(runs));
  EXPECT_GT(checked.read, 2 * static_cast<int>(runs));
  for (const char* const kind :
       {"task-placed",          "task-ended succeeded",  "task-ended failed",   "task-ended lost",
        "task-ended cancelled", "task-ended preempted",  "task-stopped",        "job-ended succeeded",
        "job-ended failed",     "job-ended cancelled",   "server-lost",         "server-removed",
        "server-silent",        "server-back",           "server-drained",      "group-changed",
        "group-removed",        "queue-changed",         "queue-removed",       "tenant-changed",
        "token-removed",        "task-placed of a role", "task-ended of a role"})
    EXPECT_GT(happened[kind], 0) << kind;
}

}  // namespace
}  // namespace mirab::live
