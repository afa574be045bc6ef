// Where a kubeconfig is looked for.
#include "kube/access.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/files.hpp"

namespace mirab::kube {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class FindAccess : public testing::Test {
 protected:
  FindAccess() {
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

TEST_F(FindAccess, IsThatOfTheFileThenTheEnvironmentThenHomeThenThePod) {
  set("KUBERNETES_SERVICE_HOST", "10.0.0.1");
  set("KUBERNETES_SERVICE_PORT", "443");
  EXPECT_EQ(find_access("", "")->api.server, "https://10.0.0.1:443");
  write(".kube/config", "https://home");
  EXPECT_EQ(find_access("", "")->api.server, "https://home");
  set("KUBECONFIG", write("named", "https://named"));
  EXPECT_EQ(find_access("", "")->api.server, "https://named");
  EXPECT_EQ(find_access(write("given", "https://given"), "")->api.server, "https://given");
}

TEST_F(FindAccess, SaysWhatIsMissing) {
  auto access = find_access("", "");
  ASSERT_FALSE(access);
  EXPECT_THAT(access.error().message, HasSubstr("there is no kubeconfig"));
  EXPECT_EQ(access.error().file, folder.path() + "/.kube/config");
  set("KUBECONFIG", "/a:/b");
  access = find_access("", "");
  ASSERT_FALSE(access);
  EXPECT_EQ(access.error().file, "/a") << "none of them is there";
  access = find_access(folder.path("none"), "");
  ASSERT_FALSE(access);
  EXPECT_EQ(access.error().file, folder.path("none"));
}

TEST_F(FindAccess, WhatTheKubeconfigNamesAndCannotBeUsedHasItsPlace) {
  folder.write("bad-token", "two words");
  struct Case {
    std::string server, cluster, user, words;
  };
  for (
      const Case& each : std::vector<Case>{
          {"127.0.0.1", "", "",
           "5: clusters[0].cluster.server: '127.0.0.1' is not the URL of a server: it begins with http:// or "
           "https://"},
          {"127.0.0.1:6443", "", "", "is not the URL of a server: it begins with http:// or https://"},
          {"http://192.0.2.1", "", "token: abc",
           "5: clusters[0].cluster.server: http://192.0.2.1 would send"},
          {"https://a", "certificate-authority: none.crt", "",
           "6: clusters[0].cluster.certificate-authority: " + folder.path("none.crt") + ": No such file"},
          {"https://a", "", "client-certificate: none.crt, client-key: k",
           "8: users[0].user.client-certificate: " + folder.path("none.crt") + ": No such file"},
          {"https://a", "", "client-certificate: config, client-key: none.key",
           "8: users[0].user.client-key: " + folder.path("none.key") + ": No such file"},
          {"https://a", "", "tokenFile: none", "8: users[0].user.tokenFile: " + folder.path("none") + ": No"},
          {"https://a", "", "tokenFile: bad-token",
           "8: users[0].user.tokenFile: " + folder.path("bad-token") + ": holds no token"}}) {
    const std::string file =
        folder.write("config", fmt::format("current-context: c\n"
                                           "contexts: [{{name: c, context: {{cluster: k, user: u}}}}]\n"
                                           "clusters:\n- name: k\n  cluster: {{server: \"{}\",\n    {}}}\n"
                                           "users:\n- {{name: u, user: {{{}}}}}\n",
                                           each.server, each.cluster, each.user));
    const auto access = find_access(file, "");
    ASSERT_FALSE(access) << each.words;
    EXPECT_THAT(describe(access.error()), HasSubstr(each.words));
    EXPECT_THAT(describe(access.error()), StartsWith(file + ":"));
  }
}

}  // namespace
}  // namespace mirab::kube
