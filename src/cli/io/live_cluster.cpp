#include "cli/io/live_cluster.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <random>
#include <utility>

#include "kube/api_server.hpp"

namespace mirab::cli {
namespace {

/// A collection as `kubectl get -o json` prints it.
class ListText final : public kubernetes::ObjectSink {
 public:
  explicit ListText(std::string_view kind) : kind_(kind) { items_.kind = Node::Kind::list; }

  void begin_list() override { items_.entries.clear(); }
  void put(Node object) override { items_.entries.push_back(entry({}, std::move(object))); }
  void remove(Node /*object*/) override {}
  void end_list() override {}

  Node take() {
    Node kind, list;
    kind.kind = Node::Kind::scalar;
    kind.text = kind_ + "List";
    list.kind = Node::Kind::map;
    list.entries.push_back(entry("kind", std::move(kind)));
    list.entries.push_back(entry("items", std::move(items_)));
    return list;
  }

 private:
  static Node::Entry entry(std::string key, Node value) {
    return {.key = std::move(key), .line = 0, .column = 0, .value = std::move(value)};
  }

  std::string kind_;
  Node items_;
};

}  // namespace

Result<std::vector<kubernetes::ObjectText>> read_live_cluster(const kube::Access& access,
                                                              bool with_namespaces) {
  const Result<std::unique_ptr<kube::ApiServer>> server =
      kube::ApiServer::open(access, {.seed = std::random_device()()});
  if (!server) return server.error();
  std::vector<kubernetes::Resource> resources = {kubernetes::kNodes, kubernetes::kPods};
  if (with_namespaces) resources.push_back(kubernetes::kNamespaces);
  std::vector<kubernetes::ObjectText> texts;
  for (const kubernetes::Resource& resource : resources) {
    ListText list(resource.kind);
    if (Check wrong = (*server)->list(resource, list)) return *std::move(wrong);
    kubernetes::ObjectText& text = texts.emplace_back();
    text.file = fmt::format("{}{}", access.api.server, resource.path);
    text.documents.push_back(list.take());
  }
  return texts;
}

}  // namespace mirab::cli
