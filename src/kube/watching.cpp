#include "kube/watching.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "kubernetes/node_rows.hpp"
#include "kubernetes/scheduler/seen_pod.hpp"

namespace mirab::kube {
namespace {

using std::chrono::steady_clock;

kubernetes::Object object_of(const char* kind, const Node& root) {
  return {.kind = kind, .root = &root, .pointer = ""};
}

class NodeNews final : public kubernetes::ObjectSink {
 public:
  explicit NodeNews(Mailbox& mailbox) : mailbox_(mailbox) {}
  void begin_list() override { mailbox_.put(ListMark::nodes_begin); }
  void end_list() override { mailbox_.put(ListMark::nodes_end); }
  void put(Node object) override {
    const kubernetes::Object node = object_of("Node", object);
    Result<kubernetes::NodeRow> row = kubernetes::read_node_row(node, "API server");
    if (row) {
      // So that no pod fits that asks for more than all bounds.
      for (auto& [resource, units] : row->allocatable) units = std::min(units, kubernetes::kMaxUnits);
      return mailbox_.put(*std::move(row));
    }
    // One that has not said yet what it has takes no pods.
    mailbox_.put(Unreadable{fmt::format("node {}: {}", node.name(), describe(row.error()))});
    mailbox_.put(GoneNode{std::string(node.name())});
  }
  void remove(Node object) override { mailbox_.put(GoneNode{std::string(object_of("Node", object).name())}); }

 private:
  Mailbox& mailbox_;
};

class PodNews final : public kubernetes::ObjectSink {
 public:
  explicit PodNews(Mailbox& mailbox) : mailbox_(mailbox) {}
  void begin_list() override { mailbox_.put(ListMark::pods_begin); }
  void end_list() override { mailbox_.put(ListMark::pods_end); }
  void put(Node object) override {
    Result<kubernetes::SeenPod> pod = kubernetes::read_seen_pod(object_of("Pod", object));
    if (pod) return mailbox_.put(*std::move(pod));
    // It has no uid or no name, so it is none of those that are known.
    mailbox_.put(Unreadable{fmt::format("pod: {}", describe(pod.error()))});
  }
  void remove(Node object) override {
    const kubernetes::Object pod = object_of("Pod", object);
    mailbox_.put(
        GonePod{.uid = std::string(pod.metadata("uid")), .was_rejected = kubernetes::is_rejected(pod)});
  }

 private:
  Mailbox& mailbox_;
};

class SpaceNews final : public kubernetes::ObjectSink {
 public:
  SpaceNews(Mailbox& mailbox, std::string label) : mailbox_(mailbox), label_(std::move(label)) {}
  void begin_list() override { mailbox_.put(ListMark::spaces_begin); }
  void end_list() override { mailbox_.put(ListMark::spaces_end); }
  void put(Node object) override {
    Result<kubernetes::SeenSpace> space = kubernetes::read_seen_space(object_of("Namespace", object), label_);
    if (space) return mailbox_.put(*std::move(space));
    mailbox_.put(Unreadable{fmt::format("namespace: {}", describe(space.error()))});
  }
  void remove(Node object) override {
    mailbox_.put(GoneSpace{std::string(object_of("Namespace", object).name())});
  }

 private:
  Mailbox& mailbox_;
  std::string label_;
};

class BudgetNews final : public kubernetes::ObjectSink {
 public:
  BudgetNews(Mailbox& mailbox, std::string version) : mailbox_(mailbox), version_(std::move(version)) {}
  void begin_list() override { mailbox_.put(ListMark::budgets_begin); }
  void end_list() override { mailbox_.put(ListMark::budgets_end); }
  void put(Node object) override {
    Result<kubernetes::Budget> budget =
        kubernetes::read_budget(object_of("PodDisruptionBudget", object), version_);
    if (budget) return mailbox_.put(*std::move(budget));
    mailbox_.put(Unreadable{fmt::format("disruption budget: {}", describe(budget.error()))});
  }
  void remove(Node object) override {
    const kubernetes::Object budget = object_of("PodDisruptionBudget", object);
    mailbox_.put(
        GoneBudget{.space = std::string(budget.metadata("namespace")), .name = std::string(budget.name())});
  }

 private:
  Mailbox& mailbox_;
  std::string version_;
};

}  // namespace

Watching::Sink node_news(Mailbox& mailbox) { return std::make_unique<NodeNews>(mailbox); }
Watching::Sink pod_news(Mailbox& mailbox) { return std::make_unique<PodNews>(mailbox); }
Watching::Sink space_news(Mailbox& mailbox, std::string team_label) {
  return std::make_unique<SpaceNews>(mailbox, std::move(team_label));
}

Watching::Sink budget_news(Mailbox& mailbox, std::string version) {
  return std::make_unique<BudgetNews>(mailbox, std::move(version));
}

Result<std::unique_ptr<Watching>> Watching::start(const Access& access, const kubernetes::Resource& resource,
                                                  Sink sink, std::uint64_t seed) {
  std::unique_ptr<Watching> watching(new Watching(resource, std::move(sink), seed));
  // While a watch waits, its thread looks about once a second whether anything was heard.
  const auto is_stopped = [raw = watching.get()] {
    raw->look();
    return raw->is_stopping_.load();
  };
  Result<std::unique_ptr<ApiServer>> server =
      ApiServer::open(access, {.seed = seed, .is_stopped = is_stopped});
  if (!server) return std::move(server).error();
  watching->server_ = *std::move(server);
  watching->thread_ = std::thread([raw = watching.get()] { raw->run(); });
  return watching;
}

Watching::~Watching() {
  is_stopping_ = true;
  if (thread_.joinable()) thread_.join();
}

void Watching::look() {
  if (reflector_.is_current() && reflector_.heard() != heard_) new_at_ = steady_clock::now();
  heard_ = reflector_.heard();
  const std::lock_guard lock(mutex_);
  trouble_ = reflector_.trouble() ? describe(*reflector_.trouble()) : std::string();
}

void Watching::run() {
  while (!is_stopping_) {
    server_->step(reflector_, *sink_);
    look();
  }
}

std::chrono::milliseconds Watching::age() const {
  const steady_clock::time_point at = new_at_;
  if (at == steady_clock::time_point()) return std::chrono::milliseconds(std::int64_t{1} << 40);
  return std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - at);
}

std::string Watching::trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

}  // namespace mirab::kube
