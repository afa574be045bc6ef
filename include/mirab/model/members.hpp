#pragma once

#include <cstddef>
#include <utility>

namespace mirab {

/// Becomes whatever a member is.
struct AnyMember {
  template <class T>
  operator T() const;
};

template <class T, std::size_t... I>
constexpr bool takes_members(std::index_sequence<I...>) {
  return requires { T{(void(I), AnyMember{})...}; };
}

/// Has an aggregate this number of members? For lists of members, which then cannot lack one.
template <class T, std::size_t count>
inline constexpr bool kHasMembers = takes_members<T>(std::make_index_sequence<count>{}) &&
                                    !takes_members<T>(std::make_index_sequence<count + 1>{});

}  // namespace mirab
