// The table of disciplines: whom to serve next. Every row has the option `blocking`. With `freeze` (Bonald
// and Roberts, section 4.1) nothing is placed while the task of the most deprived user fits nowhere, until it
// fits or another user becomes the most deprived. In a fill nothing is freed and a share moves only when
// something is placed, so neither can happen any more and a freeze ends the filling; of several equally
// deprived users the tie rule names the one that the others wait for.
#include "scheduling/plain/disciplines.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace mirab::plain {
namespace {

constexpr std::array<std::string_view, 2> kBlocking = {"skip", "freeze"};

constexpr std::array kOptions = {OptionInfo{
    .name = "blocking",
    .fallback = "skip",
    .meaning =
        "when the next user's task fits nowhere: `skip` the user, or `freeze`, which ends the filling"}};

constexpr std::array kDisciplines = {
    Discipline{.info = {.name = "fifo",
                        .summary = "first come, first served: all tasks of a user, then those of the next",
                        .source = "Östman, section 4.1",
                        .options = kOptions},
               .key = fifo_key},
    Discipline{.info = {.name = "round-robin",
                        .summary = "one task of each user in turn, whatever it takes",
                        .source = "max-min fairness in numbers of tasks",
                        .options = kOptions},
               .key = round_robin_key},
    Discipline{
        .info = {.name = "drf",
                 .summary = "the user with the lowest dominant share per weight",
                 .source =
                     "Ghodsi et al., Dominant Resource Fairness, 2011; on servers Östman, section 2.1.4",
                 .options = kOptions},
        .key = drf_key},
    Discipline{
        .info = {.name = "asset",
                 .summary =
                     "the user with the lowest sum of shares per weight, every resource being worth the same",
                 .source = "Ghodsi et al., Dominant Resource Fairness, 2011",
                 .options = kOptions},
        .key = asset_key},
    Discipline{
        .info = {.name = "mlf-drs",
                 .summary = "a line of users for each dominant resource, a task of every head in turn",
                 .source = "Hamzeh, Fairness for Resource Allocation in Cloud Computing, section 4.2.2",
                 .options = kOptions},
        .key = mlf_drs_key,
        .line = dominant_line},
    Discipline{
        .info = {.name = "mrfs",
                 .summary = "as mlf-drs, on servers where no dominant resource leads by more than a task",
                 .source = "Hamzeh, Fairness for Resource Allocation in Cloud Computing, section 5.2.2",
                 .options = kOptions},
        .key = mlf_drs_key,
        .line = dominant_line,
        .places = true},
};

}  // namespace

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

}  // namespace mirab::plain
