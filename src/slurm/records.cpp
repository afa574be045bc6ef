// What Slurm's commands print: records, tables, host lists and amounts.
//
// Source: the manual pages of scontrol, sacct, squeue and slurm.conf (NodeName, Gres); "Trackable RESources".
#include "slurm/records.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <gmpxx.h>
#include <optional>

#include "model/exact.hpp"
#include "model/names.hpp"
#include "slurm/json_records.hpp"

namespace mirab::slurm {
namespace {

constexpr std::size_t kMostColumns = 256;
constexpr std::size_t kLongestShown = 40;  // of a text in an error

bool is_key(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == ':' || c == '/';
  });
}

/// The lines of a text, with their numbers.
template <class Visit>
Check for_each_line(std::string_view text, const Visit& visit) {
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (Check wrong = visit(text.substr(0, end), number)) return wrong;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

bool begins_record(std::string_view line) {
  return line.starts_with("NodeName=") || line.starts_with("JobId=");
}

/// Fields with what people write, and the fields that may stand after them on their line, `,` around each.
struct FreeText {
  std::string_view key;
  std::string_view followers;
};
constexpr std::string_view kAfterCommand =
    ",workdir,admincomment,systemcomment,comment,stderr,stdin,stdout,switches,cpuspertres,mempertres,"
    "ntaskspertres,tresperjob,trespernode,trespersocket,trespertask,mailuser,mailtype,";
constexpr std::array<FreeText, 6> kFreeTexts = {{{"jobname", ",userid,"},
                                                 {"reason", ",dependency,"},
                                                 {"command", kAfterCommand},
                                                 {"admincomment", kAfterCommand},
                                                 {"systemcomment", kAfterCommand},
                                                 {"comment", kAfterCommand}}};

/// Which fields may stand after `key`; nothing for all. A reason of a job with nothing known after it is a
/// word.
std::optional<std::string_view> followers(std::string_view key, std::string_view line, const Record& record) {
  const auto free = std::find_if(kFreeTexts.begin(), kFreeTexts.end(),
                                 [&](const FreeText& each) { return each.key == key; });
  if (free == kFreeTexts.end()) return {};
  const bool is_word = key == "reason" && record.fields.contains("jobid") &&
                       line.find(" Dependency=") == std::string_view::npos;
  if (is_word) return {};
  const bool has_line = free->followers == kAfterCommand && !begins_record(line);  // of its own
  return has_line ? std::string_view() : free->followers;
}

/// What a job holds on some of its nodes, `Nodes=n[1-2] CPU_IDs=0-3 Mem=1024 GRES=gpu:1(IDX:0)`, is a record
/// in the job's: where the value of `key` belongs if it is a part of this, else nothing.
std::string* value_on_nodes(const std::string& key, Record& record, bool& is_open) {
  if (key == "nodes" && record.fields.contains("jobid")) {
    record.on_nodes.push_back({.fields = {}, .line = record.line});
    is_open = true;
  } else if (key != "cpu_ids" && key != "mem" && key != "gres") {
    is_open = false;
  }
  return is_open ? &record.on_nodes.back().fields[key] : nullptr;
}

/// `Key=value Key2=value with blanks`: a word with a key before its `=` begins a field, others go on with the
/// one before. The first value of a key counts; after a command or a comment, the last, for what people write
/// there may look like a field.
Check add_fields(std::string_view line, Record& record, std::string& last, const std::string& file,
                 int number) {
  std::optional<std::string_view> known;  // the fields that may stand here
  std::string* value = last.empty() ? nullptr : &record.fields[last];
  std::string passed_over;
  bool is_on_nodes = false;
  for (const std::string_view word : split(line, ' ')) {
    if (word.empty()) continue;
    const std::size_t equals = word.find('=');
    const bool has_key = equals != std::string_view::npos && is_key(word.substr(0, equals));
    const std::string key = has_key ? lower_case(word.substr(0, equals)) : "";
    if (has_key && (!known || known->find("," + key + ",") != std::string_view::npos)) {
      const bool is_after_command = known == kAfterCommand;
      if (!is_after_command) known = followers(key, line, record);
      if (std::string* const part = value_on_nodes(key, record, is_on_nodes)) {
        value = part;
        *value = word.substr(equals + 1);
        continue;
      }
      last = key;
      const auto [place, is_new] = record.fields.try_emplace(key);
      value = is_new || is_after_command ? &place->second : &passed_over;
      *value = word.substr(equals + 1);
    } else if (value == nullptr) {
      return Error{.message = fmt::format("'{}' is not of the form Key=Value", word.substr(0, kLongestShown)),
                   .file = file,
                   .line = number};
    } else {
      (*value += ' ') += word;
    }
  }
  return {};
}

Result<std::vector<Record>> read_blocks(std::string_view text, const std::string& file) {
  std::vector<Record> records;
  std::string last;
  const Check wrong = for_each_line(text, [&](std::string_view line, int number) -> Check {
    line = trimmed(line);
    if (line.empty()) return {};
    if (begins_record(line)) {
      records.push_back({.fields = {}, .line = number});
      last.clear();
    } else if (records.empty()) {
      return Error{.message = "must begin with NodeName= or JobId=, as scontrol prints it",
                   .file = file,
                   .line = number};
    }
    return add_fields(line, records.back(), last, file, number);
  });
  if (wrong) return *wrong;
  return records;
}

bool begins_with_digit(std::string_view cell) {
  cell = trimmed(cell);
  return !cell.empty() && cell.front() >= '0' && cell.front() <= '9';
}

Result<std::vector<Record>> read_table(std::string_view text, const std::string& file) {
  std::vector<std::string> head;
  std::vector<Record> records;
  const Check wrong = for_each_line(text, [&](std::string_view line, int number) -> Check {
    if (trimmed(line).empty()) return {};
    std::vector<std::string_view> cells = split(line, '|');
    if (head.empty()) {
      if (std::any_of(cells.begin(), cells.end(), begins_with_digit))
        return Error{.message =
                         "the head with the names of the columns is missing: print it too, with squeue "
                         "and sinfo without -h, with sacct without -n",
                     .file = file,
                     .line = number};
      for (const std::string_view cell : cells) {
        std::string name = lower_case(trimmed(cell));
        if (!name.empty() && std::find(head.begin(), head.end(), name) != head.end())
          return Error{.message = fmt::format("a second column '{}'", name), .file = file, .line = number};
        head.push_back(std::move(name));
      }
      if (head.size() > kMostColumns)
        return Error{
            .message = fmt::format("more than {} columns", kMostColumns), .file = file, .line = number};
      return {};
    }
    if (cells.size() != head.size()) {
      return Error{.message = fmt::format("{} columns, and the head has {}", cells.size(), head.size()),
                   .file = file,
                   .line = number};
    }
    Record& record = records.emplace_back(Record{.fields = {}, .line = number});
    for (std::size_t i = 0; i < cells.size(); ++i) record.fields[head[i]] = trimmed(cells[i]);
    return {};
  });
  if (wrong) return *wrong;
  return records;
}

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || failure != std::errc{} || end != text.data() + text.size() || value < 0) return {};
  return value;
}

}  // namespace

