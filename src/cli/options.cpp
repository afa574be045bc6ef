#include "cli/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

#include <mirab/model/assert.hpp>
#include <mirab/model/choice.hpp>

#include "report/outcome/comparison.hpp"

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

void take_whole_number(CLI::Option* option, std::uint64_t least, std::uint64_t most) {
  option->type_name("N");
  option->check([least, most](const std::string& written) -> std::string {
    std::uint64_t number = 0;
    const char* end = written.data() + written.size();
    const auto [stop, failure] = std::from_chars(written.data(), end, number);
    if (failure == std::errc{} && stop == end && number >= least && number <= most) return {};
    return fmt::format("'{}' is not a whole number from {} to {}", written, least, most);
  });
}

CLI::Option* add_list_option(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                             const std::string& meaning, const std::string& value_name) {
  return app.add_option(name, values, meaning)->allow_extra_args(false)->type_name(value_name);
}

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

void add_output_options(CLI::App& app, OutputOptions& options, const std::vector<std::string>& formats) {
  options.format = formats.front();
  CLI::Option* format =
      app.add_option("--format", options.format, "How to print the result")->capture_default_str();
  take_one_of(format, formats);
  app.add_option("-o", options.file, "Write the result to FILE instead of standard output")
      ->type_name("FILE");
}

void add_seed_option(CLI::App& app, std::uint64_t& seed) {
  CLI::Option* option =
      app.add_option("--seed", seed, "Seed of all random numbers; the same seed repeats the result");
  take_whole_number(option->capture_default_str(), 0);
}

void add_threads_option(CLI::App& app, int& threads, const std::string& meaning) {
  constexpr std::uint64_t kMaxThreads = 1024;
  CLI::Option* option = app.add_option("--threads", threads, meaning + "; the result is the same with any");
  take_whole_number(option->capture_default_str(), 1, kMaxThreads);
}

void add_tie_option(CLI::App& app, std::string& tie) {
  CLI::Option* option = app.add_option(
      "--tie", tie,
      "Which of several users with equal shares to serve: the first declared, the last declared, or one "
      "drawn at random");
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
