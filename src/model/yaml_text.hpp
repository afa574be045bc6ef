#pragma once

// Pieces of YAML that read back as what was written.

#include <string>
#include <vector>

#include <mirab/model/placement.hpp>
#include <mirab/model/quantity.hpp>

namespace mirab {

/// A scalar that reads back as the same text: plain where that is safe, else in double quotes.
std::string yaml_scalar(const std::string& text);

/// The text as a key with its colon. YAML lets only a key of up to 1024 characters stand without a "?".
std::string yaml_key(const std::string& text);

/// The texts between brackets.
std::string yaml_list(const std::vector<std::string>& texts);

/// What a label must be: the values between brackets, or the parts of the condition by name.
std::string yaml_condition(const LabelCondition& condition);

/// The amount as people write it: from a mebibyte on whole kibibytes, mebibytes and gibibytes by their
/// suffix, anything else plain.
std::string yaml_amount(const Quantity& quantity);

/// Each line after a `# `.
std::string yaml_comment(const std::vector<std::string>& lines);

}  // namespace mirab
