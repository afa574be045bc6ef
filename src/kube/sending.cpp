#include "kube/sending.hpp"

#include <utility>

namespace mirab::kube {

Result<std::unique_ptr<Sending>> Sending::start(const kubernetes::ApiAccess& access, std::size_t threads,
                                                Mailbox& mailbox, std::function<bool()> may_send,
                                                std::uint64_t seed) {
  std::unique_ptr<Sending> sending(new Sending(mailbox, std::move(may_send)));
  for (std::size_t i = 0; i < threads; ++i) {
    Result<std::unique_ptr<ApiServer>> server =
        ApiServer::open(access, {.answer_time = std::chrono::seconds(30),
                                 .seed = seed + i,
                                 .is_stopped = [raw = sending.get()] { return raw->is_stopping_.load(); }});
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
  {
    const std::lock_guard lock(mutex_);
    for (kubernetes::Request& each : requests) {
      const bool is_bind = each.path.ends_with("/binding") || each.method == "GET";
      (is_bind ? binds_ : reports_).push_back(std::move(each));
    }
  }
  if (count == 1) {
    there_.notify_one();
  } else {
    there_.notify_all();
  }
}

std::size_t Sending::queued() const {
  const std::lock_guard lock(mutex_);
  return binds_.size() + reports_.size();
}

void Sending::run(ApiServer& server) {
  while (true) {
    kubernetes::Request request;
    {
      std::unique_lock lock(mutex_);
      there_.wait(lock, [&] { return is_stopping_ || !binds_.empty() || !reports_.empty(); });
      if (is_stopping_) return;
      std::deque<kubernetes::Request>& from = binds_.empty() ? reports_ : binds_;
      request = std::move(from.front());
      from.pop_front();
    }
    if (!may_send_()) continue;
    const Result<Answer> answer =
        request.content_type.empty()
            ? server.send(request.method, request.path)
            : server.send(request.method, request.path, request.body, request.content_type);
    kubernetes::Reply reply{.id = request.id};
    if (answer) {
      reply.status = answer->status;
      reply.body = answer->body;
    }
    mailbox_.put(std::move(reply));
  }
}

}  // namespace mirab::kube
