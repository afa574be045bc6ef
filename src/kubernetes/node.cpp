#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <sstream>

#include <mirab/kubernetes/node.hpp>
#include <mirab/model/choice.hpp>

#include "kubernetes/objects.hpp"
#include "model/names.hpp"

namespace mirab::kubernetes {
namespace {

// The shared resources of a node: storage only by --capacity, since few pods ask for it.
constexpr std::array<std::string_view, 2> kOfNodes = {"cpu", "memory"};

Result<Allocatable> allocatable_of(const Object& node, const std::string& file) {
  Allocatable allocatable{.node = std::string(node.name()), .resources = {}, .units = {}};
  const Node* status = node.root->find("status");
  const Node* amounts = status == nullptr ? nullptr : status->find("allocatable");
  for (const std::string_view resource : kOfNodes) {
    const Node* amount = amounts == nullptr ? nullptr : amounts->find(resource);
    if (amount == nullptr) {
      return Error{.message = fmt::format("missing: what pods may have of the node's {}", resource),
                   .key = node.key(fmt::format("status.allocatable.{}", resource)),
                   .file = file,
                   .line = (amounts != nullptr ? amounts : node.root)->line};
    }
    Result<Units> units = read_units(resource, amount->text, Rounding::down);
    if (units && *units == 0) units = Error{.message = "must be more than 0"};
    if (!units) {
      return Error{.message = units.error().message,
                   .key = node.key(fmt::format("status.allocatable.{}", resource)),
                   .file = file,
                   .line = amount->line};
    }
    allocatable.resources.emplace_back(resource);
    allocatable.units.push_back(*units);
  }
  return allocatable;
}

}  // namespace

Result<Allocatable> read_capacity(std::string_view text) {
  const Result<std::vector<Amount>> amounts = read_amounts(text, Rounding::down);
  if (!amounts) return amounts.error();
  Allocatable allocatable;
  for (const Amount& amount : *amounts) {
    allocatable.resources.push_back(amount.resource);
    allocatable.units.push_back(amount.units);
  }
  return allocatable;
}

Result<Allocatable> read_node(std::string_view text, Syntax syntax, const std::string& file,
                              std::string_view name) {
  std::istringstream input{std::string(text)};
  const Result<std::vector<Node>> documents = read_documents(input, syntax, file);
  if (!documents) return documents.error();
  std::vector<Object> nodes = objects_of(*documents);
  std::erase_if(nodes, [](const Object& object) { return object.kind != "Node"; });
  if (nodes.empty()) {
    return Error{.message = "there is no node in it; kubectl get node NAME -o yaml writes one", .file = file};
  }
  std::vector<std::string_view> names;
  names.reserve(nodes.size());
  for (const Object& node : nodes) names.push_back(node.name());
  if (name.empty() && nodes.size() == 1) return allocatable_of(nodes.front(), file);
  if (name.empty()) {
    return Error{.message = fmt::format("{} nodes, {}: say which one with --node-name", nodes.size(),
                                        first_names(names, 3)),
                 .file = file};
  }
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    return Error{.message = fmt::format("there is no node '{}' in it{}", name, known_names(name, names)),
                 .file = file};
  }
  return allocatable_of(nodes[static_cast<std::size_t>(found - names.begin())], file);
}

}  // namespace mirab::kubernetes
