// How a record of the engine declares its fields. The list of an event, a decision or an option stands below
// its struct, in events.hpp and engine.hpp, and is the one place where a field has its name and its meaning:
// JSON both ways, the structs and functions of mirab/engine.h, the methods and types of Python and mirab.pyi,
// the schema of event logs and the tables of docs/reference/engine.md follow from it. A list that lacks a
// member of its struct does not compile.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>

#include <mirab/model/members.hpp>

namespace mirab::scheduling {

/// Where a member may be left out. Its default is that of the C++ struct.
enum class Presence {
  required,
  defaulted,    ///< callers in Python and C++ may leave it out; JSON and C always have it
  replaceable,  ///< as optional, where another stands in its place; it stands with the required ones
  optional,     ///< JSON leaves it out too where it has its default, and C where it is 0 or NULL
};

template <class Of, class Member>
struct Field {
  std::string_view name;
  Member Of::*member;
  std::string_view meaning;
  Presence presence = Presence::required;
  bool in_class = false;  ///< tasks that differ in it are of different task classes
  bool in_tuples = true;  ///< do Python's named tuples have it?
  bool any_sign = false;  ///< may a number be 0 or below? Else it is at least 1
  std::string_view python_name = {};
  std::string_view python_default = {};

  constexpr Field defaulted() const { return with(&Field::presence, Presence::defaulted); }
  constexpr Field optional() const { return with(&Field::presence, Presence::optional); }
  constexpr Field replaceable() const { return with(&Field::presence, Presence::replaceable); }
  constexpr Field of_class() const { return with(&Field::in_class, true); }
  constexpr Field of_any_sign() const { return with(&Field::any_sign, true); }
  /// For what Python's callers know already.
  constexpr Field not_in_tuples() const { return with(&Field::in_tuples, false); }
  /// For names that are words of Python.
  constexpr Field in_python(std::string_view other) const { return with(&Field::python_name, other); }
  /// For what only Python's callers may leave out.
  constexpr Field else_in_python(std::string_view text) const { return with(&Field::python_default, text); }

 private:
  template <class Value>
  constexpr Field with(Value Field::*what, Value value) const {
    Field changed = *this;
    changed.*what = value;
    return changed;
  }
};

template <class Of, class Member>
constexpr Field<Of, Member> field(std::string_view name, Member Of::*member, std::string_view meaning) {
  return {.name = name, .member = member, .meaning = meaning};
}

/// `kFields`, and of an event also `kName`, `kEffect` and `kRefused`, which may be empty. Required members
/// come first, optional ones last. A field that is added to an event is an optional one at the end: programs
/// in C that were compiled before then do not know it.
template <class>
struct Declared;

template <class T>
concept HasFields = requires {
  Declared<T>::kFields;
};

/// The words of an enumeration in the order of its values.
template <class Enum>
inline constexpr std::array<std::string_view, 0> kWords{};

/// Visits the fields of a record in the order of the list.
template <HasFields T, class Visit>
constexpr void for_each_field(Visit visit) {
  std::apply([&](const auto&... each) { (visit(each), ...); }, Declared<T>::kFields);
}

/// Has a list as many fields as its record has members?
template <HasFields T>
inline constexpr bool kIsComplete = kHasMembers<T, std::tuple_size_v<decltype(Declared<T>::kFields)>>;

}  // namespace mirab::scheduling