std::string_view Record::value(std::initializer_list<std::string_view> keys) const {
  for (const std::string_view key : keys) {
    const auto found = fields.find(key);
    if (found == fields.end()) continue;
    const std::string_view text = found->second;
    if (!text.empty() && text != "(null)" && text != "N/A" && text != "None" && text != "Unknown" &&
        text != "None assigned")
      return text;
  }
  return {};
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

Error wrong(std::string_view field, std::string message) {
  return {.message = std::move(message), .key = std::string(field)};
}

Result<std::vector<Record>> read_records(std::string_view text, const std::string& file) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return Error{.message = "the file is empty", .file = file};
  const std::string_view first = text.substr(start, text.find('\n', start) - start);
  if (first.front() == '{') return read_json(text, file);
  if (begins_record(first)) return read_blocks(text, file);
  if (first.find('|') != std::string_view::npos) return read_table(text, file);
  return Error{
      .message =
          "is neither what `scontrol show node -o` prints, nor a table with '|' between its columns "
          "and a head, as of `sacct -P` or `squeue -o '%i|%a|%u|%T|%P|%D|%C|%m|%b|%h|%N|%f'`, nor what "
          "these print with --json",
      .file = file,
      .line = 1};
}

// Lists of hosts and of array tasks.

namespace {

struct Range {
  std::int64_t first;
  std::int64_t last;
  std::size_t width;  // with zeros before it
  std::int64_t step = 1;
};

/// `1-3`, `07`, `1-9:2`.
Result<Range> read_range(std::string_view text) {
  const Error wrong{.message = fmt::format("'{}' is not a range like 1-3", text.substr(0, kLongestShown))};
  Range range{};
  const std::size_t colon = std::min(text.find(':'), text.size());
  if (colon < text.size()) {
    const std::optional<std::int64_t> step = whole(text.substr(colon + 1));
    if (!step || *step == 0) return wrong;
    range.step = *step;
  }
  text = text.substr(0, colon);
  const std::size_t dash = std::min(text.find('-'), text.size());
  const std::optional<std::int64_t> first = whole(text.substr(0, dash));
  const std::optional<std::int64_t> last = dash < text.size() ? whole(text.substr(dash + 1)) : first;
  if (!first || !last || *last < *first) return wrong;
  range.first = *first;
  range.last = *last;
  range.width = dash;
  return range;
}

/// The hosts of one name with any number of brackets.
Check expand_name(std::string_view name, std::vector<std::string>& hosts) {
  std::vector<std::string> sofar{""};
  while (!name.empty()) {
    const std::size_t open = std::min(name.find('['), name.size());
    for (std::string& each : sofar) each += name.substr(0, open);
    name.remove_prefix(open);
    if (name.empty()) break;
    const std::size_t close = name.find(']');
    if (close == std::string_view::npos) return Error{.message = "a bracket '[' without its ']'"};
    std::vector<std::string> longer;
    for (const std::string_view part : split(name.substr(1, close - 1), ',')) {
      const Result<Range> range = read_range(part);
      if (!range) return range.error();
      for (const std::string& each : sofar) {
        for (std::int64_t n = range->first; n <= range->last; ++n) {
          if (longer.size() + hosts.size() >= kMostHosts)
            return Error{.message = fmt::format("a list of more than {} hosts", kMostHosts)};
          longer.push_back(fmt::format("{}{:0{}}", each, n, std::min<std::size_t>(range->width, 20)));
        }
      }
    }
    sofar = std::move(longer);
    name.remove_prefix(close + 1);
  }
  hosts.insert(hosts.end(), sofar.begin(), sofar.end());
  return {};
}

}  // namespace

