#pragma once

#include <mirab/model/cluster_file.hpp>

namespace mirab::test {

/// Of 10 GPUs train has 8 and serve 2, and wants 6; 5 each are fair. Site has all it asks for.
inline Problem shop() {
  return *read_cluster_text(R"(
resources: [cpu, gpu]
servers: [{name: s, capacity: {cpu: 100, gpu: 10}}]
users:
  - {name: site, demand: {cpu: 1}, tasks: 4}
  - name: train
    shapes: [{name: small, demand: {cpu: 1}, tasks: 10}, {name: big, demand: {cpu: 1, gpu: 1}, tasks: 8}]
  - name: serve
    shapes: [{name: api, demand: {cpu: 1, gpu: 1}, tasks: 6}, {name: web, demand: {cpu: 1}, tasks: 5}]
running:
  - {user: site, server: s, tasks: 4}
  - {user: train, shape: small, server: s, tasks: 10}
  - {user: train, shape: big, server: s, tasks: 8}
  - {user: serve, shape: api, server: s, tasks: 2}
  - {user: serve, shape: web, server: s, tasks: 5}
)",
                            Syntax::yaml, "shop");
}

}  // namespace mirab::test
