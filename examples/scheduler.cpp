// A scheduler: alice and bob, who counts twice, share two servers by DRF while tasks come and go.
#include <iostream>

#include <mirab/mirab.hpp>

using namespace mirab::scheduling;

int main() {
  mirab::Time now{};        // the caller's clock
  mirab::Random random(1);  // for placements and ties that draw

  const std::vector<std::string> resources = {"millicpu", "MiB"};
  const auto drf = mirab::choose_discipline("drf");
  const auto best_fit = mirab::choose_placement("best-fit");
  if (!drf || !best_fit) return 1;
  auto engine = Engine::from({.resources = resources, .discipline = *drf, .placement = *best_fit});
  if (!engine) {
    std::cerr << mirab::describe(engine.error()) << '\n';
    return 1;
  }
  for (int node = 0; node < 2; ++node)
    if (!engine->apply(ServerAdded{.name = "node", .capacity = {4'000, 16'384}}, now)) return 1;
  const auto alice = engine->apply(UserAdded{.name = "alice"}, now);
  const auto bob = engine->apply(UserAdded{.name = "bob", .weight = mirab::Quantity{2}}, now);
  const auto large = engine->apply(JobSubmitted{.user = *alice, .demand = {1'000, 6'144}, .tasks = 9}, now);
  const auto small = engine->apply(JobSubmitted{.user = *bob, .demand = {1'000, 1'024}, .tasks = 9}, now);
  if (!large || !small) return 1;

  std::vector<TaskId> running;
  const auto serve = [&] {
    while (const auto placed = engine->step(now, random)) {
      running.push_back(placed->task);
      std::cout << (placed->user == *alice ? "alice" : "bob") << " gets a task, and has "
                << engine->user(placed->user)->dominant_share << " of its dominant resource\n";
    }
  };
  serve();
  if (const auto why = engine->why_waiting(*large, now)) std::cout << describe(*why, resources);
  now += std::chrono::seconds(10);
  std::cout << "the first task ends\n";
  if (const auto error = engine->apply(TaskFinished{running.front()}, now)) return 1;
  serve();
  if (const auto error = engine->apply(TaskFinished{running.front()}, now))
    std::cout << mirab::describe(*error) << '\n';
}
