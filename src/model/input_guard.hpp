#pragma once

#include <cstdint>
#include <optional>
#include <streambuf>
#include <string>

namespace mirab {

/// Passes a text on to a parser and cuts it off before it could exhaust the parser's memory.
///
/// yaml-cpp keeps every token of a flow collection `[…]` until it closes, since the whole might yet turn out
/// to be a key; so a file of opening brackets costs it a hundred bytes a bracket before it calls us. Two
/// counts prevent that: opening brackets with nothing between them (which nest too deep whatever follows),
/// and all that can begin a value in a flow.
class InputGuard final : public std::streambuf {
 public:
  struct Refusal {
    std::string message;
    int line;
  };

  InputGuard(std::streambuf& source, int deepest_nesting, std::int64_t most_values)
      : source_(source), deepest_nesting_(deepest_nesting), most_values_(most_values) {}

  /// Why the text was cut off, if it was.
  const std::optional<Refusal>& refusal() const { return refusal_; }

  /// The first line of what was passed on that is indented with a tab, which YAML allows between brackets
  /// only; 0 when there is none.
  int tab_line() const { return tab_line_; }

 private:
  int_type underflow() override;
  bool allows(char c);
  void look_for_tab(char c);

  std::streambuf& source_;
  int deepest_nesting_;
  std::int64_t most_values_;
  std::optional<Refusal> refusal_;
  char chunk_[4096] = {};
  int openings_ = 0;         // opening brackets since the last other character
  std::int64_t values_ = 0;  // brackets and commas so far
  int line_ = 1;
  bool indenting_ = true;  // only blanks so far on this line
  bool tab_ = false;       // among them a tab
  int tab_line_ = 0;
};

}  // namespace mirab
