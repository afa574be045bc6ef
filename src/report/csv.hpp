#pragma once

#include <string>
#include <vector>

namespace mirab::report {

/// One record, quoted as RFC 4180 says: a field with a comma, quote or line break stands in quotes. Ends with
/// a plain newline, which every reader of the format takes and Unix tools expect. Requires at least one
/// field.
std::string csv_record(const std::vector<std::string>& fields);

/// The shortest decimal that reads back as the same double.
std::string csv_number(double value);

}  // namespace mirab::report
