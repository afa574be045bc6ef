#include <mirab/model/result.hpp>

namespace mirab {

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
