#include "service/http_load.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <stdexcept>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace mirab::bench {
namespace {

int connected(int port) {
  const int handle = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (handle < 0 || ::connect(handle, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    throw std::runtime_error(fmt::format("no connection: {}", std::strerror(errno)));
  const int one = 1;
  ::setsockopt(handle, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return handle;
}

void add_to(int epoll, int handle, std::uint64_t number) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = number;
  if (::epoll_ctl(epoll, EPOLL_CTL_ADD, handle, &event) != 0) throw std::runtime_error("epoll_ctl");
}

/// Requests are small: the socket takes each at once.
void send_all(int handle, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(handle, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) throw std::runtime_error(fmt::format("cannot send: {}", std::strerror(errno)));
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

struct Response {
  int status;
  std::size_t head;  ///< bytes
  std::size_t body;
  bool closes;
};

/// The first response in the bytes, when it is there as a whole.
std::optional<Response> response_in(std::string_view bytes) {
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos) return {};
  const bool closes = bytes.substr(0, end).find("\r\nConnection: close") != std::string_view::npos;
  Response response{.status = 0, .head = end + 4, .body = 0, .closes = closes};
  std::from_chars(bytes.data() + 9, bytes.data() + 12, response.status);
  constexpr std::string_view kLength = "\r\nContent-Length: ";
  const std::size_t length = bytes.substr(0, end).find(kLength);
  if (length != std::string_view::npos)
    std::from_chars(bytes.data() + length + kLength.size(), bytes.data() + end, response.body);
  if (bytes.size() < response.head + response.body) return {};
  return response;
}

/// Appends what there is to read; false where nothing is.
bool read_more(int handle, std::string& into, int flags) {
  char bytes[65536];
  const ssize_t count = ::recv(handle, bytes, sizeof bytes, flags);
  if (count > 0) {
    into.append(bytes, static_cast<std::size_t>(count));
    return true;
  }
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return false;
  throw std::runtime_error("the service has ended a connection");
}

struct Connection {
  int handle = -1;
  Lane* lane = nullptr;
  std::string unread = {};
  Clock::time_point due{};
};

/// The lanes while they are driven.
class Drive {
 public:
  Drive(int port, const std::vector<Lane*>& lanes) : port_(port), epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    for (Lane* lane : lanes) {
      for (int n = 0; n < lane->connections; ++n)
        connections_.push_back({.handle = connected(port), .lane = lane});
    }
    for (std::size_t n = 0; n < connections_.size(); ++n) add_to(epoll_, connections_[n].handle, n);
  }
  ~Drive() {
    for (const Connection& connection : connections_) ::close(connection.handle);
    ::close(epoll_);
  }
  Drive(const Drive&) = delete;
  Drive& operator=(const Drive&) = delete;

  void run(std::chrono::milliseconds time, std::size_t requests) {
    begin_ = Clock::now();
    end_ = begin_ + time;
    Lane* const first = connections_.front().lane;
    for (Connection& connection : connections_) {
      Lane& lane = *connection.lane;
      if (lane.per_s > 0) {
        idle_[&lane].push_back(&connection);
        next_due_.try_emplace(&lane, begin_);
      } else {
        send(connection, Clock::now());
      }
    }
    const auto is_over = [&] {
      return Clock::now() >= end_ || (requests > 0 && first->ms.size() >= requests);
    };
    while (!is_over()) {
      send_due();
      take_answers();
    }
    stops_ = true;
    for (const auto until = Clock::now() + std::chrono::seconds(60); in_flight_ > 0 && Clock::now() < until;)
      take_answers();
    if (in_flight_ > 0) throw std::runtime_error("requests stay without an answer");
  }

 private:
  void send(Connection& connection, Clock::time_point due) {
    connection.due = due;
    send_all(connection.handle, connection.lane->request());
    ++in_flight_;
  }

  void send_due() {
    const auto now = Clock::now();
    for (auto& [lane, due] : next_due_) {
      std::deque<Connection*>& idle = idle_[lane];
      while (due <= now && !idle.empty()) {
        send(*idle.front(), due);
        idle.pop_front();
        due += std::chrono::nanoseconds(static_cast<std::int64_t>(1e9 / lane->per_s));
      }
    }
  }

  void take_answers() {
    epoll_event events[256];
    const int count = ::epoll_wait(epoll_, events, 256, next_due_.empty() ? 100 : 1);
    for (int n = 0; n < count; ++n) {
      Connection& connection = connections_[events[n].data.u64];
      if (!read_more(connection.handle, connection.unread, MSG_DONTWAIT)) continue;
      const auto response = response_in(connection.unread);
      if (!response) continue;
      const auto now = Clock::now();
      Lane& lane = *connection.lane;
      if (lane.answered)
        lane.answered(std::string_view(connection.unread).substr(response->head, response->body));
      connection.unread.erase(0, response->head + response->body);
      if (response->closes) {
        ::close(connection.handle);
        connection.handle = connected(port_);
        connection.unread.clear();
        add_to(epoll_, connection.handle, events[n].data.u64);
      }
      lane.ms.push_back(std::chrono::duration<double, std::milli>(now - connection.due).count());
      lane.seconds = std::chrono::duration<double>(now - begin_).count();
      ++lane.statuses[response->status];
      --in_flight_;
      if (stops_) continue;
      if (lane.per_s > 0) {
        idle_[&lane].push_back(&connection);
      } else {
        send(connection, now);
      }
    }
  }

  int port_;
  int epoll_;
  std::vector<Connection> connections_;
  std::map<Lane*, std::deque<Connection*>> idle_;
  std::map<Lane*, Clock::time_point> next_due_;
  Clock::time_point begin_{};
  Clock::time_point end_{};
  std::size_t in_flight_ = 0;
  bool stops_ = false;
};

}  // namespace

std::string http_request(std::string_view method, std::string_view target, std::string_view token,
                         std::string_view body) {
  const std::string length = body.empty() ? "" : fmt::format("Content-Length: {}\r\n", body.size());
  return fmt::format("{} {} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {}\r\n{}\r\n{}", method,
                     target, token, length, body);
}

double Lane::quantile(double q) const {
  if (ms.empty()) return 0;
  std::vector<double> sorted = ms;
  const auto at = std::min(sorted.size() - 1,
                           static_cast<std::size_t>(std::ceil(q * static_cast<double>(sorted.size()))));
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(at), sorted.end());
  return sorted[at];
}

