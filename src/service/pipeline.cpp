#include "service/pipeline.hpp"

#include "service/archiver.hpp"
#include "service/threads.hpp"

namespace mirab::service {

using std::chrono::milliseconds;

namespace {

class Threads final : public Pipeline {
 public:
  Threads(PipelineOptions options, PipelineEvents events, std::unique_ptr<Store> store, Recovered recovered,
          std::optional<ArchiveWriter> archive)
      : shared_{.options = std::move(options),
                .events = std::move(events),
                .clock = EngineClock(recovered.decider.now(), recovered.last_wall)},
        units_(recovered.decider.settings().units),
        commands_(shared_.options.commands),
        workers_(shared_),
        follower_(shared_, workers_, std::move(recovered.reader)),
        writer_(shared_, commands_, follower_, begin_figures(std::move(store), recovered.decider.revision())),
        core_(shared_, commands_, writer_, std::move(recovered.decider), last_snapshot_) {
    if (archive) archiver_.emplace(shared_, *std::move(archive));
    workers_.start(shared_.options.workers);
    follower_.start();
    writer_.start();
    core_.start();
    if (archiver_) archiver_->start();
    shared_.figures.is_ready = true;
  }
  ~Threads() override { Threads::stop(); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  void submit(live::Command command, Lane lane, Reply reply) override {
    const live::Caller& caller = command.caller;
    // Each executor has turns of its own.
    const std::string in_turn = caller.server.empty() ? caller.tenant : "server/" + caller.server;
    std::vector<live::Parsed<live::Command>> one;
    one.emplace_back(std::move(command));
    push({.commands = std::move(one), .is_list = false, .reply = std::move(reply)}, in_turn,
         lane == Lane::urgent);
  }
  void submit(std::vector<live::Parsed<live::Command>> commands, const std::string& tenant,
              Reply reply) override {
    push({.commands = std::move(commands), .is_list = true, .reply = std::move(reply)}, tenant, false);
  }
  void ask(live::Query query, live::Caller caller, Lane lane, std::uint64_t at_least, Reply reply) override {
    follower_.ask(
        {.query = std::move(query), .caller = std::move(caller), .reply = std::move(reply), .lane = lane},
        at_least);
  }
  bool watch(Watch watch) override {
    if (shared_.figures.watchers.load() >= 10'000) {
      if (watch.stream != nullptr) watch.stream->close();
      return false;
    }
    const std::shared_ptr<net::EventStream> stream = watch.stream;
    if (follower_.watch(std::move(watch))) return true;
    if (stream != nullptr) stream->close();
    return false;
  }
  void token_changed(const std::string& id) override { follower_.token_changed(id); }
  void let_go() override { follower_.let_go(); }
  void assignments(live::Query query, live::Caller caller, std::uint64_t after, milliseconds wait,
                   Reply reply) override {
    follower_.poll({.query = std::move(query),
                    .caller = std::move(caller),
                    .after = after,
                    .reply = std::move(reply),
                    .until = Steady::now() + wait});
  }
  void audit(std::uint64_t after, std::size_t limit, Reply reply) override {
    workers_.give(
        {"", [this, after, limit, reply] { reply(audit_page(shared_.options.file, after, limit)); }, reply});
  }
  /// Nothing is replayed for a task that is not there, or that the caller may not see.
  void explain_task(std::string task, live::Caller caller, Reply reply) override {
    const auto replay = [this, task, caller, reply = std::move(reply)](const live::Answer& found) {
      if (found.is_problem()) return reply(found);
      workers_.give({caller.tenant,
                     [this, task, caller, reply] {
                       reply(placement_of(shared_.options.file, shared_.options.others, task, caller));
                     },
                     reply});
    };
    follower_.ask({.query = {.what = live::Ask::task, .name = std::move(task)},
                   .caller = std::move(caller),
                   .reply = replay},
                  0);
  }
  void usage(live::UsageAsked asked, live::Caller caller, Reply reply) override {
    follower_.usage(std::move(asked), std::move(caller), std::move(reply));
  }
  void gauges(std::function<void(const live::Gauges&)> use) override { follower_.gauges(std::move(use)); }

  const live::Units& units() const override { return units_; }
  const PipelineFigures& figures() const override { return shared_.figures; }

  /// In the order in which work flows. The workers before the reader: what they bring back to it has an end.
  void stop() override {
    if (std::exchange(is_stopped_, true)) return;
    commands_.close();
    core_.join();
    writer_.join();
    if (archiver_) archiver_->stop();
    workers_.stop();
    follower_.join();
  }

 private:
  void push(CommandWork work, const std::string& in_turn, bool is_urgent) {
    if (const auto full = commands_.push(work, in_turn, is_urgent))
      work.reply(full_answer(*full, "commands that wait"));
  }

  /// What is known at the start.
  std::unique_ptr<Store> begin_figures(std::unique_ptr<Store> store, std::uint64_t revision) {
    PipelineFigures& figures = shared_.figures;
    const LogEnds ends = store->log_ends();
    figures.core_revision = figures.durable_revision = figures.reader_revision = revision;
    figures.oldest_revision = ends.first == 0 ? revision + 1 : ends.first;
    figures.log_bytes = ends.bytes;
    const std::vector<SnapshotRow> snapshots = store->snapshots();
    last_snapshot_ = snapshots.empty() ? 0 : snapshots.front().revision;
    live::Wall taken = wall_now();  // about: when the batch was written that it ends with
    store->read_log(last_snapshot_, [&](const live::Batch& batch) {
      taken = batch.wall;
      return false;
    });
    figures.snapshot_at_s = std::chrono::system_clock::to_time_t(taken);
    return store;
  }

  Shared shared_;
  live::Units units_;
  std::uint64_t last_snapshot_ = 0;
  CommandQueue commands_;
  Workers workers_;
  Follower follower_;
  Writer writer_;
  Core core_;
  std::optional<Archiver> archiver_;
  bool is_stopped_ = false;
};

}  // namespace

std::unique_ptr<Pipeline> Pipeline::start(PipelineOptions options, PipelineEvents events,
                                          std::unique_ptr<Store> store, Recovered recovered,
                                          std::optional<ArchiveWriter> archive) {
  return std::make_unique<Threads>(std::move(options), std::move(events), std::move(store),
                                   std::move(recovered), std::move(archive));
}

}  // namespace mirab::service
