// The table of disciplines: whom to serve next. Every row has the option `blocking`. With `freeze` (Bonald
// and Roberts, section 4.1) nothing is placed while the task of the most deprived user fits nowhere, until it
// fits or another user becomes the most deprived.
#include "scheduling/order/disciplines.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace mirab {
namespace scheduling {
namespace {

constexpr std::array<std::string_view, 2> kBlocking = {"skip", "freeze"};

constexpr std::array kOptions = {OptionInfo{
    .name = "blocking",
    .fallback = "skip",
    .meaning = "when the next user's task fits nowhere: `skip` the user, or `freeze`, until it fits"}};

constexpr std::array kDisciplines = {
    Discipline{.info = {.name = "fifo",
                        .summary = "first come, first served: all tasks of a job, then those of the next",
                        .source = "Östman, section 4.1",
                        .options = kOptions},
               .key = fifo_key,
               .compare = fifo_compare,
               .weighted = false},
    Discipline{.info = {.name = "round-robin",
                        .summary = "one task of each user in turn, whatever it takes",
                        .source = "max-min fairness in numbers of tasks",
                        .options = kOptions},
               .key = round_robin_key,
               .compare = round_robin_compare,
               .level = &kRoundRobinLevel},
    Discipline{
        .info = {.name = "drf",
                 .summary = "the user with the lowest dominant share per weight",
                 .source =
                     "Ghodsi et al., Dominant Resource Fairness, 2011; on servers Östman, section 2.1.4",
                 .options = kOptions},
        .key = drf_key,
        .compare = drf_compare,
        .scaled = true,
        .share = drf_share,
        .level = &kDrfLevel},
    Discipline{
        .info = {.name = "asset",
                 .summary =
                     "the user with the lowest sum of shares per weight, every resource being worth the same",
                 .source = "Ghodsi et al., Dominant Resource Fairness, 2011",
                 .options = kOptions},
        .key = asset_key,
        .compare = asset_compare,
        .scaled = true,
        .share = asset_share,
        .level = &kAssetLevel},
    Discipline{
        .info = {.name = "pf",
                 .summary =
                     "the user who has spent least per weight at the prices of the divisible allocation",
                 .source = "Bonald and Roberts, Enhanced Cluster Computing Performance, 2014, section 4",
                 .options = kOptions},
        .key = pf_key,
        .compare = pf_compare,
        .priced = true,
        .level = &kPfLevel},
    Discipline{
        .info = {.name = "tsf",
                 .summary = "the user with the lowest part, per weight, of the tasks that it could run alone",
                 .source = "Wang, Li, Liang and Li, Multi-Resource Fair Sharing for Datacenter Jobs with "
                           "Placement Constraints, 2016",
                 .options = kOptions},
        .key = tsf_key,
        .compare = tsf_compare,
        .monopolised = true,
        .level = &kTsfLevel},
    Discipline{
        .info = {.name = "ps-dsf",
                 .summary =
                     "the user and the kind of server with the lowest virtual dominant share per weight",
                 .source = "Khamse-Ashari et al., Per-Server Dominant-Share Fairness, 2017",
                 .options = kOptions},
        .key = ps_dsf_key,
        .compare = ps_dsf_compare,
        .lanes = Lanes::server_classes,
        .scaled = true},
    Discipline{
        .info = {.name = "mlf-drs",
                 .summary = "a line of users for each dominant resource, a task of every head in turn",
                 .source = "Hamzeh, Fairness for Resource Allocation in Cloud Computing, section 4.2.2",
                 .options = kOptions},
        .key = mlf_drs_key,
        .compare = mlf_drs_compare,
        .lanes = Lanes::lines,
        .weighted = false},
    Discipline{
        .info = {.name = "mrfs",
                 .summary = "as mlf-drs, on servers where no dominant resource leads by more than a task",
                 .source = "Hamzeh, Fairness for Resource Allocation in Cloud Computing, section 5.2.2",
                 .options = kOptions},
        .key = mlf_drs_key,
        .compare = mlf_drs_compare,
        .lanes = Lanes::lines,
        .weighted = false,
        .places = true},
};

constexpr auto kInfos = [] {
  std::array<DisciplineInfo, kDisciplines.size()> infos;
  std::transform(kDisciplines.begin(), kDisciplines.end(), infos.begin(),
                 [](const Discipline& row) { return row.info; });
  return infos;
}();

const Discipline* row_of(const Choice& choice) {
  const auto row = std::find_if(kDisciplines.begin(), kDisciplines.end(), [&](const Discipline& candidate) {
    return candidate.info.name == choice.name;
  });
  return row == kDisciplines.end() ? nullptr : &*row;
}

double usage_key(const ShareContext& context, Entry entry) {
  return context.usage->key(context.queue(entry).user) / context.user(entry).weight.value();
}

template <auto compare>
std::weak_ordering usage_compare(const ShareContext& context, Entry a, Entry b) {
  const double key_a = usage_key(context, a);
  const double key_b = usage_key(context, b);
  if (key_a == key_b) return compare(context, a, b);
  return key_a < key_b ? std::weak_ordering::less : std::weak_ordering::greater;
}

constexpr std::array kOverTime = {
    Discipline{.info = {.name = "drf", .summary = {}, .source = {}, .options = {}},
               .key = usage_key,
               .compare = usage_compare<drf_compare>,
               .scaled = true,
               .share = drf_share},
    Discipline{.info = {.name = "asset", .summary = {}, .source = {}, .options = {}},
               .key = usage_key,
               .compare = usage_compare<asset_compare>,
               .scaled = true,
               .share = asset_share},
};

}  // namespace

const Discipline* over_time(const Discipline& discipline) {
  const auto* const row = std::find_if(kOverTime.begin(), kOverTime.end(), [&](const Discipline& candidate) {
    return candidate.share == discipline.share;
  });
  return row == kOverTime.end() ? nullptr : &*row;
}

Result<DisciplineChoice> discipline_choice(const Choice& choice) {
  const Discipline* row = row_of(choice);
  if (row == nullptr) return Error{.message = fmt::format("there is no discipline '{}'", choice.name)};
  const Result<std::size_t> blocking = word_option(choice, "blocking", kBlocking);
  if (!blocking) return blocking.error();
  return DisciplineChoice{.discipline = row, .blocking = static_cast<Blocking>(*blocking)};
}

}  // namespace scheduling

std::span<const DisciplineInfo> disciplines() { return scheduling::kInfos; }

bool chooses_servers(const Choice& discipline) {
  const scheduling::Discipline* row = scheduling::row_of(discipline);
  return row != nullptr && row->places;
}

Result<Choice> choose_discipline(std::string_view text) {
  std::vector<ChoosableRow> rows;
  for (const DisciplineInfo& info : disciplines()) {
    rows.push_back({.name = info.name, .aliases = {}, .options = info.options});
  }
  Result<Choice> choice = choose(text, "discipline", rows);
  if (!choice) return choice;
  const auto read = scheduling::discipline_choice(*choice);
  if (!read) return read.error();
  return choice;
}

}  // namespace mirab
