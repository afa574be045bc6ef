// `mirab kube`: the pure scheduler, with threads, connections and clocks around it.
#include "kube/scheduling.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <fmt/format.h>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "api/prometheus_text.hpp"
#include "kube/event_logs.hpp"
#include "kube/mailbox.hpp"
#include "kube/monitor.hpp"
#include "kube/sending.hpp"
#include "kube/watching.hpp"
#include "kubernetes/scheduler/permissions.hpp"

namespace mirab::kube {
namespace {

using kubernetes::Happening;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using Json = nlohmann::json;

constexpr milliseconds kTooOld = seconds(120);   // what is known of nodes and pods: then nothing is decided
constexpr Duration kTroubleAgain = seconds(10);  // between two lines of the log about trouble
constexpr seconds kLastBinds{3};                 // so long a stop waits for binds under way

Time steady_now() {
  return Time(std::chrono::duration_cast<Duration>(steady_clock::now().time_since_epoch()));
}

/// By which a lease runs out: it goes on while the machine sleeps, as the other holder's clock does.
Time boot_now() { return Time(std::chrono::duration_cast<Duration>(api::boot_time())); }

steady_clock::time_point steady_point(Time time) {
  return steady_clock::time_point(
      std::chrono::duration_cast<steady_clock::duration>(time.time_since_epoch()));
}

/// `20+` of some vendors' servers is 20; 0 where it cannot be read.
int minor_version(const std::string& body) {
  const Json version = Json::parse(body, nullptr, false);
  if (!version.is_object() || !version.contains("minor") || !version["minor"].is_string()) return 0;
  const std::string text = version["minor"];
  int minor = 0;
  std::from_chars(text.data(), text.data() + text.size(), minor);
  return minor;
}

/// What a server refused, in its words.
Error error_of(const Answer& answer, const std::string& server) {
  const kubernetes::ApiStatus status = answer.refusal();
  return Error{.message = fmt::format("answered {}{}{}", status.code, status.message.empty() ? "" : ": ",
                                      status.message),
               .key = server};
}

constexpr int kUnauthorized = 401, kForbidden = 403;

/// Which release the server is of; 0 where it keeps that to itself. Errors: it refuses the credentials, or is
/// no API server of Kubernetes.
Result<int> release_of(const Answer& version, const std::string& server) {
  if (version.status == kForbidden) return 0;
  if (!version.is_good()) return error_of(version, server);
  if (const int minor = minor_version(version.body); minor > 0) return minor;
  return Error{.message =
                   "its answer to /version is not that of a Kubernetes API server; is there a proxy or a "
                   "login page before it?",
               .key = server};
}

/// Does a server compare the uid of a binding with that of the pod? From 1.23 on; 1.25 and 1.26 did not
/// (kubernetes#116550).
bool compares_uids(int minor) { return minor >= 23 && minor != 25 && minor != 26; }

/// The answer to a request that is repeated for ten seconds: who started this process starts it again. Says
/// before the first repetition what went wrong.
Result<Answer> ask_patiently(ApiServer& server, const std::string& method, const std::string& path,
                             const std::string& body, const SchedulingOptions& options,
                             const std::atomic<bool>& is_stopping) {
  constexpr seconds kTried{10};
  const auto end = steady_clock::now() + kTried;
  for (bool has_waited = false;; has_waited = true) {
    Result<Answer> answer = server.send(method, path, body);
    const bool is_busy = !answer || answer->status == 429 || answer->status >= 500;
    if (!is_busy || steady_clock::now() >= end || is_stopping) return answer;
    if (!has_waited)
      options.say("warning", "trying-again",
                  {{"why", answer ? fmt::format("{} answered {}", options.access.api.server, answer->status)
                                  : describe(answer.error())},
                   {"for_s", kTried.count()}});
    std::this_thread::sleep_for(milliseconds(500));
  }
}

/// All permissions that are missing, in one error; or that the credentials are refused.
Check check_permissions(ApiServer& server, const SchedulingOptions& options, int release,
                        const std::atomic<bool>& is_stopping) {
  std::string missing;
  const auto ask = [&](const kubernetes::Permission& permission, const std::string& space,
                       const std::string& name) -> Check {
    const Result<Answer> answer =
        ask_patiently(server, "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
                      kubernetes::access_review(permission, space, name), options, is_stopping);
    if (!answer) return answer.error();
    const bool refuses_all = release == 0 && answer->status == kForbidden;
    if (refuses_all || answer->status == kUnauthorized) return error_of(*answer, options.access.api.server);
    // A server that has no such reviews is accepted.
    if (!answer->is_good() || kubernetes::is_allowed(answer->body)) return {};
    missing += fmt::format("{}{}", missing.empty() ? "" : ", ", permission.words());
    if (!space.empty()) missing += " in " + space;
    return {};
  };
  const kubernetes::Uses uses{.label_teams = !options.scheduler.policy.teams.label.empty(),
                              .preemption = options.scheduler.policy.preempting.has_value()};
  for (const kubernetes::Permission& each : kubernetes::permissions(uses)) {
    if (each.is_writing && options.scheduler.is_dry_run) continue;
    if (Check wrong = ask(each, "", "")) return wrong;
  }
  if (options.election) {
    for (const kubernetes::Permission& each : kubernetes::kLeasePermissions) {
      // The rules name the lease, but for making it, when it has no name yet.
      const std::string name = each.verb == "create" ? "" : options.election->name;
      if (Check wrong = ask(each, options.election->space, name)) return wrong;
    }
  }
  if (missing.empty()) return {};
  return Error{
      .message = fmt::format("may not: {}; `mirab kube manifest` prints the rules that it needs", missing),
      .key = options.access.api.server};
}

/// Keeps the lease, or waits for it, on a thread and a connection of its own.
class Leading {
 public:
  Leading(std::unique_ptr<ApiServer> server, const kubernetes::Election::Options& options)
      : server_(std::move(server)), election_(options) {}
  ~Leading() { stop(); }

