// A state that another version decided is taken over only where nothing is wrong with it.
#include "service/recovery.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "live/cluster.hpp"
#include "service/store.hpp"
#include "support/files.hpp"

namespace mirab::service {
namespace {

TEST(Recovery, AStateThatIsTakenOverIsRefusedWhereTheTwoEnginesDiffer) {
  live::LiveCluster cluster = live::small_cluster();
  cluster.submit("ml", "j", R"({"tasks":2,"demand":{"cpu":1}})");
  EXPECT_EQ(fault_of_adopted(cluster.decider, cluster.reader), "");
  const live::Reader before = cluster.reader.copy();
  cluster.submit("ml", "k", R"({"demand":{"cpu":1}})");
  EXPECT_EQ(fault_of_adopted(cluster.decider, cluster.reader), "");
  EXPECT_EQ(fault_of_adopted(cluster.decider, before), "the two engines differ");
}

/// The service goes on while its file is checked: what it writes meanwhile is no part of the check.
TEST(Recovery, ACheckIsOfOneMomentOfAFileThatIsWritten) {
  live::LiveCluster cluster = live::small_cluster();
  const TemporaryFolder folder;
  const std::string file = folder.path("f");
  auto service = open_store({.file = file, .creates = true, .reserve_bytes = 0});
  ASSERT_TRUE(service);
  std::size_t written = 0;
  const auto write = [&] {
    for (; written < cluster.log.size(); ++written) ASSERT_FALSE((*service)->append({&cluster.log[written]}));
  };
  ASSERT_FALSE((*service)->set_meta("chain_base", live::first_hash("test")));
  ASSERT_FALSE(write_snapshot(**service, 0, live::Decider::from(live::settings())->snapshot()));
  write();
  const std::uint64_t last = cluster.decider.revision();

  auto store = open_store({.file = file, .reads_only = true, .reserve_bytes = 0});
  ASSERT_TRUE(store);
  std::vector<std::string> said;
  const Check wrong = check_file(**store, [&](const std::string& sentence) {
    said.push_back(sentence);
    cluster.submit("ml", "j" + std::to_string(said.size()), R"({"demand":{"cpu":1}})");
    write();
  });
  EXPECT_FALSE(wrong) << describe(*wrong);
  ASSERT_GE(said.size(), 4U);
  EXPECT_THAT(said[1], testing::HasSubstr("revisions 1 to " + std::to_string(last)));
  EXPECT_THAT(said[3], testing::EndsWith("revision " + std::to_string(last)));
  EXPECT_GT((*store)->log_ends().last, last);
}

}  // namespace
}  // namespace mirab::service
