#include <cstddef>

#include "cli/output.hpp"
#include "cli/program.hpp"

int main(int argc, char** argv) {
  mirab::cli::hold_standard_descriptors();
  return static_cast<int>(mirab::cli::run({argv, static_cast<std::size_t>(argc)}));
}
