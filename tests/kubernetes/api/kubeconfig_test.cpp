// Kubeconfigs as kubectl and cloud providers write them.
#include "kubernetes/api/kubeconfig.hpp"

#include <array>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mirab::kubernetes {
namespace {

using testing::HasSubstr;
using testing::Not;

// "-----BEGIN X-----\nabc\n" and "-----BEGIN K-----\n\xff\n"
constexpr const char* kPem = "LS0tLS1CRUdJTiBYLS0tLS0KYWJjCg==";
constexpr const char* kKey = "LS0tLS1CRUdJTiBLLS0tLS0K/wo=";

std::string config(const std::string& cluster, const std::string& user) {
  return fmt::format(R"(apiVersion: v1
kind: Config
preferences: {{}}
current-context: prod
contexts:
  - name: test
    context: {{cluster: other, user: nobody}}
  - context:
      cluster: big
      user: me
      namespace: team-a
    name: prod
clusters:
  - cluster: {{server: "http://127.0.0.1:8001"}}
    name: other
  - cluster:
      server: https://big.example:6443
{}
    name: big
users:
  - name: nobody
    user: {{}}
  - name: me
    user:
{}
)",
                     cluster, user);
}

Result<ApiAccess> read_config(const std::string& text, const std::string& context = "",
                              Syntax syntax = Syntax::yaml) {
  return read_kubeconfig(
      std::array{InputText{.name = "/etc/me/.kube/config", .text = text, .syntax = syntax}}, context);
}

TEST(Kubeconfig, GivesTheCurrentContext) {
  const auto access = read_config(config(fmt::format("      certificate-authority-data: {}\n"
                                                     "      tls-server-name: inner.example\n"
                                                     "      proxy-url: http://proxy.example:3128",
                                                     kPem),
                                         fmt::format("      client-certificate-data: {}\n"
                                                     "      client-key-data: {}",
                                                     kPem, kKey)));
  ASSERT_TRUE(access) << describe(access.error());
  EXPECT_EQ(access->server, "https://big.example:6443");
  EXPECT_EQ(access->ca.text, "-----BEGIN X-----\nabc\n");
  EXPECT_EQ(access->certificate.text, "-----BEGIN X-----\nabc\n");
  EXPECT_EQ(access->key.text, "-----BEGIN K-----\n\xff\n");
  EXPECT_EQ(access->server_name, "inner.example");
  EXPECT_EQ(access->proxy_url, "http://proxy.example:3128");
  EXPECT_EQ(access->name_space, "team-a");
  EXPECT_FALSE(access->is_insecure);
}

TEST(Kubeconfig, PathsAreRelativeToItsFolder) {
  const auto access = read_config(config("      certificate-authority: pki/ca.pem",
                                         "      client-certificate: ../me.pem\n"
                                         "      client-key: /etc/keys/me.key\n"
                                         "      tokenFile: token\n"
                                         "      token: abc"));
  ASSERT_TRUE(access) << describe(access.error());
  EXPECT_EQ(access->ca.file, "/etc/me/.kube/pki/ca.pem");
  EXPECT_EQ(access->certificate.file, "/etc/me/me.pem");
  EXPECT_EQ(access->key.file, "/etc/keys/me.key");
  EXPECT_EQ(access->token_file, "/etc/me/.kube/token");
  EXPECT_EQ(access->token, "abc");
}

TEST(Kubeconfig, DataComesBeforeAFile) {
  const auto access = read_config(
      config(fmt::format("      certificate-authority: ca.pem\n      certificate-authority-data: {}", kPem),
             "      token: abc"));
  ASSERT_TRUE(access);
  EXPECT_EQ(access->ca.file, "");
  EXPECT_EQ(access->ca.text, "-----BEGIN X-----\nabc\n");
}

TEST(Kubeconfig, GivesTheContextThatIsNamed) {
  const auto access = read_config(config("", "      token: abc"), "test");
  ASSERT_TRUE(access) << describe(access.error());
  EXPECT_EQ(access->server, "http://127.0.0.1:8001");
  EXPECT_EQ(access->token, "");
}

TEST(Kubeconfig, IsReadAsJsonToo) {
  const auto access = read_config(
      R"({"current-context":"c","contexts":[{"name":"c","context":{"cluster":"k","user":""}}],)"
      R"("clusters":[{"name":"k","cluster":{"server":"https://k","insecure-skip-tls-verify":true}}],)"
      R"("users":null})",
      "", Syntax::json);
  ASSERT_TRUE(access) << describe(access.error());
  EXPECT_TRUE(access->is_insecure);
}

