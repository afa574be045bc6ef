#include "scheduling/persistence/json_reader.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mirab::scheduling {
namespace {

const Json kNothing;

}  // namespace

void JsonReader::refuse_at(const std::string& below, std::string message) const {
  if (!failed()) *wrong_ = Error{.message = std::move(message), .key = key_ + below};
}

std::string JsonReader::key_of(const std::string& member) const {
  return key_.empty() ? member : key_ + "." + member;
}

std::optional<JsonReader> JsonReader::find(const std::string& member) const {
  if (!value_->is_object()) {
    refuse("an object is expected here");
    return {};
  }
  const auto found = value_->find(member);
  if (found == value_->end()) return {};
  return JsonReader(*found, key_of(member), *wrong_);
}

JsonReader JsonReader::operator[](const std::string& member) const {
  if (const std::optional<JsonReader> found = find(member)) return *found;
  refuse(fmt::format("'{}' is missing", member));
  return {kNothing, key_, *wrong_};
}

std::vector<JsonReader> JsonReader::items() const {
  std::vector<JsonReader> items;
  if (!value_->is_array()) refuse("a list is expected here");
  if (failed()) return items;
  for (std::size_t i = 0; i < value_->size(); ++i)
    items.push_back({(*value_)[i], fmt::format("{}[{}]", key_, i), *wrong_});
  return items;
}

std::vector<JsonReader> JsonReader::items(std::size_t count) const {
  std::vector<JsonReader> items = this->items();
  if (!failed() && items.size() != count) refuse(fmt::format("{} items are expected here", count));
  return items;
}

std::vector<std::pair<std::string, JsonReader>> JsonReader::members() const {
  std::vector<std::pair<std::string, JsonReader>> members;
  if (!value_->is_object()) refuse("an object is expected here");
  if (failed()) return members;
  for (const auto& [name, value] : value_->items())
    members.emplace_back(name, JsonReader(value, key_of(name), *wrong_));
  return members;
}

void JsonReader::allow_only(std::span<const std::string_view> names) const {
  for (const auto& [name, value] : members()) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      value.refuse(fmt::format("this is none of {}", fmt::join(names, ", ")));
  }
}

double JsonReader::number(double min, double max) const {
  if (value_->is_number() && value_->get<double>() >= min && value_->get<double>() <= max)
    return value_->get<double>();
  refuse(fmt::format("a number from {} to {} is expected here", min, max));
  return min;
}

bool JsonReader::truth() const {
  if (value_->is_boolean()) return value_->get<bool>();
  refuse("true or false is expected here");
  return false;
}

std::string JsonReader::text() const {
  if (value_->is_string()) return value_->get<std::string>();
  refuse("a text is expected here");
  return {};
}

std::vector<std::string> JsonReader::texts() const {
  std::vector<std::string> texts;
  for (const JsonReader& item : items()) texts.push_back(item.text());
  return texts;
}

std::size_t JsonReader::word(std::span<const std::string_view> words) const {
  const std::string read = text();
  const auto found = std::find(words.begin(), words.end(), read);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  refuse(fmt::format("'{}' is none of {}", read, fmt::join(words, ", ")));
  return 0;
}

}  // namespace mirab::scheduling
