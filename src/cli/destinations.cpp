#include "cli/destinations.hpp"

#include <fmt/format.h>

#include "cli/output.hpp"

namespace mirab::cli {
namespace {

Check check_against_inputs(const Destination& destination, std::span<const std::string> inputs) {
  for (const std::string& input : inputs) {
    if (would_replace(destination.file, input)) {
      return Error{.message = fmt::format("'{}' is read, and would be replaced", destination.file),
                   .key = destination.key};
    }
  }
  return {};
}

Check check_against_others(const Destination& destination, std::span<const Destination> others) {
  for (const Destination& other : others) {
    if (same_file(other.file, destination.file)) {
      return Error{.message = fmt::format("'{}' is already written by {}", destination.file, other.key),
                   .key = destination.key};
    }
  }
  return {};
}

Check check_can_be_written(const Destination& destination) {
  const Check refusal = check_writable(destination.file);
  if (!refusal) return {};
  return Error{.message = fmt::format("'{}' cannot be written: {}", destination.file, refusal->message),
               .key = destination.key};
}

}  // namespace

Check check_destinations(std::span<const Destination> destinations, std::span<const std::string> inputs) {
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    if (Check wrong = check_against_inputs(destinations[i], inputs)) return wrong;
    if (Check wrong = check_against_others(destinations[i], destinations.first(i))) return wrong;
    if (Check wrong = check_can_be_written(destinations[i])) return wrong;
  }
  return {};
}

}  // namespace mirab::cli
