#pragma once

#include <span>
#include <string>

#include <mirab/model/result.hpp>

namespace mirab::cli {

/// A file that is to be written, with the option or key that names it.
struct Destination {
  std::string key;
  std::string file;
};

/// What would keep one of several files from being written, or harm another or what is read: to be asked
/// before anything is written, so that all of them appear or none. Errors name the key.
Check check_destinations(std::span<const Destination> destinations, std::span<const std::string> inputs);

}  // namespace mirab::cli
