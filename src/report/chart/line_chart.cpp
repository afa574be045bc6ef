#include "report/chart/line_chart.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <span>

#include <mirab/model/assert.hpp>

#include "report/text/width.hpp"

namespace mirab::report {
namespace {

/// The least of 1, 2, 5, 10 times a power of ten that is no less than the value.
double round_step(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  constexpr double kRounding = 1 + 1e-9;
  for (const double multiple : {1.0, 2.0, 5.0}) {
    if (value <= multiple * power * kRounding) return multiple * power;
  }
  return 10 * power;
}

}  // namespace

std::vector<double> Axis::ticks() const {
  std::vector<double> values;
  const auto steps = static_cast<int>(std::lround((high - low) / step));
  for (int i = 0; i <= steps; ++i) {
    const double value = low + i * step;
    values.push_back(std::abs(value) < step * 1e-9 ? 0 : value);
  }
  return values;
}

Axis axis_for(double low, double high, int most) {
  MIRAB_ASSERT(std::isfinite(low) && std::isfinite(high) && low <= high && most >= 1,
               "a span of finite values");
  if (low > 0 && low <= high - low) low = 0;
  if (high < 0 && -high <= high - low) high = 0;
  if (low == high) {
    const double room = low == 0 ? 1 : std::abs(low) / 2;
    low -= low == 0 ? 0 : room;
    high += room;
  }
  const double step = round_step((high - low) / most);
  constexpr double kRounding = 1e-9;  // of a step: what counts as on it
  return {std::floor(low / step + kRounding) * step, std::ceil(high / step - kRounding) * step, step};
}

// A line chart as SVG, for documents, where no script runs. The report page draws its own.

namespace {

using experiments::Curve;
using experiments::Figure;

// In pixels.
constexpr double kWidth = 720, kPlotHeight = 300, kLeft = 70, kRight = 16, kTop = 34, kBelow = 46, kLine = 20;
constexpr double kLetter = 7;  // about as wide is one of the legend
constexpr int kSteps = 6;      // of an axis
constexpr std::size_t kMaxPoints = 400;
constexpr std::size_t kColours = 8;  // and dashes from the second round on

constexpr const char* kStyle =
    "<style>"
    "svg{font:13px system-ui,sans-serif;background:#fff;fill:#1b1f24}"
    ".t{font-weight:600}.g{stroke:#e6e9ed}.a{stroke:#b8c0c8}.c{fill:none;stroke-width:1.8}.b{opacity:.16}"
    ".s0{stroke:#0072b2}.s1{stroke:#d55e00}.s2{stroke:#009e73}.s3{stroke:#c0639a}.s4{stroke:#c98a00}"
    ".s5{stroke:#3ba5de}.s6{stroke:#6b7280}.s7{stroke:#7a4fa3}"
    ".f0{fill:#0072b2}.f1{fill:#d55e00}.f2{fill:#009e73}.f3{fill:#c0639a}.f4{fill:#c98a00}"
    ".f5{fill:#3ba5de}.f6{fill:#6b7280}.f7{fill:#7a4fa3}"
    "@media(prefers-color-scheme:dark){svg{background:#14171b;fill:#e8eaed}.g{stroke:#2b3138}.a{stroke:#"
    "4b545e}}"
    "</style>\n";

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char byte : printable(text)) {
    if (byte == '<') {
      safe += "&lt;";
    } else if (byte == '&') {
      safe += "&amp;";
    } else {
      safe += byte;
    }
  }
  return safe;
}

struct Span {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(std::span<const double> values) {
    for (const double value : values) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  Axis axis() const { return low <= high ? axis_for(low, high, kSteps) : Axis{}; }
};

/// Where values stand in the picture.
struct Plane {
  Axis x, y;

  double across(double value) const { return kLeft + x.position(value) * (kWidth - kLeft - kRight); }
  double down(double value) const { return kTop + (1 - y.position(value)) * kPlotHeight; }
  std::string point(double at, double value) const {
    return fmt::format("{:.1f},{:.1f}", across(at), down(value));
  }
};

Plane plane_of(const Figure& figure) {
  Span across, down;
  for (const Curve& curve : figure.curves) {
    across.add(curve.x);
    for (const auto* values : {&curve.y, &curve.low, &curve.high}) down.add(*values);
  }
  return {across.axis(), down.axis()};
}

/// How a curve is drawn.
struct Style {
  std::size_t colour;
  std::size_t dash;  ///< 0: none

