#pragma once

#include <string_view>

namespace mirab::report {

/// The report page, complete but for its data: a reader replaces `__MIRAB_DATA__`, which it holds once, by
/// JSON in which every `<` is written \u003c. Built from src/ here by npm, and part of the program.
std::string_view page_template();

}  // namespace mirab::report
