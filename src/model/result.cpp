// The text of an error of the input, and the end of the program when an invariant is broken.
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <mirab/model/assert.hpp>
#include <mirab/model/result.hpp>

namespace mirab {

void invariant_broken(const char* condition, const char* file, int line, const char* why) {
  std::fprintf(stderr, "mirab: broken invariant: %s (%s) at %s:%d\n", why, condition, file, line);
  std::abort();
}

Error error_at(const FilePosition& position, std::string message) {
  return {.message = std::move(message), .key = position.key, .file = position.file, .line = position.line};
}

std::string describe(const Error& error) {
  std::string text;
  if (!error.file.empty()) {
    text += error.file + ":";
    if (error.line > 0) text += std::to_string(error.line) + ":";
    text += " ";
  }
  if (!error.key.empty()) text += error.key + ": ";
  return text + error.message;
}

}  // namespace mirab
