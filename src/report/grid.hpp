#pragma once

#include <string>
#include <vector>

namespace mirab::report {

/// A heading, a rule and rows of text that line up, numbers on their points. Where that is wider than
/// `width`, the columns that are widest are narrowed and their cells broken at blanks into several lines. A
/// row may be shorter than the heading.
std::string grid(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows,
                 std::size_t width);

}  // namespace mirab::report
