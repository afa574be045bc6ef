// The reader of a pipeline: a second engine on what is durable, so that no answer shows what could be lost.
#include "live/content.hpp"
#include "service/threads.hpp"

namespace mirab::service {

using std::chrono::milliseconds;

namespace {

constexpr std::size_t kMostSeriesRows = 10'000;

// The cost of questions, in things that are read.
constexpr std::size_t kQuestions = 32'768;  // that wait
constexpr std::size_t kTurn = 16;           // of a tenant, before others and what is durable come
constexpr std::size_t kHeld = 16'384;       // watches and questions that wait for a revision

constexpr std::string_view kQuestionsWait = "questions that wait";
constexpr std::chrono::seconds kWaits{5};  // for a revision

std::size_t price_of(const live::Query& query) {
  switch (query.what) {
    case live::Ask::servers:
    case live::Ask::tenants:
    case live::Ask::groups:
    case live::Ask::queues:
    case live::Ask::jobs:
    case live::Ask::tasks:
    case live::Ask::tokens:
    case live::Ask::explain:
    case live::Ask::history:
      return kTurn;
    default:
      return 1;
  }
}

}  // namespace

Follower::Follower(Shared& shared, Workers& workers, live::Reader reader)
    : shared_(shared),
      workers_(workers),
      reader_(std::move(reader)),
      watchers_(shared, workers, reader_.revision(),
                [this](std::function<void()> work) { post(std::move(work)); }),
      questions_(kQuestions, kTurn) {}

live::Answer Shared::get(const live::Reader& reader, const live::Query& query,
                         const live::Caller& caller) const {
  try {
    return reader.get(query, caller);
  } catch (const std::exception& failure) {
    return internal_answer(failure);
  }
}

live::Answer Shared::internal_answer(const std::exception& failure) const {
  events.say("error", "internal", {{"why", failure.what()}});
  return api::problem_answer(500, "internal", "Internal error",
                             "the service could not answer; its log says why");
}

void Follower::ask(Question question, std::uint64_t at_least) {
  if (at_least > shared_.figures.reader_revision.load()) {
    question.until = Steady::now() + kWaits;
    const auto held = std::make_shared<Question>(std::move(question));
    const bool has_room = post_request([this, at_least, held] {
      early_.emplace(at_least, std::move(*held));
      held_ = early_.size();
    });
    if (!has_room) held->reply(full_answer(Full::all, kQuestionsWait));
    return;
  }
  std::optional<Full> full;
  {
    const std::lock_guard guard(mutex_);
    full = questions_.push(question, question.caller.tenant, price_of(question.query));
  }
  if (full) return question.reply(full_answer(*full, kQuestionsWait));
  wakes_.notify_one();
}

void Follower::post(std::function<void()> work) {
  {
    const std::lock_guard guard(mutex_);
    work_.push_back(std::move(work));
  }
  wakes_.notify_one();
}

/// The same of a request.
bool Follower::post_request(std::function<void()> work) {
  {
    const std::lock_guard guard(mutex_);
    if (work_.size() + held_.load() >= kHeld) return false;
    work_.push_back(std::move(work));
  }
  wakes_.notify_one();
  return true;
}

bool Follower::watch(Watch watch) {
  return post_request([this, watch = std::move(watch)]() mutable { watchers_.watch(std::move(watch)); });
}

void Follower::token_changed(const std::string& id) {
  post([this, id] { watchers_.token_changed(id); });
}

void Follower::let_go() {
  post([this] { lets_go_ = true; });
}

void Follower::poll(Watchers::HeldPoll poll) {
  post([this, poll = std::move(poll)]() mutable { watchers_.poll(std::move(poll), reader_); });
}

void Follower::usage(live::UsageAsked asked, live::Caller caller, Reply reply) {
  const bool has_room =
      post_request([this, asked = std::move(asked), caller = std::move(caller), reply]() mutable {
        answer_on_worker(caller, reply, [this, asked = std::move(asked), caller] {
          return usage_at(shared_, trailing_, asked, caller);
        });
      });
  if (!has_room) reply(full_answer(Full::all, kQuestionsWait));
}

void Follower::gauges(std::function<void(const live::Gauges&)> use) {
  post([this, use = std::move(use)] { use(reader_.gauges(wall_now())); });
}

/// What there is now, for the history; its rows go to the store when some are due.
void Follower::take_sample() {
  const live::Wall now = wall_now();
  const auto passed = now - sampled_;
  if (passed >= milliseconds(0) && passed < std::chrono::seconds(10)) return;
  // At the begin of each ten seconds.
  sampled_ = std::chrono::floor<std::chrono::duration<std::int64_t, std::ratio<10>>>(now);
  live::History& history = reader_.history();
  history.add(now, reader_.sample());
  std::vector<live::Row> rows = history.take_rows();
  if (rows.empty()) return;
  const std::lock_guard guard(shared_.series_mutex);
  for (live::Row& row : rows) shared_.series.push_back(std::move(row));
  // While the disk is full: the oldest go.
  if (shared_.series.size() > kMostSeriesRows)
    shared_.series.erase(shared_.series.begin(),
                         shared_.series.end() - static_cast<std::ptrdiff_t>(kMostSeriesRows));
}

void Follower::follow(std::vector<Durable> batches) {
  {
    const std::lock_guard guard(mutex_);
    durable_.insert(durable_.end(), std::make_move_iterator(batches.begin()),
                    std::make_move_iterator(batches.end()));
  }
  wakes_.notify_one();
}

void Follower::end() {
  {
    const std::lock_guard guard(mutex_);
    store_has_ended_ = true;
  }
  wakes_.notify_one();
}

void Follower::run() {
  auto next_watch = Steady::now();
  while (true) {
    shared_.figures.reader_alive_ms = steady_ms();
    std::vector<Durable> batches;
    std::vector<Question> questions;
    std::vector<std::function<void()>> work;
    bool is_ending = false;
    bool is_last = false;
    {
      std::unique_lock lock(mutex_);
      const auto has_work = [&] {
        return !durable_.empty() || !questions_.is_empty() || !work_.empty() || store_has_ended_;
      };
      const bool is_watched = !watchers_.is_empty() || !early_.empty();
      const auto pause = watchers_.has_more() ? milliseconds(0) : milliseconds(is_watched ? 50 : 1000);
      wakes_.wait_for(lock, pause, has_work);
      batches.swap(durable_);
      questions_.take(kTurn, questions);
      work.swap(work_);
      is_ending = store_has_ended_;
      is_last = is_ending && batches.empty() && questions.empty() && work.empty() && early_.empty();
    }
    apply_batches(batches);
    for (auto& each : work) {
      try {
        each();
      } catch (const std::exception& failure) {
        shared_.internal_answer(failure);  // dropped: a request without an answer gets 503 from the server
      }
      each = nullptr;
    }
    const auto now = Steady::now();
    const bool lets_go = is_last || lets_go_;
    turn_early(now, is_ending || lets_go);
    answer_questions(questions);
    // Not for each turn of questions: there may be thousands of watchers.
    if (!batches.empty() || !work.empty() || lets_go || watchers_.has_more() || now >= next_watch) {
      watchers_.turn(reader_, now, lets_go);
      next_watch = now + milliseconds(50);
    }
    if (auto unused = trailing_.give_up_unused(now))  // to destroy it takes as long as a long question
      workers_.give({{}, [unused = std::move(unused)]() mutable { unused.reset(); }, [](const auto&) {}});
    take_sample();
    if (is_last) break;
  }
}

/// Those that waited for a revision that is there now, or have waited too long.
void Follower::turn_early(Steady::time_point now, bool is_last) {
  const std::uint64_t present = shared_.figures.reader_revision.load();
  for (auto each = early_.begin(); each != early_.end();) {
    Question& question = each->second;
    if (each->first <= present) {
      std::optional<Full> full;
      {
        const std::lock_guard guard(mutex_);
        full = questions_.push(question, question.caller.tenant, price_of(question.query));
      }
      if (full) question.reply(full_answer(*full, kQuestionsWait));
    } else if (question.until <= now || is_last) {
      question.reply(busy_answer("that revision is not there yet"));
    } else {
      ++each;
      continue;
    }
    each = early_.erase(each);
  }
  held_ = early_.size();
}

void Follower::apply_batches(std::vector<Durable>& batches) {
  for (Durable& next : batches) {
    if (shared_.differs.load()) return;
    try {
      if (!next.batch.empty()) apply_batch(next.batch);
      if (next.snapshot != nullptr && !shared_.differs.load()) compare_snapshot(*next.snapshot);
    } catch (const std::exception& failure) {
      say_mismatch(next.batch.first, failure.what());
    }
    if (!next.batch.empty() && !shared_.differs.load()) trailing_.add(std::move(next.batch));
  }
}

void Follower::apply_batch(const live::Batch& batch) {
  Result<std::vector<live::Change>> changes = reader_.apply(batch);
  if (!changes) return say_mismatch(batch.first, changes.error().message);
  shared_.figures.reader_revision = batch.last;
  watchers_.add(*std::move(changes));
}

/// Two engines that were given the same have the same bytes; else one of them is damaged.
void Follower::compare_snapshot(const std::string& expected) {
  const std::uint64_t revision = shared_.figures.reader_revision.load();
  if (reader_.snapshot() != expected) return say_mismatch(revision, "the two engines differ");
  shared_.agreed = revision;
}

void Follower::say_mismatch(std::uint64_t revision, const std::string& why) {
  shared_.differs = true;
  shared_.figures.is_ready = false;
  ++shared_.figures.mismatches;
  shared_.events.say("error", "state-mismatch", {{"revision", revision}, {"why", why}});
}

void Follower::answer_questions(std::vector<Question>& questions) {
  for (Question& question : questions) {
    if (question.lane != Lane::worker) {
      question.reply(shared_.get(reader_, question.query, question.caller));
      continue;
    }
    answer_on_worker(
        question.caller, question.reply,
        [this, query = std::move(question.query),
         caller = question.caller]() mutable -> std::optional<live::Answer> {
          const auto reader = trailing_.get();
          if (reader == nullptr) return std::nullopt;
          const auto begin = Steady::now();
          query.is_late = [begin] { return Steady::now() - begin > kTimeOfQuestion; };
          live::Answer answer = reader->get(query, caller);
          const bool is_trial = query.what == live::Ask::what_if || query.what == live::Ask::policy_dry_run;
          if (is_trial && !answer.is_problem())
            answer.body["seconds"] = std::chrono::duration<double>(Steady::now() - begin).count();
          return answer;
        });
  }
}

/// Room is asked for before anything is copied. Where the copy was given up meanwhile, it begins again.
void Follower::answer_on_worker(const live::Caller& caller, const Reply& reply,
                                std::function<std::optional<live::Answer>()> answer) {
  if (!workers_.has_room(caller.tenant, reply)) return;
  try {
    trailing_.want(reader_);
  } catch (const std::exception& failure) {
    return reply(shared_.internal_answer(failure));
  }
  workers_.give({caller.tenant,
                 [this, caller, reply, answer = std::move(answer)] {
                   if (auto found = answer()) return reply(*std::move(found));
                   post([this, caller, reply, answer] { answer_on_worker(caller, reply, answer); });
                 },
                 reply});
}

}  // namespace mirab::service