TEST(Kubeconfig, WhatIsWrongOrNotSupportedIsNamedWithItsKey) {
  const std::string token = "      token: sEcReT";
  struct Case {
    std::string cluster, user, key, words;
  };
  for (const Case& each : std::vector<Case>{
           {"", "      auth-provider: {name: gcp}", "users[1].user.auth-provider",
            "is not supported; run `kubectl proxy`"},
           {"", "      as: admin", "users[1].user.as", "is not supported; run `kubectl proxy`"},
           {"", "      username: me\n      password: sEcReT", "users[1].user.username",
            "basic authentication is refused"},
           {"", "      token: {a: sEcReT}", "users[1].user.token", "must be"},
           {"", fmt::format("      client-certificate-data: {}", kPem), "users[1].user.client-key",
            "missing"},
           {"", "      client-key: a.key", "users[1].user.client-certificate", "missing"},
           {"", "      client-key-data: sEcReT!", "users[1].user.client-key-data", "must be base64"},
           {"", "      client-key-data: sEcReT", "users[1].user.client-key-data", "must be base64"},
           {"", "      client-key-data: sEcReTsE", "users[1].user.client-key-data", "must hold PEM"},
           {"      certificate-authority-data: '='", token, "clusters[1].cluster.certificate-authority-data",
            "must be base64"},
           {"      insecure-skip-tls-verify: maybe", token, "clusters[1].cluster.insecure-skip-tls-verify",
            "must be true or false"},
           {"      insecure-skip-tls-verify: true\n      certificate-authority: ca.pem", token,
            "clusters[1].cluster.insecure-skip-tls-verify", "must not be true"}}) {
    const auto access = read_config(config(each.cluster, each.user));
    ASSERT_FALSE(access) << each.key;
    EXPECT_EQ(access.error().key, each.key);
    EXPECT_THAT(access.error().message, HasSubstr(each.words));
    EXPECT_EQ(access.error().file, "/etc/me/.kube/config");
    EXPECT_GT(access.error().line, 10) << each.key;
    EXPECT_THAT(describe(access.error()), Not(HasSubstr("sEcReT")));
  }
}

TEST(Kubeconfig, WhatIsMissingIsNamed) {
  const std::string good = config("", "      token: abc");
  const auto without = [&](const std::string& text, const std::string& instead) {
    std::string changed = good;
    const std::size_t at = changed.find(text);
    EXPECT_NE(at, std::string::npos) << text;
    return changed.replace(at, text.size(), instead);
  };
  struct Case {
    std::string text, context, key, words;
  };
  for (const Case& each : std::vector<Case>{
           {good, "prd", "contexts", "there is no context 'prd'; did you mean prod?"},
           {without("current-context: prod", ""), "", "current-context",
            "is not set; choose one with --context: test, prod"},
           {"contexts: []", "", "current-context", "is not set, and there are no contexts"},
           {without("cluster: big", "cluster: bigger"), "", "clusters", "there is no cluster 'bigger'"},
           {without("user: me\n", "user: you\n"), "", "users", "there is no user 'you'"},
           {without("cluster: big\n", "\n"), "", "contexts[1].context.cluster", "missing"},
           {without("server: https://big.example:6443", "x: y"), "", "clusters[1].cluster.server", "missing"},
           {"[]", "", "", "must be a map"},
           {"", "", "", "must be a map"}}) {
    const auto access = read_config(each.text, each.context);
    ASSERT_FALSE(access) << each.words;
    EXPECT_EQ(access.error().key, each.key);
    EXPECT_THAT(access.error().message, HasSubstr(each.words));
  }
}

TEST(Kubeconfig, ACommandForCredentialsIsReadWithItsWords) {
  const auto access = read_config(config(R"(      extensions:
        - {name: client.authentication.k8s.io/exec, extension: {audience: "06", more: [1, null]}})",
                                         R"(      exec:
        apiVersion: client.authentication.k8s.io/v1beta1
        command: bin/plugin
        args: [get-token, --cluster, "7"]
        env:
          - {name: AWS_PROFILE, value: prod}
          - name: EMPTY
        provideClusterInfo: true
        installHint: Ask.)"));
  ASSERT_TRUE(access) << describe(access.error());
  const ExecCommand& exec = *access->exec;
  EXPECT_EQ(exec.version, "v1beta1");
  EXPECT_EQ(exec.command, "/etc/me/.kube/bin/plugin");
  EXPECT_EQ(exec.args, (std::vector<std::string>{"get-token", "--cluster", "7"}));
  EXPECT_EQ(exec.environment,
            (std::vector<std::pair<std::string, std::string>>{{"AWS_PROFILE", "prod"}, {"EMPTY", ""}}));
  EXPECT_TRUE(exec.provides_cluster);
  EXPECT_EQ(exec.install_hint, "Ask.");
  EXPECT_EQ(exec.cluster_config, R"({"audience":"06","more":["1",null]})");
  EXPECT_EQ(exec.named.key, "users[1].user.exec");
}

