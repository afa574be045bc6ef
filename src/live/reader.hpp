#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/result.hpp>
#include <mirab/scheduling/why.hpp>

#include "live/answers.hpp"
#include "live/decider.hpp"
#include "live/history.hpp"
#include "live/records.hpp"
#include "live/wall_times.hpp"

namespace mirab::live {

/// What of others' queues a tenant may see: nothing; name, weight and dominant share; everything.
enum class Others { nothing, shares, all };

/// What is asked. Which of `name` and `queue` is used follows from it.
enum class Ask {
  cluster,
  server,
  servers,
  tenant,
  tenants,
  group,
  groups,
  queue,
  queues,
  job,
  jobs,
  task,
  tasks,
  token,
  tokens,
  explain,      ///< of a job; `server` may be given
  assignments,  ///< of a server
  what_if,
  policy_dry_run,
  shares,
  mechanisms,
  mechanism,
  history
};

struct Query {
  Ask what = Ask::cluster;
  std::string name = {};
  std::string queue = {};                              ///< of a job
  std::multimap<std::string, std::string> given = {};  ///< the parameters of the request, decoded
  Json body = {};                                      ///< of what_if and policy_dry_run
  std::string if_none_match = {};                      ///< `"r17"`: 304 without a body where it is the same
  /// Polled during a long question; true ends a what-if with what was decided so far, and shares where they
  /// are.
  std::function<bool()> is_late = {};
};

/// As how many a what-if with this body counts: one, and more for many servers or tasks that it adds.
double price_of_what_if(const Json& body, const Units& units);

/// Which events a watcher wants; an empty text: any.
struct EventFilter {
  std::vector<std::string> kinds = {};
  std::string queue = {};
  std::string job = {};  ///< `ml/train-17`
  std::string server = {};
};

/// The job of a filter, `ml/train-17`: written so, or by its name beside its queue. Empty: any.
Parsed<std::string> job_asked(const std::string& queue, const std::string& job);

/// The `data` of one message: `{"revision","at","events":[…]}` with those events that the filter and the
/// caller's rights let through; nothing when there are none.
std::optional<std::string> message_of(const Change& change, const EventFilter& filter, const Caller& caller,
                                      Others others);

/// What happened in a batch of the log, for watchers that resume.
Result<std::vector<Change>> changes_of(const Batch& batch);

/// A record of the log for the audit: who did what when, without bodies. Nothing for steps.
std::optional<Json> audit_of(const Record& record);

/// How things stand, for a monitor.
struct Gauges {
  struct OfQueue {
    std::string queue;
    std::int64_t waiting = 0;
    std::int64_t running = 0;
    double share = 0;
    double oldest_wait_s = 0;  ///< since the submission of the first job with a task that waits; 0: none
  };
  std::vector<OfQueue> queues = {};                       ///< the oldest first
  std::vector<std::pair<std::string, double>> used = {};  ///< by resource, of the capacity: 0 to 1
};

/// GET /usage: whole hours, Unix seconds.
struct UsageAsked {
  std::int64_t from;
  std::int64_t to;
  std::string by;  ///< `queue`, `group` or `tenant`
};
/// The parameters; by default the last 24 hours by queue.
Parsed<UsageAsked> usage_asked(const Query& query, Wall now);
/// The answer as a table: RFC 4180.
std::string csv_of_usage(const Json& body);

/// Rows of one table as a list of objects, the parts of the key with their names among the columns; and as
/// CSV, where lists and objects are JSON.
Json json_of_rows(const std::string& table, const std::vector<Row>& rows);
std::string csv_of_rows(const std::string& table, const std::vector<Row>& rows);

/// Follows the durable log with an engine of its own, checks that it decides alike, and answers questions.
/// One thread applies; copies may be asked elsewhere.
class Reader {
 public:
  static Result<Reader> from(Settings settings, Others others = Others::shares);
  static Result<Reader> restore(std::string_view bytes, Others others = Others::shares);
  /// Of a copy of the decider's state. O(everything), a small part of what restore() takes.
  static Reader beside(const Decider& decider, Others others = Others::shares);

  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  ~Reader();

  /// What happened, by revision. Errors name the first line whose outcome differs, or a hash that does.
  Result<std::vector<Change>> apply(const Batch& batch, Replay how = Replay::compared);

  /// The same, and why a task was placed, if it was in this batch: for `GET /tasks/{id}/explain`, from the
  /// snapshot before.
  Result<std::optional<scheduling::WhyPlaced>> apply_explaining(const Batch& batch, const std::string& task);

  /// A problem is an answer too. Changes nothing. Costs up to some milliseconds; `what_if`, `policy_dry_run`
  /// and `shares` are for workers, on a copy().
  Answer get(const Query& query, const Caller& caller) const;

  /// Why that task was placed, as GET /tasks/{id}/explain answers it.
  Answer explain_placed(const std::string& task, const scheduling::WhyPlaced& why,
                        const Caller& caller) const;

  /// What was used: `ended` is what the file has of tasks that ended, at this revision; what runs is added,
  /// until now.
  Answer usage(const UsageAsked& asked, Uses ended, const Moment& present, const Caller& caller) const;

  /// Series over time; a copy() has none. sample() is what the history takes now. O(queues).
  History& history();
  Sample sample() const;
  /// O(queues).
  Gauges gauges(Wall now) const;

  /// All of one of kTables, in order. O(rows).
  std::vector<Row> rows(const std::string& table) const;

  Revision revision() const;
  std::string snapshot() const;  ///< the same bytes as the decider's at the same revision
  Reader copy() const;           ///< O(everything), without the history
  std::string broken_invariant() const;

 private:
  struct Inside;
  explicit Reader(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace mirab::live