void drive(int port, const std::vector<Lane*>& lanes, std::chrono::milliseconds time, std::size_t requests) {
  for (Lane* lane : lanes) {
    lane->ms.clear();
    lane->statuses.clear();
  }
  Drive(port, lanes).run(time, requests);
}

Asker::Asker(int port, std::string token) : handle_(connected(port)), token_(std::move(token)) {}
Asker::~Asker() { ::close(handle_); }

Asker::Answer Asker::ask(std::string_view method, std::string_view target, std::string_view body) {
  send_all(handle_, http_request(method, target, token_, body));
  std::string bytes;
  while (true) {
    read_more(handle_, bytes, 0);
    if (const auto response = response_in(bytes))
      return {.status = response->status, .body = bytes.substr(response->head, response->body)};
  }
}

std::string Asker::must(std::string_view method, std::string_view target, std::string_view body) {
  Answer answer = ask(method, target, body);
  if (answer.status >= 300)
    throw std::runtime_error(fmt::format("{} {}: {} {}", method, target, answer.status, answer.body));
  return std::move(answer.body);
}

Watchers::Watchers(int port, const std::string& token, int count) : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  for (int n = 0; n < count; ++n) {
    watchers_.push_back({.handle = connected(port)});
    send_all(watchers_.back().handle, http_request("GET", "/v1/events?now=1", token));
    add_to(epoll_, watchers_.back().handle, static_cast<std::uint64_t>(n));
  }
}

Watchers::~Watchers() {
  for (const Watcher& watcher : watchers_) ::close(watcher.handle);
  ::close(epoll_);
}

std::size_t Watchers::read_until(std::uint64_t revision) {
  std::size_t messages = 0;
  std::size_t behind = watchers_.size();
  const auto until = Clock::now() + std::chrono::seconds(60);
  while (behind > 0) {
    if (Clock::now() > until) throw std::runtime_error("the watchers do not get what they wait for");
    epoll_event events[256];
    const int count = ::epoll_wait(epoll_, events, 256, 100);
    for (int n = 0; n < count; ++n) {
      Watcher& watcher = watchers_[events[n].data.u64];
      if (!read_more(watcher.handle, watcher.unread, MSG_DONTWAIT)) continue;
      const bool was_behind = watcher.last < revision;
      std::size_t at = 0;
      for (std::size_t end = 0; (end = watcher.unread.find('\n', at)) != std::string::npos; at = end + 1) {
        if (watcher.unread.compare(at, 4, "id: ") != 0) continue;
        ++messages;
        std::from_chars(watcher.unread.data() + at + 4, watcher.unread.data() + end, watcher.last);
      }
      watcher.unread.erase(0, at);
      if (was_behind && watcher.last >= revision) --behind;
    }
  }
  return messages;
}

}  // namespace mirab::bench
