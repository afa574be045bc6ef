#include "cli/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include <mirab/model/assert.hpp>
#include <mirab/model/choice.hpp>

#include "cli/io/input.hpp"
#include "report/outcome/comparison.hpp"
#include "report/page/html.hpp"
#include "report/page/page.hpp"

namespace mirab::cli {
namespace {

/// `a,b` as `--option a --option b`.
std::string one_by_one(const std::string& text, const std::string& option) {
  std::string line = option + " ";
  for (const char byte : text) line += byte == ',' ? " " + option + " " : std::string(1, byte);
  return line;
}

}  // namespace

void take_one_of(CLI::Option* option, const std::vector<std::string>& words) {
  option->type_name(fmt::format("{}", fmt::join(words, "|")));
  option->check([words](const std::string& written) -> std::string {
    if (std::find(words.begin(), words.end(), written) != words.end()) return {};
    const std::vector<std::string_view> candidates(words.begin(), words.end());
    return fmt::format("'{}' is not one of {}{}", written, fmt::join(words, ", "),
                       nearest_names(written, candidates));
  });
}

namespace {

template <class Number>
void take_number(CLI::Option* option, Number least, Number most) {
  option->type_name("N");
  option->check([least, most](const std::string& written) -> std::string {
    Number number = 0;
    const char* end = written.data() + written.size();
    const auto [stop, failure] = std::from_chars(written.data(), end, number);
    if (failure == std::errc{} && stop == end && number >= least && number <= most) return {};
    return fmt::format("'{}' is not a whole number from {} to {}", written, least, most);
  });
}

}  // namespace

void take_whole_number(CLI::Option* option, std::uint64_t least, std::uint64_t most) {
  take_number(option, least, most);
}

void take_integer(CLI::Option* option, std::int64_t least, std::int64_t most) {
  take_number(option, least, most);
}

CLI::Option* add_list_option(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                             const std::string& meaning, const std::string& value_name) {
  return app.add_option(name, values, meaning)->allow_extra_args(false)->type_name(value_name);
}

namespace {

/// Where a name belongs that is right, but not here: `fifo` after --mechanism. Empty when it is not such a
/// name.
std::string of_another_kind(const std::string& text, const std::string& option,
                            Result<Choice> (*choose)(std::string_view)) {
  const std::string name = text.substr(0, text.find_first_of(":/"));
  if (choose(name)) return {};  // an option of it is wrong
  const auto is = [&](Result<Choice> (*other)(std::string_view)) {
    return static_cast<bool>(other(name)) || static_cast<bool>(other(text));
  };
  if (option == "--mechanism" && is(choose_discipline))
    return fmt::format(
        "{} is a discipline, which places whole tasks one by one: --fill {} of 'mirab allocate', "
        "or 'mirab fill -d {}'",
        name, text, name);
  if (option == "--discipline" && is(choose_mechanism))
    return fmt::format("{} is a mechanism, which divides: 'mirab allocate -m {}'", name, text);
  if (option == "--fill" && is(choose_mechanism))
    return fmt::format("{} is a mechanism, which divides: -m {}", name, text);
  if (option != "--placement" && is(choose_placement))
    return fmt::format("{} is a placement: 'mirab fill -d DISCIPLINE -p {}', or --fill DISCIPLINE/{}", name,
                       text, text);
  return {};
}

}  // namespace

Result<Choice> read_choice(const std::string& text, const std::string& option,
                           Result<Choice> (*choose)(std::string_view)) {
  if (text.substr(0, text.find(':')).find(',') != std::string::npos) {
    return Error{.message = fmt::format("'{}' is several values; give each with an option of its own: {}",
                                        text, one_by_one(text, option)),
                 .key = option};
  }
  Result<Choice> choice = choose(text);
  if (choice) return choice;
  Error error = choice.error();
  error.key = option;
  if (const std::string other = of_another_kind(text, option, choose); !other.empty()) error.message = other;
  return error;
}

namespace {

bool same_value(const std::string& one, const std::string& other) {
  const auto number = [](const std::string& text) -> std::optional<double> {
    double value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    return failure == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
  };
  return one == other || (number(one) && number(one) == number(other));
}

}  // namespace

bool same_choice(const Choice& one, const Choice& other) {
  return one.name == other.name && std::equal(one.options.begin(), one.options.end(), other.options.begin(),
                                              other.options.end(), [](const auto& a, const auto& b) {
                                                return a.first == b.first && same_value(a.second, b.second);
                                              });
}

Result<std::vector<Choice>> read_choices(const std::vector<std::string>& texts, const std::string& option,
                                         Result<Choice> (*choose)(std::string_view)) {
  std::vector<Choice> choices;
  for (const std::string& text : texts) {
    Result<Choice> choice = read_choice(text, option, choose);
    if (!choice) return choice.error();
    const bool is_given = std::any_of(choices.begin(), choices.end(),
                                      [&](const Choice& other) { return same_choice(other, *choice); });
    if (is_given) return Error{.message = fmt::format("'{}' is given twice", text), .key = option};
    choices.push_back(*std::move(choice));
  }
  return choices;
}

bool is_named(const std::vector<Choice>& choices, std::string_view name) {
  return std::any_of(choices.begin(), choices.end(), [&](const Choice& each) { return each.name == name; });
}

Check check_recommended(const Recommendation& taken, const std::string& cluster) {
  if (!taken.choice.name.empty()) return {};
  return Error{.message = taken.reason, .file = cluster};
}

std::string choice_notice(const Recommendation& taken, const ClusterFiles& files) {
  return fmt::format("{}: {}; 'mirab mechanisms --for {}{}' compares them all", report::kTakenMechanism,
                     taken.reason, files.cluster, files.teams.empty() ? "" : " --teams " + files.teams);
}

void add_output_options(CLI::App& app, OutputOptions& options, const std::vector<std::string>& formats) {
  options.format = formats.front();
  CLI::Option* format =
      app.add_option("--format", options.format, "How to print the result")->capture_default_str();
  take_one_of(format, formats);
  app.add_option("-o", options.file, "Write the result to FILE instead of standard output")
      ->type_name("FILE");
}

void add_report_options(CLI::App& app, ReportOptions& options, const std::string& title) {
  app.add_option("--report", options.file, "Also write a page with pictures, which needs no network, to FILE")
      ->type_name("FILE");
  app.add_option("--title", options.title, title)->type_name("TEXT");
  app.add_option("--date", options.date, "The date in the page's footer; default: today")->type_name("DATE");
}

std::string name_of(const ReportOptions& options, const Problem& problem, const std::string& cluster) {
  if (!options.title.empty()) return options.title;
  return problem.cluster().title.empty() ? title_of(cluster) : problem.cluster().title;
}

Text report_page(const ReportOptions& options, std::string_view kind, const std::string& title,
                 nlohmann::ordered_json data) {
  return {options.file, report::answer_html(report::page_template(), kind, title, std::move(data),
                                            {.command = options.command, .made = made_words(options.date)})};
}

Exit write_answer(const OutputOptions& output, const ReportOptions& report, std::string_view kind,
                  const std::string& title, std::string text, const nlohmann::ordered_json& data) {
  std::vector<Text> texts{{output.file, std::move(text)}};
  if (!report.file.empty()) texts.push_back(report_page(report, kind, title, data));
  if (const Check failure = write_texts(texts)) return report_error(*failure, Exit::failed);
  return Exit::done;
}

std::string made_words(const std::string& date) {
  if (!date.empty()) return fmt::format("mirab {}, {}", MIRAB_VERSION, date);
  std::time_t now = std::time(nullptr);
  if (const char* epoch = std::getenv("SOURCE_DATE_EPOCH")) {
    std::int64_t seconds = 0;
    const char* const end = epoch + std::string_view(epoch).size();
    const auto [stop, failure] = std::from_chars(epoch, end, seconds);
    if (failure == std::errc{} && stop == end) now = static_cast<std::time_t>(seconds);
  }
  std::tm utc{};
  if (gmtime_r(&now, &utc) == nullptr) return fmt::format("mirab {}", MIRAB_VERSION);
  return fmt::format("mirab {}, {:04}-{:02}-{:02}", MIRAB_VERSION, utc.tm_year + 1900, utc.tm_mon + 1,
                     utc.tm_mday);
}

void add_seed_option(CLI::App& app, std::uint64_t& seed) {
  CLI::Option* option = app.add_option("--seed", seed, "Random seed; the same seed gives the same result");
  take_whole_number(option->capture_default_str(), 0);
}

void add_threads_option(CLI::App& app, int& threads, const std::string& meaning) {
  constexpr std::uint64_t kMaxThreads = 1024;
  CLI::Option* option = app.add_option("--threads", threads, meaning + "; does not change the result");
  take_whole_number(option->capture_default_str(), 1, kMaxThreads);
}

void add_tie_option(CLI::App& app, std::string& tie) {
  CLI::Option* option = app.add_option(
      "--tie", tie,
      "Who goes first when shares are equal: the first declared, the last declared, or one drawn at random");
  take_one_of(option->capture_default_str(), {"first", "last", "random"});
}

Tie read_tie(const std::string& word) {
  for (const Tie tie : {Tie::first, Tie::last, Tie::random}) {
    if (report::tie_name(tie) == word) return tie;
  }
  MIRAB_ASSERT(false, "a word that --tie takes");
  return Tie::first;
}

}  // namespace mirab::cli
