// Whatever messages arrive, from any sender and in any order, no node crashes, breaks an invariant of its
// own, or sends a message that cannot be decoded.
//
// The first byte chooses the options. Then each record is the time that passes, in hundredths of a second, a
// length, and that number of bytes: a message, whose checksum is mended, to every node at once (all have the
// reader's address, so that one message fits all). What is too short for a message is an event: a tick, a
// shuffle, a pause, a leave.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <libdeflate.h>
#include <span>
#include <variant>
#include <vector>

#include <mirab/model/assert.hpp>
#include <mirab/model/random.hpp>
#include <mirab/overlay/central_scheduler.hpp>
#include <mirab/overlay/gateway.hpp>
#include <mirab/overlay/scheduler.hpp>
#include <mirab/overlay/server.hpp>
#include <mirab/overlay/user.hpp>
#include <mirab/overlay/wire.hpp>

namespace {

using namespace mirab::overlay;
using mirab::Duration;
using mirab::Time;
using Bytes = std::span<const std::uint8_t>;

constexpr NodeId kReader = 9, kBootstrap = 20, kGateway = 21, kCentral = 22;
constexpr Time kStart{std::chrono::milliseconds(1000)};
constexpr Duration kStep = std::chrono::milliseconds(10), kTick = std::chrono::milliseconds(100);
constexpr WireLimits kAnyTime{.lifetime = Duration::max(), .skew = Duration::max()};
constexpr std::size_t kView = 3, kShortestLetter = 9;

OverlayOptions options_of(std::uint8_t choice) {
  OverlayOptions options;
  options.gossip = {.view = kView, .peers = kView, .peer_shuffle = 2, .oldest = 10, .remember = choice % 2U};
  options.gossip.introduce = static_cast<Introduce>(choice / 96 % 2);
  options.hops = 9;
  options.best_of = 3;
  options.confirm = static_cast<Confirm>(choice / 32 % 2);
  options.search = static_cast<Search>(choice / 2 % 3);
  options.idle = static_cast<Idle>(choice / 6 % 2);
  options.stuck = static_cast<Stuck>(choice / 12 % 2);
  options.rise = static_cast<Rise>(choice / 24 % 2);
  options.total = static_cast<Total>(choice / 48 % 2);
  options.push_sum_epoch = 4;
  options.patience = {
      .again = 2, .held = 4, .walk = 6, .home = 4, .user = 20, .lease = choice < 128 ? 0U : 8U};
  return options;
}

class Nodes {
 public:
  explicit Nodes(const OverlayOptions& options)
      : user_({.self = kReader, .gateway = kGateway, .demand = {1, 2}, .tick = kTick}, options.patience,
              std::chrono::milliseconds(200)),
        bootstrap_(2, options.patience, kTick) {
    for (const SchedulerRow& row : schedulers()) {
      servers_.emplace_back(
          ServerSetting{.self = kReader,
                        .capacity = {10, 20},
                        .total = {100, 200},
                        .bootstrap = kBootstrap,
                        .gateway = kGateway,
                        .central = kCentral,
                        .neighbours = row.scheduler == Scheduler::probes ? std::vector<NodeId>{1, 2, 3}
                                                                         : std::vector<NodeId>{},
                        .tick = kTick},
          row.scheduler, options, kStart);
    }
    for (const Direction direction : {Direction::home, Direction::any, Direction::central})
      gateways_.emplace_back(direction, kCentral, options.patience, kTick);
    for (const Scheduler scheduler : {Scheduler::centralised_drf, Scheduler::centralised_fifo})
      centrals_.emplace_back(
          CentralScheduler::Setting{
              .self = kReader, .capacity = {{10, 20}, {30, 10}, {5, 5}}, .total = {45, 35}, .tick = kTick},
          scheduler, options);
    for (Server& server : servers_) server.on_start(effects_);
    user_.on_start(kStart, effects_);
  }

  void hear(Time now, const AddressedMessage& letter) {
    for (Server& server : servers_) server.on_message(now, letter.from, letter.message, random_, effects_);
    for (Gateway& gateway : gateways_)
      gateway.on_message(now, letter.from, letter.message, random_, effects_);
    for (CentralScheduler& central : centrals_)
      central.on_message(now, letter.from, letter.message, effects_);
    bootstrap_.on_message(now, letter.from, letter.message, random_, effects_);
    user_.on_message(now, letter.from, letter.message, effects_);
  }

  void happen(Time now, std::size_t event) {
    switch (event % 6) {
      case 0:
        for (Server& server : servers_) server.on_shuffle(now, random_, effects_);
        return;
      case 1:
        return user_.pause(now, effects_);
      case 2:
        return user_.resume(now, effects_);
      case 3:
        for (Server& server : servers_) server.leave(now, effects_);
        return;
      default:
        for (Server& server : servers_) server.on_tick(now, random_, effects_);
        for (CentralScheduler& central : centrals_) central.on_tick(now, effects_);
        return user_.on_tick(now, effects_);
    }
  }

  void check(Time now) {
    for (const Server& server : servers_) {
      MIRAB_ASSERT(server.view().size() <= kView && server.peers().size() <= kView, "views have a size");
      MIRAB_ASSERT(server.utility() < INFINITY, "a utility can be told");
      MIRAB_ASSERT(
          server.free()[0] >= 0 && server.free()[0] <= 10 && server.free()[1] >= 0 && server.free()[1] <= 20,
          "what is free is between nothing and the capacity");
    }
    for (const Send& send : effects_.sends) {
      bytes_.clear();
      encode({.from = kReader, .to = send.to, .sent = now, .message = send.message}, bytes_);
      MIRAB_ASSERT(std::holds_alternative<AddressedMessage>(decode(bytes_, send.to, now, {})),
                   "a message that is sent can be decoded");
    }
    effects_.sends.clear();
    effects_.facts.clear();
  }

 private:
  mirab::Random random_{1};
  Effects effects_;
  std::vector<std::uint8_t> bytes_;
  std::vector<Server> servers_;
  std::vector<Gateway> gateways_;
  std::vector<CentralScheduler> centrals_;
  User user_;
  Bootstrap bootstrap_;
};

// With the last bytes replaced by the checksum of those before.
std::vector<std::uint8_t> sealed(Bytes bytes) {
  std::vector<std::uint8_t> all(bytes.begin(), bytes.end());
  const std::size_t covered = all.size() - sizeof(std::uint32_t);
  const std::uint32_t checksum = libdeflate_crc32(0, all.data(), covered);
  std::memcpy(all.data() + covered, &checksum, sizeof checksum);
  return all;
}

Bytes take(Bytes& bytes, std::size_t count) {
  const Bytes taken = bytes.first(std::min(count, bytes.size()));
  bytes = bytes.subspan(taken.size());
  return taken;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  if (bytes.empty()) return 0;
  Nodes nodes(options_of(take(bytes, 1)[0]));
  Time now = kStart;
  while (bytes.size() >= 2) {
    const Bytes head = take(bytes, 2);
    now += head[0] * kStep;
    if (head[1] < kShortestLetter) {
      nodes.happen(now, head[1]);
    } else if (const Bytes body = take(bytes, head[1]); body.size() == head[1]) {
      const std::variant<AddressedMessage, Drop> read = decode(sealed(body), kReader, now, kAnyTime);
      if (const AddressedMessage* letter = std::get_if<AddressedMessage>(&read)) nodes.hear(now, *letter);
    }
    nodes.check(now);
  }
  return 0;
}
