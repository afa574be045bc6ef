#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/scheduling/fill.hpp>

#include "cli/io/input.hpp"
#include "cli/io/output.hpp"
#include "cli/program.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace mirab::cli {

/// How the name of a group of options in help begins, of those that only go with another one.
inline constexpr const char* kOptionsOf = "Options of ";

/// Where and how a result is printed.
struct OutputOptions {
  std::string format = "table";
  std::string file = "-";
};

/// Adds --format, with these formats (the first is the default), and -o.
void add_output_options(CLI::App& app, OutputOptions& options, const std::vector<std::string>& formats);

/// The page that a command writes besides its result, and what stands on it.
struct ReportOptions {
  std::string file;          ///< empty for none
  std::string title;         ///< empty: as the command has it, such as that of the cluster file, or its name
  std::string date;          ///< in the footer; empty: today
  std::string command = {};  ///< the command line
};

/// Adds --report, --title and --date; `title` says what --title names and what its default is.
void add_report_options(
    CLI::App& app, ReportOptions& options,
    const std::string& title = "What to call the cluster; default: `title` of its file, or the file");

/// What to call a cluster: --title, `title` of its file, or the file.
std::string name_of(const ReportOptions& options, const Problem& problem, const std::string& cluster);

/// The page of an answer, to be written; `kind` says to the page which it is.
Text report_page(const ReportOptions& options, std::string_view kind, const std::string& title,
                 nlohmann::ordered_json data);

/// Writes the result, and the page where one was asked for: both or none.
Exit write_answer(const OutputOptions& output, const ReportOptions& report, std::string_view kind,
                  const std::string& title, std::string text, const nlohmann::ordered_json& data);

/// `mirab 0.1.0, 2026-11-23`: the version and the date, for the footer of a page. An empty date is today's,
/// or that of SOURCE_DATE_EPOCH where this is set (reproducible-builds.org), both in UTC.
std::string made_words(const std::string& date);

/// Adds --seed.
void add_seed_option(CLI::App& app, std::uint64_t& seed);

/// Adds --threads; `meaning` says what is done on them.
void add_threads_option(CLI::App& app, int& threads, const std::string& meaning = "Use N threads");

/// Adds --tie.
void add_tie_option(CLI::App& app, std::string& tie);
/// Requires one of the words that --tie takes.
Tie read_tie(const std::string& word);

/// An option that takes one value each time it is given, and may be given again.
CLI::Option* add_list_option(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                             const std::string& meaning, const std::string& value_name);

/// Reads the value of an option with `choose`. Errors are those of `choose` and name the option; of several
/// values with commas between them, how to give each.
Result<Choice> read_choice(const std::string& text, const std::string& option,
                           Result<Choice> (*choose)(std::string_view));

/// Is a mechanism or discipline of this name among them?
bool is_named(const std::vector<Choice>& choices, std::string_view name);

/// An error where no mechanism was named and none applies to the cluster.
Check check_recommended(const Recommendation& taken, const std::string& cluster);

/// What the reader of a result should know where no mechanism was named: which was taken, and why.
std::string choice_notice(const Recommendation& taken, const ClusterFiles& files);

/// Are they the same, by the values of their options? `alpha=2` and `alpha=2.0` are.
bool same_choice(const Choice& one, const Choice& other);

/// The same of all values of an option. One that is given twice is an error.
Result<std::vector<Choice>> read_choices(const std::vector<std::string>& texts, const std::string& option,
                                         Result<Choice> (*choose)(std::string_view));

/// The option takes one of these words; help shows them.
void take_one_of(CLI::Option* option, const std::vector<std::string>& words);

/// The option takes a whole number from `least` to `most`.
void take_whole_number(CLI::Option* option, std::uint64_t least, std::uint64_t most = UINT64_MAX);

/// The same, where it may be negative.
void take_integer(CLI::Option* option, std::int64_t least, std::int64_t most);

}  // namespace mirab::cli
