#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mirab::experiments {

/// What is held against what a paper prints or describes.
enum class Verdict {
  agrees,        ///< every printed number within its tolerance
  shape_agrees,  ///< no numbers are printed, or on other data: what must hold holds
  differs,       ///< something printed or described was not found
};

/// One sentence that can be true or false, with the numbers behind it.
struct Finding {
  std::string what;                    ///< "γ2 of pf at load 0.6"
  std::optional<double> printed = {};  ///< where the paper prints a number
  double ours = 0;
  std::optional<std::pair<double, double>> interval = {};  ///< of ours, 95 %
  bool holds = false;
  std::string note = {};  ///< why it differs, which slip the paper has; empty mostly
};

/// A line of a figure: y over x, with 95 % intervals where it was simulated.
struct Curve {
  std::string name;
  std::vector<double> x, y;
  std::vector<double> low = {}, high = {};
};

/// A picture of the result, for the page.
struct Figure {
  std::string title, x_label, y_label;
  std::vector<Curve> curves;
};

/// A table of the result as text cells, heading first.
struct Table {
  std::string title;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};

/// What came out of one experiment.
struct Reproduction {
  std::string id;
  Verdict verdict = Verdict::differs;
  std::string data;  ///< "as published", or "stand-in: …"
  std::vector<Finding> findings;
  std::vector<Figure> figures = {};
  std::vector<Table> tables = {};
  std::vector<std::string> remarks = {};  ///< where our curves contradict the paper, with the evidence
};

/// How much is simulated: `quick` is for a look and for tests, `full` for what is published.
enum class Effort { quick, full };

struct RunOptions {
  std::uint64_t seed = 1;
  int threads = 1;  ///< changes nothing but the time
  Effort effort = Effort::full;
  std::function<void(double part)> progress = {};
};

/// A table or figure of a paper: one file, one row.
struct Experiment {
  std::string_view id;     ///< `pf-fig1a`
  std::string_view paper;  ///< "Bonald and Roberts 2014, figure 1(a)"
  std::string_view title;  ///< what it shows, in one line
  std::string_view data;   ///< "as published", or "stand-in: …"
  Reproduction (*run)(const RunOptions& options);
};

/// All of them, in the order of the papers.
std::span<const Experiment> experiments();

/// `agrees`, `shape agrees`, `differs`.
std::string_view verdict_name(Verdict verdict);

/// Every number that the paper prints holds: agrees; none is printed and all findings hold: shape agrees;
/// else differs.
Verdict verdict_of(std::span<const Finding> findings);

}  // namespace mirab::experiments