  void start() {
    thread_ = std::thread([this] { run(); });
  }
  bool leads() const { return !is_lost_ && boot_now().time_since_epoch().count() < until_.load(); }
  /// It is not given back: a bind under way may still be done.
  void keep() { gives_back_ = false; }
  std::int64_t term() const { return term_; }
  std::int64_t last_answer_ms() const { return answered_ms_; }

  /// The lease is given back.
  void stop() {
    if (!thread_.joinable()) return;
    is_stopping_ = true;
    thread_.join();
    const bool is_held = leads();
    until_ = 0;
    if (!is_held || !gives_back_) return;
    if (const auto release = election_.release(wall_now()))
      static_cast<void>(server_->send(release->method, release->path, release->body, release->content_type));
  }

 private:
  void run() {
    while (!is_stopping_) {
      const Time now = boot_now();
      if (election_.due() > now) {
        std::this_thread::sleep_for(std::min<Duration>(election_.due() - now, milliseconds(100)));
        continue;
      }
      const kubernetes::Request request = election_.next(now, wall_now());
      const Result<Answer> answer =
          server_->send(request.method, request.path, request.body, request.content_type);
      election_.answer(answer ? answer->status : 0, answer ? answer->body : std::string(), boot_now());
      if (answer) answered_ms_ = steady_now().time_since_epoch() / milliseconds(1);
      term_ = election_.term();
      // Once it has lapsed this process is done, even if it gets the lease again.
      const std::int64_t before = until_;
      if (before != 0 && boot_now().time_since_epoch().count() >= before) is_lost_ = true;
      until_ = std::max<std::int64_t>(0, election_.leads_until().time_since_epoch().count());
    }
  }

  std::unique_ptr<ApiServer> server_;
  kubernetes::Election election_;
  std::atomic<bool> is_stopping_ = false;
  std::atomic<bool> is_lost_ = false;
  std::atomic<bool> gives_back_ = true;
  std::atomic<std::int64_t> until_ = 0;
  std::atomic<std::int64_t> term_ = 0;
  std::atomic<std::int64_t> answered_ms_ = 0;
  std::thread thread_;
};

/// The news of nodes and pods, and the replies, for the scheduler.
struct Teller {
  kubernetes::Scheduler& scheduler;
  const SchedulingOptions& options;
  Time now;

