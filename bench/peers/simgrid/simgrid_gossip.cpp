// The exchange with SimGrid's S4U actors. Of the ways that were tried this is the quickest: one actor a node
// that waits for its mailbox or the next tick (two actors, one for each, take a fifth longer), and the
// network model CM02, latency and bandwidth, which costs no more than SimGrid's model of a constant delay and
// half of its default's time.
#include "simgrid_gossip.hpp"

#include <array>
#include <simgrid/s4u.hpp>
#include <string>
#include <utility>
#include <vector>

#include "overlay/gossiper.hpp"

namespace mirab::bench {
namespace {

namespace s4u = simgrid::s4u;
using overlay::NodeId;

constexpr std::uint64_t kBytes = 126;  // of a shuffle of ten descriptors (docs/reference/overlay-messages.md)
constexpr double kBandwidth = 1e9, kSpeed = 1e9;

struct Mail {
  NodeId from = 0;
  overlay::Message message;
};

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

s4u::Engine& engine() {
  static std::string name = "gossip", model = "--cfg=network/model:CM02", quiet = "--log=root.thresh:error";
  static std::array<char*, 4> arguments = {name.data(), model.data(), quiet.data(), nullptr};
  static int count = 3;
  static s4u::Engine only(&count, arguments.data());
  return only;
}

// Hosts about a hub; a message takes two links, each half of the latency.
std::vector<s4u::Host*> star_of_hosts(std::size_t count) {
  s4u::NetZone* const star = s4u::create_star_zone("star");
  std::vector<s4u::Host*> hosts;
  for (std::size_t node = 0; node < count; ++node) {
    const std::string name = "node-" + std::to_string(node);
    s4u::Link* const link = star->create_link(name, kBandwidth)->set_latency(seconds(kGossipLatency) / 2);
    hosts.push_back(star->create_host(name, kSpeed)->seal());
    star->add_route(hosts.back()->get_netpoint(), nullptr, nullptr, nullptr, {s4u::LinkInRoute(link->seal())},
                    true);
  }
  star->seal();
  return hosts;
}

}  // namespace

struct SimgridGossip::State {
  State(std::size_t count, std::uint64_t seed) : random(seed), nodes(gossipers(count, random)) {
    const std::vector<s4u::Host*> hosts = star_of_hosts(count);
    const std::vector<Duration> begins = offsets(count, random);
    for (const s4u::Host* host : hosts) mailboxes.push_back(s4u::Mailbox::by_name(host->get_name()));
    for (NodeId node = 0; node < count; ++node)
      s4u::Actor::create("gossiper", hosts[node],
                         [this, node, begin = begins[node]] { live(node, seconds(begin)); });
  }

  void live(NodeId self, double next_shuffle) {
    overlay::Effects effects;
    mailboxes[self]->set_receiver(s4u::Actor::self());  // mail comes whether or not it is waited for
    Mail* mail = nullptr;
    s4u::CommPtr coming = mailboxes[self]->get_async(&mail);
    for (;;) {
      if (is_here(coming, next_shuffle - s4u::Engine::get_clock())) {
        hear(self, std::unique_ptr<Mail>(mail), effects);
        coming = mailboxes[self]->get_async(&mail);
      } else {
        nodes[self].shuffle(random, effects);
        send(self, effects);
        next_shuffle += seconds(kGossipTick);
      }
    }
  }

  static bool is_here(const s4u::CommPtr& coming, double patience) {
    return patience > 0 && s4u::Comm::wait_any_for({coming}, patience) == 0;
  }

  void hear(NodeId self, const std::unique_ptr<Mail>& mail, overlay::Effects& effects) {
    ++heard;
    nodes[self].hear(mail->from, mail->message, effects);
    send(self, effects);
  }

  void send(NodeId self, overlay::Effects& effects) {
    for (overlay::Send& each : effects.sends) {
      auto mail = std::make_unique<Mail>(Mail{self, std::move(each.message)});
      mailboxes[each.to]->put_init(mail.release(), kBytes)->detach();
    }
    effects.sends.clear();
  }

  Random random;
  std::vector<Gossiper> nodes;
  std::vector<s4u::Mailbox*> mailboxes;
  double end = 0;
  std::int64_t heard = 0;
};

SimgridGossip::SimgridGossip(std::size_t nodes, std::uint64_t seed) {
  engine();
  state_ = std::make_unique<State>(nodes, seed);
}

SimgridGossip::~SimgridGossip() = default;

void SimgridGossip::run(std::int64_t ticks) {
  state_->end += static_cast<double>(ticks) * seconds(kGossipTick);
  engine().run_until(state_->end);
}

std::int64_t SimgridGossip::heard() const { return state_->heard; }

}  // namespace mirab::bench
