// An encoder of CBOR (RFC 8949) that writes value by value the same bytes as the JSON library writes of a
// whole: the snapshot of a state with a million jobs is made without a copy of it as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "live/answers.hpp"

namespace mirab::live {

class Cbor {
 public:
  /// `size` values follow.
  void list(std::size_t size) { head(4, size); }
  /// `size` pairs follow, each a key and its value, in the order of their keys.
  void map(std::size_t size) { head(5, size); }
  void number(std::int64_t number) {
    if (number >= 0) return head(0, static_cast<std::uint64_t>(number));
    head(1, static_cast<std::uint64_t>(-(number + 1)));
  }
  void number(std::uint64_t number) { head(0, number); }
  void text(std::string_view text) {
    head(3, text.size());
    bytes_ += text;
  }
  void value(const Json& json) {
    scratch_.clear();
    Json::to_cbor(json, scratch_);
    bytes_.append(scratch_.begin(), scratch_.end());
  }
  std::string take() { return std::move(bytes_); }

 private:
  /// What kind of value comes, and its number or size in the shortest form.
  void head(unsigned kind, std::uint64_t number) {
    const auto first = [&](std::uint64_t low) { bytes_.push_back(static_cast<char>(kind << 5U | low)); };
    if (number < 24) return first(number);
    const unsigned size = number <= 0xff ? 0 : number <= 0xffff ? 1 : number <= 0xffffffff ? 2 : 3;
    first(24 + size);
    for (unsigned left = 1U << size; left > 0; --left)
      bytes_.push_back(static_cast<char>(number >> (left - 1) * 8 & 0xff));
  }

  std::string bytes_;
  std::vector<std::uint8_t> scratch_;
};

}  // namespace mirab::live
