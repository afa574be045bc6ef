#include "model/input_guard.hpp"

#include <fmt/format.h>

namespace mirab {

std::streambuf::int_type InputGuard::underflow() {
  if (refusal_) return traits_type::eof();
  const std::streamsize read = source_.sgetn(chunk_, sizeof chunk_);
  std::streamsize passed = 0;
  while (passed < read && allows(chunk_[passed])) ++passed;
  if (passed == 0) return traits_type::eof();
  setg(chunk_, chunk_, chunk_ + passed);
  return traits_type::to_int_type(chunk_[0]);
}

void InputGuard::look_for_tab(char c) {
  if (c == '\n') {
    indenting_ = true;
    tab_ = false;
  } else if (indenting_ && c == '\t') {
    tab_ = true;
  } else if (indenting_ && c != ' ' && c != '\r') {
    indenting_ = false;
    if (tab_ && tab_line_ == 0 && c != '#') tab_line_ = line_;
  }
}

bool InputGuard::allows(char c) {
  look_for_tab(c);
  const bool opening = c == '[' || c == '{';
  if (c == '\n') ++line_;
  if (opening) {
    ++openings_;
  } else if (c != ' ' && c != '\n' && c != '\t' && c != '\r') {
    openings_ = 0;
  }
  if (opening || c == ',') ++values_;
  if (openings_ > deepest_nesting_) {
    refusal_ = {fmt::format("nested deeper than {} levels", deepest_nesting_), line_};
  } else if (values_ > most_values_) {
    refusal_ = {fmt::format("more than {} values in brackets; write so large a file as JSON", most_values_),
                line_};
  }
  return !refusal_;
}

}  // namespace mirab
