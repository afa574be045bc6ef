#pragma once

#include "lab/simulation/scenario.hpp"

// What scenario files hold beyond the values that every file of Mirab has.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/choice.hpp>
#include <mirab/model/result.hpp>
#include <mirab/model/time.hpp>

#include "model/field_reader.hpp"

namespace mirab::simulation {

/// One owner. As for FieldReader, the first thing that is wrong is kept, and what is returned then means
/// nothing.
class ScenarioFields : public FieldReader {
 public:
  using FieldReader::FieldReader;
  using Choose = Result<Choice> (*)(std::string_view);

  /// The entries of a list that must have at least one and at most `most`.
  const std::vector<Node::Entry>& entries(const Node& node, const std::string& key, std::size_t most);

  /// A text that is not empty.
  std::string name(const Node& node, const std::string& key);

  /// The name of the next item of a list, which none of those before it may have.
  std::string unique_name(const Node& item, const std::string& key, std::span<const std::string> before);

  /// The index of one of these words.
  std::size_t word(const Node& node, const std::string& key, std::span<const std::string_view> words);

  /// Amounts by resource, as numbers.
  std::vector<double> numbers(const Node& node, const std::string& key,
                              std::span<const std::string> resources);

  double not_negative(const Node& node, const std::string& key);
  /// As not_negative; the error says what it is a part of, and how a percentage is written as one.
  double part(const Node& node, const std::string& key, std::string_view what);
  double positive(const Node& node, const std::string& key);
  /// `why` ends the error where the range does not say enough.
  std::int64_t whole_between(const Node& node, const std::string& key, std::int64_t least, std::int64_t most,
                             std::string_view why = {});

  /// The same, or no value where the word stands instead.
  std::optional<std::int64_t> whole_or(std::string_view word, const Node& node, const std::string& key,
                                       std::int64_t least, std::int64_t most);
  std::optional<double> positive_or(std::string_view word, const Node& node, const std::string& key);

  /// A time above 0: a number of seconds, or a number with the unit ms, s, m or min, h or d.
  Duration duration(const Node& node, const std::string& key);

  /// A number of seconds, or of milliseconds, or a number with one of these units: at least 0, to the nearest
  /// nanosecond.
  Duration seconds(const Node& node, const std::string& key);
  Duration milliseconds(const Node& node, const std::string& key);

  /// A file, relative to the folder of the scenario.
  std::string path(const Node& node, const std::string& key);

  /// What a registry knows by name.
  Choice choice(const Node& node, const std::string& key, Choose choose);
  /// Several of them, no two alike.
  std::vector<Choice> choice_list(const Node& node, const std::string& key, Choose choose);

 private:
  Duration counted_in(Duration unit, std::string_view examples, const Node& node, const std::string& key);
};

/// `classes[3]`
std::string item_key(std::string_view list, std::size_t index);

/// Is it the same choice, however it was written?
bool same_choice(const Choice& a, const Choice& b);

/// The keys of every kind of scenario; those of the seeds only where something is drawn.
inline constexpr std::string_view kVersionKey = "version";
inline constexpr std::string_view kKindKey = "kind";
inline constexpr std::string_view kTitleKey = "title";
inline constexpr std::string_view kSeedKey = "seed";
inline constexpr std::string_view kSeedsKey = "seeds";
inline constexpr std::string_view kOutputsKey = "outputs";

// Each reads the keys of one kind from the root of a scenario file; what is wrong is left in `fields`.
TrafficScenario read_traffic(const Node& root, ScenarioFields& fields);
TraceScenario read_trace(const Node& root, ScenarioFields& fields);
ReallocationScenario read_reallocation(const Node& root, ScenarioFields& fields);
DemandSeriesScenario read_demands(const Node& root, ScenarioFields& fields);
OverlayScenario read_overlay(const Node& root, ScenarioFields& fields);

}  // namespace mirab::simulation
