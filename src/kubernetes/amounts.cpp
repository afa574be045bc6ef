#include <algorithm>
#include <array>
#include <fmt/format.h>

#include <mirab/kubernetes/amounts.hpp>

namespace mirab::kubernetes {
namespace {

constexpr int kMilli = -3;

struct Suffix {
  std::string_view text;
  Units units;
};

// In the order in which an amount prefers them.
constexpr std::array kSuffixes = {Suffix{"Ti", Units{1} << 40}, Suffix{"Gi", Units{1} << 30},
                                  Suffix{"Mi", Units{1} << 20}, Suffix{"T", 1'000'000'000'000},
                                  Suffix{"G", 1'000'000'000},   Suffix{"M", 1'000'000},
                                  Suffix{"Ki", Units{1} << 10}, Suffix{"k", 1'000}};

bool counts_cpus(std::string_view resource) { return resource == "cpu"; }

}  // namespace

bool can_be_shared(std::string_view resource) {
  return counts_cpus(resource) || resource == "memory" || resource == "ephemeral-storage";
}

Result<Units> units_of(std::string_view resource, const Quantity& quantity, Rounding rounding) {
  const std::optional<Units> units = count_units(quantity, counts_cpus(resource) ? kMilli : 0, rounding);
  if (units && *units <= kMostUnits) return *units;
  return Error{.message = fmt::format(
                   "is more than {}, the most that is counted of {}",
                   units_text(resource, counts_cpus(resource) ? kMostUnits / 1'000 * 1'000 : kMostUnits),
                   resource)};
}

Result<Units> read_units(std::string_view resource, std::string_view text, Rounding rounding) {
  const Result<Quantity> quantity = Quantity::parse(text);
  if (!quantity) return quantity.error();
  return units_of(resource, *quantity, rounding);
}

Units written_in(std::string_view request) {
  const std::size_t digits = request.find_last_of("0123456789.");
  const std::string_view suffix = request.substr(digits == std::string_view::npos ? 0 : digits + 1);
  if (suffix == "Ki") return Units{1} << 10;
  if (suffix.ends_with("i")) return Units{1} << 20;
  if (suffix == "k") return 1'000;
  const bool decimal = suffix == "M" || suffix == "G" || suffix == "T" || suffix == "P" || suffix == "E";
  return decimal ? 1'000'000 : 1;
}

std::string units_text(std::string_view resource, Units units) {
  if (counts_cpus(resource)) {
    return units % 1'000 == 0 ? std::to_string(units / 1'000) : std::to_string(units) + "m";
  }
  for (const Suffix& suffix : kSuffixes) {
    if (units != 0 && units % suffix.units == 0)
      return fmt::format("{}{}", units / suffix.units, suffix.text);
  }
  return std::to_string(units);
}

double plain_number(std::string_view resource, double units) {
  return counts_cpus(resource) ? units / 1'000 : units;
}

Result<std::vector<Amount>> read_amounts(std::string_view text, Rounding rounding) {
  std::vector<Amount> amounts;
  while (true) {
    const std::string_view item = text.substr(0, text.find(','));
    const std::size_t equals = item.find('=');
    if (equals == 0 || equals == std::string_view::npos) {
      return Error{.message = fmt::format("'{}' is not an amount by name, like cpu=2,memory=1800Mi", item)};
    }
    const std::string_view resource = item.substr(0, equals);
    if (!can_be_shared(resource)) {
      return Error{.message = fmt::format("'{}' cannot be shared: only cpu, memory and ephemeral-storage can "
                                          "have limits above the requests",
                                          resource)};
    }
    if (std::any_of(amounts.begin(), amounts.end(), [&](const Amount& a) { return a.resource == resource; }))
      return Error{.message = fmt::format("'{}' is given twice", resource)};
    const Result<Units> units = read_units(resource, item.substr(equals + 1), rounding);
    if (!units) return units.error();
    if (*units == 0) return Error{.message = fmt::format("'{}' must be more than 0", item)};
    amounts.push_back({std::string(resource), *units});
    if (item.size() == text.size()) return amounts;
    text.remove_prefix(item.size() + 1);
  }
}

}  // namespace mirab::kubernetes
