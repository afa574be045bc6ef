// Pictures for the report page: who knows whom, how poor, how full.
#include "simulation/overlay/film.hpp"

#include <limits>
#include <utility>

namespace mirab::simulation {
namespace {

using overlay::NodeId;

OverlayFrame picture(const World& world, const Ledger& ledger, double of_all, double tick,
                     std::int64_t placements) {
  OverlayFrame frame{.tick = tick, .utility = {}, .view = {}, .used = {}, .placements = placements};
  for (NodeId node = 0; node < world.roster().servers(); ++node) {
    const overlay::Server* const server = world.server(node);
    frame.utility.push_back(server ? of_all * server->utility() : -std::numeric_limits<double>::infinity());
    std::vector<std::uint32_t>& view = frame.view.emplace_back();
    if (server)
      for (const overlay::Descriptor& neighbour : server->view()) view.push_back(neighbour.node);
    frame.used.push_back(ledger.used_part(node));
  }
  return frame;
}

}  // namespace

void Film::offer(const World& world, const Ledger& ledger, double tick, std::int64_t placements) {
  if (frames_ == 0 || offered_++ % stride_ != 0) return;
  kept_.push_back(picture(world, ledger, of_all_, tick, placements));
  if (kept_.size() < 2 * std::size_t{frames_}) return;
  for (std::size_t i = 1; i < frames_; ++i) kept_[i] = std::move(kept_[2 * i]);
  kept_.resize(frames_);
  stride_ *= 2;
}

std::vector<OverlayFrame> Film::develop() && {
  if (kept_.size() <= frames_) return std::move(kept_);
  std::vector<OverlayFrame> frames;
  for (std::size_t i = 0; i < frames_; ++i) {
    const std::size_t at = frames_ == 1 ? kept_.size() - 1 : i * (kept_.size() - 1) / (frames_ - 1);
    frames.push_back(std::move(kept_[at]));
  }
  return frames;
}

}  // namespace mirab::simulation