Result<std::vector<std::string>> expand_hosts(std::string_view list) {
  std::vector<std::string> hosts;
  while (!list.empty()) {
    std::size_t end = 0;
    for (bool within = false; end < list.size() && (within || list[end] != ','); ++end)
      within = list[end] == '[' || (within && list[end] != ']');
    if (end > 0) {
      if (Check wrong = expand_name(list.substr(0, end), hosts)) return *std::move(wrong);
    }
    if (hosts.size() > kMostHosts)
      return Error{.message = fmt::format("a list of more than {} hosts", kMostHosts)};
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return hosts;
}

Result<std::int64_t> array_tasks(std::string_view job_id) {
  const std::size_t open = job_id.find("_[");
  if (open == std::string_view::npos) return std::int64_t{1};
  std::string_view list = job_id.substr(open + 2);
  list = list.substr(0, list.find_first_of("%]"));
  if (list.ends_with("..."))
    return Error{.message = "the list of array tasks is cut short; print more of it"};
  std::int64_t count = 0;
  for (const std::string_view part : split(list, ',')) {
    const Result<Range> range = read_range(part);
    if (!range) return range.error();
    count += (range->last - range->first) / range->step + 1;
    if (count > static_cast<std::int64_t>(INT32_MAX)) return Error{.message = "too many array tasks"};
  }
  return count;
}

// Amounts.

namespace {

constexpr std::string_view kSteps = "KMGTP";  // each 1024 times the one before

/// A number with a suffix of kSteps, times `unit` where there is none.
Result<Quantity> read_stepped(std::string_view text, std::int64_t unit) {
  const Error wrong{.message = fmt::format("'{}' is not an amount", text.substr(0, kLongestShown))};
  if (text.empty()) return wrong;
  const std::size_t step =
      kSteps.find(text.back() >= 'a' ? static_cast<char>(text.back() - 'a' + 'A') : text.back());
  std::int64_t scale = unit;
  if (step != std::string_view::npos) {
    scale = std::int64_t{1} << (10 * (step + 1));
    text.remove_suffix(1);
  }
  if (text.empty() || text.find_first_not_of("0123456789.") != std::string_view::npos) return wrong;
  const Result<Quantity> number = Quantity::parse(text);
  if (!number) return number.error();
  const mpq_class bytes = rational(*number) * mpz_class(std::to_string(scale));
  if (bytes >= mpz_class("9223372036854775807")) return Error{.message = "is more than 2^63 - 1"};
  return rounded_down(bytes);
}

}  // namespace

Result<Quantity> read_memory(std::string_view text) { return read_stepped(text, std::int64_t{1} << 20); }

Result<Amounts> read_tres(std::string_view text) {
  Amounts amounts;
  if (trimmed(text).empty()) return amounts;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0)
      return Error{.message = fmt::format("'{}' is not of the form cpu=4", part.substr(0, kLongestShown))};
    const std::string name = lower_case(part.substr(0, equals));
    const std::string_view written = part.substr(equals + 1);
    Result<Quantity> amount = name == "mem" ? read_memory(written) : read_stepped(written, 1);
    if (!amount) return amount.error();
    amounts.insert_or_assign(name, *amount);
  }
  return amounts;
}