constexpr const char* kExec = "apiVersion: client.authentication.k8s.io/v1, interactiveMode: IfAvailable";

TEST(Kubeconfig, ACommandWithoutASlashIsANameAndATokenComesBeforeIt) {
  const std::string exec = fmt::format("      exec: {{{}, command: aws, env: null}}", kExec);
  auto access = read_config(config("", exec));
  ASSERT_TRUE(access) << describe(access.error());
  EXPECT_EQ(access->exec->command, "aws");
  access = read_config(config("", exec + "\n      token: abc"));
  ASSERT_TRUE(access) << describe(access.error());
  EXPECT_FALSE(access->exec);
}

TEST(Kubeconfig, ACommandThatCannotBeRunHereIsAnError) {
  struct Case {
    std::string exec, key, words;
  };
  for (const Case& each : std::vector<Case>{
           {"command: aws", ".apiVersion", "must be client.authentication.k8s.io/v1 or client."},
           {"command: aws, apiVersion: client.authentication.k8s.io/v1alpha1", ".apiVersion", "must be"},
           {"command: aws, apiVersion: client.authentication.k8s.io/v1", ".interactiveMode", "must be Never"},
           {"command: aws, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Always",
            ".interactiveMode", "is Always: the command would ask a person"},
           {kExec, ".command", "missing"},
           {fmt::format("{}, command: [a]", kExec), ".command", "must be"},
           {fmt::format("{}, command: a, args: b", kExec), ".args", "must be a list"},
           {fmt::format("{}, command: a, env: [{{value: b}}]", kExec), ".env.name", ""},
           {fmt::format("{}, command: a, env: [{{name: a=b}}]", kExec), ".env.name", "must be the name"},
           {fmt::format("{}, command: a, provideClusterInfo: 1", kExec), ".provideClusterInfo",
            "must be true or false"}}) {
    const auto access = read_config(config("", fmt::format("      exec: {{{}}}", each.exec)));
    ASSERT_FALSE(access) << each.exec;
    EXPECT_EQ(access.error().key, "users[1].user.exec" + each.key);
    EXPECT_THAT(access.error().message, HasSubstr(each.words));
    EXPECT_GT(access.error().line, 20) << each.exec;
  }
}

TEST(Kubeconfig, OfSeveralTheFirstThatHasANameGivesAllOfIt) {
  const std::vector<InputText> files = {
      {.name = "/a/config",
       .text = "users:\n- name: me\n  user: {tokenFile: token}\ncurrent-context: ''\n",
       .syntax = Syntax::yaml},
      {.name = "/b/config",
       .text = config("      certificate-authority: ca.pem", "      client-key: key"),
       .syntax = Syntax::yaml},
      {.name = "/c/config",
       .text = "current-context: test\nclusters:\n- {name: big, cluster: {}}\ncontexts:\n"
               "- {name: more, context: {cluster: big, user: others}}\n",
       .syntax = Syntax::yaml}};
  auto access = read_kubeconfig(files, "");
  ASSERT_TRUE(access) << describe(access.error());
  EXPECT_EQ(access->server, "https://big.example:6443");
  EXPECT_EQ(access->ca.file, "/b/ca.pem");
  EXPECT_EQ(access->ca.named.file, "/b/config");
  EXPECT_EQ(access->token_file, "/a/token");
  EXPECT_EQ(access->token_file_named.file, "/a/config");
  EXPECT_FALSE(access->key.is_there()) << "nothing of the second user of that name";
  access = read_kubeconfig(files, "more");
  ASSERT_FALSE(access);
  EXPECT_THAT(access.error().message, HasSubstr("there is no user 'others'"));
  access = read_kubeconfig(std::span(files).subspan(1), "");
  ASSERT_FALSE(access);
  EXPECT_EQ(access.error().file, "/b/config");
  EXPECT_EQ(access.error().key, "users[1].user.client-certificate");
}

TEST(Kubeconfig, AnErrorOfSyntaxDoesNotShowWhatWasRead) {
  const auto access = read_config(R"({"users":[{"user":{"token": "sEcReT)", "", Syntax::json);
  ASSERT_FALSE(access);
  EXPECT_EQ(access.error().line, 1);
  EXPECT_THAT(describe(access.error()), Not(HasSubstr("sEcReT")));
}

TEST(Kubeconfig, APodHasATokenAndACertificate) {
  const ApiAccess access = in_cluster_access("10.0.0.1", "443");
  EXPECT_EQ(access.server, "https://10.0.0.1:443");
  EXPECT_EQ(access.ca.file, "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt");
  EXPECT_EQ(access.token_file, "/var/run/secrets/kubernetes.io/serviceaccount/token");
  EXPECT_EQ(in_cluster_access("fd00::1", "443").server, "https://[fd00::1]:443");
}

}  // namespace
}  // namespace mirab::kubernetes
