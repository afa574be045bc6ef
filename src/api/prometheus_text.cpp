// Source: Prometheus, Exposition formats, "Text-based format".
#include "api/prometheus_text.hpp"

#include <fmt/format.h>

#include <mirab/model/assert.hpp>

namespace mirab::api {
namespace {

std::string label_text(std::string_view text) {
  std::string value;
  for (const char letter : text) {
    if (letter == '\n') {
      value += "\\n";
    } else {
      if (letter == '"' || letter == '\\') value += '\\';
      value += letter;
    }
  }
  return value;
}

}  // namespace

void PrometheusText::begin(Kind kind, std::string_view name, std::string_view help) {
  name_ = name;
  text_ += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help,
                       kind == Kind::counter ? "counter" : "gauge");
}

void PrometheusText::add(double value, std::initializer_list<Label> labels) {
  MIRAB_ASSERT(!name_.empty(), "a figure of no family");
  text_ += name_;
  char before = '{';
  for (const Label& label : labels) {
    text_ += fmt::format("{}{}=\"{}\"", before, label.name, label_text(label.value));
    before = ',';
  }
  text_ += fmt::format("{} {}\n", labels.size() == 0 ? "" : "}", value);
}

void PrometheusText::counter(std::string_view name, std::string_view help, double value) {
  begin(Kind::counter, name, help);
  add(value);
}

void PrometheusText::gauge(std::string_view name, std::string_view help, double value) {
  begin(Kind::gauge, name, help);
  add(value);
}

}  // namespace mirab::api
