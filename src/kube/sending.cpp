#include "kube/sending.hpp"

#include <utility>

namespace mirab::kube {
namespace {

/// Less than lies between the end of a leader's time and the begin of the next one's: a bind that is sent at
/// the last moment is done, or given up, before another process decides.
constexpr std::chrono::seconds kAnswerTime{4};

constexpr std::size_t kMostReports = 1000;  // that wait to be sent; the oldest are left out

}  // namespace

Result<std::unique_ptr<Sending>> Sending::start(const kubernetes::ApiAccess& access, std::size_t threads,
                                                Mailbox& mailbox, std::function<bool()> may_send,
                                                std::uint64_t seed) {
  std::unique_ptr<Sending> sending(new Sending(mailbox, std::move(may_send)));
  for (std::size_t i = 0; i < threads; ++i) {
    Result<std::unique_ptr<ApiServer>> server = ApiServer::open(
        access, {.answer_time = kAnswerTime, .seed = seed + i, .is_stopped = [raw = sending.get()] {
                   return raw->is_stopping_.load();
                 }});
    if (!server) return std::move(server).error();
    sending->servers_.push_back(*std::move(server));
  }
  for (std::size_t i = 0; i < threads; ++i) {
    // Half of them send nothing but binds, so that reports that take long hold up none.
    const bool takes_reports = i % 2 == 0;
    sending->threads_.emplace_back([raw = sending.get(), its_server = sending->servers_[i].get(),
                                    takes_reports] { raw->run(*its_server, takes_reports); });
  }
  return sending;
}

Sending::~Sending() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  there_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Sending::send(std::vector<kubernetes::Request> requests) {
  if (requests.empty()) return;
  std::vector<std::uint64_t> dropped;
  {
    const std::lock_guard lock(mutex_);
    for (kubernetes::Request& each : requests) {
      const bool is_bind = each.path.ends_with("/binding") || each.method == "GET";
      (is_bind ? binds_ : reports_).push_back(std::move(each));
    }
    for (; reports_.size() > kMostReports; reports_.pop_front()) dropped.push_back(reports_.front().id);
  }
  for (const std::uint64_t id : dropped) mailbox_.put(kubernetes::Reply{.id = id});
  there_.notify_all();
}

std::size_t Sending::queued() const {
  const std::lock_guard lock(mutex_);
  return binds_.size() + reports_.size();
}

void Sending::run(ApiServer& server, bool takes_reports) {
  while (true) {
    kubernetes::Request request;
    {
      std::unique_lock lock(mutex_);
      there_.wait(lock,
                  [&] { return is_stopping_ || !binds_.empty() || (takes_reports && !reports_.empty()); });
      if (is_stopping_) return;
      std::deque<kubernetes::Request>& from = binds_.empty() ? reports_ : binds_;
      request = std::move(from.front());
      from.pop_front();
    }
    kubernetes::Reply reply{.id = request.id};
    if (!may_send_()) {
      mailbox_.put(std::move(reply));
      continue;
    }
    const Result<Answer> answer =
        request.content_type.empty()
            ? server.send(request.method, request.path)
            : server.send(request.method, request.path, request.body, request.content_type);
    if (answer) {
      reply.status = answer->status;
      reply.body = answer->body;
    }
    mailbox_.put(std::move(reply));
  }
}

}  // namespace mirab::kube
