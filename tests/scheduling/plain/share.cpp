#include "scheduling/plain/share.hpp"

#include <algorithm>

#include "model/rational.hpp"

namespace mirab::plain {
mpq_class part(const CountedProblem& cluster, std::size_t task, std::size_t resource) {
  mpq_class part{static_cast<long>(cluster.demand(task)[resource]),
                 static_cast<long>(cluster.pool(resource))};
  part.canonicalize();
  return part;
}

mpq_class dominant_share(const CountedProblem& cluster, std::size_t task) {
  mpq_class dominant = 0;
  for (std::size_t r = 0; r < cluster.resource_count(); ++r) {
    if (cluster.pool(r) > 0) dominant = std::max(dominant, part(cluster, task, r));
  }
  return dominant;
}

mpq_class weight(const CountedProblem& cluster, std::size_t user) {
  return rational(cluster.problem().users()[user].weight);
}

}  // namespace mirab::plain
