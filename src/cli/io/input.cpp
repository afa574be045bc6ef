#include "cli/io/input.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <system_error>

#include <mirab/model/cluster_file.hpp>

#include "cli/io/output.hpp"
#include "model/document.hpp"

namespace mirab::cli {
namespace {

Check append(std::istream& input, InputText& read) {
  std::array<char, 65536> chunk;
  while (input.read(chunk.data(), chunk.size()), input.gcount() > 0) {
    read.text.append(chunk.data(), static_cast<std::size_t>(input.gcount()));
    if (read.text.size() > kMaxTextBytes)
      return Error{.message = fmt::format("more than {} bytes", kMaxTextBytes), .file = read.name};
  }
  return {};
}

}  // namespace

Result<InputText> read_input(const std::string& path) {
  InputText read{.name = title_of(path), .text = {}};
  if (path == kStandardInput) {
    if (Check wrong = append(std::cin, read)) return *std::move(wrong);
    const std::size_t first = read.text.find_first_not_of(" \t\r\n");
    if (first != std::string::npos && read.text[first] == '{') read.syntax = Syntax::json;
    return read;
  }
  Result<std::ifstream> file = open_file(path);
  if (!file) return file.error();
  if (Check wrong = append(*file, read)) return *std::move(wrong);
  if (path.ends_with(".json")) read.syntax = Syntax::json;
  return read;
}

void add_cluster_argument(CLI::App& app, std::string& cluster) {
  app.add_option("CLUSTER", cluster, "The cluster file, in YAML or JSON; - reads it from standard input")
      ->required()
      ->type_name("FILE");
}

void add_allocation_option(CLI::App& app, std::string& allocation) {
  app.add_option(
         "--allocation", allocation,
         "What runs now, for the mechanism 'given': CSV with the header user,shape,server,tasks, or the "
         "list `running` of a cluster file; it goes before that of the cluster file")
      ->type_name("FILE");
}

std::string title_of(const std::string& cluster) {
  return cluster == kStandardInput ? "standard input" : cluster;
}

Error with_cluster_position(const std::string& cluster, Error error) {
  if (!error.file.empty()) return error;
  error.file = title_of(cluster);
  if (error.key.empty()) return error;
  FilePosition position = position_in_cluster_file(cluster, error.key);
  error.key = std::move(position.key);
  error.line = position.line;
  return error;
}

Result<Problem> read_problem(const std::string& cluster, const std::string& allocation) {
  Result<Problem> problem = read_cluster_file(cluster);
  if (!problem) return explain_wrong_kind(problem.error(), FileKind::cluster);
  if (allocation.empty()) return problem;
  return with_allocation_file(*problem, allocation);
}

namespace {

// By its first bytes or by the keys that only this kind has.
std::optional<FileKind> kind_of(const std::string& file) {
  const Result<InputText> input = read_input(file);
  if (!input) return {};
  if (is_workload(input->text)) return FileKind::workload;
  std::istringstream text(input->text);
  const Result<Node> document = read_document(text, input->syntax, file);
  if (!document || document->find("apiVersion") != nullptr)
    return {};  // a Kubernetes manifest has `kind` too
  if (document->find("kind") != nullptr) return FileKind::scenario;
  if (document->find("servers") != nullptr) return FileKind::cluster;
  return {};
}

std::string_view name_of(FileKind kind) {
  switch (kind) {
    case FileKind::cluster:
      return "a cluster file";
    case FileKind::workload:
      return "a workload file";
    case FileKind::scenario:
      return "a scenario";
  }
  return {};
}

std::string_view place_of(FileKind kind) {
  switch (kind) {
    case FileKind::cluster:
      return "`mirab allocate` takes it, and a scenario names it under `cluster`";
    case FileKind::workload:
      return "a scenario names it under `workload`, and `mirab simulate` takes the scenario";
    case FileKind::scenario:
      return "`mirab simulate` takes it";
  }
  return {};
}

}  // namespace

bool is_workload(std::string_view text) {
  if (text.starts_with("\x1f\x8b")) return true;
  for (const std::string_view next : {"{", "\"mirab\""}) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    if (!text.starts_with(next)) return false;
    text.remove_prefix(next.size());
  }
  return true;
}

Error explain_wrong_kind(Error error, FileKind wanted) {
  if (error.file.empty()) return error;
  const std::optional<FileKind> kind = kind_of(error.file);
  if (!kind || *kind == wanted) return error;
  return {.message = fmt::format("this is {}, where {} belongs; {}", name_of(*kind), name_of(wanted),
                                 place_of(*kind)),
          .file = error.file};
}

}  // namespace mirab::cli
