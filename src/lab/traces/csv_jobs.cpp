// Jobs over time from a table of a person's own.
#include "lab/traces/csv_jobs.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <fmt/format.h>
#include <gmpxx.h>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "lab/traces/csv_fields.hpp"
#include "model/exact.hpp"
#include "model/names.hpp"
#include "model/seconds.hpp"
#include "model/time_units.hpp"
#include "model/wall.hpp"

namespace mirab::traces {

namespace {

constexpr std::array<std::string_view, 8> kJobFields = {"submit", "run",  "user",     "job",
                                                        "tasks",  "gang", "estimate", "weight"};

}  // namespace

Result<JobServers> equal_hosts(std::int64_t count, std::string_view amounts) {
  CsvTable table{.file = "--host",
                 .head = {"name", "count"},
                 .rows = {{.line = 0, .cells = {"host", fmt::format("{}", count)}}}};
  std::vector<std::string> resources;
  while (!amounts.empty()) {
    const std::string_view each = amounts.substr(0, amounts.find(','));
    amounts.remove_prefix(std::min(each.size() + 1, amounts.size()));
    const std::size_t equals = std::min(each.find('='), each.size());
    std::string resource(trimmed(each.substr(0, equals)));
    if (resource.empty() || equals == each.size())
      return Error{.message = fmt::format("'{}' is not of the form RESOURCE=AMOUNT, like cpus=64", each)};
    resource = lower_case(resource);
    const bool is_field = std::find(kJobFields.begin(), kJobFields.end(), resource) != kJobFields.end();
    if (is_field || column_of(table.head, resource))
      return Error{.message = fmt::format("'{}' stands here twice, or is no resource", resource)};
    resources.push_back(resource);
    table.head.push_back(std::move(resource));
    table.rows[0].cells.emplace_back(trimmed(each.substr(equals + 1)));
  }
  return JobServers{std::move(table), std::move(resources)};
}

namespace {

using std::chrono::seconds;

const CsvKind kJobs{
    .name = "jobs", .fields = kJobFields, .required = std::span(kJobFields).first(3), .prefix = "select."};

/// `2026-03-01T08:00:00Z`, with any offset, with a blank for the T, and without an offset in UTC.
std::optional<Wall> date_of(std::string text) {
  constexpr std::size_t kDate = std::string_view("2026-03-01").size();
  if (text.size() > kDate && text[kDate] == ' ') text[kDate] = 'T';
  const std::optional<Wall> wall = wall_of(text);
  return wall ? wall : wall_of(text + "Z");
}

/// How `submit` is written.
enum class Clock { counted, dates };

/// A submission, since 1970 or since whenever the trace counts from.
struct Submission {
  Duration at{};
  Clock clock = Clock::counted;
  int line = 0;
};

/// One table, read once.
class JobsReader {
 public:
  JobsReader(const CsvFields& fields, std::vector<std::string> resources, std::vector<Server> servers)
      : fields_(fields), resources_(std::move(resources)), servers_(std::move(servers)) {}

  Check read(const CsvRow& row) {
    ++rows_;
    const Result<Submission> submission = read_submission(row);
    if (!submission) return submission.error();
    const Result<std::optional<Duration>> runtime = read_time(row, "run");
    if (!runtime) return runtime.error();
    const Result<std::optional<Duration>> estimate = read_time(row, "estimate");
    if (!estimate) return estimate.error();
    const Result<Request> request = read_request(row);
    if (!request) return request.error();
    Job job{.name = fields_.cell(row, "job"),
            .submitted = submission->at,
            .user = 0,
            .request = 0,
            .runtime = runtime->value_or(seconds(1))};
    if (Check bad = read_names(row, job)) return bad;
    if (Check bad = read_tasks(row, job)) return bad;
    if (!*runtime) return ++without_runtime_, std::nullopt;
    if (is_nothing(*request)) return ++without_request_, std::nullopt;
    if (job.tasks > kMostWorkloadTasks - tasks_)
      return fields_.wrong(row, "tasks", fmt::format("make more than {} in all", kMostWorkloadTasks));
    tasks_ += job.tasks;
    if (job.runtime == Duration::zero()) ++instant_, job.runtime = seconds(1);
    if (estimate->value_or(Duration::zero()) > Duration::zero()) job.requested = *estimate;
    job.request = requests_.number(*request);
    if (static_cast<double>(job.gang) > room(*request, job.request)) return ++fitting_nowhere_, std::nullopt;
    if (jobs_.empty()) first_ = last_ = *submission;
    if (submission->at < first_.at) first_ = *submission;
    if (submission->at > last_.at) last_ = *submission;
    jobs_.push_back(std::move(job));
    return {};
  }

