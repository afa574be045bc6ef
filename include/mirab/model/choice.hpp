#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/result.hpp>

namespace mirab {

/// A choice by name, with options: `alpha-fair:alpha=2,yardstick=dominant`.
struct Choice {
  std::string name;                            ///< the name in the registry, aliases resolved
  std::map<std::string, std::string> options;  ///< as written
  std::string text;                            ///< as written, the whole
};

/// One option that a row of a registry understands.
struct OptionInfo {
  std::string_view name;
  std::string_view fallback;  ///< the value when it is left out; empty when it must be given
  std::string_view meaning;   ///< values and effect, in one line
};

/// A row that a Choice may name.
struct ChoosableRow {
  std::string_view name;
  std::span<const std::string_view> aliases;
  std::span<const OptionInfo> options;
};

/// Reads `name:option=value,option=value` against the rows of a registry. Errors: no such name or option of
/// `kind`
/// (`mechanism`, `discipline`, …), with the nearest ones listed; an option without a value or given twice.
Result<Choice> choose(std::string_view text, std::string_view kind, std::span<const ChoosableRow> rows);

/// The value of an option that names a number; `fallback` when it is left out. Errors: not a finite number.
Result<double> number_option(const Choice& choice, const std::string& option, double fallback);

/// The index of an option's value in `words`; 0 when it is left out. Errors: another word, with `words`
/// listed.
Result<std::size_t> word_option(const Choice& choice, const std::string& option,
                                std::span<const std::string_view> words);

/// `; did you mean a, b or c?` with the candidates nearest to what was written, in capitals or not; or
/// nothing when none is near.
std::string nearest_names(std::string_view written, std::span<const std::string_view> candidates);

}  // namespace mirab
