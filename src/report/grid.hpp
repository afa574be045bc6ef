#pragma once

#include <string>
#include <vector>

namespace mirab::report {

/// A heading, a rule and rows of text that line up, numbers on their points. Where that is wider than
/// `width`, columns of words are narrowed, their cells broken at blanks into several lines; what is still too
/// wide goes into several such tables below each other, each with the first column. A row may be shorter than
/// the heading.
std::string grid(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows,
                 std::size_t width);

}  // namespace mirab::report
