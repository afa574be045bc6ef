#include "kube/sending.hpp"

#include <algorithm>
#include <utility>

namespace mirab::kube {
namespace {

constexpr std::size_t kMostReports = 1000;  // that wait to be sent; the oldest are left out

}  // namespace

Result<std::unique_ptr<Sending>> Sending::start(const Access& access, std::size_t threads, Mailbox& mailbox,
                                                std::function<bool()> may_send,
                                                std::chrono::milliseconds answer_time, std::uint64_t seed) {
  std::unique_ptr<Sending> sending(new Sending(mailbox, std::move(may_send)));
  for (std::size_t i = 0; i < threads; ++i) {
    Result<std::unique_ptr<ApiServer>> server = ApiServer::open(
        access, {.answer_time = answer_time, .seed = seed + i, .is_stopped = [raw = sending.get()] {
                   return raw->is_stopping_.load();
                 }});
    if (!server) return std::move(server).error();
    sending->servers_.push_back(*std::move(server));
  }
  for (const auto& server : sending->servers_)
    sending->threads_.emplace_back(
        [raw = sending.get(), its_server = server.get()] { raw->run(*its_server); });
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
  const std::size_t count = requests.size();
  std::vector<std::uint64_t> dropped;
  {
    const std::lock_guard lock(mutex_);
    for (kubernetes::Request& each : requests) {
      const bool is_bind =
          each.path.ends_with("/binding") || each.path.ends_with("/eviction") || each.method == "GET";
      (is_bind ? binds_ : reports_).push_back(std::move(each));
    }
    for (; reports_.size() > kMostReports; reports_.pop_front()) {
      if (reports_.front().wants_reply) dropped.push_back(reports_.front().id);
    }
  }
  for (const std::uint64_t id : dropped) mailbox_.put(kubernetes::Reply{.id = id});
  // A thread that is awake looks for more itself.
  for (std::size_t i = 0; i < std::min(count, threads_.size()); ++i) there_.notify_one();
}

// At most half of the threads send reports at a time, so that reports that take long hold up no bind.
bool Sending::has_work() const {
  const std::size_t most = std::max<std::size_t>(1, servers_.size() / 2);
  return !binds_.empty() || (!reports_.empty() && reports_under_way_ < most);
}

kubernetes::Reply Sending::asked(ApiServer& server, const kubernetes::Request& request) const {
  kubernetes::Reply reply{.id = request.id};
  if (!may_send_()) return reply;
  Result<Answer> answer = server.send(request.method, request.path, request.body, request.content_type);
  if (answer) {
    reply.status = answer->status;
    reply.retry_after = answer->retry_after.value_or(std::chrono::seconds(0));
    reply.body = std::move(answer->body);
  }
  return reply;
}

void Sending::run(ApiServer& server) {
  std::unique_lock lock(mutex_);
  while (true) {
    there_.wait(lock, [&] { return is_stopping_ || has_work(); });
    if (is_stopping_) return;
    const bool is_report = binds_.empty();
    std::deque<kubernetes::Request>& from = is_report ? reports_ : binds_;
    const kubernetes::Request request = std::move(from.front());
    from.pop_front();
    reports_under_way_ += is_report ? 1 : 0;
    lock.unlock();
    kubernetes::Reply reply =
        kubernetes::deliver(request, [&](const kubernetes::Request& each) { return asked(server, each); });
    if (request.wants_reply) mailbox_.put(std::move(reply));
    lock.lock();
    reports_under_way_ -= is_report ? 1 : 0;
  }
}

}  // namespace mirab::kube
