// An engine with a planted bug is played against the reference, as in engine_model_test.cpp, until they
// differ.
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scheduling/engine_script.hpp"

namespace mirab::scheduling {
namespace {

/// Does the play differ from the reference within this many events?
bool differs(const Setting& setting, std::uint32_t events) {
  Random random(setting.seed);
  Play play(setting);
  for (std::uint32_t label = 0; label < events; ++label) {
    if (play.perform(play.next_line(label, random))) return true;
  }
  return false;
}

TEST(PlantedBug, IsFound) {
  const char* const discipline = std::getenv("MIRAB_PLANTED_DISCIPLINE");
  ASSERT_TRUE(discipline && choose_discipline(discipline))
      << "ctest says with which discipline each bug shows";
  constexpr std::uint64_t kSeeds = 20;  // as the model test plays
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    for (const auto setting_of : {random_setting, even_setting}) {
      const pid_t child = fork();  // a broken assertion ends the process
      if (child == 0) _exit(differs(setting_of(discipline, seed), 1'500) ? 1 : 0);
      int status = 0;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      if (status == 0) continue;
      std::printf("found with seed %d%s\n", static_cast<int>(seed),
                  setting_of == even_setting ? ", where most keys tie" : "");
      return;
    }
  }
  FAIL() << "the engine decides like the reference in spite of the bug";
}

}  // namespace
}  // namespace mirab::scheduling
