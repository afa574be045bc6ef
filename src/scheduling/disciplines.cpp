// The table of disciplines: whom to serve next. Every row has the option `blocking`. With `freeze` (Bonald and
// Roberts, section 4.1) nothing is placed while the task of the most deprived user fits nowhere, until it fits
// or another user becomes the most deprived.
#include "scheduling/disciplines.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace mirab::scheduling {
namespace {

constexpr std::array<std::string_view, 2> kBlocking = {"skip", "freeze"};

constexpr std::array kOptions = {OptionInfo{
    .name = "blocking",
    .fallback = "skip",
    .meaning =
        "when the next user's task fits nowhere: `skip` the user, or `freeze`, which ends the filling"}};

constexpr std::array kDisciplines = {
    Discipline{.info = {.name = "fifo", .summary = "first come, first served: all tasks of a job, then those of the next", .source = "Östman, section 4.1", .options = kOptions}, .key = fifo_key, .compare = fifo_compare},
    Discipline{.info = {.name = "round-robin", .summary = "one task of each user in turn, whatever it takes", .source = "max-min fairness in numbers of tasks", .options = kOptions}, .key = round_robin_key, .compare = round_robin_compare},
    Discipline{.info = {.name = "drf", .summary = "the user with the lowest dominant share per weight", .source = "Ghodsi et al., Dominant Resource Fairness, 2011; on servers Östman, section 2.1.4", .options = kOptions}, .key = drf_key, .compare = drf_compare, .scaled = true, .share = drf_share},
    Discipline{.info = {.name = "asset", .summary = "the user with the lowest sum of shares per weight, every resource being worth the same", .source = "Ghodsi et al., Dominant Resource Fairness, 2011", .options = kOptions}, .key = asset_key, .compare = asset_compare, .scaled = true, .share = asset_share},
    Discipline{.info = {.name = "pf", .summary = "the user who has spent least per weight at the prices of the divisible allocation", .source = "Bonald and Roberts, Enhanced Cluster Computing Performance, 2014, section 4", .options = kOptions}, .key = pf_key, .compare = pf_compare, .priced = true},
    Discipline{.info = {.name = "tsf", .summary = "the user with the lowest part, per weight, of the tasks that it could run alone", .source = "Wang, Li, Liang, Li, Multi-Resource Fair Allocation, 2016 (TSF)", .options = kOptions}, .key = tsf_key, .compare = tsf_compare, .monopolised = true},
    Discipline{.info = {.name = "ps-dsf", .summary = "the user and the kind of server with the lowest virtual dominant share per weight", .source = "Khamse-Ashari et al., Per-Server Dominant-Share Fairness, 2017", .options = kOptions}, .key = ps_dsf_key, .compare = ps_dsf_compare, .lanes = Lanes::kinds, .scaled = true},
    Discipline{.info = {.name = "mlf-drs", .summary = "a line of users for each dominant resource, a task of every head in turn", .source = "Hamzeh, Fairness for Resource Allocation in Cloud Computing, section 4.2.2", .options = kOptions}, .key = mlf_drs_key, .compare = mlf_drs_compare, .lanes = Lanes::lines},
};

double usage_key(const Standing& standing, Entry entry) {
  return standing.usage->key(standing.queue(entry).user) / standing.user(entry).weight.value();
}

template <auto compare>
std::weak_ordering usage_compare(const Standing& standing, Entry a, Entry b) {
  const double key_a = usage_key(standing, a);
  const double key_b = usage_key(standing, b);
  if (key_a == key_b) return compare(standing, a, b);
  return key_a < key_b ? std::weak_ordering::less : std::weak_ordering::greater;
}

constexpr std::array kOverTime = {
    Discipline{.info = {.name = "drf", .summary = {}, .source = {}, .options = {}}, .key = usage_key, .compare = usage_compare<drf_compare>, .scaled = true, .share = drf_share},
    Discipline{.info = {.name = "asset", .summary = {}, .source = {}, .options = {}}, .key = usage_key, .compare = usage_compare<asset_compare>, .scaled = true, .share = asset_share},
};

}  // namespace

const Discipline* over_time(const Discipline& discipline) {
  const auto* const row = std::find_if(kOverTime.begin(), kOverTime.end(), [&](const Discipline& candidate) {
    return candidate.share == discipline.share;
  });
  return row == kOverTime.end() ? nullptr : &*row;
}

Result<Whom> whom(const Choice& choice) {
  const auto row = std::find_if(kDisciplines.begin(), kDisciplines.end(), [&](const Discipline& candidate) {
    return candidate.info.name == choice.name;
  });
  if (row == kDisciplines.end())
    return Error{.message = fmt::format("there is no discipline '{}'", choice.name)};
  const Result<std::size_t> blocking = word_option(choice, "blocking", kBlocking);
  if (!blocking) return blocking.error();
  return Whom{.discipline = &*row, .blocking = static_cast<Blocking>(*blocking)};
}

}  // namespace mirab::scheduling
