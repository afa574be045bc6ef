// Order rule 3: a decider and a reader that play the log alone, record by record, give every answer that was
// recorded while commands, batches, crashes and readers went on beside each other.
#pragma once

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include "live/decider.hpp"
#include "live/reader.hpp"

namespace mirab::live {

/// A command, when it was applied, and what was answered.
struct AnsweredCommand {
  Command command = {};
  Answer answer = {};
  Time now = {};
  Wall wall = {};
};

struct AnsweredQuery {
  Query query = {};
  Caller caller = {};
  Answer answer = {};
};

/// The log with one record in each batch.
inline std::vector<Batch> one_by_one(const Settings& settings, const std::vector<Batch>& log) {
  std::vector<Batch> single;
  std::string hash = first_hash(settings.cluster_id);
  for (const Batch& batch : log) {
    Revision revision = batch.first;
    for (std::size_t at = 0; at < batch.body.size(); ++revision) {
      const std::size_t end = batch.body.find('\n', at) + 1;
      Batch one{
          .first = revision, .last = revision, .wall = batch.wall, .body = batch.body.substr(at, end - at)};
      one.hash = hash = chain_hash(hash, one.body);
      single.push_back(std::move(one));
      at = end;
    }
  }
  return single;
}

inline bool is_same(const Answer& one, const Answer& two) {
  return one.status == two.status && one.body == two.body && one.revision == two.revision &&
         one.etag == two.etag;
}

class SequentialModel {
 public:
  explicit SequentialModel(const Settings& settings)
      : decider_(*Decider::from(settings)), reader_(*Reader::from(settings)) {}

  void play(const Batch& one) {
    line_ = one.body;
    record_ = records_of(line_)->front();
    before_ = after_;
    const Check bad = decider_.replay(one);
    ASSERT_FALSE(bad) << describe(*bad);
    ASSERT_TRUE(reader_.apply(one));
    after_ = decider_.snapshot();
  }

  /// Does the model, at the revision of the answer, give it too?
  bool gives(const AnsweredCommand& answered) {
    if (!line_.empty() && record_.what == word_of(answered.command.what)) {  // it may have made this record
      Decider alone = *Decider::restore(before_);
      const Answer answer = alone.apply(answered.command, record_.stamp.now, record_.stamp.wall);
      if (is_same(answer, answered.answer) && alone.take_batch().body == line_) {
        ++made;
        return true;
      }
    }
    Decider alone = *Decider::restore(after_);
    Answer answer = alone.apply(answered.command, answered.now, answered.wall);
    if (!alone.take_batch().empty()) return false;
    ++unchanged;
    if (is_same(answer, answered.answer)) return true;
    // Sent again while the first was on its way to the disk: the answer is that of the first.
    if (answer.body.erase("replayed") == 0) return false;
    answer.status = 201;
    return is_same(answer, answered.answer);
  }
  bool gives(const AnsweredQuery& answered) const {
    return is_same(reader_.get(answered.query, answered.caller), answered.answer);
  }

  int made = 0;       ///< answers to commands that changed something
  int unchanged = 0;  ///< refusals and repetitions

 private:
  Decider decider_;
  Reader reader_;
  std::string line_ = {};
  Record record_ = {};
  std::string before_ = decider_.snapshot();
  std::string after_ = before_;
};

struct SequentialCounts {
  int made = 0;
  int unchanged = 0;
  int read = 0;
};

inline SequentialCounts check_sequentially(const Settings& settings, const std::vector<Batch>& log,
                                           const std::vector<AnsweredCommand>& commands,
                                           const std::vector<AnsweredQuery>& queries) {
  std::multimap<Revision, const AnsweredCommand*> commands_at;
  std::multimap<Revision, const AnsweredQuery*> queries_at;
  for (const AnsweredCommand& each : commands) commands_at.emplace(each.answer.revision, &each);
  for (const AnsweredQuery& each : queries) queries_at.emplace(each.answer.revision, &each);
  SequentialModel model(settings);
  const auto check = [&](Revision revision) {
    const auto [command, last_command] = commands_at.equal_range(revision);
    for (auto each = command; each != last_command; ++each)
      EXPECT_TRUE(model.gives(*each->second))
          << word_of(each->second->command.what) << " " << each->second->command.target.name
          << " at revision " << revision << ": " << each->second->answer.status << " "
          << each->second->answer.body.dump();
    const auto [query, last_query] = queries_at.equal_range(revision);
    for (auto each = query; each != last_query; ++each)
      EXPECT_TRUE(model.gives(*each->second)) << "a question at revision " << revision;
  };
  check(0);
  for (const Batch& one : one_by_one(settings, log)) {
    model.play(one);
    if (::testing::Test::HasFatalFailure()) break;
    check(one.last);
  }
  return {.made = model.made, .unchanged = model.unchanged, .read = static_cast<int>(queries.size())};
}

}  // namespace mirab::live
