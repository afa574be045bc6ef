#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mirab/model/result.hpp>

namespace mirab::scheduling {

using Json = nlohmann::json;

/// A JSON value and the key under which it stands, read with checks. The first thing that is wrong is kept in
/// an error that all readers of a document share; from then on everything reads as nothing (0, "", no items),
/// so that who reads asks once, at the end or before values are used.
class JsonReader {
 public:
  /// Requires the value and the error to outlive the reader.
  JsonReader(const Json& value, std::optional<Error>& wrong) : JsonReader(value, {}, wrong) {}

  /// The member of an object, which must be there.
  JsonReader operator[](const std::string& member) const;
  /// The same, when it may be left out.
  std::optional<JsonReader> find(const std::string& member) const;
  /// The items of a list; the members of an object.
  std::vector<JsonReader> items() const;
  std::vector<JsonReader> items(std::size_t count) const;  ///< exactly `count`
  std::vector<std::pair<std::string, JsonReader>> members() const;

  /// Visits the items of a list until something is wrong.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const JsonReader& item : items()) {
      if (failed()) return;
      visit(item);
    }
  }

  /// Refuses an object with other members than these.
  void allow_only(std::span<const std::string_view> names) const;
  void allow_only(std::initializer_list<std::string_view> names) const {
    allow_only(std::span(names.begin(), names.size()));
  }

  template <std::integral Integer>
  Integer integer(Integer min, Integer max) const {
    return number(*value_, min, max, [] { return std::string(); });
  }
  template <std::integral Integer>
  std::vector<Integer> integers(Integer min, Integer max) const;

  double number(double min, double max) const;
  bool truth() const;
  std::string text() const;
  std::vector<std::string> texts() const;
  /// The index of the text among the words.
  std::size_t word(std::span<const std::string_view> words) const;
  std::size_t word(std::initializer_list<std::string_view> words) const {
    return word(std::span(words.begin(), words.size()));
  }

  bool is_null() const { return value_->is_null(); }

  void refuse(std::string message) const { refuse_at({}, std::move(message)); }
  bool failed() const { return wrong_->has_value(); }

 private:
  JsonReader(const Json& value, std::string key, std::optional<Error>& wrong)
      : value_(&value), key_(std::move(key)), wrong_(&wrong) {}

  std::string key_of(const std::string& member) const;
  void refuse_at(const std::string& below, std::string message) const;
  template <std::integral Integer, class Below>
  Integer number(const Json& value, Integer min, Integer max, Below below) const;

  const Json* value_;
  std::string key_;
  std::optional<Error>* wrong_;
};

template <std::integral Integer, class Below>
Integer JsonReader::number(const Json& value, Integer min, Integer max, Below below) const {
  if (value.is_number_unsigned()) {
    const auto read = value.get<std::uint64_t>();
    if (std::cmp_greater_equal(read, min) && std::cmp_less_equal(read, max))
      return static_cast<Integer>(read);
  } else if (value.is_number_integer()) {
    const auto read = value.get<std::int64_t>();
    if (std::cmp_greater_equal(read, min) && std::cmp_less_equal(read, max))
      return static_cast<Integer>(read);
  }
  refuse_at(below(),
            "a whole number of " + std::to_string(min) + " to " + std::to_string(max) + " is expected here");
  return min;
}

template <std::integral Integer>
std::vector<Integer> JsonReader::integers(Integer min, Integer max) const {
  std::vector<Integer> read;
  if (!value_->is_array()) {
    refuse("a list of whole numbers is expected here");
    return read;
  }
  read.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i)
    read.push_back(number((*value_)[i], min, max, [&] { return "[" + std::to_string(i) + "]"; }));
  return read;
}

}  // namespace mirab::scheduling
