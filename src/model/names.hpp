#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <mirab/model/allocation.hpp>
#include <mirab/model/choice.hpp>
#include <mirab/model/result.hpp>

namespace mirab {

/// Is the text well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF)?
/// O(length).
bool is_utf8(std::string_view text);

/// The length of the UTF-8 character that starts at `at`; a stray byte, or a character cut short, ends before
/// the next.
std::size_t character_bytes(std::string_view text, std::size_t at);

/// The code point of one such character.
char32_t decode(std::string_view character);

/// Does the text hold a control character (U+0000–U+001F, U+007F–U+009F), such as a line break?
bool has_control(std::string_view text);

/// The text for a terminal, a table or a message: control characters, and those that change the direction of
/// what follows or break the line (U+061C, U+200E, U+200F, U+2028–U+202E, U+2066–U+2069), are replaced by
/// `?`, so that a name from a file cannot steer what shows it.
std::string printable(std::string_view text);

/// Without blanks, tabs and carriage returns at both ends.
std::string_view trimmed(std::string_view text);

/// A to Z in lower case; other letters stay as they are.
std::string lower_case(std::string_view text);

/// The word for it, as in JSON: `exact`, `converged`, `not_converged`.
std::string_view status_name(Status status);

/// `a, b, c and 4 more`: the first `most` of the names, in their order.
std::string first_names(std::span<const std::string_view> names, std::size_t most);

/// A name stands in tables, error messages and files: it is text on one line. `kind` says what it names:
/// `server`.
Check check_name(const std::string& name, std::string_view kind, std::string key);

/// What to say after an unknown name: `; did you mean small? Known are big, small and 12 more`.
std::string known_names(std::string_view written, std::span<const std::string_view> known);

/// A choice that was not read from a text, but put together or read from JSON. Errors, with `kind` for their
/// key: no such name or option, with the nearest ones listed; an option that is needed and left out.
Check check_choice(const Choice& choice, std::string_view kind, std::span<const ChoosableRow> rows);

}  // namespace mirab
