#include "report/page/page.hpp"

#include <cstddef>

// Generated from the page that npm builds (cmake/MirabEmbed.cmake).
namespace mirab::embedded {
extern const unsigned char report_page[];
extern const std::size_t report_page_size;
}  // namespace mirab::embedded

namespace mirab::report {

std::string_view page_template() {
  return {reinterpret_cast<const char*>(embedded::report_page), embedded::report_page_size};
}

}  // namespace mirab::report
