// The reasons of scheduling/records/reasons.hpp as named tuples.
#pragma once

#include <map>
#include <pybind11/pybind11.h>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/scheduling/why.hpp>

#include "python/conversion.hpp"

namespace mirab::python {

/// The types of named tuples for all reasons. `resources` are the names of the engine's.
class Reasons {
 public:
  /// `preempted` makes a mirab.Preempted.
  Reasons(pybind11::module_& module, const Record& preempted);

  pybind11::object operator()(const scheduling::WhyWaiting& why,
                              const std::vector<std::string>& resources) const;
  pybind11::object operator()(const scheduling::WhyNotOn& why,
                              const std::vector<std::string>& resources) const;
  pybind11::object operator()(const scheduling::WhyPlaced& why,
                              const std::vector<std::string>& resources) const;

 private:
  std::map<std::string_view, Record> types_;  // by Declared::kName
  Record preempted_;
};

}  // namespace mirab::python
