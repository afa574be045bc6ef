// The reasons of scheduling/records/reasons.hpp as named tuples.
#include "python/why.hpp"

#include <cstdint>
#include <optional>
#include <type_traits>

#include "python/engine.hpp"
#include "scheduling/records/reasons.hpp"

namespace mirab::python {
namespace {

namespace py = pybind11;
using namespace scheduling;

using Types = std::map<std::string_view, Record>;

/// What a member becomes.
class Values {
 public:
  Values(const Types& types, const Record& preempted, const std::vector<std::string>& resources)
      : types_(types), preempted_(preempted), resources_(resources) {}

  /// The members of a reason, in their order.
  template <HasFields T>
  std::vector<py::object> of(const T& reason) const {
    std::vector<py::object> values;
    for_each_field<T>([&](const auto& field) {
      if (field.in_tuples) values.push_back(value(reason.*field.member));
    });
    return values;
  }

  py::object value(const Preempted& ended) const { return ended_record(preempted_, ended); }
  py::object value(const Amounts& amounts) const { return tuple_of(amounts); }
  py::object value(const std::string& words) const { return text(words); }
  py::list value(const std::vector<double>& keys) const {
    py::list list;
    for (const double key : keys) list.append(key);
    return list;
  }
  py::list value(const std::vector<ServerId>& servers) const {
    py::list list;
    for (const ServerId server : servers) list.append(static_cast<std::uint64_t>(server));
    return list;
  }
  py::object value(const WhyPlaced::Line& line) const {
    return types_.at(Declared<WhyPlaced::Line>::kName)(resources_[line.resource], line.round);
  }

  py::object value(const InTree::Bound& bound) const {
    return types_.at(Declared<InTree::Bound>::kName)(bound.name, resources_[bound.resource], bound.held,
                                                     bound.allowed);
  }

  template <class T>
  py::object value(const std::optional<T>& maybe) const {
    return maybe ? value(*maybe) : py::none();
  }

  template <HasFields T>
  py::list value(const std::vector<T>& all) const {
    py::list list;
    for (const T& each : all) list.append(value(each));
    return list;
  }

  template <class T>
  py::object value(const T& each) const {
    if constexpr (HasFields<T>) {
      return types_.at(Declared<T>::kName).with(of(each));
    } else if constexpr (!std::is_enum_v<T>) {
      return py::cast(each);
    } else if constexpr (kWords<T>.empty()) {
      return py::int_(static_cast<std::uint64_t>(each));  // an identifier
    } else {
      return py::cast(kWords<T>[static_cast<std::size_t>(each)]);
    }
  }

 private:
  const Types& types_;
  const Record& preempted_;
  const std::vector<std::string>& resources_;
};

/// What callers ask for has a text, too.
template <class T>
constexpr bool kHasText = requires(const T& why) {
  describe(why, std::span<const std::string>());
};

template <class T>
py::object explained(const Types& types, const Record& preempted, const T& why,
                     const std::vector<std::string>& resources) {
  std::vector<py::object> values = Values(types, preempted, resources).of(why);
  values.insert(values.begin(), text(describe(why, resources)));
  if constexpr (std::is_same_v<T, WhyWaiting>) values.push_back(py::bool_(why.is_next()));
  return types.at(Declared<T>::kName).with(std::move(values));
}

}  // namespace

Reasons::Reasons(py::module_& module, const Record& preempted) : preempted_(preempted) {
  for_each_reason([&]<class T>(std::type_identity<T>) {
    std::vector<std::pair<const char*, const char*>> fields;
    if (kHasText<T>) fields.emplace_back("text", "all of it in English, a line for each fact");
    for_each_field<T>([&](const auto& field) {
      if (field.in_tuples) fields.emplace_back(field.name.data(), field.meaning.data());
    });
    if (std::is_same_v<T, WhyWaiting>)
      fields.emplace_back("is_next", "is it the very task that is placed next?");
    types_.emplace(Declared<T>::kName,
                   Record(module, Declared<T>::kName.data(), Declared<T>::kEffect.data(), fields));
  });
}

py::object Reasons::operator()(const WhyWaiting& why, const std::vector<std::string>& resources) const {
  return explained(types_, preempted_, why, resources);
}

py::object Reasons::operator()(const WhyNotOn& why, const std::vector<std::string>& resources) const {
  return explained(types_, preempted_, why, resources);
}

py::object Reasons::operator()(const WhyPlaced& why, const std::vector<std::string>& resources) const {
  return explained(types_, preempted_, why, resources);
}

}  // namespace mirab::python
