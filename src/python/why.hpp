#pragma once

#include <optional>
#include <pybind11/pybind11.h>
#include <string>
#include <vector>

#include <mirab/scheduling/why.hpp>

#include "python/conversion.hpp"

// The values of mirab/scheduling/why.hpp as named tuples. `resources` are the names of the engine's.

namespace mirab::python {

/// What several reasons are made of.
struct WhyParts {
  Record other;
  Record kept;
  Record loser;
  Record by_force;
  Record lost;

  /// `lost_task` makes a mirab.Lost.
  WhyParts(pybind11::module_& module, const Record& lost_task);

  pybind11::object operator()(const scheduling::WhyWaiting::Other& task) const;
  pybind11::object operator()(const scheduling::KeptServer& server) const;
  pybind11::object operator()(const scheduling::ByForce& force) const;

  /// None when there is none.
  template <class Part>
  pybind11::object operator()(const std::optional<Part>& part) const {
    return part ? (*this)(*part) : pybind11::none();
  }
};

/// How to make a mirab.WhyWaiting (why_waiting.cpp).
struct WhyWaitingRecord {
  WhyParts parts;
  Record why;
  Record servers;
  Record kept_for_it;
  Record gang;
  Record constraint;
  Record nearest;

  WhyWaitingRecord(pybind11::module_& module, const WhyParts& shared);
  pybind11::object operator()(const scheduling::WhyWaiting& reason,
                              const std::vector<std::string>& resources) const;
};

/// How to make a mirab.WhyPlaced (why_placed.cpp).
struct WhyPlacedRecord {
  WhyParts parts;
  Record why;
  Record line;
  Record measure;

  WhyPlacedRecord(pybind11::module_& module, const WhyParts& shared);
  pybind11::object operator()(const scheduling::WhyPlaced& reason,
                              const std::vector<std::string>& resources) const;
};

/// How to make a mirab.WhyNotOn.
struct WhyNotOnRecord {
  WhyParts parts;
  Record why;

  WhyNotOnRecord(pybind11::module_& module, const WhyParts& shared);
  pybind11::object operator()(const scheduling::WhyNotOn& reason,
                              const std::vector<std::string>& resources) const;
};

}  // namespace mirab::python
