// Where a kubeconfig is looked for.
#include "kube/access.hpp"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/files.hpp"

namespace mirab::kube {
namespace {

using testing::HasSubstr;

class Access : public testing::Test {
 protected:
  Access() {
    for (const char* name : {"KUBECONFIG", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"})
      ::unsetenv(name);
    set("HOME", folder.path());
  }

  static void set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }

  std::string write(const std::string& name, const std::string& server) const {
    return folder.write(name,
                        "{current-context: c, contexts: [{name: c, context: {cluster: k, user: ''}}], "
                        "clusters: [{name: k, cluster: {server: '" +
                            server + "'}}]}");
  }

  TemporaryFolder folder;
};

TEST_F(Access, IsThatOfTheFileThenTheEnvironmentThenHomeThenThePod) {
  set("KUBERNETES_SERVICE_HOST", "10.0.0.1");
  set("KUBERNETES_SERVICE_PORT", "443");
  EXPECT_EQ(find_access("", "")->server, "https://10.0.0.1:443");
  write(".kube/config", "https://home");
  EXPECT_EQ(find_access("", "")->server, "https://home");
  set("KUBECONFIG", write("named", "https://named"));
  EXPECT_EQ(find_access("", "")->server, "https://named");
  EXPECT_EQ(find_access(write("given", "https://given"), "")->server, "https://given");
}

TEST_F(Access, SaysWhatIsMissing) {
  auto access = find_access("", "");
  ASSERT_FALSE(access);
  EXPECT_THAT(access.error().message, HasSubstr("there is no kubeconfig"));
  EXPECT_EQ(access.error().file, folder.path() + "/.kube/config");
  set("KUBECONFIG", "/a:/b");
  access = find_access("", "");
  ASSERT_FALSE(access);
  EXPECT_EQ(access.error().key, "KUBECONFIG");
  access = find_access(folder.path("none"), "");
  ASSERT_FALSE(access);
  EXPECT_EQ(access.error().file, folder.path("none"));
}

}  // namespace
}  // namespace mirab::kube
