// The files of the live page, which npm builds from src/ here: part of the program.
#pragma once

#include <string>
#include <string_view>

namespace mirab::api {

struct PageFile {
  std::string type;
  std::string_view gzip;      ///< the file, compressed
  bool is_immutable = false;  ///< its name holds the hash of its content
};

/// A file by its name; "" is the page itself. Null where there is none.
const PageFile* page_file(std::string_view name);

/// The file as it was before it was compressed.
std::string inflated(std::string_view gzip);

}  // namespace mirab::api
