#pragma once

#include <span>
#include <string_view>

#include <mirab/model/choice.hpp>

namespace mirab {

/// A choice that was not read from a text, but put together or read from JSON. Errors, with `kind` for their
/// key: no such name or option, with the nearest ones listed; an option that is needed and left out.
Check check_choice(const Choice& choice, std::string_view kind, std::span<const ChoosableRow> rows);

}  // namespace mirab
