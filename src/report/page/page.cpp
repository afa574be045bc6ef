#include "report/page/page.hpp"

// The assembler copies the file in: half a megabyte would take a compiler seconds to read as a literal.
asm(".pushsection .rodata, \"a\", @progbits\n"
    ".global mirab_report_page_begin, mirab_report_page_end\n"
    ".hidden mirab_report_page_begin, mirab_report_page_end\n"
    "mirab_report_page_begin:\n"
    ".incbin \"" MIRAB_REPORT_PAGE
    "\"\n"
    "mirab_report_page_end:\n"
    ".popsection\n");

extern "C" {
[[gnu::visibility("hidden")]] extern const char mirab_report_page_begin[];
[[gnu::visibility("hidden")]] extern const char mirab_report_page_end[];
}

namespace mirab::report {

std::string_view page_template() { return {mirab_report_page_begin, mirab_report_page_end}; }

}  // namespace mirab::report
