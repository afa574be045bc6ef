// Explanations as why.hpp has them, with the caller's words for amounts.
#pragma once

#include <functional>
#include <span>
#include <string>

#include <mirab/scheduling/why.hpp>

namespace mirab::scheduling {

/// `500m cpu, 20Mi memory` of amounts in base units; `nothing` where none is above 0.
using AmountWords = std::function<std::string(const Amounts&)>;

std::string describe(const WhyNotOn& why, const AmountWords& words);
std::string describe(const WhyPlaced& why, std::span<const std::string> resources, const AmountWords& words);

}  // namespace mirab::scheduling
