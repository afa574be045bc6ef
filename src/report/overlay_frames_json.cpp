#include "report/overlay_frames_json.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace mirab::report {
namespace {

using Json = nlohmann::ordered_json;
using simulation::OverlayFrame;

/// The nearest number that is written with so many significant digits.
double rounded(double value, int significant) {
  if (value == 0) return 0;  // not -0, the utility of a user who has nothing yet
  const int exponent = significant - 1 - static_cast<int>(std::floor(std::log10(std::abs(value))));
  const double scale = std::pow(10.0, std::abs(exponent));  // exact up to 10^22
  return exponent >= 0 ? std::round(value * scale) / scale : std::round(value / scale) * scale;
}

Json utilities(const OverlayFrame& frame) {
  Json values = Json::array();
  for (const double utility : frame.utility) {
    values.push_back(std::isfinite(utility) ? Json(rounded(utility, 6)) : Json());
  }
  return values;
}

Json fullness(const OverlayFrame& frame) {
  Json values = Json::array();
  for (const double used : frame.used) values.push_back(std::round(used * 1000) / 1000);
  return values;
}

/// Every so many frames, that `most` entries are not exceeded; at least one.
std::size_t stride(const std::vector<OverlayFrame>& frames, std::size_t most) {
  std::size_t entries = 0;
  for (const OverlayFrame& frame : frames) {
    entries += frame.utility.size() + frame.used.size();
    for (const auto& neighbours : frame.view) entries += neighbours.size();
  }
  if (entries <= most) return 1;
  return std::min(frames.size(), (entries + most - 1) / std::max<std::size_t>(most, 1));
}

}  // namespace

Json frames_json(const std::vector<OverlayFrame>& frames, std::size_t most_entries) {
  Json json = {{"ticks", Json::array()},
               {"utility", Json::array()},
               {"view", Json::array()},
               {"used", Json::array()},
               {"placements", Json::array()}};
  const std::size_t step = stride(frames, most_entries);
  for (std::size_t f = 0; f < frames.size(); ++f) {
    if (f % step != 0 && f + 1 != frames.size()) continue;
    json["ticks"].push_back(frames[f].tick);
    json["utility"].push_back(utilities(frames[f]));
    json["view"].push_back(frames[f].view);
    json["used"].push_back(fullness(frames[f]));
    json["placements"].push_back(frames[f].placements);
  }
  return json;
}

}  // namespace mirab::report
