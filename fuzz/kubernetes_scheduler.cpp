// Whatever objects an API server has, and whatever it answers, the scheduler for Kubernetes keeps its books:
// no invariant breaks, and nothing is bound twice.
//
// Each line is one thing that happens: `node {…}`, `gone {…}` (a node), `pod {…}`, `deleted {…}` (a pod) with
// an object in JSON; `budget {…}` is a disruption budget; `list` begins a list of pods, `end` ends it;
// `answer N` answers the oldest request with status N; `wait N` lets N seconds pass. The first byte of all
// chooses the discipline, and whether pods may end for others.

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <mirab/model/assert.hpp>
#include <mirab/scheduling/fill.hpp>

#include "kubernetes/scheduler/scheduler.hpp"

namespace {

using namespace mirab;
using namespace mirab::kubernetes;

constexpr std::size_t kMostLines = 200;
constexpr std::array<const char*, 4> kDisciplines = {"drf", "tsf", "pf", "ps-dsf"};

int number_in(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// A scheduler, and what it asked for.
struct Play {
  Play(const char* discipline, std::optional<scheduling::Preempting> preempting, bool looks_first)
      : scheduler(*Scheduler::from({.policy = {.discipline = *choose_discipline(discipline),
                                               .placement = *choose_placement("best-fit"),
                                               .preempting = preempting},
                                    .holder = "fuzz",
                                    .looks_first = looks_first})) {}

  void line(std::string_view text) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (word == "list") return scheduler.begin_pods();
    if (word == "end") return scheduler.end_pods(now);
    if (word == "wait") {
      now += std::chrono::seconds(std::clamp(number_in(text), 0, 1000));
      return;
    }
    if (word == "answer") {
      if (asked.empty()) return;
      const Request request = asked.front();
      asked.pop_front();
      const auto answered = [&](const Request& each) {
        return Reply{.id = each.id, .status = number_in(text), .body = ""};
      };
      return scheduler.answer(deliver(request, answered), now, Wall());
    }
    const Result<Node> object = read_json_line(text, "input", 1);
    if (!object) return;
    const Object named{.kind = "", .root = &*object, .pointer = ""};
    if (word == "node") {
      if (Result<NodeRow> row = read_node_row(named, "input")) scheduler.put_node(*std::move(row), now);
    } else if (word == "gone") {
      scheduler.remove_node(std::string(named.name()), now);
    } else if (word == "pod") {
      if (Result<SeenPod> pod = read_seen_pod(named)) scheduler.put_pod(*std::move(pod), now);
    } else if (word == "budget") {
      if (Result<Budget> budget = read_budget(named, "v1")) scheduler.put_budget(*std::move(budget), now);
    } else if (word == "deleted") {
      scheduler.remove_pod(std::string(named.metadata("uid")), now);
    }
  }

  void work() {
    for (Request& each : scheduler.work(now, Wall(), true)) {
      MIRAB_ASSERT(numbers.insert(each.id).second, "requests have numbers of their own");
      asked.push_back(std::move(each));
    }
    const std::string broken = scheduler.cluster().broken_invariant();
    MIRAB_ASSERT(broken.empty(), broken.c_str());
  }

  Scheduler scheduler;
  Time now{};
  std::set<std::uint64_t> numbers = {};
  std::deque<Request> asked = {};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t discipline = data[0] % kDisciplines.size();
  // ps-dsf has no preemption.
  const bool preempts = discipline < 3 && data[0] / kDisciplines.size() % 2 == 1;
  Play play(kDisciplines[discipline],
            preempts ? std::optional(scheduling::Preempting{.tasks = 100, .per = std::chrono::seconds(10)})
                     : std::nullopt,
            data[0] / kDisciplines.size() / 2 % 2 == 1);
  play.scheduler.begin_nodes();
  play.scheduler.end_nodes(play.now);
  play.scheduler.begin_pods();
  play.scheduler.end_pods(play.now);
  play.scheduler.begin_budgets();
  play.scheduler.end_budgets(play.now);
  for (std::size_t lines = 0; !text.empty() && lines < kMostLines; ++lines) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    play.line(line);
    play.work();
  }
  return 0;
}
