#include <cstddef>

#include "cli/io/output.hpp"
#include "cli/program.hpp"

int main(int argc, char** argv) {
  mirab::cli::reserve_standard_descriptors();
  return static_cast<int>(mirab::cli::run({argv, static_cast<std::size_t>(argc)}));
}
