// Allocation files (docs/reference/cluster-file.md): what runs on a cluster, as the list `running` of a
// cluster file, or as CSV.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fstream>
#include <istream>
#include <string>
#include <vector>

#include <mirab/model/assert.hpp>
#include <mirab/model/cluster_file.hpp>

#include "model/document.hpp"
#include "model/field_reader.hpp"
#include "model/names.hpp"

namespace mirab {

namespace {

// The fields of a record of RFC 4180, which may stand in quotes, all on one line; none when a quote is open.
std::vector<std::string> csv_fields(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char byte = line[i];
    if (quoted && byte == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[i++];
    } else if (byte == '"') {
      quoted = !quoted;
    } else if (byte == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += byte;
    }
  }
  if (quoted) fields.clear();
  return fields;
}

struct AllocationEntries {
  std::vector<Running> running;
  std::vector<int> lines = {};  // [entry]
  bool csv = false;             // then the last part of a key is a column
};

Result<AllocationEntries> read_allocation_csv(std::istream& input, const std::string& path) {
  static constexpr std::array<std::string_view, 4> kColumns = {"user", "shape", "server", "tasks"};
  AllocationEntries read{.running = {}, .csv = true};
  int number = 0;
  const auto wrong = [&](std::string key, std::string message) {
    return Error{.message = std::move(message), .key = std::move(key), .file = path, .line = number};
  };
  std::vector<std::string_view> columns;
  for (std::string line; std::getline(input, line);) {
    ++number;
    if (number == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) continue;
    const std::vector<std::string> fields = csv_fields(line);
    if (fields.empty()) return wrong({}, "a quote is not closed on its line");
    if (columns.empty()) {
      for (const std::string& field : fields) {
        const auto* const column = std::find(kColumns.begin(), kColumns.end(), field);
        if (column == kColumns.end())
          return wrong(field, fmt::format("unknown column{}", known_names(field, kColumns)));
        if (std::find(columns.begin(), columns.end(), field) != columns.end())
          return wrong(field, "there are two columns of this name");
        columns.push_back(*column);
      }
      for (const std::string_view needed : {"user", "server", "tasks"}) {
        if (std::find(columns.begin(), columns.end(), needed) == columns.end())
          return wrong(std::string(needed), "no such column; the first line is user,shape,server,tasks");
      }
      continue;
    }
    if (fields.size() != columns.size())
      return wrong({}, fmt::format("{} fields where the first line has {}", fields.size(), columns.size()));
    Running& entry = read.running.emplace_back();
    read.lines.push_back(number);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (columns[c] == "user") entry.user = fields[c];
      if (columns[c] == "server") entry.server = fields[c];
      if (columns[c] == "shape" && !fields[c].empty()) entry.shape = fields[c];
      if (columns[c] != "tasks") continue;
      const Result<Quantity> tasks = Quantity::parse(fields[c]);
      if (!tasks) return wrong("tasks", tasks.error().message);
      entry.tasks = *tasks;
    }
  }
  if (columns.empty()) return wrong({}, "the file is empty; its first line is user,shape,server,tasks");
  return read;
}

Result<AllocationEntries> read_allocation_list(std::istream& input, Syntax syntax, const std::string& path) {
  static constexpr std::array<std::string_view, 2> kKeys = {"version", "running"};
  const Result<Node> document = read_document(input, syntax, path);
  if (!document) return document.error();
  FieldReader reader(path);
  AllocationEntries read;
  const Node* list = &*document;
  if (document->kind == Node::Kind::map) {
    if (!reader.expect_map(*document, "", kKeys)) return *reader.error();
    list = &reader.required(*document, "", "running");
    if (reader.failed()) return *reader.error();
  }
  read.running = reader.running(*list, "running");
  if (reader.failed()) return *reader.error();
  for (const Node::Entry& entry : list->entries) read.lines.push_back(entry.value.line);
  return read;
}

Result<AllocationEntries> read_allocation(const std::string& path) {
  Result<std::ifstream> input = open_file(path);
  if (!input) return input.error();
  if (path.ends_with(".csv")) return read_allocation_csv(*input, path);
  const int first = (*input >> std::ws).peek();
  input->clear();
  input->seekg(0);
  const bool json = path.ends_with(".json") || first == '[' || first == '{';
  if (json || path.ends_with(".yaml") || path.ends_with(".yml"))
    return read_allocation_list(*input, json ? Syntax::json : Syntax::yaml, path);
  return read_allocation_csv(*input, path);
}

}  // namespace

Result<Problem> with_allocation_file(const Problem& problem, const std::string& path) {
  Result<AllocationEntries> read = read_allocation(path);
  if (!read) return read.error();
  Cluster cluster = problem.cluster();
  cluster.running = std::move(read->running);
  Result<Problem> with = Problem::from(std::move(cluster));
  if (with) return with;
  Error wrong = with.error();
  const std::size_t open = wrong.key.find('[');
  const std::size_t close = wrong.key.find(']');
  MIRAB_ASSERT(wrong.key.starts_with("running[") && close != std::string::npos,
               "the rest of the problem is valid");
  wrong.line = read->lines[std::stoul(wrong.key.substr(open + 1, close - open - 1))];
  if (read->csv) wrong.key = wrong.key.substr(close + 2);
  wrong.file = path;
  return wrong;
}

}  // namespace mirab
