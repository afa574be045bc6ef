#include "api/page/page_files.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include <mirab/model/assert.hpp>

#include "model/document.hpp"
#include "model/packing.hpp"

// Generated from the archive that npm builds (cmake/MirabEmbed.cmake).
namespace mirab::embedded {
extern const unsigned char live_page[];
extern const std::size_t live_page_size;
}  // namespace mirab::embedded

namespace mirab::api {
namespace {

using Files = std::map<std::string, PageFile, std::less<>>;

/// A line of JSON that lists the files, then their bytes one after the other (build.mjs).
Files read_archive() {
  const std::string_view bytes{reinterpret_cast<const char*>(embedded::live_page), embedded::live_page_size};
  const std::size_t line = bytes.find('\n');
  const auto list = nlohmann::json::parse(bytes.substr(0, line));
  Files files;
  std::size_t at = line + 1;
  for (const auto& each : list) {
    const auto size = each["size"].get<std::size_t>();
    files[each["name"]] = {
        .type = each["type"], .gzip = bytes.substr(at, size), .is_immutable = each["immutable"]};
    at += size;
  }
  MIRAB_ASSERT(at == bytes.size(), "the archive holds its files and nothing else");
  return files;
}

}  // namespace

const PageFile* page_file(std::string_view name) {
  static const Files kFiles = read_archive();
  const auto found = kFiles.find(name);
  return found == kFiles.end() ? nullptr : &found->second;
}

std::string inflated(std::string_view gzip) {
  Result<std::string> text = unpacked(gzip, kMaxTextBytes);
  MIRAB_ASSERT(static_cast<bool>(text), "a file of the program is whole");
  return *std::move(text);
}

}  // namespace mirab::api
