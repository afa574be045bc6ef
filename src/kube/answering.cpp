#include "kube/answering.hpp"

#include <algorithm>
#include <utility>

#include <mirab/model/assert.hpp>

#include "live/content.hpp"
#include "live/views.hpp"

namespace mirab::kube {
namespace {

using api::Steady;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kRing = 20'000;
constexpr std::size_t kQuestions = 1024;  // that wait at most
constexpr std::size_t kWatches = 256;
constexpr std::size_t kLongQuestions = 8;
constexpr int kPauses = 20;  // between two pictures so often the time that one takes
constexpr Steady::duration kLeastPause = milliseconds(250);
constexpr Steady::duration kWatchPause = seconds(1);
constexpr Steady::duration kSample = seconds(10);
constexpr Steady::duration kPatience = seconds(3);  // of a question, for a picture

/// Who reaches the address of this machine may see everything, and change nothing.
const live::Caller kAnybody{.by = "anybody", .scopes = {.admin = true, .operates = true, .read = true}};

bool submits_a_job(const live::Json& body) {
  const auto changes = body.is_object() ? body.find("changes") : body.end();
  return changes != body.end() && changes->is_array() &&
         std::any_of(changes->begin(), changes->end(),
                     [](const live::Json& each) { return each.is_object() && each.contains("submit"); });
}

/// Each pod takes one of `pods`, which people do not write.
void add_pods(live::Json& body) {
  for (live::Json& each : body["changes"]) {
    if (!each.is_object() || !each.contains("submit") || !each["submit"].is_object()) continue;
    const auto demand = each["submit"].find("demand");
    if (demand != each["submit"].end() && demand->is_object() && !demand->contains(kubernetes::kPodsResource))
      (*demand)[kubernetes::kPodsResource] = 1;
  }
}

/// The engine that decides has no labels, since sets of nodes stand for them; a job on trial may ask for
/// some.
void add_labels(live::State& state) {
  for (const auto& [name, server] : state.servers) {
    const Check wrong = state.engine.apply(
        scheduling::ServerRelabelled{.server = *server.id, .labels = server.content.labels}, state.last.now);
    MIRAB_ASSERT(!wrong, "a server that is there");
  }
}

}  // namespace

Result<std::unique_ptr<Answering>> Answering::start(Options options) {
  const auto now_ms = wall_now().time_since_epoch() / milliseconds(1);
  Result<Mirror> mirror = Mirror::from(options.cluster, static_cast<live::Revision>(now_ms));
  if (!mirror) return std::move(mirror).error();
  std::unique_ptr<Answering> answering(new Answering(std::move(options), *std::move(mirror)));
  answering->thread_ = std::thread([raw = answering.get()] { raw->run(); });
  answering->worker_ = std::thread([raw = answering.get()] { raw->work(); });
  return answering;
}

Answering::Answering(Options options, Mirror mirror)
    : options_(std::move(options)),
      mirror_(std::move(mirror)),
      events_({.others = live::Others::all,
               .ring = kRing,
               .older =
                   [this](const api::Watch& watch) {
                     api::end_watch(watch, live::answer_of(live::compacted(events_.ring_after() + 1),
                                                           events_.revision()));
                   },
               .internal =
                   [this](const std::exception& failure) {
                     options_.failed(failure.what());
                     return api::problem_answer(500, "internal", "Internal error", "");
                   }},
              mirror_.state().last.revision),
      oldest_(events_.revision()),
      latest_(events_.revision()) {}

Answering::~Answering() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  wakes_.notify_all();
  work_wakes_.notify_all();
  if (thread_.joinable()) thread_.join();
  if (worker_.joinable()) worker_.join();
}

void Answering::put(std::optional<Picture> picture, Time now, Wall wall, Steady::duration took) {
  took_ = took;
  wants_ = false;
  {
    const std::lock_guard lock(mutex_);
    put_.push_back({.picture = std::move(picture), .now = now, .wall = wall});
  }
  wakes_.notify_one();
}

void Answering::ask(Question question) {
  {
    const std::lock_guard lock(mutex_);
    if (questions_.size() < kQuestions) {
      questions_.push_back(std::move(question));
      question.reply = nullptr;
    }
  }
  if (question.reply) return question.reply(api::busy_answer("too many questions wait"));
  wakes_.notify_one();
}

void Answering::watch(api::Watch watch) {
  {
    const std::lock_guard lock(mutex_);
    watches_.push_back(std::move(watch));
  }
  wakes_.notify_one();
}

std::optional<live::Problem> Answering::gone(const api::Watch& watch) const {
  if (watch.is_from_now || (watch.after >= oldest_ && watch.after <= latest_)) return {};
  return live::compacted(oldest_ + 1);
}

live::Gauges Answering::gauges() const {
  const std::lock_guard lock(mutex_);
  return gauges_;
}

Steady::duration Answering::pause() const {
  return std::max<Steady::duration>(kLeastPause, kPauses * took_.load());
}