namespace {

/// `cpu=2` and its like stand beside generic resources in TresPerTask.
bool is_no_generic(std::string_view name) {
  constexpr std::array<std::string_view, 8> kOthers = {"cpu",    "mem", "node", "billing",
                                                       "energy", "bb",  "fs",   "license"};
  name = name.substr(0, name.find('/'));
  return std::find(kOthers.begin(), kOthers.end(), name) != kOthers.end();
}

}  // namespace

Result<Amounts> read_gres(std::string_view text) {
  std::map<std::string, mpq_class> sums;
  std::string plain;  // without what stands in brackets
  for (int depth = 0; const char c : text) {
    if (c == '(') ++depth;
    if (depth == 0) plain += c;
    if (c == ')') depth = std::max(0, depth - 1);
  }
  for (std::string_view part : split(plain, ',')) {
    part = trimmed(part);
    if (part.starts_with("gres/") || part.starts_with("gres:")) part.remove_prefix(5);
    if (part.empty()) continue;
    std::vector<std::string_view> words = split(part, ':');
    for (const std::size_t equals = words.back().find('='); equals != std::string_view::npos;) {
      words.push_back(words.back().substr(equals + 1));
      words[words.size() - 2] = words[words.size() - 2].substr(0, equals);
      break;
    }
    Quantity count{1};
    if (words.size() > 1 && !words.back().empty() && words.back().front() >= '0' &&
        words.back().front() <= '9') {
      const Result<Quantity> written = read_stepped(words.back(), 1);
      if (!written) return written.error();
      count = *written;
      words.pop_back();
    }
    if (is_no_generic(words[0])) continue;
    if (words[0].empty() || words.size() > 2)
      return Error{.message =
                       fmt::format("'{}' is not of the form gpu:a100:4", part.substr(0, kLongestShown))};
    sums["gres/" + lower_case(words[0])] += rational(count);
    if (words.size() == 2)
      sums[fmt::format("gres/{}:{}", lower_case(words[0]), lower_case(words[1]))] += rational(count);
  }
  Amounts amounts;
  for (const auto& [name, sum] : sums) {
    if (sum >= mpz_class("9223372036854775807")) return Error{.message = "is more than 2^63 - 1"};
    amounts.emplace(name, rounded_down(sum));
  }
  return amounts;
}

}  // namespace mirab::slurm
