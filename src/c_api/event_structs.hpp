// The structs of events in mirab/engine.h, read by the lists of mirab/scheduling/events.hpp. The members of a
// struct are those of the list in its order, after `size`; tests/scheduling/records_test.cpp writes them into
// the header from the same table of types. What is optional and 0 or NULL is left out, as is what lies
// beyond `size`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <mirab/engine.h>
#include <mirab/scheduling/events.hpp>

#include "c_api/boundary.hpp"

namespace mirab::c_api {

template <class>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

/// What stands in the struct for a member: its type, how a C compiler spells it, and whether a count follows.
template <class Plain>
struct InStruct {
  using Type = Plain;
  std::string_view spelled;
  bool counted = false;
};

template <class Member>
constexpr auto in_struct() {
  using scheduling::Amounts;
  if constexpr (std::is_enum_v<Member>) {
    return InStruct<mirab_id>{"mirab_id "};
  } else if constexpr (std::is_same_v<Member, std::int64_t> || std::is_same_v<Member, Time> ||
                       std::is_same_v<Member, bool>) {
    return InStruct<std::int64_t>{"int64_t "};
  } else if constexpr (std::is_same_v<Member, std::string> || std::is_same_v<Member, Quantity>) {
    return InStruct<const char*>{"const char* "};
  } else if constexpr (std::is_same_v<Member, Amounts>) {
    return InStruct<const std::int64_t*>{"const int64_t* "};
  } else if constexpr (std::is_same_v<Member, std::vector<scheduling::ServerId>>) {
    return InStruct<const mirab_id*>{"const mirab_id* ", true};
  } else if constexpr (std::is_same_v<Member, std::vector<std::string>>) {
    return InStruct<const char* const*>{"const char* const* ", true};
  } else if constexpr (std::is_same_v<Member, std::map<std::string, std::string>> ||
                       std::is_same_v<Member, std::map<std::string, std::vector<std::string>>>) {
    return InStruct<const mirab_label*>{"const mirab_label* ", true};
  } else if constexpr (std::is_same_v<Member, std::map<std::string, Amounts>>) {
    return InStruct<const mirab_amounts*>{"const mirab_amounts* ", true};
  } else if constexpr (std::is_same_v<Member, std::vector<scheduling::Role>>) {
    return InStruct<const mirab_role*>{"const mirab_role* ", true};
  } else if constexpr (std::is_same_v<Member, scheduling::Spread>) {
    return InStruct<const mirab_spread*>{"const mirab_spread* "};
  } else if constexpr (std::is_same_v<Member, scheduling::Rank>) {
    return InStruct<const mirab_rank*>{"const mirab_rank* "};
  } else {
    static_assert(kIsOptional<Member>, "a member of an event has a type that no struct in C has yet");
    return in_struct<typename Member::value_type>();
  }
}

/// Labels with their names and values, none of them NULL. No labels may be NULL themselves.
inline Check check_labels(const std::string& name, const mirab_label* labels, std::size_t count) {
  if (count > 0 && labels == nullptr) return null_argument(name);
  for (std::size_t k = 0; k < count; ++k) {
    if (labels[k].name == nullptr) return null_argument(fmt::format("{}[{}].name", name, k));
    if (labels[k].value == nullptr) return null_argument(fmt::format("{}[{}].value", name, k));
  }
  return {};
}

inline Check check_amounts(const std::string& name, const mirab_amounts* amounts, std::size_t count) {
  if (count > 0 && amounts == nullptr) return null_argument(name);
  for (std::size_t k = 0; k < count; ++k) {
    if (amounts[k].name == nullptr) return null_argument(fmt::format("{}[{}].name", name, k));
    if (amounts[k].amounts == nullptr) return null_argument(fmt::format("{}[{}].amounts", name, k));
  }
  return {};
}

inline Check check_roles(const std::string& name, const mirab_role* roles, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    if (roles[k].demand == nullptr) return null_argument(fmt::format("{}[{}].demand", name, k));
  }
  return {};
}

/// Where the members of a struct begin, one after the other, and how many bytes it has: what the C compiler
/// makes of the list.
class Layout {
 public:
  template <class Plain>
  constexpr std::size_t next() {
    at_ = up_to(alignof(Plain));
    const std::size_t begin = at_;
    at_ += sizeof(Plain);
    return begin;
  }
  template <class Member>
  constexpr void add() {
    next<typename decltype(in_struct<Member>())::Type>();
    if (in_struct<Member>().counted) next<std::size_t>();
  }
  constexpr std::size_t end() const { return at_; }
  constexpr std::size_t size() const { return up_to(alignof(std::size_t)); }

 private:
  constexpr std::size_t up_to(std::size_t align) const { return (at_ + align - 1) / align * align; }
  std::size_t at_ = sizeof(std::size_t);  // of `size`
};

/// The layout of a record's struct; without its optional members, what the smallest struct must have.
template <class Record>
constexpr Layout layout_of(bool with_optional) {
  Layout layout;
  scheduling::for_each_field<Record>([&]<class Member>(const scheduling::Field<Record, Member>& field) {
    if (with_optional || field.presence != scheduling::Presence::optional) layout.add<Member>();
  });
  return layout;
}

