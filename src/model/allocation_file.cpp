// Allocation files (docs/reference/cluster-file.md): what runs on a cluster, as the list `running` of a
// cluster file, or as CSV.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <vector>

#include <mirab/model/assert.hpp>
#include <mirab/model/cluster_file.hpp>

#include "model/csv_table.hpp"
#include "model/document.hpp"
#include "model/field_reader.hpp"
#include "model/names.hpp"

namespace mirab {

namespace {

struct AllocationEntries {
  std::vector<Running> running;
  std::vector<RunningPlace> places = {};  // [entry]
  bool csv = false;                       // then the last part of a key is a column
};

Result<AllocationEntries> read_allocation_csv(const InputText& input) {
  static constexpr std::array<std::string_view, 4> kColumns = {"user", "shape", "server", "tasks"};
  const Result<CsvTable> table = read_csv_table({.file = input.name, .text = input.text});
  if (!table) return table.error();
  const auto wrong = [&](std::string_view column, std::string message, int line) {
    return Error{.message = std::move(message), .key = std::string(column), .file = input.name, .line = line};
  };
  std::array<std::optional<std::size_t>, kColumns.size()> places;
  for (std::size_t i = 0; i < table->head.size(); ++i) {
    const auto* const column = std::find(kColumns.begin(), kColumns.end(), lower_case(table->head[i]));
    if (column == kColumns.end())
      return wrong(table->head[i], fmt::format("unknown column{}", known_names(table->head[i], kColumns)), 1);
    places[static_cast<std::size_t>(column - kColumns.begin())] = i;
  }
  for (std::size_t c = 0; c < kColumns.size(); ++c) {
    const bool is_needed = kColumns[c] != "shape";
    if (is_needed && !places[c])
      return wrong(kColumns[c], "no such column; the first line is user,shape,server,tasks", 1);
  }
  AllocationEntries read{.running = {}, .csv = true};
  for (const CsvRow& row : table->rows) {
    Running& entry = read.running.emplace_back();
    read.places.push_back({.entry = read.places.size(), .server = {}, .line = row.line});
    entry.user = row.cells[*places[0]];
    if (places[1] && !row.cells[*places[1]].empty()) entry.shape = row.cells[*places[1]];
    entry.server = row.cells[*places[2]];
    const Result<Quantity> tasks = Quantity::parse(row.cells[*places[3]]);
    if (!tasks) return wrong(kColumns[3], tasks.error().message, row.line);
    entry.tasks = *tasks;
  }
  return read;
}

Result<AllocationEntries> read_allocation_list(const InputText& input, Syntax syntax) {
  static constexpr std::array<std::string_view, 2> kKeys = {"version", "running"};
  const Result<Node> document = read_document(input.text, syntax, input.name);
  if (!document) return document.error();
  FieldReader reader(input.name);
  AllocationEntries read;
  const Node* list = &*document;
  if (document->kind == Node::Kind::map) {
    if (!reader.expect_map(*document, "", kKeys)) return *reader.error();
    if (const Node* version = document->find("version"); version != nullptr && version->text != "1") {
      return Error{.message = "must be 1, the version of this format",
                   .key = "version",
                   .file = input.name,
                   .line = version->line};
    }
    list = &reader.required(*document, "", "running");
    if (reader.failed()) return *reader.error();
  }
  read.running = reader.running(*list, "running", read.places);
  if (reader.failed()) return *reader.error();
  return read;
}

Result<AllocationEntries> read_allocation(const std::string& path) {
  const Result<InputText> input = read_input(path);
  if (!input) return input.error();
  if (path.ends_with(".csv")) return read_allocation_csv(*input);
  const std::size_t first = input->text.find_first_not_of(" \t\r\n");
  const bool has_json =
      first != std::string::npos && (input->text[first] == '[' || input->text[first] == '{');
  if (has_json || path.ends_with(".json")) return read_allocation_list(*input, Syntax::json);
  if (path.ends_with(".yaml") || path.ends_with(".yml")) return read_allocation_list(*input, Syntax::yaml);
  return read_allocation_csv(*input);
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
  const std::size_t number = std::stoul(wrong.key.substr(open + 1, close - open - 1));
  wrong.line = read->places[number].line;
  wrong.key = read->csv ? wrong.key.substr(close + 2) : read->places[number].key(wrong.key.substr(close + 1));
  wrong.file = path;
  return wrong;
}

}  // namespace mirab