  Result<WorkloadImport> finish() {
    if (jobs_.empty())
      return Error{.message = "no job of the table has a runtime and fits on the servers",
                   .file = fields_.file()};
    if (last_.at - first_.at > kLongestWorkload)
      return fields_.wrong({.line = last_.line, .cells = {}}, "submit",
                           "is more than a hundred years after the first one");
    WorkloadImport import;
    Workload& workload = import.workload;
    workload.resources = resources_;
    workload.requests = requests_.take();
    workload.users = std::move(users_);
    for (Submitter& user : workload.users) {
      if (const auto weight = weights_.find(user.name); weight != weights_.end())
        user.weight = weight->second;
    }
    workload.jobs = std::move(jobs_);
    forget_unused(workload);
    start_at_first(workload);

    import.cluster = {workload.resources, std::move(servers_), users_of(workload)};
    import.provenance = provenance(workload);
    note(import.notices, "left out, jobs without a runtime", without_runtime_);
    note(import.notices, "left out, jobs that ask for nothing", without_request_);
    note(import.notices, "left out, jobs that do not fit on the servers", fitting_nowhere_);
    note(import.notices, "taken for 1 s, runtimes of 0 s", instant_);
    return import;
  }

 private:
  Result<Submission> read_submission(const CsvRow& row) {
    Submission submission{.line = row.line};
    if (const std::optional<Wall> wall = date_of(fields_.cell(row, "submit"))) {
      constexpr auto kLatest = std::chrono::floor<std::chrono::milliseconds>(Duration::max());
      if (wall->time_since_epoch() < std::chrono::milliseconds(0) || wall->time_since_epoch() > kLatest)
        return fields_.wrong(row, "submit", "is not between the years 1970 and 2262");
      submission.at = wall->time_since_epoch();
      submission.clock = Clock::dates;
    } else {
      const Result<std::optional<Duration>> time = read_time(row, "submit");
      if (!time) return time.error();
      if (!*time) return fields_.wrong(row, "submit", "is empty");
      submission.at = **time;
    }
    if (rows_ == 1) clock_ = submission.clock;
    if (submission.clock != clock_)
      return fields_.wrong(row, "submit", "must be seconds in all rows, or a date in all");
    return submission;
  }

  /// Whole nanoseconds, what is less is cut off; nothing for an empty cell. A time in several parts says its
  /// units itself, whatever the column's. A submission at `10:15` may be a time of day: it is refused.
  Result<std::optional<Duration>> read_time(const CsvRow& row, std::string_view field) const {
    const std::string& written = fields_.cell(row, field);
    if (written.empty()) return std::optional<Duration>();
    const mpq_class times = rational(fields_.sources().find(field)->second.times);
    const bool may_be_date = field == "submit" && written.find_first_of(":-") != std::string::npos;
    const std::optional<Duration> of_parts = may_be_date ? std::nullopt : time_of_parts(written);
    const TimeText time = split_time(written, seconds(1));
    if (times != 1 && (of_parts || time.number.size() != written.size()))
      return fields_.wrong(
          row, field, fmt::format("'{}' has a unit, and --map multiplies it too: leave one out", written));
    const Result<Quantity> number = Quantity::parse(time.number);
    if (!of_parts && (!is_without_suffix(time.number) || !number))
      return fields_.wrong(
          row, field,
          fmt::format(
              "'{}' is not a time, such as 90, 12.5, 90s, 45m, 1.5h, 1h30m{}", written,
              field == "submit" ? ", nor a date such as 2026-03-01T08:00:00Z" : ", 1:30:00 or 2-12:00:00"));
    Duration read;
    if (of_parts) {
      read = *of_parts;
    } else {
      const mpq_class unit(static_cast<signed long>(time.unit.count()));
      const mpq_class exact = rational(*number) * times * unit;
      const mpz_class whole = exact.get_num() / exact.get_den();
      if (!whole.fits_slong_p()) return fields_.wrong(row, field, "is more than 292 years");
      read = Duration(whole.get_si());
    }
    if (field != "submit" && read > kLongestWorkload)
      return fields_.wrong(row, field, "is more than a hundred years");
    return std::optional(read);
  }

  Result<Request> read_request(const CsvRow& row) const {
    Result<ResourceVector> demand = fields_.amounts(row, resources_);
    if (!demand) return demand.error();
    Request request{.demand = *std::move(demand)};
    for (const auto& [label, cell] : fields_.keyed(row)) {
      if (Check bad = check_name(label, "label", "select"))
        return fields_.wrong(row, fmt::format("{}{}", kJobs.prefix, label), bad->message);
      std::vector<std::string>& values = request.select[label];
      for (std::string& value : alternatives_in(cell)) {
        if (Check bad = check_name(value, "label", "value"))
          return fields_.wrong(row, fmt::format("{}{}", kJobs.prefix, label), bad->message);
        if (std::find(values.begin(), values.end(), value) == values.end())
          values.push_back(std::move(value));
      }
    }
    return request;
  }

