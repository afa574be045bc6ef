// The strict reader of bodies: each mistake is a problem with the JSON pointer of its key.
#pragma once

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <utility>

#include <mirab/model/choice.hpp>

#include "live/content.hpp"
#include "model/names.hpp"

namespace mirab::live {

inline constexpr std::size_t kMostSpecBytes = 16'384;
inline constexpr std::size_t kMostLabelKey = 63;
inline constexpr std::size_t kMostLabelValue = 255;

/// Takes the members of a body as what they should be. The first thing that is wrong is kept, after which
/// everything reads as nothing.
class Body {
 public:
  Body(const Json& json, std::string key, const Units& units, Units::Form form, std::optional<Problem>& wrong)
      : json_(&json), key_(std::move(key)), units_(&units), form_(form), wrong_(&wrong) {}

  bool expect_object() const {
    if (!json_->is_object()) refuse(bad_request(key_, "an object is expected here"));
    return !failed();
  }

  void allow_only(std::span<const std::string_view> names) const {
    if (!expect_object()) return;
    for (const auto& [name, value] : json_->items()) {
      if (std::find(names.begin(), names.end(), name) != names.end()) continue;
      return refuse(bad_request(pointer(name), fmt::format("there is no key {} here{}", printable(name),
                                                           nearest_names(name, names))));
    }
  }
  void allow_only(std::initializer_list<std::string_view> names) const {
    allow_only(std::span(names.begin(), names.size()));
  }

  std::optional<Body> find(const std::string& name) const {
    if (failed() || !json_->is_object()) return {};
    const auto found = json_->find(name);
    if (found == json_->end()) return {};
    return Body(*found, pointer(name), *units_, form_, *wrong_);
  }
  std::optional<Body> required(const std::string& name) const {
    auto found = find(name);
    if (!found && !failed()) refuse(bad_request(pointer(name), fmt::format("the key {} is needed", name)));
    return found;
  }

  std::string text(std::size_t most = kMostSpecBytes) const {
    if (failed()) return {};
    if (!json_->is_string()) {
      refuse(bad_request(key_, "a text is expected here"));
      return {};
    }
    std::string value = json_->get<std::string>();
    if (value.size() > most) refuse(too_large(key_, fmt::format("at most {} bytes are expected here", most)));
    return value;
  }
  std::string name(std::string_view kind) const {
    std::string value = text();
    if (!failed()) {
      if (auto bad = check_name(value, kind, key_)) refuse(*std::move(bad));
    }
    return value;
  }
  /// That somebody gives to a new thing, unless it is in normal form: then it is an old one.
  std::string new_name(std::string_view kind) const {
    std::string value = name(kind);
    if (!failed() && !is_normal()) {
      if (auto bad = check_new_name(value, kind, key_)) refuse(*std::move(bad));
    }
    return value;
  }
  bool truth() const {
    if (failed()) return false;
    if (!json_->is_boolean()) refuse(bad_request(key_, "true or false is expected here"));
    return !failed() && json_->get<bool>();
  }
  std::int64_t whole(std::int64_t least, std::int64_t most) const {
    if (failed()) return least;
    if (json_->is_number_unsigned()) {
      const auto value = json_->get<std::uint64_t>();
      if (std::cmp_greater_equal(value, least) && std::cmp_less_equal(value, most))
        return static_cast<std::int64_t>(value);
    } else if (json_->is_number_integer()) {
      const auto value = json_->get<std::int64_t>();
      if (value >= least && value <= most) return value;
    }
    refuse(bad_request(key_, fmt::format("a whole number of {} to {} is expected here", least, most)));
    return least;
  }
  std::size_t word(std::span<const std::string_view> words) const {
    const std::string value = text();
    const auto found = std::find(words.begin(), words.end(), value);
    if (!failed() && found == words.end())
      refuse(bad_request(
          key_, fmt::format("there is no {} here{}", printable(value), nearest_names(value, words))));
    return failed() ? 0 : static_cast<std::size_t>(found - words.begin());
  }
  template <class Visit>
  void for_each_item(std::string_view kinds, Visit visit) const {
    if (failed()) return;
    if (!json_->is_array())
      return refuse(bad_request(key_, fmt::format("a list of {} is expected here", kinds)));
    for (std::size_t i = 0; i < json_->size() && !failed(); ++i)
      visit(Body((*json_)[i], key_ + "/" + std::to_string(i), *units_, form_, *wrong_));
  }
  std::vector<std::string> texts() const {
    std::vector<std::string> values;
    for_each_item("texts", [&](const Body& item) { values.push_back(item.text()); });
    return values;
  }
  Duration duration() const {
    if (!failed() && json_->is_number_unsigned())
      return Duration(std::chrono::seconds(whole(0, 9'000'000'000)));
    const std::string value = text();
    if (failed()) return {};
    const Result<Duration> read = parse_duration(value);
    if (!read) refuse(bad_request(key_, read.error().message));
    return read ? *read : Duration();
  }
  Amounts amounts(std::int64_t left_out = 0) const {
    if (failed()) return {};
    auto read = units_->read(*json_, key_, form_, left_out);
    if (auto* const problem = std::get_if<Problem>(&read)) {
      refuse(std::move(*problem));
      return {};
    }
    return std::get<Amounts>(std::move(read));
  }
  Quantity weight() const {
    if (failed()) return {};
    if (!json_->is_string() && !json_->is_number_integer()) {
      refuse(bad_request(key_, "a decimal as a text, or a whole number, is expected here"));
      return {};
    }
    const Result<Quantity> read =
        Quantity::parse(json_->is_string() ? json_->get<std::string>() : json_->dump());
    if (!read) refuse(unprocessable("bad-weight", key_, read.error().message));
    return read ? *read : Quantity();
  }
  Labels labels() const {
    Labels labels;
    if (!expect_object()) return labels;
    if (json_->size() > kMostLabels) refuse(too_large(key_, fmt::format("at most {} labels", kMostLabels)));
    for (const auto& [name, value] : json_->items()) {
      if (failed()) break;
      if (name.empty() || name.size() > kMostLabelKey || has_control(name))
        refuse(too_large(pointer(name), fmt::format("a label has 1 to {} bytes", kMostLabelKey)));
      else
        labels[name] = Body(value, pointer(name), *units_, form_, *wrong_).text(kMostLabelValue);
    }
    return labels;
  }
  template <class Visit>
  void for_each(Visit visit) const {
    if (!expect_object()) return;
    for (const auto& [name, value] : json_->items()) {
      if (failed()) return;
      visit(name, Body(value, pointer(name), *units_, form_, *wrong_));
    }
  }

  const Json& json() const { return *json_; }
  const std::string& key() const { return key_; }
  bool is_normal() const { return form_ == Units::Form::normal; }
  bool failed() const { return wrong_->has_value(); }
  void refuse(Problem problem) const {
    if (!failed()) *wrong_ = std::move(problem);
  }

 private:
  std::string pointer(const std::string& member) const { return pointer_to(key_, member); }

  const Json* json_;
  std::string key_;
  const Units* units_;
  Units::Form form_;
  std::optional<Problem>* wrong_;
};

}  // namespace mirab::live
