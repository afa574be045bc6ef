// The events of mirab/scheduling/events.hpp as methods of mirab.Engine, one for each.
#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "python/arguments.hpp"
#include "python/engine.hpp"

namespace mirab::python {
namespace {

namespace py = pybind11;
using namespace py::literals;
using namespace scheduling;

using MaybeTime = std::optional<Time>;
using Number = std::uint64_t;  // of an identifier

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
  return text + meanings<Each>() +
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
  for (const Lost& each : value_of(std::move(result))) list.append(ended_record(lost, each));
  return list;
}

template <class Each, class... Member>
void add_event(EngineClass& engine, const Record& lost,
               const std::tuple<Field<Each, Member>...>& /*fields*/) {
  std::string name(Declared<Each>::kName);
  std::replace(name.begin(), name.end(), '-', '_');
  const auto apply = [lost](Scheduler& s, typename Argument<Member>::Type... arguments,
                            const MaybeTime& now) {
    return told(lost, s.engine.apply(record_from<Each>(std::move(arguments)...), s.at(now)));
  };
  const auto define = [&](const auto&... described) {
    engine.def(name.c_str(), apply, described..., "now"_a = py::none(), documentation<Each>().c_str());
  };
  constexpr std::size_t kPositional = fields_before<Each>(Presence::optional);
  const auto described = described_arguments<Each, kPositional>();
  if constexpr (kPositional == kFieldCount<Each>) {
    std::apply(define, std::tuple_cat(described, std::tuple(py::kw_only())));
  } else {
    std::apply(define, described);
  }
}

}  // namespace

void add_events(EngineClass& engine, const Record& lost) {
  for_each_event(
      [&]<class Each>(std::type_identity<Each>) { add_event(engine, lost, Declared<Each>::kFields); });
}

}  // namespace mirab::python
