#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace mirab::api {

/// Figures in Prometheus' text format 0.0.4. A family is its HELP, its TYPE and its values. One owner.
class PrometheusText {
 public:
  enum class Kind { counter, gauge };
  struct Label {
    std::string_view name;
    std::string_view value;  ///< any text in UTF-8
  };

  /// Begins a family; no two may have the same name. `help` is one line without a backslash.
  void begin(Kind kind, std::string_view name, std::string_view help);
  /// A value, which is finite, of the family that was begun last; asserts that there is one. No two values of
  /// a family may have the same labels.
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
