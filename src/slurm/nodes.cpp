// Nodes as scontrol and sinfo print them.
#include "slurm/nodes.hpp"

#include "model/exact.hpp"

namespace mirab::slurm {
namespace {

void add_words(std::string_view list, Words& words) {
  for (const std::string_view word : split(list, ',')) {
    if (!word.empty()) words.emplace(word);
  }
}

// CPUs and memory without what Slurm keeps for its daemon, and generic resources.
Result<Amounts> read_amounts(const Record& record) {
  const std::string_view cpus = record.value({"cpuefctv", "cputot", "cpus"});
  const std::string_view memory = record.value({"realmemory", "memory"});
  if (cpus.empty()) return wrong("CPUTot", "missing: the CPUs of the node");
  const Result<Quantity> count = Quantity::parse(cpus);
  if (!count) return wrong("CPUTot", count.error().message);
  const Result<Quantity> bytes = memory.empty() ? Result<Quantity>(Quantity()) : read_memory(memory);
  if (!bytes) return wrong("RealMemory", bytes.error().message);
  Result<Amounts> amounts = read_gres(record.value({"gres"}));
  if (!amounts) return wrong("Gres", amounts.error().message);
  amounts->insert_or_assign("cpu", *count);
  amounts->insert_or_assign("mem", *bytes);
  if (const std::string_view special = record.value({"memspeclimit"}); !special.empty()) {
    const Result<Quantity> kept = read_memory(special);
    if (!kept) return wrong("MemSpecLimit", kept.error().message);
    const bool is_some_left = *kept < *bytes;
    amounts->at("mem") = is_some_left ? rounded_down(rational(*bytes) - rational(*kept)) : Quantity();
  }
  return amounts;
}

}  // namespace

Result<std::vector<NodeRow>> read_nodes(const Record& record) {
  NodeRow node{.name = std::string(record.value({"nodename"}))};
  const std::string_view list = record.value({"nodelist", "hostnames"});
  if (node.name.empty() && list.empty())
    return wrong("NodeName", "missing: nodes are read from `scontrol show node -o`");
  Result<Amounts> amounts = read_amounts(record);
  if (!amounts) return amounts.error();
  node.amounts = *std::move(amounts);
  add_words(record.value({"partitions"}), node.partitions);
  if (std::string_view partition = record.value({"partition"}); !partition.empty()) {
    if (partition.ends_with('*')) partition.remove_suffix(1);  // the default one
    node.partitions.emplace(partition);
    node.is_of_a_partition = true;
  }
  add_words(
      record.value({"activefeatures", "active_features", "availablefeatures", "features", "avail_features"}),
      node.features);
  node.state = record.value({"state"});
  node.state = node.state.substr(0, node.state.find(' '));
  node.use = use_of(node.state);
  if (!node.name.empty()) return std::vector<NodeRow>{std::move(node)};
  const Result<std::vector<std::string>> names = expand_hosts(list);
  if (!names) return wrong("NodeList", names.error().message);
  std::vector<NodeRow> nodes(names->size(), node);
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].name = (*names)[i];
  return nodes;
}

}  // namespace mirab::slurm
