#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/scheduling/engine.hpp>

#include "recordings/recording.hpp"

namespace mirab::recordings {

/// What the engine answers, as one line of `key=value` with whole numbers and names, and the doubles apart.
/// Of a double the line has the name only. Prose is left out.
class Facts {
 public:
  explicit Facts(std::string line) : line_(std::move(line)) {}

  template <class Number>
  requires std::integral<Number> || std::is_enum_v<Number>
  void add(const std::string& key, Number value) {
    add(key, std::to_string(static_cast<std::int64_t>(value)));
  }
  void add(const std::string& key, std::string_view value);
  void add(const std::string& key, const std::vector<std::int64_t>& amounts);
  void add(const std::string& key, Time time);
  void add_number(const std::string& key, double value);

  const std::string& line() const { return line_; }
  const std::vector<std::pair<std::string, double>>& numbers() const { return numbers_; }

 private:
  std::string line_;
  std::vector<std::pair<std::string, double>> numbers_;
};

void add(Facts& facts, const scheduling::WhyWaiting& why);
void add(Facts& facts, const scheduling::WhyNotOn& why);
void add(Facts& facts, const scheduling::WhyPlaced& why);

}  // namespace mirab::recordings
