#include "report/csv.hpp"

#include <fmt/format.h>

namespace mirab::report {
namespace {

std::string quoted_if_needed(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char byte : field) {
    if (byte == '"') quoted += '"';
    quoted += byte;
  }
  return quoted + '"';
}

}  // namespace

std::string csv_record(const std::vector<std::string>& fields) {
  std::string record;
  for (const std::string& field : fields) record += quoted_if_needed(field) + ',';
  record.back() = '\n';
  return record;
}

std::string csv_number(double value) { return fmt::format("{}", value); }

}  // namespace mirab::report
