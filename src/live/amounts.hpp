#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/quantity.hpp>
#include <mirab/model/result.hpp>
#include <mirab/model/time.hpp>
#include <mirab/scheduling/events.hpp>

#include "live/answers.hpp"

namespace mirab::live {

using scheduling::Amounts;

/// A resource and the base unit in which the engine counts it: `cpu:milli` is counted in thousandths.
struct Resource {
  std::string name;
  std::string unit = {};  ///< as asked for: ``, `bytes`, `milli`, `micro`, `nano`
  int exponent = 0;       ///< the base unit is 10^exponent of what people write
  friend bool operator==(const Resource&, const Resource&) = default;
};

/// `cpu:milli`, `memory:bytes`, `gpu`. Errors: no such unit, an empty name.
Result<Resource> parse_resource(std::string_view text);

/// How amounts are written: `{"cpu":"1500m","memory":"4Gi"}` by people, `{"cpu":1500,"memory":4294967296}` in
/// normal form, in base units. A resource that is left out is 0, in a limit: without one.
class Units {
 public:
  explicit Units(std::vector<Resource> resources) : resources_(std::move(resources)) {}

  const std::vector<Resource>& resources() const { return resources_; }
  std::size_t size() const { return resources_.size(); }
  std::vector<std::string> names() const;

  enum class Form { people, normal };

  /// Problems: an unknown resource, no whole number of base units, not an amount.
  Parsed<Amounts> read(const Json& json, const std::string& key, Form form, std::int64_t left_out = 0) const;

  /// By resource, decimals that can be sent back; without those equal to `left_out`, where it is given.
  Json people(std::span<const std::int64_t> amounts, std::optional<std::int64_t> left_out = {}) const;
  /// By resource, integers in base units.
  Json base(std::span<const std::int64_t> amounts, std::optional<std::int64_t> left_out = {}) const;
  /// Both, as `<name>` and `<name>_base`.
  void add(Json& json, const std::string& name, std::span<const std::int64_t> amounts,
           std::optional<std::int64_t> left_out = {}) const;
  /// `3 gpu, 1.5 cpu, 468Mi memory`: those above 0. Bytes are rounded up where they are needed, and down
  /// where they are free.
  std::string words(std::span<const std::int64_t> amounts, Rounding bytes = Rounding::up) const;
  /// In what people write, as a model of the cluster takes it.
  Quantity quantity(std::int64_t units, std::size_t resource) const;

  friend bool operator==(const Units&, const Units&) = default;

 private:
  std::string amount_words(std::int64_t units, std::size_t resource, Rounding bytes) const;

  std::vector<Resource> resources_;
};

/// `90s`, `10m`, `2h`, `7d`, or a number of seconds. Errors: something else, or more than 2^63 - 1 ns.
Result<Duration> parse_duration(std::string_view text);
std::string duration_text(Duration duration);

}  // namespace mirab::live