void Answering::run() {
  bool has_more = false;  // for watchers, than the last turn has sent
  while (true) {
    std::vector<Put> put;
    std::vector<Question> questions;
    std::vector<api::Watch> watches;
    bool is_last = false;
    {
      std::unique_lock lock(mutex_);
      const bool is_busy = !waiting_.empty() || events_.size() > 0;
      wakes_.wait_for(
          lock,
          milliseconds(has_more  ? 0
                       : is_busy ? 50
                                 : 500),
          [&] { return !put_.empty() || !questions_.empty() || !watches_.empty() || is_ending_; });
      put.swap(put_);
      questions.swap(questions_);
      watches.swap(watches_);
      is_last = is_ending_;
    }
    const Steady::time_point now = Steady::now();
    for (Put& each : put) {
      if (each.picture) follow(*std::move(each.picture));
      mirror_.stand_at(each.now, each.wall);
      pictured_ = now;
    }
    for (api::Watch& each : watches) {
      if (events_.size() < kWatches) {
        events_.watch(std::move(each));
      } else {
        api::end_watch(each, api::busy_answer("too many watches"));
      }
    }
    for (Question& each : questions) waiting_.push_back(std::move(each));
    std::vector<Question> held;
    for (Question& each : std::exchange(waiting_, {})) {
      if (is_last || is_due(each, now)) {
        answer(std::move(each));
      } else {
        held.push_back(std::move(each));
      }
    }
    waiting_ = std::move(held);
    has_more = !events_.turn(now, is_last);
    sample(now);
    if (is_last) return;
    const auto age = now - pictured_;
    const bool is_wanted = !waiting_.empty() || (events_.size() > 0 && age >= kWatchPause) || age >= kSample;
    if (is_wanted && age >= pause() && !wants_.exchange(true)) options_.wake();
  }
}

void Answering::follow(Picture picture) {
  events_.add(mirror_.follow(std::move(picture)));
  oldest_ = events_.ring_after();
  latest_ = mirror_.state().last.revision;
  copy_ = nullptr;
}

void Answering::sample(Steady::time_point now) {
  if (!mirror_.is_there() || now - sampled_ < kSample) return;
  sampled_ = now;
  const Wall wall = wall_now();
  history_.add(wall, live::sample_of(mirror_.state()));
  static_cast<void>(history_.take_rows());  // nothing is stored
  live::Gauges gauges = live::gauges_of(mirror_.state(), wall);
  const std::lock_guard lock(mutex_);
  gauges_ = std::move(gauges);
}

bool Answering::is_due(const Question& question, Steady::time_point now) const {
  if (now - question.asked >= kPatience) return true;
  return mirror_.is_there() && now - pictured_ < pause() &&
         mirror_.state().last.revision >= question.at_least;
}

live::Answer Answering::answer_to(const live::State& state, const live::Query& query) const {
  try {
    return live::answer_to({.state = state, .caller = kAnybody, .others = live::Others::all}, history_,
                           query);
  } catch (const std::exception& failure) {
    options_.failed(failure.what());
    return api::problem_answer(500, "internal", "Internal error", "the program's log says why");
  }
}

/// With the nodes that the pod asks for, and with its condition: what `kubectl describe pod` shows.
live::Answer Answering::explained(const live::Query& query) const {
  live::Answer answer = answer_to(mirror_.state(), query);
  if (answer.status != 200) return answer;
  if (std::string wishes = mirror_.wishes_of(query.queue, query.name); !wishes.empty())
    answer.body["wishes"] = std::move(wishes);
  if (const auto server = live::given(query, "server")) {
    if (answer.body["reason"] != "not-allowed") return answer;
    if (std::string why = mirror_.objection(query.queue, query.name, *server); !why.empty())
      answer.body["says"] = std::move(why);
    return answer;
  }
  if (live::Json condition = mirror_.condition_of(query.queue, query.name); !condition.is_null())
    answer.body["condition"] = std::move(condition);
  return answer;
}

void Answering::answer(Question question) {
  if (!mirror_.is_there())
    return question.reply(api::busy_answer("this process waits for the lease, or reads nodes and pods"));
  if (mirror_.state().last.revision < question.at_least)
    return question.reply(api::busy_answer("that revision is not there yet"));
  if (question.query.what == live::Ask::job || question.query.what == live::Ask::explain)
    question.query.name = mirror_.job_called(question.query.queue, question.query.name);
  if (question.query.what == live::Ask::explain) return question.reply(explained(question.query));
  if (!question.is_long) return question.reply(answer_to(mirror_.state(), question.query));
  {
    const std::lock_guard lock(mutex_);
    if (works_.size() >= kLongQuestions)
      return question.reply(api::busy_answer("too many long questions at once"));
  }
  if (copy_ == nullptr) copy_ = std::make_shared<const live::State>(mirror_.state().copy());
  auto work = [this, copy = copy_, held = std::move(question)]() mutable {
    const auto begin = Steady::now();
    const bool is_trial = held.query.what == live::Ask::what_if;
    live::Answer answer;
    if (is_trial && submits_a_job(held.query.body)) {
      live::State trial = copy->copy();
      add_labels(trial);
      add_pods(held.query.body);
      answer = answer_to(trial, held.query);
    } else {
      answer = answer_to(*copy, held.query);
    }
    if (is_trial && !answer.is_problem())
      answer.body["seconds"] = std::chrono::duration<double>(Steady::now() - begin).count();
    held.reply(std::move(answer));
  };
  {
    const std::lock_guard lock(mutex_);
    works_.emplace_back(std::move(work));
  }
  work_wakes_.notify_one();
}

void Answering::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    work_wakes_.wait(lock, [&] { return !works_.empty() || is_ending_; });
    if (works_.empty()) return;
    std::function<void()> work = std::move(works_.front());
    works_.pop_front();
    lock.unlock();
    work();
    work = nullptr;
    lock.lock();
  }
}

}  // namespace mirab::kube
