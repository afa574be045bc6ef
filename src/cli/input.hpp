#pragma once

#include <string>

#include <mirab/model/result.hpp>
#include <mirab/model/syntax.hpp>

namespace mirab::cli {

/// A text that was read whole.
struct InputText {
  std::string name;  ///< as errors call it: the file, or `standard input`
  std::string text;
  Syntax syntax = Syntax::yaml;  ///< JSON when the name ends in .json, or standard input begins with `{`
};

/// Reads a file, or standard input for `-`. Errors: cannot be read, or more than 256 MiB.
Result<InputText> read_input(const std::string& path);

}  // namespace mirab::cli
