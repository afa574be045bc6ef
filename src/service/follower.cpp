// The reader of a pipeline: a second engine on what is durable, so that no answer shows what could be lost.
#include "live/content.hpp"
#include "service/threads.hpp"

namespace mirab::service {

using std::chrono::milliseconds;

namespace {

constexpr std::size_t kQuestions = 8192;
constexpr std::size_t kMostSeriesRows = 10'000;

}  // namespace

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

bool Follower::ask(Question question, std::uint64_t at_least) {
  {
    const std::lock_guard guard(mutex_);
    if (questions_.size() >= kQuestions) return false;
    if (at_least > shared_.figures.reader_revision.load()) {
      question.until = Steady::now() + std::chrono::seconds(5);
      work_.push_back([this, at_least, held = std::move(question)]() mutable {
        early_.emplace(at_least, std::move(held));
      });
    } else {
      questions_.push_back(std::move(question));
    }
  }
  wakes_.notify_one();
  return true;
}

void Follower::post(std::function<void()> work) {
  {
    const std::lock_guard guard(mutex_);
    work_.push_back(std::move(work));
  }
  wakes_.notify_one();
}

void Follower::watch(Watch watch) {
  post([this, watch = std::move(watch)]() mutable { watchers_.watch(std::move(watch)); });
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
  post([this, asked = std::move(asked), caller = std::move(caller), reply = std::move(reply)]() mutable {
    const auto copy = std::make_shared<live::Reader>(reader_.copy());
    const std::string tenant = caller.tenant;
    workers_.give({tenant,
                   [this, copy, asked = std::move(asked), caller = std::move(caller), reply] {
                     reply(usage_at(shared_, *copy, asked, caller));
                   },
                   reply});
  });
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
  while (true) {
    std::vector<Durable> batches;
    std::vector<Question> questions;
    std::vector<std::function<void()>> work;
    bool is_last = false;
    {
      std::unique_lock lock(mutex_);
      const auto has_work = [&] {
        return !durable_.empty() || !questions_.empty() || !work_.empty() || store_has_ended_;
      };
      const bool is_watched = !watchers_.is_empty() || !early_.empty();
      wakes_.wait_for(lock, is_watched ? milliseconds(50) : milliseconds(1000), has_work);
      batches.swap(durable_);
      questions.swap(questions_);
      work.swap(work_);
      is_last = store_has_ended_ && batches.empty() && questions.empty() && work.empty();
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
    turn_early(questions, now, lets_go);
    answer_questions(questions);
    watchers_.turn(reader_, now, lets_go);
    take_sample();
    if (is_last) break;
  }
}

/// Those that waited for a revision that is there now, or have waited too long.
void Follower::turn_early(std::vector<Question>& questions, Steady::time_point now, bool is_last) {
  while (!early_.empty() && (early_.begin()->first <= shared_.figures.reader_revision.load())) {
    questions.push_back(std::move(early_.begin()->second));
    early_.erase(early_.begin());
  }
  for (auto each = early_.begin(); each != early_.end();) {
    if (each->second.until > now && !is_last) {
      ++each;
      continue;
    }
    each->second.reply(busy_answer("that revision is not there yet"));
    each = early_.erase(each);
  }
}

void Follower::apply_batches(const std::vector<Durable>& batches) {
  for (const Durable& next : batches) {
    if (shared_.differs.load()) return;
    try {
      if (!next.batch.empty()) apply_batch(next.batch);
      if (!next.snapshot_sha256.empty() && !shared_.differs.load()) compare_snapshot(next.snapshot_sha256);
    } catch (const std::exception& failure) {
      say_mismatch(next.batch.first, failure.what());
    }
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
  if (live::sha256(reader_.snapshot()) != expected) return say_mismatch(revision, "the two engines differ");
  shared_.agreed = revision;
}

void Follower::say_mismatch(std::uint64_t revision, const std::string& why) {
  shared_.differs = true;
  shared_.figures.is_ready = false;
  ++shared_.figures.mismatches;
  shared_.events.say("error", "state-mismatch", {{"revision", revision}, {"why", why}});
}

void Follower::answer_questions(std::vector<Question>& questions) {
  std::shared_ptr<live::Reader> copy;
  for (Question& question : questions) {
    if (question.lane != Lane::worker) {
      question.reply(shared_.get(reader_, question.query, question.caller));
      continue;
    }
    try {
      if (copy == nullptr) copy = std::make_shared<live::Reader>(reader_.copy());
    } catch (const std::exception& failure) {
      question.reply(shared_.internal_answer(failure));
      continue;
    }
    const std::string tenant = question.caller.tenant;
    Reply reply = question.reply;
    workers_.give({tenant,
                   [copy, asked = std::move(question)] {
                     const auto begin = Steady::now();
                     live::Answer answer = copy->get(asked.query, asked.caller);
                     const bool is_trial = asked.query.what == live::Ask::what_if ||
                                           asked.query.what == live::Ask::policy_dry_run;
                     if (is_trial && !answer.is_problem())
                       answer.body["seconds"] = std::chrono::duration<double>(Steady::now() - begin).count();
                     asked.reply(std::move(answer));
                   },
                   std::move(reply)});
  }
}

}  // namespace mirab::service
