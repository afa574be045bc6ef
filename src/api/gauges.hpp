#pragma once

#include <string>

#include "live/reader.hpp"

namespace mirab::api {

/// How things stand, in Prometheus' text format: of the 200 oldest queues, and the others together.
std::string text_of(const live::Gauges& gauges);

}  // namespace mirab::api
