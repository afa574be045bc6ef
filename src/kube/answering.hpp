// Answers questions about the cluster that is scheduled, on threads of its own: from a picture that the
// thread that decides takes when one is wanted, which is never so often that it costs more than a twentieth
// of its time. What happened is kept as long as the ring has room, history for 24 hours.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "api/event_watchers.hpp"
#include "kube/mirror.hpp"
#include "live/history.hpp"
#include "live/reader.hpp"

namespace mirab::kube {

class Answering {
 public:
  struct Options {
    std::string cluster;         ///< its name in answers
    std::function<void()> wake;  ///< of the thread that decides, which then looks at wants_picture()
    std::function<void(const std::string&)> failed = {};  ///< what was thrown
  };
  static Result<std::unique_ptr<Answering>> start(Options options);
  ~Answering();
  Answering(const Answering&) = delete;
  Answering& operator=(const Answering&) = delete;

  // Of the thread that decides.

  bool wants_picture() const { return wants_; }
  /// Nothing: it is as it was. `took`: how long that thread was at it.
  void put(std::optional<Picture> picture, Time now, Wall wall, api::Steady::duration took);

  // Of any thread.

  struct Question {
    live::Query query;
    bool is_long = false;
    std::uint64_t at_least = 0;
    api::Reply reply;
    api::Steady::time_point asked = api::Steady::now();
  };
  void ask(Question question);
  void watch(api::Watch watch);
  /// 410 where what it wants first is no longer there, or is of another process.
  std::optional<live::Problem> gone(const api::Watch& watch) const;
  /// How things stood ten seconds ago at the most.
  live::Gauges gauges() const;

 private:
  Answering(Options options, Mirror mirror);
  void run();
  void work();
  void follow(Picture picture);
  bool is_due(const Question& question, api::Steady::time_point now) const;
  void answer(Question question);
  live::Answer answer_to(const live::State& state, const live::Query& query) const;
  live::Answer explained(const live::Query& query) const;
  api::Steady::duration pause() const;
  void sample(api::Steady::time_point now);

  Options options_;
  Mirror mirror_;
  live::History history_;
  api::EventWatchers events_;
  std::shared_ptr<const live::State> copy_;  // of this picture, for long questions
  std::vector<Question> waiting_;            // for a picture
  api::Steady::time_point pictured_{};       // when the state was so
  api::Steady::time_point sampled_{};
  std::atomic<api::Steady::duration> took_{};
  std::atomic<std::uint64_t> oldest_;  // all changes after it are there
  std::atomic<std::uint64_t> latest_;

  mutable std::mutex mutex_;
  std::condition_variable wakes_;
  struct Put {
    std::optional<Picture> picture;
    Time now;
    Wall wall;
  };
  std::vector<Put> put_;
  std::vector<Question> questions_;
  std::vector<api::Watch> watches_;
  live::Gauges gauges_;
  std::atomic<bool> wants_ = false;
  bool is_ending_ = false;

  std::condition_variable work_wakes_;
  std::deque<std::function<void()>> works_;  // long questions

  std::thread thread_;
  std::thread worker_;
};

}  // namespace mirab::kube
