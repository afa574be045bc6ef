// The engine against the reference: random events, sensible and not, and everything that can be asked
// compared after each. MIRAB_SEED is the first seed and MIRAB_SEEDS how many there are, MIRAB_EVENTS how many
// events each has. What fails is made short, by leaving lines out while it still fails, and printed. Each
// play has a process of its own, so that a broken assertion is a failure like any other.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <new>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scheduling/engine_script.hpp"

namespace mirab::scheduling {
namespace {

std::uint64_t asked(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// What a process tells of the play: it stays readable when the process dies.
struct Report {
  std::size_t performed;  ///< lines, with the one that failed
  char failure[500];      ///< empty when none failed
};

template <class Value>
class Shared {
 public:
  explicit Shared(std::size_t count)
      : bytes_(count * sizeof(Value)),
        values_(static_cast<Value*>(
            mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  ~Shared() { munmap(values_, bytes_); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  Value& operator[](std::size_t index) { return values_[index]; }

 private:
  std::size_t bytes_;
  Value* values_;
};

/// `work(report)` in a process of its own. What failed; nothing when nothing did.
template <class Work>
std::optional<std::string> failure_of(Shared<Report>& report, Work work) {
  report[0] = {};
  const pid_t child = fork();
  if (child == 0) {
    work(report[0]);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (report[0].failure[0] != '\0') return report[0].failure;
  if (status != 0) return "the process ended before its time; see above";
  return {};
}

void perform(Play& play, const Line& line, Report& report) {
  ++report.performed;
  if (const auto failure = play.perform(line))
    failure->copy(static_cast<char*>(report.failure), sizeof(report.failure) - 1);
}

bool fails(const Setting& setting, const std::vector<Line>& lines) {
  Shared<Report> report(1);
  return failure_of(report,
                    [&](Report& here) {
                      Play play(setting);
                      for (const Line& line : lines) {
                        perform(play, line, here);
                        if (here.failure[0] != '\0') return;
                      }
                    })
      .has_value();
}

/// Leaves out as many lines as it can: halves, quarters, … single ones.
std::vector<Line> shrunk(const Setting& setting, std::vector<Line> lines) {
  for (std::size_t run = lines.size() / 2; run > 0; run = std::min(run / 2, lines.size() / 2)) {
    for (std::size_t from = 0; from < lines.size();) {
      std::vector<Line> fewer = lines;
      const auto first = fewer.begin() + static_cast<std::ptrdiff_t>(from);
      fewer.erase(first, first + static_cast<std::ptrdiff_t>(std::min(run, fewer.size() - from)));
      if (fails(setting, fewer)) {
        lines = std::move(fewer);
      } else {
        from += run;
      }
    }
  }
  return lines;
}

std::string listed(const Setting& setting, const std::vector<Line>& lines) {
  std::string text;
  Play play(setting);
  for (const Line& line : lines) {
    text += fmt::format("  {}\n", play.describe(line));
    if (&line != &lines.back()) play.perform(line);
  }
  return text;
}

/// Plays of all seeds, until one fails.
void play_all(Setting (*setting_of)(const std::string& discipline, std::uint64_t seed),
              const char* discipline) {
  const std::uint64_t first = asked("MIRAB_SEED", 1);
  const std::uint64_t seeds = asked("MIRAB_SEEDS", std::getenv("MIRAB_SEED") != nullptr ? 1 : 20);
  const std::uint64_t events = asked("MIRAB_EVENTS", 1'500);
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    const Setting setting = setting_of(discipline, seed);
    Shared<Report> report(1);
    Shared<Line> script(events);
    const auto failure = failure_of(report, [&](Report& here) {
      Random random(seed);
      Play play(setting);
      for (std::uint32_t label = 0; label < events && here.failure[0] == '\0'; ++label) {
        script[label] = play.next_line(label, random);
        perform(play, script[label], here);
      }
    });
    if (!failure) continue;
    std::vector<Line> lines(&script[0], &script[0] + report[0].performed);
    lines = shrunk(setting, std::move(lines));
    FAIL() << describe(setting) << "\n"
           << *failure << "\n"
           << listed(setting, lines) << "replay: MIRAB_SEED=" << seed
           << " MIRAB_EVENTS=" << report[0].performed << " scheduling_tests --gtest_filter='*/EngineModel."
           << testing::UnitTest::GetInstance()->current_test_info()->name() << "'";
  }
}

class EngineModel : public testing::TestWithParam<const char*> {};

TEST_P(EngineModel, DecidesAndCountsLikeTheReference) { play_all(random_setting, GetParam()); }

TEST_P(EngineModel, DecidesLikeTheReferenceWhereMostKeysTie) { play_all(even_setting, GetParam()); }

INSTANTIATE_TEST_SUITE_P(Disciplines, EngineModel,
                         testing::Values("fifo", "round-robin", "drf", "asset", "pf", "tsf", "ps-dsf",
                                         "mlf-drs", "mrfs"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace mirab::scheduling
