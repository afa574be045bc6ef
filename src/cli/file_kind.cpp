#include "cli/file_kind.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <sstream>

#include "cli/input.hpp"
#include "model/document.hpp"

namespace mirab::cli {
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

Error of_wrong_kind(Error error, FileKind wanted) {
  if (error.file.empty()) return error;
  const std::optional<FileKind> kind = kind_of(error.file);
  if (!kind || *kind == wanted) return error;
  return {.message = fmt::format("this is {}, where {} belongs; {}", name_of(*kind), name_of(wanted),
                                 place_of(*kind)),
          .file = error.file};
}

}  // namespace mirab::cli
