#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <mirab/model/random.hpp>

#include "scheduling/ledger/server_pool.hpp"

namespace mirab::scheduling {

using Amounts = std::vector<std::int64_t>;

/// What a park should be, kept as plainly as can be.
struct PlainServer {
  Amounts capacity;
  Amounts free;
  bool open = true;
};

using PlainServers = IndexedVector<ServerIndex, std::optional<PlainServer>>;

struct PlacedTask {
  ServerIndex server;
  Amounts demand;
};

/// A park that lives through random events, and beside it what it should be. The amounts are few and small
/// (ties, exact fits, zeros), or large and odd (rounding), as the seed has it.
class RandomPark {
 public:
  explicit RandomPark(Random& random);

  const ServerPool& server_pool() const { return server_pool_; }
  const PlainServers& servers() const { return servers_; }
  std::size_t resources() const { return resources_; }

  /// One event: a server comes, goes, changes, closes, opens; a task starts or ends.
  void step();

  /// A demand, often one that fits on some server exactly.
  Amounts demand();
  /// Some of the servers, and numbers beyond.
  ServerSet some_servers();
  ServerIndex some_server();

  /// By looking: is the server there and open, and is so much free?
  bool has_room(ServerIndex server, const Amounts& demand) const;

 private:
  std::int64_t amount();
  Amounts amounts();
  void add();
  void remove(ServerIndex server);
  void resize(ServerIndex server);
  void set_open(ServerIndex server, bool open);
  void start(ServerIndex server);
  void end();

  Random& random_;
  std::size_t resources_;
  std::size_t most_servers_;
  std::int64_t largest_;
  ServerPool server_pool_;
  PlainServers servers_;
  std::vector<PlacedTask> tasks_;
};

}  // namespace mirab::scheduling
