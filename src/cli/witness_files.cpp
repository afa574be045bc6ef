// Witnesses of the audit as cluster files, to be divided, explained and compared.
#include "cli/witness_files.hpp"

#include <fmt/format.h>

#include <mirab/model/cluster_file.hpp>

#include "cli/output.hpp"
#include "report/audit.hpp"

namespace mirab::cli {

Check write_witness(const std::string& folder, const std::string& mechanism, const Verdict& verdict) {
  if (verdict.holds) return {};
  const Witness& witness = report::shown_witness(verdict);
  const std::string name = report::witness_name(mechanism, verdict.property);
  const std::string base = folder + "/" + name;
  const std::vector<std::string> comment{
      fmt::format("{} of {} fails here: {}", property_name(verdict.property), mechanism, witness.words),
      fmt::format("mirab allocate {}.yaml -m {}", name, mechanism)};
  if (Check failure = write_text(base + ".yaml", write_cluster_yaml(witness.problem, comment)))
    return failure;
  if (!witness.changed) return {};
  const std::string other = "The changed cluster: compare with " + name + ".yaml";
  return write_text(base + "-changed.yaml", write_cluster_yaml(*witness.changed, {other}));
}

}  // namespace mirab::cli
