// The table of placements: where a task goes, of the servers where it fits.
#include "scheduling/plain/placements.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace mirab::plain {
namespace {

constexpr std::array<std::string_view, 2> kPublished = {"false", "true"};

constexpr std::array kBestFitOptions = {OptionInfo{
    .name = "published",
    .fallback = "false",
    .meaning = "`true`: amounts relative to the first resource, as printed, instead of to the sum of all"}};

template <std::size_t (*server)(const Search&)>
Result<Where> without_options(const Choice& /*choice*/) {
  return Where{.server = server};
}

Result<Where> best_fit_option(const Choice& choice) {
  const Result<std::size_t> published = word_option(choice, "published", kPublished);
  if (!published) return published.error();
  return Where{.server = *published == 1 ? best_fit_as_published : best_fit};
}

constexpr std::array kPlacements = {
    Placement{.info = {.name = "first-fit",
                       .summary = "the first server, in the order of the cluster",
                       .source = "Östman, sections 2.1.4 and 4.1",
                       .options = {}},
              .where = without_options<first_fit>},
    Placement{.info = {.name = "best-fit",
                       .summary = "the server whose free amounts stand most nearly in the task's proportions",
                       .source = "Wang, Li, Liang, DRFH; Östman, section 2.1.4",
                       .options = kBestFitOptions},
              .where = best_fit_option},
    Placement{.info = {.name = "worst-fit",
                       .summary = "the server where most such tasks still fit",
                       .source = "the classic rule of bin packing, counted in tasks of the user",
                       .options = {}},
              .where = without_options<worst_fit>},
    Placement{.info = {.name = "next-fit",
                       .summary = "the last used server, or the next one in a circle",
                       .source = "the classic rule of bin packing",
                       .options = {}},
              .where = without_options<next_fit>},
    Placement{.info = {.name = "random",
                       .summary = "a server drawn uniformly from those where the task fits",
                       .source = "Östman, section 4.2, draws from all servers",
                       .options = {}},
              .where = without_options<random_fit>},
};

}  // namespace

Result<Where> where(const Choice& choice) {
  const auto row = std::find_if(kPlacements.begin(), kPlacements.end(), [&](const Placement& candidate) {
    return candidate.info.name == choice.name;
  });
  if (row == kPlacements.end())
    return Error{.message = fmt::format("there is no placement '{}'", choice.name)};
  return row->where(choice);
}

}  // namespace mirab::plain