/// Reads structs. The first argument that is NULL and must not be is `invalid`, the first value that cannot
/// be is `refused`.
class StructReader {
 public:
  explicit StructReader(std::size_t resources) : resources_(resources) {}

  template <class Record, class Struct>
  Record read(const Struct& from) {
    Record record{};
    if (from.size < layout_of<Record>(false).end()) {
      refuse({.message = "the sizeof of the struct is expected", .key = "size"});
      return record;
    }
    Layout layout;
    const Bytes bytes{.begin = reinterpret_cast<const std::byte*>(&from), .size = from.size};
    std::string_view replaced;  // what is left out, since another stands in its place
    scheduling::for_each_field<Record>([&]<class Member>(const scheduling::Field<Record, Member>& field) {
      using Plain = typename decltype(in_struct<Member>())::Type;
      const Plain value = bytes.at<Plain>(layout.next<Plain>());
      std::size_t count = 0;
      if (in_struct<Member>().counted) count = bytes.at<std::size_t>(layout.next<std::size_t>());
      const bool optional = field.presence >= scheduling::Presence::replaceable;
      if (value != Plain{}) {
        set(record.*field.member, value, count, std::string(field.name));
      } else if (!optional && std::is_pointer_v<Plain>) {
        invalidate(null_argument(std::string(field.name)));
      } else if (!optional) {
        record.*field.member = Member{};
      } else if (count > 0 && !kIsOptional<Member>) {
        invalidate(null_argument(std::string(field.name)));
      } else if (field.presence == scheduling::Presence::replaceable) {
        replaced = field.name;
      }
    });
    if constexpr (requires { record.roles; }) {
      if (!replaced.empty() && record.roles.empty()) invalidate(null_argument(std::string(replaced)));
    }
    return record;
  }

  const Check& invalid() const { return invalid_; }
  const Check& refused() const { return refused_; }

 private:
  struct Bytes {
    const std::byte* begin;
    std::size_t size;
    /// 0 beyond what the caller knows.
    template <class Plain>
    Plain at(std::size_t offset) const {
      Plain value{};
      if (offset + sizeof value <= size) std::memcpy(&value, begin + offset, sizeof value);
      return value;
    }
  };

  template <class Member, class Plain>
  void set(Member& to, Plain value, std::size_t count, const std::string& name) {
    if constexpr (kIsOptional<Member>) {
      set(to.emplace(), value, count, name);
    } else if constexpr (std::is_same_v<Member, scheduling::Spread> ||
                         std::is_same_v<Member, scheduling::Rank>) {
      to = read<Member>(*value);
    } else if constexpr (std::is_same_v<Member, Quantity>) {
      const Result<Quantity> number = Quantity::parse(value);
      if (!number) return refuse(number.error());
      to = *number;
    } else if constexpr (std::is_same_v<Member, scheduling::Amounts>) {
      to.assign(value, value + resources_);
    } else if constexpr (std::is_same_v<Member, Time>) {
      to = Time(Duration(value));
    } else if constexpr (std::is_same_v<Member, bool>) {
      to = value > 0;
    } else if constexpr (std::is_same_v<Plain, const mirab_id*>) {
      for (std::size_t k = 0; k < count; ++k) to.push_back(static_cast<scheduling::ServerId>(value[k]));
    } else if constexpr (std::is_same_v<Plain, const char* const*>) {
      if (const Check wrong = check_texts(name.c_str(), value, count)) return invalidate(*wrong);
      to.assign(value, value + count);
    } else if constexpr (std::is_same_v<Plain, const mirab_label*>) {
      if (const Check wrong = check_labels(name, value, count)) return invalidate(*wrong);
      for (std::size_t k = 0; k < count; ++k) add(to[value[k].name], value[k].value);
    } else if constexpr (std::is_same_v<Plain, const mirab_role*>) {
      if (const Check wrong = check_roles(name, value, count)) return invalidate(*wrong);
      for (std::size_t k = 0; k < count; ++k)
        to.push_back({.tasks = value[k].tasks, .demand = {value[k].demand, value[k].demand + resources_}});
    } else if constexpr (std::is_same_v<Plain, const mirab_amounts*>) {
      if (const Check wrong = check_amounts(name, value, count)) return invalidate(*wrong);
      for (std::size_t k = 0; k < count; ++k)
        to[value[k].name].assign(value[k].amounts, value[k].amounts + resources_);
    } else {
      to = static_cast<Member>(value);
    }
  }

  /// The last value of a label, or all of them.
  static void add(std::string& to, const char* value) { to = value; }
  static void add(std::vector<std::string>& to, const char* value) { to.emplace_back(value); }

  void invalidate(Error error) {
    if (!invalid_) invalid_ = std::move(error);
  }
  void refuse(Error error) {
    if (!refused_) refused_ = std::move(error);
  }

  std::size_t resources_;
  Check invalid_ = {};
  Check refused_ = {};
};

}  // namespace mirab::c_api
