#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mirab/model/result.hpp>

namespace mirab::experiments {

/// What is held against what a paper prints or describes.
enum class Verdict {
  agrees,        ///< every printed number within its tolerance, on the paper's data
  shape_agrees,  ///< no numbers are printed, or on other data, or a printed one is wrong: what must hold
                 ///< holds
  undecided,     ///< nothing contradicts it, but intervals leave some of it open
  differs,       ///< something printed or described was not found
};

/// How the numbers of a finding are meant.
enum class Reading {
  number,
  yes_no,  ///< 1 stands for yes, 0 for no
};

/// One sentence that can be true or false, with the numbers behind it.
struct Finding {
  std::string what;                    ///< "γ2 of pf at load 0.6"
  std::optional<double> printed = {};  ///< where the paper prints a number
  double ours = 0;
  std::optional<std::pair<double, double>> interval = {};  ///< of ours, 95 %
  bool holds = false;
  bool undecided = false;  ///< the interval has both sides, so that neither is shown: it does not hold then
  std::string note = {};   ///< why it differs, which slip the paper has; empty mostly
  Reading reading = Reading::number;
  bool corrected = false;  ///< what holds is not what the paper prints, which is wrong: `note` says why
};

/// A line of a figure: y over x, with 95 % intervals where it was simulated, and next to it what the paper
/// prints in a table. Points that it only draws are not known.
struct Curve {
  std::string name;
  std::vector<double> x, y;
  std::vector<double> low = {}, high = {};
  std::vector<double> printed = {};  ///< y as printed; not a number where none is; empty: nowhere
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
  std::string id;                      ///< for reproduce() to fill in
  Verdict verdict = Verdict::differs;  ///< idem
  std::string data;                    ///< idem, when left empty; "as published", or "stand-in: …"
  std::vector<Finding> findings;       ///< at least one
  std::vector<Figure> figures = {};
  std::vector<Table> tables = {};
  std::vector<std::string> remarks = {};  ///< where our curves contradict the paper, with the evidence
  double seconds = 0;                     ///< for the caller to fill in: there is no clock in this layer
};

/// How much is simulated: `quick` is for a look and for tests, `full` for what is published.
enum class Effort { quick, full };

/// What experiments have run, for those after them that need the same runs.
class SharedRuns;
std::shared_ptr<SharedRuns> no_runs_yet();

struct RunOptions {
  std::uint64_t seed = 1;
  int threads = 1;  ///< changes nothing but the time
  Effort effort = Effort::full;
  std::function<void(double part)> progress = {};  ///< called from the thread that runs, part in [0, 1]
  std::shared_ptr<SharedRuns> shared = {};         ///< likewise changes nothing but the time
};

/// What of an experiment can be run by itself, as files: `mirab reproduce ID --scenario`.
struct OwnFiles {
  std::string scenario =
      {};  ///< for mirab simulate, YAML; it names the cluster `ID-cluster.yaml`; empty: none
  std::string cluster = {};  ///< YAML; empty: none
  std::string note = {};     ///< what of the experiment the files are, or why there is none
};

/// A table or figure of a paper: one file, one row.
struct Experiment {
  std::string_view id;     ///< `pf-fig1a`
  std::string_view paper;  ///< "Bonald and Roberts 2014, figure 1(a)"
  std::string_view title;  ///< what it shows, in one line
  std::string_view data;   ///< "as published", or "stand-in: …"
  Reproduction (*run)(const RunOptions& options);
  /// Those of the first seed, and of the effort; null: why_no_files() says why there are none.
  OwnFiles (*own_files)(const RunOptions& options) = nullptr;
};

/// All of them, in the order of the papers.
std::span<const Experiment> experiments();

/// What experiment.data says of data that the paper prints in full.
inline constexpr std::string_view kAsPublished = "as published";

/// The experiments that these names pick, in the order of the table, each once. A name is an ID, or the
/// beginning of some with a * behind: `pf-*`. Errors: a name that picks none, with the nearest IDs.
Result<std::vector<Experiment>> choose_experiments(std::span<const std::string> names);

/// Why an experiment has no files of its own, as a sentence that begins with `it`. Requires one without
/// own_files.
std::string_view why_no_files(const Experiment& experiment);

/// Runs one experiment, and fills in its ID, data and verdict. The same seed and effort give the same result,
/// with any number of threads. Requires threads ≥ 1. The cost is that of the experiment.
Reproduction reproduce(const Experiment& experiment, const RunOptions& options);

/// `agrees`, `shape agrees`, `undecided`, `differs`.
std::string_view verdict_name(Verdict verdict);

/// A finding that does not hold: differs, or undecided where all such are. All hold: agrees, when the paper
/// prints some of their numbers, none of these had to be corrected, and the data are its own; else shape
/// agrees.
Verdict verdict_of(std::span<const Finding> findings, std::string_view data = kAsPublished);

/// The bytes of a file of src/lab/experiments/data, as the library holds them: `google2011_jobs.csv.gz`.
/// Requires a name that data.cpp lists.
std::string_view data_file(std::string_view name);

/// The text of such a file, unpacked when its name ends in `.gz`. O(bytes).
std::string data_text(std::string_view name);

/// The rows below the heading of a table of numbers, as in [row][column]; an empty cell is 0. O(bytes).
std::vector<std::vector<double>> data_rows(std::string_view name);

}  // namespace mirab::experiments
