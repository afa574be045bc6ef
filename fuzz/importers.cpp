// Whatever bytes come, the importers of clusters answer with an error that says where, or with a cluster that
// a cluster file can hold: written and read again it is the same.
//
// The first line says which importer reads the rest: `kubernetes`, `slurm` or `csv`; anything else tries all.
// A line `---8<---` parts the two texts of the latter.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "imported.hpp"
#include "kubernetes/cluster_import.hpp"
#include "lab/traces/csv_cluster.hpp"
#include "slurm/cluster_import.hpp"

namespace {

using namespace mirab;

constexpr std::string_view kCut = "\n---8<---\n";

template <class Import>
void check(const Result<Import>& import) {
  if (!import) return fuzz::check_error(import.error());
  fuzz::check_cluster(import->cluster);
}

void import_kubernetes(std::string_view text, Syntax syntax) {
  Result<std::vector<Node>> documents = read_documents(text, syntax, "input");
  if (!documents) return;
  const std::vector<kubernetes::ObjectText> texts{{"input", *std::move(documents)}};
  check(kubernetes::import_cluster(texts, {}));
  check(kubernetes::import_cluster(
      texts, {.team_label = "team", .default_request = {{"cpu", 100}}, .resources = {"pods"}}));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view which = text.substr(0, text.find('\n'));
  const bool is_named = which == "kubernetes" || which == "slurm" || which == "csv";
  if (is_named) text.remove_prefix(std::min(which.size() + 1, text.size()));
  if (!is_named || which == "kubernetes") {
    import_kubernetes(text, Syntax::yaml);
    import_kubernetes(text, Syntax::json);
  }
  const std::size_t cut = text.find(kCut);
  const std::string_view first = text.substr(0, cut);
  const std::string_view second = cut == std::string_view::npos ? text : text.substr(cut + kCut.size());
  if (!is_named || which == "slurm") {
    check(slurm::import_cluster({"nodes", first}, {"jobs", second}, {.team = slurm::Team::account}));
    check(slurm::import_cluster({"nodes", first}, {"jobs", second}, {.team = slurm::Team::partition}));
  }
  if (!is_named || which == "csv") {
    check(traces::import_csv({"servers", first}, {"users", second}, {}));
    check(traces::import_csv({"servers", first}, {"users", second},
                             {.map = {"cpu=cores*2"}, .row_per_task = true}));
  }
  return 0;
}