  static bool is_nothing(const Request& request) {
    return std::all_of(request.demand.begin(), request.demand.end(),
                       [](const Quantity& amount) { return amount.is_zero(); });
  }

  Check read_names(const CsvRow& row, Job& job) {
    if (job.name.empty()) job.name = fmt::format("{}", rows_);
    if (Check bad = check_name(job.name, "job", "job")) return fields_.wrong(row, "job", bad->message);
    const std::string& user = fields_.cell(row, "user");
    if (Check bad = check_name(user, "user", "user")) return fields_.wrong(row, "user", bad->message);
    if (Check bad = read_csv_weight(fields_, row, user, weights_)) return bad;
    const auto [known, is_new] = user_of_.try_emplace(user, static_cast<std::uint32_t>(users_.size()));
    if (is_new) users_.push_back({.name = user});
    job.user = known->second;
    return {};
  }

  Check read_tasks(const CsvRow& row, Job& job) {
    for (const auto& [field, number] : {std::pair("tasks", &job.tasks), std::pair("gang", &job.gang)}) {
      const Result<std::optional<std::int64_t>> count = fields_.whole(row, field);
      if (!count) return count.error();
      *number = count->value_or(1);
      if (*number == 0) return fields_.wrong(row, field, "must be a whole number from 1");
    }
    if (job.gang > job.tasks) return fields_.wrong(row, "gang", "is more than the tasks of the job");
    return {};
  }

  /// How many tasks of a request fit on the servers together.
  double room(const Request& request, std::uint32_t number) {
    if (number == rooms_.size()) rooms_.push_back(room_for(request, servers_));
    return rooms_[number];
  }

  void start_at_first(Workload& workload) const {
    std::stable_sort(workload.jobs.begin(), workload.jobs.end(),
                     [](const Job& a, const Job& b) { return a.submitted < b.submitted; });
    for (Job& job : workload.jobs) {
      job.submitted -= first_.at;
      workload.span = std::max(workload.span, job.submitted + job.runtime);
    }
    workload.span = std::min(workload.span, kLongestWorkload);
  }

  std::vector<std::string> provenance(const Workload& workload) const {
    const std::string first = clock_ == Clock::dates
                                  ? text_of(Wall(std::chrono::floor<std::chrono::milliseconds>(first_.at)))
                                  : fmt::format("the second {}", seconds_text(first_.at));
    return {
        fmt::format("From a table of {} jobs; {} of them, of {} users, are here.", rows_,
                    workload.jobs.size(), workload.users.size()),
        fmt::format(
            "Times count from the first submission that is here, {}. All runtimes are as the table says.",
            first),
    };
  }

  const CsvFields& fields_;
  std::vector<std::string> resources_;
  std::vector<Server> servers_;
  Requests requests_;
  std::vector<double> rooms_;  // [request]
  std::vector<Submitter> users_;
  std::map<std::string, std::uint32_t> user_of_;
  std::map<std::string, Quantity> weights_;
  std::vector<Job> jobs_;         // submitted since whenever the trace counts from
  Clock clock_ = Clock::counted;  // of all rows
  Submission first_, last_;       // of the jobs that are kept
  std::int64_t tasks_ = 0;
  std::uint64_t rows_ = 0, without_runtime_ = 0, without_request_ = 0, fitting_nowhere_ = 0, instant_ = 0;
};

}  // namespace

Result<WorkloadImport> import_jobs(const CsvText& jobs, const JobServers& servers,
                                   std::span<const std::string> map) {
  Result<CsvRows> rows = CsvRows::open(jobs);
  if (!rows) return std::move(rows).error();
  CsvFields of_jobs(kJobs, jobs.file, rows->head());
  CsvFields of_servers(kCsvServers, servers.table.file, servers.table.head);
  std::vector<std::string> columns(map.begin(), map.end());
  for (const std::string& resource : servers.resources)
    columns.push_back(fmt::format("servers.{0}={0}", resource));
  Result<std::vector<std::string>> resources = find_csv_fields(of_servers, of_jobs, columns);
  if (!resources) return std::move(resources).error();
  Result<std::vector<Server>> entries = read_csv_servers(of_servers, servers.table.rows, *resources);
  if (!entries) return std::move(entries).error();

  JobsReader reader(of_jobs, *std::move(resources), *std::move(entries));
  while (true) {
    const Result<std::optional<CsvRow>> row = rows->next();
    if (!row) return row.error();
    if (!*row) break;
    if (Check wrong = reader.read(**row)) return *std::move(wrong);
  }
  Result<WorkloadImport> import = reader.finish();
  if (!import) return import;
  if (Result<Problem> problem = Problem::from(import->cluster); !problem) {
    Error error = std::move(problem).error();
    error.file = fmt::format("{}, {}", servers.table.file, jobs.file);
    return error;
  }
  of_servers.note_unused(import->notices);
  of_jobs.note_unused(import->notices);
  return import;
}

}  // namespace mirab::traces
