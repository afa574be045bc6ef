#pragma once

#include <string>

#include <mirab/experiments/experiment.hpp>

namespace mirab::report {

/// The figure as a picture for documents: lines with their 95 % intervals, axes, a legend; light or dark as
/// the reader has it. Points that are not finite interrupt a line; of a line with very many only some are
/// drawn. The same figure gives the same bytes.
std::string chart_svg(const experiments::Figure& figure);

}  // namespace mirab::report
