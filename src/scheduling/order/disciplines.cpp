// The table of disciplines: whom to serve next. Every row has the option `blocking`. With `freeze` (Bonald
// and Roberts, section 4.1) nothing is placed while the task of the most deprived user fits nowhere, until it
// fits or another user becomes the most deprived.
#include "scheduling/order/disciplines.hpp"

#include <algorithm>
#include <array>

#include "model/names.hpp"

namespace mirab {
namespace scheduling {
namespace {

constexpr std::array<std::string_view, 2> kBlocking = {"skip", "freeze"};

constexpr std::array kOptions = {OptionInfo{
    .name = "blocking",
    .fallback = "skip",
    .meaning = "when the next user's task fits nowhere: `skip` the user, or `freeze`, until it fits"}};

constexpr std::array<std::string_view, 2> kGroups = {"honour", "ignore"};

constexpr std::array kTreeOptions = {
    kOptions[0],
    OptionInfo{
        .name = "groups",
        .fallback = "honour",
        .meaning = "`ignore` leaves out groups, guarantees, limits and reserves: all users side by side"}};

constexpr std::array kDisciplines = {
    Discipline{.info = {.name = "fifo",
                        .summary = "first come, first served: all tasks of a job, then those of the next",
                        .source = "Östman, section 4.1",
                        .options = kOptions},
               .key = &kFifoKey,
               .weighted = false},
    Discipline{.info = {.name = "round-robin",
                        .summary = "one task of each user in turn, whatever it takes",
                        .source = "max-min fairness in numbers of tasks",
                        .options = kTreeOptions},
               .key = &kRoundRobinKey,
               .share = &kRoundRobinShare,
               .tree = TreeMeasure::tasks},
    Discipline{
        .info = {.name = "drf",
                 .summary = "the user with the lowest dominant share per weight",
                 .source =
                     "Ghodsi et al., Dominant Resource Fairness, 2011; on servers Östman, section 2.1.4",
                 .options = kTreeOptions},
        .key = &kDrfKey,
        .share = &kDrfShare,
        .scaled = true,
        .decays = true,
        .tree = TreeMeasure::resources},
    Discipline{
        .info = {.name = "asset",
                 .summary =
                     "the user with the lowest sum of shares per weight, every resource being worth the same",
                 .source = "Ghodsi et al., Dominant Resource Fairness, 2011",
                 .options = kTreeOptions},
        .key = &kAssetKey,
        .share = &kAssetShare,
        .scaled = true,
        .decays = true,
        .tree = TreeMeasure::sum},
    Discipline{
        .info = {.name = "pf",
                 .summary =
                     "the user who has spent least per weight at the prices of the divisible allocation",
                 .source = "Bonald and Roberts, Enhanced Cluster Computing Performance, 2014, section 4",
                 .options = kOptions},
        .key = &kPfKey,
        .share = &kPfShare,
        .priced = true},
    Discipline{
        .info = {.name = "tsf",
                 .summary = "the user with the lowest part, per weight, of the tasks that it could run alone",
                 .source = "Wang, Li, Liang and Li, Multi-Resource Fair Sharing for Datacenter Jobs with "
                           "Placement Constraints, 2016",
                 .options = kTreeOptions},
        .key = &kTsfKey,
        .share = &kTsfShare,
        .monopolised = true,
        .tree = TreeMeasure::tasks_alone},
    Discipline{
        .info = {.name = "ps-dsf",
                 .summary =
                     "the user and the kind of server with the lowest virtual dominant share per weight",
                 .source = "Khamse-Ashari et al., Per-Server Dominant-Share Fairness, 2017",
                 .options = kTreeOptions},
        .key = &kPsDsfKey,
        .tournaments = TournamentsBy::server_class,
        .scaled = true,
        .tree = TreeMeasure::server_class},
    Discipline{
        .info = {.name = "mlf-drs",
                 .summary = "a line of users for each dominant resource, a task of every head in turn",
                 .source = "Hamzeh, Fairness for Resource Allocation in Cloud Computing, section 4.2.2",
                 .options = kOptions},
        .key = &kMlfDrsKey,
        .tournaments = TournamentsBy::dominant_resource,
        .weighted = false},
    Discipline{
        .info = {.name = "mrfs",
                 .summary = "as mlf-drs, on servers where no dominant resource leads by more than a task",
                 .source = "Hamzeh, Fairness for Resource Allocation in Cloud Computing, section 5.2.2",
                 .options = kOptions},
        .key = &kMlfDrsKey,
        .tournaments = TournamentsBy::dominant_resource,
        .weighted = false,
        .places = true},
};

constexpr auto kInfos = [] {
  std::array<DisciplineInfo, kDisciplines.size()> infos;
  std::transform(kDisciplines.begin(), kDisciplines.end(), infos.begin(),
                 [](const Discipline& row) { return row.info; });
  return infos;
}();

constexpr std::string_view kDisciplineKind = "discipline";

std::vector<ChoosableRow> discipline_rows() {
  std::vector<ChoosableRow> rows;
  for (const DisciplineInfo& info : kInfos)
    rows.push_back({.name = info.name, .aliases = {}, .options = info.options});
  return rows;
}

const Discipline* row_of(const Choice& choice) {
  const auto row = std::find_if(kDisciplines.begin(), kDisciplines.end(), [&](const Discipline& candidate) {
    return candidate.info.name == choice.name;
  });
  return row == kDisciplines.end() ? nullptr : &*row;
}

}  // namespace

double share_of(const Discipline& discipline, const ShareContext& context, UserIndex user) {
  return discipline.share->rounded(context, usage_of(context.ledger, user), Weight{});
}

bool Precedence::is_before_by_tie_rule(TournamentEntry a, TournamentEntry b) const {
  const std::uint64_t user_a = context->user(a).order;
  const std::uint64_t user_b = context->user(b).order;
  if (user_a != user_b) return tie == Tie::last ? user_a > user_b : user_a < user_b;
  const auto order = [&](TournamentEntry entry) {
    return context->ledger.jobs[context->queue(entry).first_job].order();
  };
  if (a.queue != b.queue) return order(a) < order(b);
  if (a.tournament.place == b.tournament.place) return a.tournament < b.tournament;
  const std::uint32_t waiting_a = (*waiting)[a.tournament.place];
  const std::uint32_t waiting_b = (*waiting)[b.tournament.place];
  return waiting_a != waiting_b ? waiting_a < waiting_b : a.tournament < b.tournament;
}

Result<DisciplineChoice> discipline_choice(const Choice& choice) {
  if (Check wrong = check_choice(choice, kDisciplineKind, discipline_rows())) return *std::move(wrong);
  const Result<std::size_t> blocking = word_option(choice, "blocking", kBlocking);
  if (!blocking) return Error{.message = blocking.error().message, .key = std::string(kDisciplineKind)};
  const Discipline* const row = row_of(choice);
  bool has_tree = row->tree != TreeMeasure::none;
  if (has_tree) {
    const Result<std::size_t> groups = word_option(choice, "groups", kGroups);
    if (!groups) return Error{.message = groups.error().message, .key = std::string(kDisciplineKind)};
    has_tree = *groups == 0;
  }
  return DisciplineChoice{
      .discipline = row, .blocking = static_cast<Blocking>(*blocking), .has_tree = has_tree};
}

bool honours_groups(const Choice& discipline) {
  const Result<DisciplineChoice> choice = discipline_choice(discipline);
  return choice && choice->has_tree;
}

}  // namespace scheduling

std::span<const DisciplineInfo> disciplines() { return scheduling::kInfos; }

bool chooses_servers(const Choice& discipline) {
  const scheduling::Discipline* row = scheduling::row_of(discipline);
  return row != nullptr && row->places;
}

Result<Choice> choose_discipline(std::string_view text) {
  Result<Choice> choice = choose(text == "fcfs" ? "fifo:blocking=freeze" : text, scheduling::kDisciplineKind,
                                 scheduling::discipline_rows());
  if (!choice && text == "easy")
    return Error{.message =
                     "easy plans with runtimes, which only a replay knows: name it under `contenders` "
                     "of a scenario of mirab simulate"};
  if (!choice) return choice;
  const auto read = scheduling::discipline_choice(*choice);
  if (!read) return Error{.message = read.error().message};
  return choice;
}

}  // namespace mirab
