// The events of scheduling/records/records.hpp as methods of mirab.Engine, one for each.
#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "python/conversion.hpp"
#include "python/engine.hpp"
#include "scheduling/records/records.hpp"

namespace mirab::python {
namespace {

namespace py = pybind11;
using namespace py::literals;
using namespace scheduling;

using MaybeTime = std::optional<Time>;
using Number = std::uint64_t;                                                       // of an identifier
using AnySpread = std::variant<std::string, std::pair<std::string, std::int64_t>>;  // label, most apart

/// What Python's callers give for a member of an event. Exact: nothing is converted on the way.
template <class Member>
struct Argument {
  using Type = std::conditional_t<std::is_enum_v<Member>, Number, Member>;
  static constexpr bool kExact = false;
  static Member read(Type&& value, const std::string& /*key*/) {
    return static_cast<Member>(std::move(value));
  }
  static py::object shown(const Member& value) { return py::cast(value); }
};

template <class Member>
struct ExactArgument {
  using Type = Member;
  static constexpr bool kExact = true;
  static Member read(Type&& value, const std::string& /*key*/) { return std::move(value); }
  static py::object shown(const Member& value) { return py::cast(value); }
};

template <>
struct Argument<std::int64_t> : ExactArgument<std::int64_t> {};
template <>
struct Argument<std::optional<std::int64_t>> : ExactArgument<std::optional<std::int64_t>> {};
template <>
struct Argument<Amounts> : ExactArgument<Amounts> {};
template <>
struct Argument<std::map<std::string, Amounts>> : ExactArgument<std::map<std::string, Amounts>> {};

template <>
struct Argument<Quantity> {
  using Type = py::object;
  static constexpr bool kExact = false;
  static Quantity read(Type&& value, const std::string& key) { return quantity_of(value, key); }
  static py::object shown(const Quantity& value) { return py::int_(py::str(value.text())); }
};

template <>
struct Argument<std::optional<Spread>> {
  using Type = std::optional<AnySpread>;
  static constexpr bool kExact = true;
  static std::optional<Spread> read(Type&& value, const std::string& /*key*/) {
    if (!value) return {};
    if (auto* const label = std::get_if<std::string>(&*value)) return Spread{.label = std::move(*label)};
    auto& [label, most_apart] = std::get<std::pair<std::string, std::int64_t>>(*value);
    return Spread{.label = std::move(label), .most_apart = most_apart};
  }
  static py::object shown(const std::optional<Spread>& /*none*/) { return py::none(); }
};

/// How many members come before the optional ones, which are given by name.
template <class Each>
constexpr std::size_t positional() {
  std::size_t count = 0;
  for_each_field<Each>([&](const auto& field) { count += field.presence != Presence::optional ? 1 : 0; });
  return count;
}

/// The I-th argument as pybind11 takes it: its name, its default.
template <class Each, std::size_t I, class Member>
auto described(const Field<Each, Member>& field) {
  py::arg name(field.name.data());
  name.noconvert(Argument<Member>::kExact);
  constexpr bool kRequired = std::get<I>(Declared<Each>::kFields).presence == Presence::required;
  if constexpr (kRequired) {
    return std::tuple(name);
  } else if constexpr (I == positional<Each>()) {
    return std::tuple(py::kw_only(), name = Argument<Member>::shown(Each{}.*field.member));
  } else {
    return std::tuple(name = Argument<Member>::shown(Each{}.*field.member));
  }
}

template <class Each>
auto described_arguments() {
  constexpr std::size_t kCount = std::tuple_size_v<decltype(Declared<Each>::kFields)>;
  auto all = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple_cat(described<Each, I>(std::get<I>(Declared<Each>::kFields))...);
  }
  (std::make_index_sequence<kCount>{});
  if constexpr (positional<Each>() == kCount) {
    return std::tuple_cat(std::move(all), std::tuple(py::kw_only()));
  } else {
    return all;
  }
}

/// The event's effect, when it is refused, and its arguments.
template <class Each>
std::string documentation() {
  using Applied = decltype(std::declval<Engine&>().apply(std::declval<const Each&>(), Time()));
  std::string text(Declared<Each>::kEffect);
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  text += ".";
  if constexpr (std::is_same_v<Applied, Result<std::vector<Lost>>>) {
    text += " Returns the tasks that ran, Lost each.";
  } else if constexpr (!std::is_same_v<Applied, Check>) {
    text += " Returns its identifier.";
  }
  if (!Declared<Each>::kRefused.empty()) text += " Refused: " + std::string(Declared<Each>::kRefused) + ".";
  text += "\n";
  for_each_field<Each>([&](const auto& field) {
    text += "\n`" + std::string(field.name) + "`: " + std::string(field.meaning) + ".";
  });
  return text +
         "\n`now`: nanoseconds since an origin that the caller chooses, or a datetime.timedelta since it; "
         "left out: the time of the latest event.\n\nRaises Refused, and leaves the engine as it was.";
}

void told(const Record& /*lost*/, const Check& bad) { check(bad); }

template <class Id>
Number told(const Record& /*lost*/, Result<Id> id) {
  return static_cast<Number>(value_of(std::move(id)));
}

py::list told(const Record& lost, Result<std::vector<Lost>> result) {
  py::list list;
  for (const Lost& each : value_of(std::move(result))) list.append(lost_record(lost, each));
  return list;
}

template <class Each, class... Member>
void add_event(EngineClass& engine, const Record& lost, const std::tuple<Field<Each, Member>...>& fields) {
  std::string name(Declared<Each>::kName);
  std::replace(name.begin(), name.end(), '-', '_');
  const auto apply = [lost, fields](Scheduler& s, typename Argument<Member>::Type... arguments,
                                    const MaybeTime& now) {
    Each event{};
    std::apply(
        [&](const auto&... field) {
          ((event.*field.member = Argument<Member>::read(std::move(arguments), std::string(field.name))),
           ...);
        },
        fields);
    return told(lost, s.engine.apply(event, s.at(now)));
  };
  std::apply(
      [&](const auto&... described) {
        engine.def(name.c_str(), apply, described..., "now"_a = py::none(), documentation<Each>().c_str());
      },
      described_arguments<Each>());
}

}  // namespace

void add_events(EngineClass& engine, const Record& lost) {
  for_each_event(
      [&]<class Each>(std::type_identity<Each>) { add_event(engine, lost, Declared<Each>::kFields); });
}

}  // namespace mirab::python
