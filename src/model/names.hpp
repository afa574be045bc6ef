#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <mirab/model/allocation.hpp>

namespace mirab {

/// The word for it, as in JSON: `exact`, `converged`, `not_converged`.
std::string_view status_name(Status status);

/// `a, b, c and 4 more`: the first `most` of the names, in their order.
std::string first_names(std::span<const std::string_view> names, std::size_t most);

/// What to say after an unknown name: `; did you mean small? Known are big, small and 12 more`.
std::string known_names(std::string_view written, std::span<const std::string_view> known);

}  // namespace mirab
