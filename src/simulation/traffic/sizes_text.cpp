#include "simulation/traffic/sizes_text.hpp"

#include <array>
#include <fmt/format.h>

#include <mirab/model/choice.hpp>
#include <mirab/model/quantity.hpp>

#include "simulation/traffic/sizes.hpp"

namespace mirab::simulation {
namespace {

constexpr std::string_view kErlang = "erlang:";
constexpr std::array<OptionInfo, 1> kHyperexponentialOptions = {
    {{"cv2", "", "squared coefficient of variation, 1 to 10000"}}};
constexpr std::array<ChoosableRow, 4> kLaws = {{{"exponential", {}, {}},
                                                {"deterministic", {}, {}},
                                                {"erlang", {}, {}},  // has its stages behind the colon
                                                {"hyperexponential", {}, kHyperexponentialOptions}}};

Result<Sizes> erlang(std::string_view stages) {
  constexpr double kMostStages = 10'000;
  const Result<Quantity> number = Quantity::parse(stages);
  const double count = number && number->exponent() >= 0 ? number->value() : 0;
  if (count >= 1 && count <= kMostStages) {
    return Sizes{.law = Sizes::Law::erlang, .stages = static_cast<int>(count)};
  }
  return Error{.message = fmt::format("erlang takes a whole number of stages from 1 to {}, like erlang:20, "
                                      "not '{}'",
                                      kMostStages, stages)};
}

Result<Sizes> hyperexponential(const Choice& choice) {
  const Result<double> cv2 = number_option(choice, "cv2", 1);
  if (!cv2) return cv2.error();
  if (!(*cv2 >= 1 && *cv2 <= kMostCv2)) {
    return Error{.message =
                     fmt::format("cv2, the squared coefficient of variation of a hyperexponential, is from "
                                 "1 to {}, not {}",
                                 kMostCv2, *cv2)};
  }
  return Sizes{.law = Sizes::Law::hyperexponential, .cv2 = *cv2};
}

}  // namespace

Result<Sizes> parse_sizes(std::string_view text) {
  if (text.starts_with(kErlang)) return erlang(text.substr(kErlang.size()));
  if (text == "erlang") return erlang("");
  const Result<Choice> choice = choose(text, "law of sizes", kLaws);
  if (!choice) return choice.error();
  if (choice->name == "hyperexponential") return hyperexponential(*choice);
  return Sizes{.law = choice->name == "exponential" ? Sizes::Law::exponential : Sizes::Law::deterministic};
}

std::string sizes_text(const Sizes& sizes) {
  switch (sizes.law) {
    case Sizes::Law::exponential:
      return "exponential";
    case Sizes::Law::erlang:
      return fmt::format("erlang:{}", sizes.stages);
    case Sizes::Law::deterministic:
      return "deterministic";
    case Sizes::Law::hyperexponential:
      return fmt::format("hyperexponential:cv2={}", sizes.cv2);
  }
  return {};
}

}  // namespace mirab::simulation
