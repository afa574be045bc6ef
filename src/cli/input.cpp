#include "cli/input.hpp"

#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <system_error>

#include "cli/cluster.hpp"
#include "cli/output.hpp"

namespace mirab::cli {
namespace {

constexpr std::size_t kMostBytes = 1U << 28;

Check append(std::istream& input, InputText& read) {
  std::array<char, 65536> chunk;
  while (input.read(chunk.data(), chunk.size()), input.gcount() > 0) {
    read.text.append(chunk.data(), static_cast<std::size_t>(input.gcount()));
    if (read.text.size() > kMostBytes)
      return Error{.message = fmt::format("more than {} bytes", kMostBytes), .file = read.name};
  }
  return {};
}

}  // namespace

Result<InputText> read_input(const std::string& path) {
  InputText read{.name = title_of(path), .text = {}};
  if (path == kStandardInput) {
    if (Check wrong = append(std::cin, read)) return *std::move(wrong);
    const std::size_t first = read.text.find_first_not_of(" \t\r\n");
    if (first != std::string::npos && read.text[first] == '{') read.syntax = Syntax::json;
    return read;
  }
  std::ifstream file(path, std::ios::binary);
  // A directory opens, but cannot be read.
  const bool readable = file.is_open() && (file.peek(), !file.bad());
  if (!readable) {
    return Error{.message = fmt::format("cannot be read: {}", std::generic_category().message(errno)),
                 .file = path};
  }
  file.clear();
  if (Check wrong = append(file, read)) return *std::move(wrong);
  if (path.ends_with(".json")) read.syntax = Syntax::json;
  return read;
}

}  // namespace mirab::cli
