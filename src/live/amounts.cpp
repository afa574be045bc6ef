// Amounts as people write them and as the engine counts them.
#include "live/amounts.hpp"

#include <array>
#include <charconv>
#include <fmt/format.h>

#include <mirab/model/choice.hpp>

#include "live/content.hpp"
#include "model/amount_text.hpp"

namespace mirab::live {
namespace {

struct UnitWord {
  std::string_view word;
  int exponent;
};
constexpr std::array<UnitWord, 7> kUnitWords{
    {{"", 0}, {"bytes", 0}, {"milli", -3}, {"micro", -6}, {"nano", -9}, {"kilo", 3}, {"mega", 6}}};

/// units · 10^exponent as a plain decimal.
std::string decimal(std::int64_t units, int exponent) {
  std::string text = std::to_string(units);
  if (units == 0) return text;
  if (exponent >= 0) return text + std::string(static_cast<std::size_t>(exponent), '0');
  const auto places = static_cast<std::size_t>(-exponent);
  if (text.size() <= places) text.insert(0, places + 1 - text.size(), '0');
  text.insert(text.size() - places, ".");
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

Result<Quantity> quantity_of(const Json& json) {
  if (json.is_string()) return Quantity::parse(json.get_ref<const std::string&>());
  if (json.is_number_float()) return Quantity::from(json.get<double>());
  return Quantity::parse(json.dump());  // a whole number
}

}  // namespace

Result<Resource> parse_resource(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  Resource resource{.name = std::string(text.substr(0, colon)), .unit = {}};
  if (colon != std::string_view::npos) resource.unit = std::string(text.substr(colon + 1));
  if (const auto bad = check_name(resource.name, "resource", {})) return Error{.message = bad->detail};
  for (const UnitWord& each : kUnitWords) {
    if (each.word != resource.unit) continue;
    resource.exponent = each.exponent;
    return resource;
  }
  return Error{.message =
                   fmt::format("there is no unit '{}'; units are bytes, nano, micro, milli, kilo and mega, "
                               "and none for whole numbers",
                               resource.unit)};
}

std::vector<std::string> Units::names() const {
  std::vector<std::string> names;
  for (const Resource& resource : resources_) names.push_back(resource.name);
  return names;
}

Parsed<Amounts> Units::read(const Json& json, const std::string& key, Form form,
                            std::int64_t left_out) const {
  if (!json.is_object()) return bad_request(key, "amounts by resource are expected here");
  Amounts amounts(size(), left_out);
  for (const auto& [name, value] : json.items()) {
    const std::string here = pointer_to(key, name);
    std::size_t r = 0;
    while (r < size() && resources_[r].name != name) ++r;
    if (r == size()) {
      const std::vector<std::string> known = names();
      const std::vector<std::string_view> views(known.begin(), known.end());
      return unprocessable("unknown-resource", here,
                           fmt::format("there is no resource {}{}", name, nearest_names(name, views)));
    }
    if (form == Form::normal) {
      if (!value.is_number_integer() || value < 0)
        return bad_request(here, "a whole number is expected here");
      amounts[r] = value.get<std::int64_t>();
      continue;
    }
    if (!value.is_number() && !value.is_string())
      return bad_request(here, "an amount is expected here, such as 2, \"500m\" or \"4Gi\"");
    const Result<Quantity> quantity = quantity_of(value);
    if (!quantity) return unprocessable("bad-amount", here, quantity.error().message);
    const auto units = count_units(*quantity, resources_[r].exponent, Rounding::down);
    if (!units || *units == INT64_MAX) return unprocessable("bad-amount", here, "more than can be counted");
    if (units != count_units(*quantity, resources_[r].exponent, Rounding::up))
      return unprocessable("bad-amount", here,
                           fmt::format("{} is no multiple of {}, the unit of {}", quantity->text(),
                                       decimal(1, resources_[r].exponent), name));
    amounts[r] = *units;
  }
  return amounts;
}

Json Units::people(std::span<const std::int64_t> amounts, std::optional<std::int64_t> left_out) const {
  Json json = Json::object();
  for (std::size_t r = 0; r < amounts.size(); ++r) {
    if (amounts[r] != left_out) json[resources_[r].name] = decimal(amounts[r], resources_[r].exponent);
  }
  return json;
}

Json Units::base(std::span<const std::int64_t> amounts, std::optional<std::int64_t> left_out) const {
  Json json = Json::object();
  for (std::size_t r = 0; r < amounts.size(); ++r) {
    if (amounts[r] != left_out) json[resources_[r].name] = amounts[r];
  }
  return json;
}

void Units::add(Json& json, const std::string& name, std::span<const std::int64_t> amounts,
                std::optional<std::int64_t> left_out) const {
  json[name] = people(amounts, left_out);
  json[name + "_base"] = base(amounts, left_out);
}

std::string Units::amount_words(std::int64_t units, std::size_t resource, Rounding bytes) const {
  constexpr std::int64_t kMebi = 1 << 20;
  if (resources_[resource].unit == "bytes" && units >= kMebi)
    return bytes_text(static_cast<double>(units), bytes);
  return decimal(units, resources_[resource].exponent);
}

std::string Units::words(std::span<const std::int64_t> amounts, Rounding bytes) const {
  std::string text;
  for (std::size_t r = 0; r < amounts.size(); ++r) {
    if (amounts[r] <= 0) continue;
    if (!text.empty()) text += ", ";
    text += amount_words(amounts[r], r, bytes) + " " + resources_[r].name;
  }
  return text.empty() ? "nothing" : text;
}

Quantity Units::quantity(std::int64_t units, std::size_t resource) const {
  const Result<Quantity> quantity = Quantity::parse(decimal(units, resources_[resource].exponent));
  return quantity ? *quantity : Quantity(INT64_MAX);
}

namespace {

struct DurationUnit {
  char letter;
  std::int64_t seconds;
};
constexpr std::array<DurationUnit, 4> kDurationUnits{{{'d', 86'400}, {'h', 3'600}, {'m', 60}, {'s', 1}}};

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  const Error wrong{.message = "a duration is expected here, such as 90s, 10m, 2h or 7d"};
  std::int64_t count = 0;
  const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), count);
  const std::string_view letter = text.substr(static_cast<std::size_t>(end - text.data()));
  if (bad != std::errc() || count < 0 || letter.size() > 1) return wrong;
  for (const DurationUnit& unit : kDurationUnits) {
    if (!letter.empty() && letter[0] != unit.letter) continue;
    const std::int64_t seconds = letter.empty() ? 1 : unit.seconds;
    if (count > INT64_MAX / 1'000'000'000 / seconds)
      return Error{.message = "a duration of 292 years or more"};
    return Duration(std::chrono::seconds(count * seconds));
  }
  return wrong;
}

std::string duration_text(Duration duration) {
  const std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  for (const DurationUnit& unit : kDurationUnits) {
    if (seconds != 0 && seconds % unit.seconds == 0)
      return fmt::format("{}{}", seconds / unit.seconds, unit.letter);
  }
  return "0s";
}

}  // namespace mirab::live