  std::string colour_class(char letter) const { return fmt::format("{}{}", letter, colour); }
  std::string dashes() const { return dash == 0 ? "" : fmt::format(" stroke-dasharray=\"{} 3\"", 3 * dash); }
};

/// A colour for each curve; the curve "pf, exact" has that of "pf", and dashes.
std::vector<Style> styles_of(const Figure& figure) {
  std::vector<Style> styles;
  std::size_t colours = 0;
  for (const Curve& curve : figure.curves) {
    const auto drawn = figure.curves.begin() + static_cast<std::ptrdiff_t>(styles.size());
    const auto base = std::find_if(figure.curves.begin(), drawn, [&](const Curve& other) {
      return curve.name.starts_with(other.name + ", ");
    });
    if (base == drawn) {
      styles.push_back({colours % kColours, colours / kColours});
      ++colours;
    } else {
      const Style& like = styles[static_cast<std::size_t>(base - figure.curves.begin())];
      styles.push_back({like.colour, like.dash + 1});
    }
  }
  return styles;
}

/// The points that are drawn: all, or every k-th and the last.
std::vector<std::size_t> drawn(std::size_t count) {
  const std::size_t stride = std::max<std::size_t>(1, count / kMaxPoints);
  std::vector<std::size_t> points;
  for (std::size_t i = 0; i < count; i += stride) points.push_back(i);
  if (count > 0 && points.back() != count - 1) points.push_back(count - 1);
  return points;
}

std::string line(const Curve& curve, const Style& style, const Plane& plane) {
  std::string path;
  bool open = false;
  for (const std::size_t i : drawn(std::min(curve.x.size(), curve.y.size()))) {
    const bool finite = std::isfinite(curve.x[i]) && std::isfinite(curve.y[i]);
    if (finite) path += (open ? " " : "M") + plane.point(curve.x[i], curve.y[i]);
    open = finite;
  }
  return fmt::format("<path class=\"c {}\"{} d=\"{}\"/>\n", style.colour_class('s'), style.dashes(), path);
}

/// The band between the bounds of the intervals, there and back.
std::string band(const Curve& curve, const Style& style, const Plane& plane) {
  if (curve.low.size() != curve.x.size() || curve.high.size() != curve.x.size()) return {};
  std::vector<std::size_t> points = drawn(curve.x.size());
  std::erase_if(points,
                [&](std::size_t i) { return !std::isfinite(curve.low[i]) || !std::isfinite(curve.high[i]); });
  std::string corners;
  for (const std::size_t i : points) corners += plane.point(curve.x[i], curve.high[i]) + " ";
  std::reverse(points.begin(), points.end());
  for (const std::size_t i : points) corners += plane.point(curve.x[i], curve.low[i]) + " ";
  if (corners.empty()) return {};
  corners.pop_back();
  return fmt::format("<polygon class=\"b {}\" points=\"{}\"/>\n", style.colour_class('f'), corners);
}

std::string axes(const Figure& figure, const Plane& plane) {
  const double bottom = kTop + kPlotHeight;
  std::string text;
  for (const double value : plane.y.ticks()) {
    const double y = plane.down(value);
    text += fmt::format(
        "<path class=\"g\" d=\"M{} {:.1f}H{}\"/><text x=\"{}\" y=\"{:.1f}\" "
        "text-anchor=\"end\">{:.6g}</text>\n",
        kLeft, y, kWidth - kRight, kLeft - 8, y + 4, value);
  }
  text += fmt::format("<path class=\"a\" d=\"M{} {}H{}\"/>\n", kLeft, bottom, kWidth - kRight);
  for (const double value : plane.x.ticks())
    text += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{:.6g}</text>\n",
                        plane.across(value), bottom + 17, value);
  text += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                      (kLeft + kWidth - kRight) / 2, bottom + 36, escaped(figure.x_label));
  return text +
         fmt::format("<text transform=\"translate(16 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                     kTop + kPlotHeight / 2, escaped(figure.y_label));
}

struct Legend {
  std::string text;
  double height = 0;
};

/// Marks and names below the plot, in as many lines as they take.
Legend legend(const Figure& figure, std::span<const Style> styles) {
  Legend result;
  double x = kLeft, y = kTop + kPlotHeight + kBelow + kLine;
  for (std::size_t c = 0; c < figure.curves.size(); ++c) {
    const std::string& name = figure.curves[c].name;
    const double wide = 34 + kLetter * static_cast<double>(display_width(name)) + 18;
    if (x > kLeft && x + wide > kWidth) {
      x = kLeft;
      y += kLine;
    }
    result.text +=
        fmt::format("<path class=\"c {}\"{} d=\"M{:.1f} {}h26\"/><text x=\"{:.1f}\" y=\"{}\">{}</text>\n",
                    styles[c].colour_class('s'), styles[c].dashes(), x, y - 4, x + 34, y, escaped(name));
    x += wide;
  }
  result.height = y - (kTop + kPlotHeight + kBelow);
  return result;
}

}  // namespace

std::string chart_svg(const Figure& figure) {
  const Plane plane = plane_of(figure);
  const std::vector<Style> styles = styles_of(figure);
  const Legend names = legend(figure, styles);
  const double height = kTop + kPlotHeight + kBelow + names.height + 12;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "role=\"img\">\n"
      "<title>{2}</title>\n{3}<text class=\"t\" x=\"{4}\" y=\"20\">{2}</text>\n",
      kWidth, height, escaped(figure.title), kStyle, kLeft);
  svg += axes(figure, plane);
  for (std::size_t c = 0; c < figure.curves.size(); ++c) svg += band(figure.curves[c], styles[c], plane);
  for (std::size_t c = 0; c < figure.curves.size(); ++c) svg += line(figure.curves[c], styles[c], plane);
  return svg + names.text + "</svg>\n";
}

}  // namespace mirab::report
