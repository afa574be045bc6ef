// The table of placements: where a task goes, of the servers where it fits.
#include "scheduling/placements.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace mirab {
namespace scheduling {
namespace {

constexpr std::array<std::string_view, 2> kPublished = {"false", "true"};

constexpr std::array kBestFitOptions = {OptionInfo{
    .name = "published",
    .fallback = "false",
    .meaning = "`true`: amounts relative to the first resource, as printed, instead of to the sum of all"}};

template <Find find>
Result<Where> without_options(const Choice& /*choice*/) {
  return Where{.find = find};
}

constexpr std::string_view kDistance = "distance from the task's proportions";

Result<Where> worst_fit_measured(const Choice& /*choice*/) {
  return Where{
      .find = worst_fit, .measure = worst_fit_tasks, .measured = "number of such tasks that fit there"};
}

Result<Where> with_mix(const Choice& /*choice*/) {
  return Where{.find = least_fragmentation,
               .needs_mix = true,
               .measure = fragmentation_growth,
               .measured = "growth of fragmentation"};
}

Result<Where> best_fit_option(const Choice& choice) {
  const Result<std::size_t> published = word_option(choice, "published", kPublished);
  if (!published) return published.error();
  if (*published == 1) {
    return Where{
        .find = best_fit_as_published, .measure = best_fit_as_published_distance, .measured = kDistance};
  }
  return Where{.find = best_fit, .measure = best_fit_distance, .measured = kDistance};
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
              .where = worst_fit_measured},
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
    Placement{.info = {.name = "least-fragmentation",
                       .summary = "the server that stays most useful for the tasks wanted at present",
                       .source = "after Weng et al., Beware of Fragmentation, USENIX ATC 2023",
                       .options = {}},
              .where = with_mix},
};

constexpr auto kInfos = [] {
  std::array<PlacementInfo, kPlacements.size()> infos;
  std::transform(kPlacements.begin(), kPlacements.end(), infos.begin(),
                 [](const Placement& row) { return row.info; });
  return infos;
}();

}  // namespace

const Variant& variant_on(const Search& search, std::uint32_t server) {
  const auto found = std::find_if(
      search.variants.begin(), search.variants.end(),
      [&](const Variant& variant) { return variant.among == nullptr || variant.among->contains(server); });
  MIRAB_ASSERT(found != search.variants.end(), "a server is measured for a task that may not run there");
  return *found;
}

Result<Where> where(const Choice& choice) {
  const auto row = std::find_if(kPlacements.begin(), kPlacements.end(), [&](const Placement& candidate) {
    return candidate.info.name == choice.name;
  });
  if (row == kPlacements.end())
    return Error{.message = fmt::format("there is no placement '{}'", choice.name)};
  return row->where(choice);
}

}  // namespace scheduling

std::span<const PlacementInfo> placements() { return scheduling::kInfos; }

Result<Choice> choose_placement(std::string_view text) {
  std::vector<ChoosableRow> rows;
  for (const PlacementInfo& info : placements()) {
    rows.push_back({.name = info.name, .aliases = {}, .options = info.options});
  }
  Result<Choice> choice = choose(text, "placement", rows);
  if (!choice) return choice;
  const auto read = scheduling::where(*choice);
  if (!read) return read.error();
  return choice;
}

}  // namespace mirab
