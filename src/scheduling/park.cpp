#include "scheduling/park.hpp"

#include <mirab/model/assert.hpp>

namespace mirab::scheduling {

Park::Park(std::size_t resources)
    : pool_(resources, 0),
      rounded_free_(resources),
      proportions_{Kept{.proportions = Proportions(resources, Scale::sum)},
                   Kept{.proportions = Proportions(resources, Scale::first)}} {}

std::uint32_t Park::next_number() {
  if (!vacant_.empty()) {
    const std::uint32_t server = vacant_.top();
    vacant_.pop();
    return server;
  }
  MIRAB_ASSERT(size() < UINT32_MAX, "more servers than there are numbers");
  states_.push_back(State::vacant);
  capacity_.resize(capacity_.size() + resource_count(), 0);
  free_.resize(capacity_.size(), 0);
  return size() - 1;
}

std::uint32_t Park::add(std::span<const std::int64_t> capacity) {
  const std::uint32_t server = next_number();
  states_[server] = State::open;
  set_capacity(server, capacity);
  return server;
}

void Park::remove(std::uint32_t server) {
  MIRAB_ASSERT(is_present(server), "a server is removed that is not there");
  for (std::size_t r = 0; r < resource_count(); ++r) {
    std::int64_t& capacity = capacity_[server * resource_count() + r];
    std::int64_t& free = free_[server * resource_count() + r];
    MIRAB_ASSERT(free == capacity, "a server is removed with tasks on it");
    pool_[r] -= capacity;
    capacity = free = 0;
  }
  for (Kept& kept : proportions_) kept.current = false;
  states_[server] = State::vacant;
  vacant_.push(server);
  rounded_free_.clear(server);
}

void Park::resize(std::uint32_t server, std::span<const std::int64_t> capacity) {
  MIRAB_ASSERT(is_present(server), "a server is resized that is not there");
  set_capacity(server, capacity);
}

void Park::set_capacity(std::uint32_t server, std::span<const std::int64_t> capacity) {
  bool coarser = false;
  for (std::size_t r = 0; r < resource_count(); ++r) {
    std::int64_t& before = capacity_[server * resource_count() + r];
    std::int64_t& free = free_[server * resource_count() + r];
    MIRAB_ASSERT(capacity[r] >= before - free, "a server has less than is taken there");
    pool_[r] -= before;
    MIRAB_ASSERT(capacity[r] <= INT64_MAX - pool_[r], "the pool passes 2^63");
    pool_[r] += capacity[r];
    free += capacity[r] - before;
    before = capacity[r];
    if (rounded_free_.cover(r, capacity[r])) coarser = true;
  }
  for (Kept& kept : proportions_) kept.current = false;
  if (!coarser) return show(server);
  for (std::uint32_t each = 0; each < size(); ++each) show(each);
}

void Park::close(std::uint32_t server) {
  MIRAB_ASSERT(is_present(server), "a server is closed that is not there");
  states_[server] = State::closed;
  rounded_free_.clear(server);
}

void Park::open(std::uint32_t server) {
  MIRAB_ASSERT(is_present(server), "a server is opened that is not there");
  states_[server] = State::open;
  show(server);
}

void Park::show(std::uint32_t server) {
  if (is_open(server)) rounded_free_.set(server, free(server));
}

void Park::show_change(std::uint32_t server) {
  show(server);
  for (Kept& kept : proportions_) {
    if (kept.current) kept.proportions.set(server, free(server));
  }
}

const Proportions& Park::proportions(Scale scale) const {
  Kept& kept = proportions_[static_cast<std::size_t>(scale)];
  if (kept.current) return kept.proportions;
  kept.proportions.reset(size(), pool_);
  for (std::uint32_t server = 0; server < size(); ++server) kept.proportions.set(server, free(server));
  kept.current = true;
  return kept.proportions;
}

void Park::take(std::uint32_t server, std::span<const std::int64_t> demand) {
  MIRAB_ASSERT(is_present(server), "a task is placed on a server that is not there");
  for (std::size_t r = 0; r < resource_count(); ++r) {
    std::int64_t& free = free_[server * resource_count() + r];
    MIRAB_ASSERT(demand[r] >= 0 && demand[r] <= free, "a task is placed where it does not fit");
    free -= demand[r];
  }
  show_change(server);
}

void Park::give(std::uint32_t server, std::span<const std::int64_t> demand) {
  MIRAB_ASSERT(is_present(server), "a task ends on a server that is not there");
  for (std::size_t r = 0; r < resource_count(); ++r) {
    std::int64_t& free = free_[server * resource_count() + r];
    MIRAB_ASSERT(demand[r] >= 0 && demand[r] <= capacity_[server * resource_count() + r] - free,
                 "a task gives back more than was taken");
    free += demand[r];
  }
  show_change(server);
}

std::optional<std::uint32_t> Park::first_with_room(const Variant& variant, std::uint32_t from) const {
  std::optional<std::uint32_t> first;
  any_with_room(variant, from, [&](std::uint32_t server) {
    first = server;
    return true;
  });
  return first;
}

}  // namespace mirab::scheduling
