// Whatever bytes come as a body, they are a problem with a status or a command. A command's normal form reads
// back as the same content; the decider does it or refuses it, its invariants hold, and a reader that follows
// the log comes to the same state. The first byte of each line says what the command does, the second which
// name it has; the rest is the body.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include <mirab/model/assert.hpp>

#include "live/decider.hpp"
#include "live/reader.hpp"

namespace mirab::live {
namespace {

constexpr std::string_view kNames = "abcdmnqt";

/// A server, a tenant and a queue are there.
Settings settings() {
  return *make_settings({"cpu:milli", "memory:bytes", "gpu"}, "drf", "best-fit", 7, "fuzz");
}

void check_form(const Command& command, const Units& units) {
  if (std::holds_alternative<Nothing>(command.content)) return;
  const Json form = normal_form(command.content, units);
  const Parsed<Content> again = read_content(command.what, form, units, Units::Form::normal);
  MIRAB_ASSERT(std::holds_alternative<Content>(again), "a normal form can be read");
  MIRAB_ASSERT(normal_form(std::get<Content>(again), units) == form, "and is the same content");
}

/// Both engines, and the clock between commands.
struct Cluster {
  Decider decider = *Decider::from(settings());
  Reader reader = *Reader::from(settings());
  Time now = {};
  Wall wall = *wall_of("2027-03-01T08:00:00Z");

  void send(Do what, std::string_view name, const Json& body) {
    const Units units = settings().units;
    Target target{.name = std::string(name), .queue = "q"};
    if (what == Do::outcome_put) target.name = "t-" + std::to_string(name[0] % 4);
    const Caller admin{.by = "token:a", .scopes = {.admin = true}};
    const auto parsed = parse_command(admin, what, std::move(target), body, units);
    if (const auto* const problem = std::get_if<Problem>(&parsed)) {
      MIRAB_ASSERT(problem->status >= 400 && problem->status < 500, "a problem is the caller's");
      return;
    }
    Command command = std::get<Command>(parsed);
    command.by_service = what == Do::server_silent || what == Do::server_back || what == Do::server_lost;
    check_form(command, units);
    const Answer answer = decider.apply(command, now, wall);
    MIRAB_ASSERT(answer.status < 500, "no command fails for a fault of ours");
    decider.decide(100, now, wall);
    const Batch batch = decider.take_batch();
    decider.committed(batch.last);
    if (!batch.empty()) MIRAB_ASSERT(static_cast<bool>(reader.apply(batch)), "the reader follows");
    now += std::chrono::seconds(1);
    wall += std::chrono::seconds(1);
  }
};

}  // namespace
}  // namespace mirab::live

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mirab::live;
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  mirab::live::Cluster cluster;
  cluster.send(Do::server_put, "n", Json{{"capacity", {{"cpu", 4}, {"memory", "8Gi"}, {"gpu", 1}}}});
  cluster.send(Do::tenant_put, "t", Json::object());
  cluster.send(Do::queue_put, "q", Json{{"tenant", "t"}});
  constexpr std::size_t kKinds = static_cast<std::size_t>(Do::server_lost) + 1;
  for (int lines = 0; lines < 20 && bytes.size() >= 2; ++lines) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    if (line.size() < 2) continue;
    const auto what = static_cast<Do>(static_cast<unsigned char>(line[0]) % kKinds);
    const std::string_view name = kNames.substr(static_cast<unsigned char>(line[1]) % kNames.size(), 1);
    const Parsed<Json> body = read_json(line.substr(2));
    if (std::holds_alternative<mirab::live::Problem>(body)) {
      MIRAB_ASSERT(std::get<mirab::live::Problem>(body).status == 400, "what is no JSON is a bad request");
      cluster.send(what, name, Json());
      continue;
    }
    cluster.send(what, name, std::get<Json>(body));
    const auto submits = parse_submits({.scopes = {.admin = true}}, std::get<Json>(body), settings().units);
    MIRAB_ASSERT(submits.index() == 0 || std::get<mirab::live::Problem>(submits).status < 500,
                 "a problem is the caller's");
  }
  MIRAB_ASSERT(cluster.decider.broken_invariant().empty(), "the invariants hold");
  const std::string taken = cluster.decider.snapshot();
  MIRAB_ASSERT(taken == cluster.reader.snapshot(), "both have the same state");
  const mirab::Result<Decider> restored = Decider::restore(taken);
  MIRAB_ASSERT(restored && restored->snapshot() == taken, "a snapshot is restored as it was");
  return 0;
}