  void operator()(ListMark mark) {
    switch (mark) {
      case ListMark::nodes_begin:
        return scheduler.begin_nodes();
      case ListMark::nodes_end:
        return scheduler.end_nodes(now);
      case ListMark::pods_begin:
        return scheduler.begin_pods();
      case ListMark::pods_end:
        return scheduler.end_pods(now);
      case ListMark::spaces_begin:
        return scheduler.begin_spaces();
      case ListMark::spaces_end:
        return scheduler.end_spaces(now);
      case ListMark::budgets_begin:
        return scheduler.begin_budgets();
      case ListMark::budgets_end:
        return scheduler.end_budgets(now);
    }
  }
  void operator()(kubernetes::NodeRow& node) { scheduler.put_node(std::move(node), now); }
  void operator()(const GoneNode& gone) { scheduler.remove_node(gone.name, now); }
  void operator()(kubernetes::SeenPod& pod) { scheduler.put_pod(std::move(pod), now); }
  void operator()(const GonePod& gone) {
    if (gone.was_rejected) return scheduler.reject_pod(gone.uid, now);
    scheduler.remove_pod(gone.uid, now);
  }
  void operator()(const kubernetes::SeenSpace& space) { scheduler.put_space(space, now); }
  void operator()(const GoneSpace& gone) { scheduler.remove_space(gone.name, now); }
  void operator()(kubernetes::Budget& budget) { scheduler.put_budget(std::move(budget), now); }
  void operator()(const GoneBudget& gone) { scheduler.remove_budget(gone.space, gone.name, now); }
  void operator()(const Unreadable& object) { options.say("warning", "unreadable", {{"why", object.what}}); }
  void operator()(const kubernetes::Reply& reply) { scheduler.answer(reply, now, wall_now()); }
};

void say_happenings(const std::vector<Happening>& happenings, const SchedulingOptions& options) {
  for (const Happening& each : happenings) {
    Json more = Json::object();
    if (!each.pod.empty()) more["pod"] = each.pod;
    if (!each.node.empty()) more["node"] = each.node;
    if (!each.why.empty()) more["why"] = each.why;
    if (!each.newcomer.empty()) more["for"] = each.newcomer;
    switch (each.what) {
      case Happening::What::decided:
        // Of a bind that follows at once one line is enough.
        if (options.scheduler.is_dry_run) options.say("info", "would-bind", more);
        break;
      case Happening::What::bound:
        options.say("info", "bound", more);
        break;
      case Happening::What::refused:
        options.say("warning", "bind-refused", more);
        break;
      case Happening::What::parked:
        options.say("warning", "parked", more);
        break;
      case Happening::What::evicted:
        options.say("info", options.scheduler.is_dry_run ? "would-evict" : "evicted", more);
        break;
      case Happening::What::spared:
        options.say("info", "spared", more);
        break;
      case Happening::What::notice:
        options.say("warning", "notice", more);
        break;
    }
  }
}

std::string metrics_text(const kubernetes::SchedulerGauges& gauges, bool is_leader, milliseconds old) {
  api::PrometheusText text;
  const auto count = [](auto number) { return static_cast<double>(number); };
  text.gauge("mirab_kube_leader", "1 while this process decides", is_leader ? 1 : 0);
  text.gauge("mirab_kube_nodes", "Nodes that are known", count(gauges.nodes));
  text.gauge("mirab_kube_pods", "Pods that hold room or want it", count(gauges.pods));
  text.gauge("mirab_kube_pods_waiting", "Pods that wait to be placed", count(gauges.waiting));
  text.gauge("mirab_kube_pods_refused", "Pods that want what Mirab cannot honour", count(gauges.refused));
  text.gauge("mirab_kube_pods_with_preferences", "Pods with preferences, which are not honoured",
             count(gauges.with_preferences));
  text.gauge("mirab_kube_pods_gathering", "Pods of gangs that have not all their pods",
             count(gauges.gathering));
  text.gauge("mirab_kube_pods_making_room", "Pods for which others are to end", count(gauges.making_room));
  text.counter("mirab_kube_evictions_total", "Pods that were evicted for others", count(gauges.evicted));
  text.counter("mirab_kube_rejected_by_kubelet_total", "Pods that were bound and that a kubelet refused",
               count(gauges.rejected));
  text.gauge("mirab_kube_binds_under_way", "Binds that are not known to be done", count(gauges.under_way));
  text.gauge("mirab_kube_binds_in_doubt", "Binds of unknown fate; nothing is decided meanwhile",
             count(gauges.in_doubt));
  text.counter("mirab_kube_decisions_total", "Pods for which a node was chosen", count(gauges.decided));
  text.counter("mirab_kube_binds_total", "Pods that were bound", count(gauges.bound));
  text.counter("mirab_kube_binds_refused_total", "Binds that the API server refused", count(gauges.failed));
  text.gauge("mirab_kube_cache_age_seconds",
             "Since the API server was last heard; from 120 on nothing is decided",
             static_cast<double>(old.count()) / 1000);
  return text.take();
}

/// A picture for those who ask, when one is wanted. Nothing before both lists are there.
void show(kubernetes::Scheduler& scheduler, Answering* answering, Time now) {
  if (answering == nullptr || !answering->wants_picture() || !scheduler.has_lists()) return;
  const auto begin = steady_clock::now();
  const Wall wall = wall_now();
  std::optional<Picture> picture = take_picture(scheduler, now, wall);
  answering->put(std::move(picture), now, wall, steady_clock::now() - begin);
}

/// From the first list to the end.
int run_scheduler(const SchedulingOptions& options, kubernetes::Scheduler scheduler, Monitor& monitor,
                  Mailbox& mailbox, Leading* leading, const std::atomic<bool>& is_stopping,
                  std::vector<std::unique_ptr<Watching>> watchings, std::unique_ptr<Sending> sending) {
  const Time begun = steady_now();
  bool has_decided = false;
  Time next_metrics = begun;
  std::string said_trouble;
  Time next_trouble = begun;
  Time stop_by = Time::max();
  while (true) {
    monitor.set_alive();
    Time now = steady_now();
    const bool may_act = leading == nullptr || leading->leads();
    if (!may_act) {
      options.say("error", "lease-lost", {});
      return 1;
    }
    if (is_stopping && stop_by == Time::max()) {
      options.say("info", "stopping", {});
      stop_by = now + kLastBinds;
    }
    if (stop_by != Time::max() && (scheduler.under_way() == 0 || now >= stop_by)) {
      if (scheduler.under_way() > 0 && leading != nullptr) leading->keep();
      return 0;
    }

    const Time until = std::min({scheduler.due().value_or(Time::max()), now + Duration(seconds(1)), stop_by});
    std::vector<News> news = mailbox.take(steady_point(until));
    now = steady_now();
    Teller teller{.scheduler = scheduler, .options = options, .now = now};
    for (News& each : news) std::visit(teller, each);

    milliseconds old{0};
    for (const auto& each : watchings) old = std::max(old, each->age());
    const bool may_decide = old < kTooOld && stop_by == Time::max();
    sending->send(scheduler.work(now, wall_now(), may_decide));
    say_happenings(scheduler.take_happenings(), options);
    show(scheduler, monitor.answering(), now);

    if (now < next_metrics) continue;
    next_metrics = now + Duration(seconds(1));
    const kubernetes::SchedulerGauges gauges = scheduler.gauges();
    monitor.set_metrics(metrics_text(gauges, true, old));
    const bool is_ready = scheduler.has_lists() && old < kTooOld && !scheduler.is_locked_out();
    std::string trouble =
        scheduler.is_locked_out() ? "binds are answered 401: the credentials are refused" : "";
    for (const auto& each : watchings) trouble += trouble.empty() ? each->trouble() : "";
    if (trouble != said_trouble && now >= next_trouble) {
      if (!trouble.empty()) options.say("warning", "trouble", {{"why", trouble}});
      next_trouble = now + kTroubleAgain;
      said_trouble = trouble;
    }
    monitor.set_ready(is_ready, trouble.empty() ? "reading nodes and pods" : trouble);
    if (is_ready && !has_decided) {
      has_decided = true;
      options.say("info", "ready",
                  {{"nodes", gauges.nodes},
                   {"pods", gauges.pods},
                   {"after_s", std::chrono::duration<double>(now - begun).count()}});
    }
  }
}

}  // namespace

Result<int> schedule(const SchedulingOptions& given) {
  SchedulingOptions options = given;
  Mailbox mailbox;
  std::atomic<bool> is_stopping = false;
  Result<std::unique_ptr<Monitor>> monitor =
      Monitor::start({.listen = options.listen,
                      .version = options.version,
                      .stop =
                          [&] {
                            is_stopping = true;
                            mailbox.wake();
                          },
                      .answering = {.cluster = options.access.api.server,
                                    .wake = [&] { mailbox.wake(); },
                                    .failed =
                                        [say = options.say](const std::string& why) {
                                          say("error", "internal", {{"why", why}});
                                        }}});
  if (!monitor) return monitor.error();

  std::random_device device;
  const std::uint64_t seed = (std::uint64_t{device()} << 32U) | device();
  Result<std::unique_ptr<ApiServer>> server =
      ApiServer::open(options.access, {.seed = seed, .is_stopped = [&] { return is_stopping.load(); }});
  if (!server) return server.error();
  const Result<Answer> version = ask_patiently(**server, "GET", "/version", "", options, is_stopping);
  if (is_stopping) return 0;
  if (!version) return version.error();
  const Result<int> minor = release_of(*version, options.access.api.server);
  if (!minor) return minor.error();
  options.scheduler.looks_first = !compares_uids(*minor);
  const bool has_old_policy = *minor != 0 && *minor < 22;
  options.scheduler.eviction_version = has_old_policy ? "v1beta1" : "v1";
  if (Check missing = check_permissions(**server, options, *minor, is_stopping)) return *std::move(missing);
  options.say("info", "connected", {{"server", options.access.api.server}, {"minor_version", *minor}});

  std::unique_ptr<Leading> leading;
  std::string holder = options.scheduler.holder;
  if (options.election) {
    Result<std::unique_ptr<ApiServer>> of_lease = ApiServer::open(
        options.access,
        {.answer_time = std::chrono::duration_cast<milliseconds>(options.election->renewal_time()),
         .seed = seed + 1,
         .is_stopped = [] { return false; }});
    if (!of_lease) return of_lease.error();
    leading = std::make_unique<Leading>(*std::move(of_lease), *options.election);
    leading->start();
    (*monitor)->set_metrics(metrics_text({}, false, milliseconds(0)));
    options.say("info", "standby", {{"lease", options.election->space + "/" + options.election->name}});
    while (!leading->leads() && !is_stopping) {
      (*monitor)->set_alive();
      const std::int64_t silent_ms =
          steady_now().time_since_epoch() / milliseconds(1) - leading->last_answer_ms();
      (*monitor)->set_ready(silent_ms < 30'000, "the lease cannot be read");
      static_cast<void>(mailbox.take(steady_clock::now() + milliseconds(100)));
    }
    if (is_stopping) return 0;
    holder = fmt::format("{}@{}", options.election->holder, leading->term());
    options.say("info", "leading", {{"term", leading->term()}});
  }

  options.scheduler.holder = holder;
  std::optional<EventLogs> logs;
  if (!options.event_logs.empty()) {
    Result<EventLogs> opened = EventLogs::in(
        options.event_logs, wall_now(), [say = options.say](const std::string& file, const std::string& why) {
          say("error", "event-log", {{"file", file}, {"why", why}});
        });
    if (!opened) return opened.error();
    logs = *std::move(opened);
    options.scheduler.log = [&logs](const std::string& line, bool begins) { logs->write(line, begins); };
  }
  Result<kubernetes::Scheduler> scheduler = kubernetes::Scheduler::from(options.scheduler);
  if (!scheduler) return scheduler.error();
  std::vector<std::unique_ptr<Watching>> watchings;
  const auto watch = [&](const kubernetes::Resource& resource, Watching::Sink sink) -> Check {
    Result<std::unique_ptr<Watching>> watching =
        Watching::start(options.access, resource, std::move(sink), seed + 2 + watchings.size());
    if (!watching) return watching.error();
    watchings.push_back(*std::move(watching));
    return {};
  };
  if (Check wrong = watch(kubernetes::kNodes, node_news(mailbox))) return *std::move(wrong);
  if (Check wrong = watch(kubernetes::kPods, pod_news(mailbox))) return *std::move(wrong);
  const std::string& team_label = options.scheduler.policy.teams.label;
  if (!team_label.empty()) {
    if (Check wrong = watch(kubernetes::kNamespaces, space_news(mailbox, team_label)))
      return *std::move(wrong);
  }
  if (options.scheduler.policy.preempting) {
    if (Check wrong = watch(has_old_policy ? kubernetes::kOldBudgets : kubernetes::kBudgets,
                            budget_news(mailbox, options.scheduler.eviction_version)))
      return *std::move(wrong);
  }
  Result<std::unique_ptr<Sending>> sending = Sending::start(
      options.access, options.connections, mailbox,
      [raw = leading.get()] { return raw == nullptr || raw->leads(); },
      std::chrono::duration_cast<milliseconds>(
          options.election.value_or(kubernetes::Election::Options()).answer_time()),
      seed + 100);
  if (!sending) return sending.error();
  return run_scheduler(options, *std::move(scheduler), **monitor, mailbox, leading.get(), is_stopping,
                       std::move(watchings), *std::move(sending));
}

}  // namespace mirab::kube
