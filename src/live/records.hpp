#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/result.hpp>
#include <mirab/model/time.hpp>
#include <mirab/scheduling/event_log.hpp>

#include "live/answers.hpp"

namespace mirab::live {

/// When something happened.
struct Stamp {
  Revision revision = 0;
  Time now = {};   ///< engine time, which decides
  Wall wall = {};  ///< for people
};

/// What people and programs may watch: `task-placed`, `job-submitted`, `server-drained`, … Names, no numbers
/// of the engine. Empty texts are left out of JSON.
struct Event {
  std::string kind = {};
  std::string tenant = {};  ///< whose queue it is about; empty: of the cluster
  std::string queue = {};
  std::string job = {};   ///< `ml/train-17`
  std::string task = {};  ///< `t-77`
  std::string role = {};  ///< of the task, by its name
  std::string server = {};
  std::string name = {};  ///< of a group, tenant or token, or the task for which another ended
  std::string why = {};   ///< an outcome, the right of a preemption, …
  friend bool operator==(const Event&, const Event&) = default;
};
/// The kinds that there are.
std::span<const std::string_view> event_kinds();
Json json_of(const Event& event, bool with_tenant);
Event event_of(const Json& json);

/// One line of a batch: a command, or steps, and what came of it. `engine` holds lines of the engine's event
/// log without their time.
struct Record {
  Stamp stamp = {};
  std::string by = {};
  std::string from = {};
  std::string what = {};         ///< a word of Do, or `steps`
  Json target = Json::object();  ///< `{"queue":"ml","name":"train-17"}`
  Json body = {};                ///< in normal form; null: none
  std::uint64_t seed = 0;        ///< of steps: the first revision of the batch
  Json engine = Json::array();
  std::vector<Event> events = {};
};
Json json_of(Record record);
Result<Record> record_of(const Json& json);

// Things that who answers requests must know at its start and after each change.
inline constexpr const char* kTenantTable = "tenant";
inline constexpr const char* kServerTable = "server";
inline constexpr const char* kTokenTable = "token";

/// Of these tables a state gives the rows.
inline constexpr std::array<std::string_view, 7> kTables = {kTenantTable, "group", "queue",     kServerTable,
                                                            kTokenTable,  "job",   "task_ended"};

/// A row of a table: `columns` null where the row is gone. Beside the three, `series` holds the history.
struct Row {
  std::string table;
  Json key;      ///< an array
  Json columns;  ///< an object, or null
};

/// Whose use, and in which hour: that is how what was used is charged.
struct UsedBy {
  std::int64_t hour = 0;  ///< Unix seconds
  std::string queue = {};
  std::string tenant = {};
  std::string group = {};  ///< empty: the root
  friend auto operator<=>(const UsedBy&, const UsedBy&) = default;
};
/// Amount times time of each resource, [r]: base units times milliseconds.
using Uses = std::map<UsedBy, std::vector<double>>;

/// What becomes durable at once. `hash` = SHA-256(previous hash ‖ body), in hexadecimal.
struct Batch {
  Revision first = 0;
  Revision last = 0;  ///< below `first`: nothing happened
  Wall wall = {};
  std::string body = {};  ///< JSON lines, each with its end
  std::string hash = {};
  std::vector<Row> rows = {};  ///< of the three tables, those that changed
  Uses uses = {};              ///< of the tasks that ended, to be added to what there is

  bool empty() const { return body.empty(); }
};

/// How records of the log are applied: decided again and compared; or, where another version or another
/// machine's arithmetic decided, placements are taken over as they stand (TaskAdopted).
enum class Replay { compared, as_logged };

/// SHA-256 of the bits of 64 results of exp, exp2, log and pow at fixed arguments: the last digit of these,
/// by which `pf` and a half-life decide, depends on the processor and the release of the library.
std::string fingerprint_of_libm();

/// Before the first batch.
std::string first_hash(const std::string& cluster_id);
std::string chain_hash(const std::string& previous, std::string_view body);

/// The records of a body. Errors: the line, and what is wrong with it.
Result<std::vector<Record>> records_of(std::string_view body);

/// All events of one revision.
struct Change {
  Revision revision = 0;
  Wall at = {};
  std::vector<Event> events = {};
};

/// An entry of the engine's log as the line of a record, and back.
Json engine_line(const scheduling::LogEntry& entry);

}  // namespace mirab::live
