#pragma once

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mirab {

/// What keeps users off a server unless they tolerate it, as of a node of Kubernetes.
struct Taint {
  std::string key;
  std::string value = {};
  std::string effect = "NoSchedule";  ///< `NoSchedule`, `NoExecute`, `PreferNoSchedule`

  /// PreferNoSchedule has no effect on who may run there.
  bool keeps_off() const { return effect != "PreferNoSchedule"; }

  friend auto operator<=>(const Taint&, const Taint&) = default;
};

/// Which taints do not keep a user off.
struct Toleration {
  enum class Operator { equal, exists, above, below };
  std::string key = {};            ///< empty: with `exists` every key, else none
  Operator op = Operator::exists;  ///< above, below: of taints whose value is a whole number > or < `value`
  std::string value = {};          ///< of no meaning with `exists`
  std::string effect = {};         ///< empty: every effect

  friend auto operator<=>(const Toleration&, const Toleration&) = default;
};

/// What a label of a server must be, so that a user may run there. Every part that is given must hold.
struct LabelCondition {
  LabelCondition() = default;
  // Implicit: one of some values is what a label mostly has to have.
  LabelCondition(std::vector<std::string> values) : any_of(std::move(values)) {}              // NOLINT
  LabelCondition(std::initializer_list<std::string> values) : any_of(std::vector(values)) {}  // NOLINT

  std::optional<std::vector<std::string>> any_of = {};  ///< the label is there, with one of these values
  std::vector<std::string> none_of = {};                ///< it is not there, or with none of these values
  std::optional<bool> exists = {};                      ///< it is there, or it is not
  std::optional<std::int64_t> above = {};               ///< it is a whole number that is more
  std::optional<std::int64_t> below = {};               ///< it is a whole number that is less

  /// Does it ask for one of some values, and for nothing else?
  bool is_only_any_of() const { return any_of && none_of.empty() && !exists && !above && !below; }

  friend auto operator<=>(const LabelCondition&, const LabelCondition&) = default;
};

/// Does the condition hold of a label with this value? Without a value: the label is not there.
bool holds(const LabelCondition& condition, const std::optional<std::string_view>& value);

/// Does it hold of a label with some value, or of one that is not there?
bool can_hold(const LabelCondition& condition);

/// What holds where both do.
LabelCondition both(LabelCondition a, const LabelCondition& b);

/// Does one of the tolerations tolerate the taint?
bool is_tolerated(const Taint& taint, const std::vector<Toleration>& tolerations);

/// `dedicated=ml:NoExecute`, `gpu`; NoSchedule is left out.
std::string taint_text(const Taint& taint);

/// `dedicated=ml:NoExecute`, `gpu` of every value, `sla>900`, `*` of every taint.
std::string toleration_text(const Toleration& toleration);

}  // namespace mirab
