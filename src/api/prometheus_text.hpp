#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace mirab::api {

/// Figures in Prometheus' text format 0.0.4: families one after the other, each with what it is and its
/// values. One owner.
class PrometheusText {
 public:
  enum class Kind { counter, gauge };
  struct Label {
    std::string_view name;
    std::string_view value;  ///< any text in UTF-8
  };

  /// Begins a family, each name once. `help` is one line without a backslash.
  void begin(Kind kind, std::string_view name, std::string_view help);
  /// A value of the family that was begun last, each with other labels.
  void add(double value, std::initializer_list<Label> labels = {});

  /// A family of one value.
  void counter(std::string_view name, std::string_view help, double value);
  void gauge(std::string_view name, std::string_view help, double value);

  std::string take() { return std::move(text_); }

 private:
  std::string name_;  // of the family that was begun last
  std::string text_;
};

}  // namespace mirab::api
