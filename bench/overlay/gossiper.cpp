#include "overlay/gossiper.hpp"

#include <utility>

namespace mirab::bench {

using namespace overlay;

namespace {

constexpr std::size_t kView = 10;

GossipOptions view_of_ten() {
  GossipOptions options;
  options.view = kView;
  return options;
}

}  // namespace

Gossiper::Gossiper(Descriptor own, std::vector<Descriptor> acquaintances)
    : own_(own),
      acquaintances_(std::move(acquaintances)),
      gradient_(own.node, Slope::poorest, view_of_ten()) {}

void Gossiper::shuffle(Random& random, Effects& effects) {
  gradient_.shuffle(own_, acquaintances_, random, effects);
  acquaintances_.clear();
}

void Gossiper::hear(NodeId from, const Message& message, Effects& effects) {
  if (const auto* request = std::get_if<GradientRequest>(&message))
    gradient_.on_request(from, *request, own_, effects);
  else if (const auto* answer = std::get_if<GradientAnswer>(&message))
    gradient_.on_answer(from, *answer, own_);
}

std::vector<Gossiper> gossipers(std::size_t count, Random& random) {
  std::vector<Descriptor> all;
  for (NodeId node = 0; node < count; ++node) all.push_back({.node = node, .utility = -random.unit()});
  std::vector<Gossiper> made;
  for (const Descriptor& own : all) {
    std::vector<Descriptor> acquaintances;
    for (std::size_t each = 0; each < kView; ++each) acquaintances.push_back(all[random.below(count)]);
    std::erase(acquaintances, own);
    made.emplace_back(own, std::move(acquaintances));
  }
  return made;
}

std::vector<Duration> offsets(std::size_t count, Random& random) {
  std::vector<Duration> drawn(count);
  for (Duration& offset : drawn)
    offset = Duration(
        static_cast<Duration::rep>(random.below(static_cast<std::uint64_t>(kGossipTick.count()) * 8 / 10)));
  return drawn;
}

}  // namespace mirab::bench
