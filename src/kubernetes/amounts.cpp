// Amounts as Kubernetes counts and writes them, and what a node has of them.
#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <gmpxx.h>
#include <set>

#include <mirab/kubernetes/amounts.hpp>
#include <mirab/model/choice.hpp>

#include "kubernetes/objects.hpp"
#include "model/exact.hpp"
#include "model/names.hpp"

namespace mirab::kubernetes {
namespace {

constexpr int kMilli = -3;

struct Suffix {
  std::string_view text;
  Units units;
};

// In the order in which an amount prefers them.
constexpr std::array kSuffixes = {Suffix{"Ti", Units{1} << 40}, Suffix{"Gi", Units{1} << 30},
                                  Suffix{"Mi", Units{1} << 20}, Suffix{"T", 1'000'000'000'000},
                                  Suffix{"G", 1'000'000'000},   Suffix{"M", 1'000'000},
                                  Suffix{"Ki", Units{1} << 10}, Suffix{"k", 1'000}};

bool counts_cpus(std::string_view resource) { return resource == "cpu"; }

/// As a power of ten.
int smallest_unit(std::string_view resource) { return counts_cpus(resource) ? kMilli : 0; }

/// A text with more digits, or with a smaller or larger exponent, than a Quantity holds.
struct LongNumber {
  mpz_class digits;
  std::int64_t exponent = 0;  ///< of ten
  mpq_class factor = 1;       ///< of a suffix
};

/// `e-400`; nothing where the text is not exactly that. Beyond a million it makes no difference.
std::optional<std::int64_t> exponent_of(std::string_view text) {
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return {};
  text.remove_prefix(text[1] == '+' ? 2 : 1);
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return {};
  constexpr std::int64_t kMost = 1'000'000;
  std::int64_t exponent = kMost;
  static_cast<void>(std::from_chars(text.data(), text.data() + text.size(), exponent));
  exponent = std::min(exponent, kMost);
  return is_negative ? -exponent : exponent;
}

std::optional<LongNumber> long_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  std::string digits(text.substr(0, end));
  const std::size_t point = digits.find('.');
  LongNumber number;
  if (point != std::string::npos) {
    number.exponent = -static_cast<std::int64_t>(digits.size() - point - 1);
    digits.erase(point, 1);
  }
  if (digits.empty() || digits.find('.') != std::string::npos) return {};
  number.digits = mpz_class(digits, 10);
  if (const std::optional<std::int64_t> exponent = exponent_of(text.substr(end))) {
    number.exponent += *exponent;
    return number;
  }
  const Result<Quantity> factor = Quantity::parse("1" + std::string(text.substr(end)));
  if (!factor) return {};
  number.factor = rational(*factor);
  return number;
}

mpz_class power_of_ten(std::int64_t exponent) {
  mpz_class power;
  mpz_ui_pow_ui(power.get_mpz_t(), 10, static_cast<unsigned long>(exponent));
  return power;
}

/// In units of a power of ten; the largest amount for what is more.
Units counted(const LongNumber& number, int unit, Rounding rounding) {
  constexpr std::int64_t kFar = 100;  // digits: more than any amount has, suffixes included
  const std::int64_t exponent = number.exponent - unit;
  const auto digits = static_cast<std::int64_t>(mpz_sizeinbase(number.digits.get_mpz_t(), 10));
  if (number.digits == 0) return 0;
  if (digits + exponent > kFar) return kCapUnits;
  if (digits + exponent < -kFar) return rounding == Rounding::up ? 1 : 0;
  mpq_class scaled = number.factor * number.digits;
  if (exponent < 0) {
    scaled /= power_of_ten(-exponent);
  } else {
    scaled *= power_of_ten(exponent);
  }
  mpz_class whole;
  (rounding == Rounding::up ? mpz_cdiv_q : mpz_fdiv_q)(whole.get_mpz_t(), scaled.get_num_mpz_t(),
                                                       scaled.get_den_mpz_t());
  return whole > kCapUnits ? kCapUnits : Units{whole.get_si()};
}

/// Every number that Kubernetes takes, at most the largest amount.
Result<Units> any_units(std::string_view resource, std::string_view text, Rounding rounding) {
  const int unit = smallest_unit(resource);
  const Result<Quantity> quantity = read_number(text);
  if (quantity) return count_units(*quantity, unit, rounding).value_or(kCapUnits);
  const bool begins_with_0 =
      text.starts_with('0') && text.find_first_not_of("0123456789") == std::string_view::npos;
  const std::optional<LongNumber> number = begins_with_0 ? std::nullopt : long_number(text);
  return number ? Result<Units>(counted(*number, unit, rounding)) : quantity.error();
}

Error too_many(std::string_view resource) {
  return {.message = fmt::format(
              "is more than {}, the most that is counted of {}",
              units_text(resource, counts_cpus(resource) ? kMaxUnits / 1'000 * 1'000 : kMaxUnits), resource)};
}

}  // namespace

bool counts_bytes(std::string_view resource) {
  return resource == "memory" || resource == "ephemeral-storage" || resource.starts_with("hugepages-");
}

bool can_be_shared(std::string_view resource) {
  return counts_cpus(resource) || resource == "memory" || resource == "ephemeral-storage";
}

Result<Units> units_of(std::string_view resource, const Quantity& quantity, Rounding rounding) {
  const std::optional<Units> units = count_units(quantity, smallest_unit(resource), rounding);
  return units && *units <= kMaxUnits ? Result<Units>(*units) : too_many(resource);
}

Result<Units> read_units(std::string_view resource, std::string_view text, Rounding rounding) {
  Result<Units> units = any_units(resource, text, rounding);
  if (!units || *units <= kMaxUnits) return units;
  const Result<Quantity> quantity = read_number(text);
  return quantity ? too_many(resource) : quantity.error();
}

Result<Units> read_capped_units(std::string_view resource, std::string_view text, Rounding rounding) {
  const Result<Units> units = any_units(resource, text, rounding);
  if (!units) return units;
  return std::min(*units, rounding == Rounding::up ? kCapUnits : kCapUnits / 2);
}

Units capped_sum(Units a, Units b) { return a > kCapUnits - b ? kCapUnits : a + b; }

Units written_in(std::string_view request) {
  const std::size_t digits = request.find_last_of("0123456789.");
  const std::string_view suffix = request.substr(digits == std::string_view::npos ? 0 : digits + 1);
  if (suffix == "Ki") return Units{1} << 10;
  if (suffix.ends_with("i")) return Units{1} << 20;
  if (suffix == "k") return 1'000;
  const bool decimal = suffix == "M" || suffix == "G" || suffix == "T" || suffix == "P" || suffix == "E";
  return decimal ? 1'000'000 : 1;
}

std::string units_text(std::string_view resource, Units units) {
  if (counts_cpus(resource)) {
    return units % 1'000 == 0 ? std::to_string(units / 1'000) : std::to_string(units) + "m";
  }
  for (const Suffix& suffix : kSuffixes) {
    if (units != 0 && units % suffix.units == 0)
      return fmt::format("{}{}", units / suffix.units, suffix.text);
  }
  return std::to_string(units);
}

double plain_number(std::string_view resource, double units) {
  return counts_cpus(resource) ? units / 1'000 : units;
}

Result<std::vector<Amount>> read_amounts(std::string_view text, Rounding rounding) {
  std::vector<Amount> amounts;
  while (true) {
    const std::string_view item = text.substr(0, text.find(','));
    const std::size_t equals = item.find('=');
    if (equals == 0 || equals == std::string_view::npos) {
      return Error{.message = fmt::format("'{}' is not an amount by name, like cpu=2,memory=1800Mi", item)};
    }
    const std::string_view resource = item.substr(0, equals);
    if (!can_be_shared(resource)) {
      return Error{.message = fmt::format("'{}' cannot be shared: only cpu, memory and ephemeral-storage can "
                                          "have limits above the requests",
                                          resource)};
    }
    if (std::any_of(amounts.begin(), amounts.end(), [&](const Amount& a) { return a.resource == resource; }))
      return Error{.message = fmt::format("'{}' is given twice", resource)};
    const Result<Units> units = read_units(resource, item.substr(equals + 1), rounding);
    if (!units) return units.error();
    if (*units == 0) return Error{.message = fmt::format("'{}' must be more than 0", item)};
    amounts.push_back({std::string(resource), *units});
    if (item.size() == text.size()) return amounts;
    text.remove_prefix(item.size() + 1);
  }
}

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
      return Error{.message = fmt::format("missing: the node's {} that pods may use", resource),
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

namespace {

Result<std::vector<Object>> nodes_of(const std::vector<Node>& documents, const std::string& file) {
  std::vector<Object> nodes = objects_of(documents);
  std::erase_if(nodes, [](const Object& object) { return object.kind != "Node"; });
  if (!nodes.empty()) return nodes;
  return Error{.message = "the file contains no node; kubectl get node NAME -o yaml writes one",
               .file = file};
}

}  // namespace

Result<std::vector<Allocatable>> read_nodes(std::string_view text, Syntax syntax, const std::string& file) {
  const Result<std::vector<Node>> documents = read_object_documents(text, syntax, file);
  if (!documents) return documents.error();
  const Result<std::vector<Object>> nodes = nodes_of(*documents, file);
  if (!nodes) return nodes.error();
  std::vector<Allocatable> all;
  std::set<std::string_view> names;
  for (const Object& node : *nodes) {
    Result<Allocatable> each = allocatable_of(node, file);
    if (!each) return std::move(each).error();
    if (!names.insert(node.name()).second) {
      return Error{.message = fmt::format("a second node '{}'", node.name()),
                   .key = node.key("metadata.name"),
                   .file = file,
                   .line = node.root->line};
    }
    all.push_back(*std::move(each));
  }
  return all;
}

Result<Allocatable> read_node(std::string_view text, Syntax syntax, const std::string& file,
                              std::string_view name) {
  const Result<std::vector<Node>> documents = read_object_documents(text, syntax, file);
  if (!documents) return documents.error();
  const Result<std::vector<Object>> all = nodes_of(*documents, file);
  if (!all) return all.error();
  const std::vector<Object>& nodes = *all;
  std::vector<std::string_view> names;
  names.reserve(nodes.size());
  for (const Object& node : nodes) names.push_back(node.name());
  if (name.empty() && nodes.size() == 1) return allocatable_of(nodes.front(), file);
  if (name.empty()) {
    return Error{.message = fmt::format("{} nodes, {}: choose one with --node-name", nodes.size(),
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
