#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/experiments/experiment.hpp>
#include <mirab/model/choice.hpp>

namespace mirab::experiments {

/// What paper 001 compares: αPF-VDS with α = 1, 3, ∞ (PS-DSF), DRFH and TSF.
inline constexpr std::array<std::string_view, 5> kContenders = {
    "alpha-pf-vds:alpha=1", "alpha-pf-vds:alpha=3", "ps-dsf", "drfh", "tsf"};
inline constexpr std::size_t kAlpha1 = 0, kAlpha3 = 1, kPsDsf = 2, kDrfh = 3, kTsf = 4;

/// The part of something that is used under each of them: [contender][run], the same runs for all.
using Use = std::array<std::vector<double>, kContenders.size()>;

/// How much more the one uses than the other, run by run.
std::vector<double> gains(const Use& use, std::size_t one, std::size_t other);

/// The paper's two sentences on one resource: use falls as α grows; PS-DSF uses no less than DRFH and TSF.
void hold_use(std::string_view resource, const Use& use, Reproduction& result);

/// `0.687 ± 0.007`: the mean with its 95 % interval. At least two values.
std::string mean_text(const std::vector<double>& values);

/// A row for each contender; columns of what is used.
Table use_table(std::string title, const std::vector<std::string>& columns, const std::vector<Use>& use);

}  // namespace mirab::experiments
