// What each queue had and how full the cluster was, over time: points each 10 s for a day, each minute for 30
// days, each hour for two years (means over the minute and the hour). A plain value: the clock is passed in,
// and what is to be kept comes out as rows.
//
// A point is stored where a value differs from the one before, and once in a while (kKeyframe), so that idle
// queues cost next to nothing and a row can be read without those before it. Values have single precision.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "live/records.hpp"

namespace mirab::live {

/// Of a queue its dominant share, its running and its waiting tasks; of a resource what is used, in base
/// units.
enum class Measure { share, running, waiting, used };
std::string_view word_of(Measure measure);
std::optional<Measure> measure_of(std::string_view word);

/// One moment.
struct Sample {
  struct OfQueue {
    std::string queue;
    std::string tenant;
    double share = 0;
    std::int64_t running = 0;
    std::int64_t waiting = 0;
  };
  std::vector<OfQueue> queues = {};
  std::vector<std::pair<std::string, std::int64_t>> used = {};  ///< by resource
};

class History {
 public:
  /// A step and for how long its points are kept, in seconds.
  struct Level {
    std::int64_t step;
    std::int64_t kept;
    std::int64_t keyframe;  ///< at least one point in this number of steps
    std::int64_t flush;     ///< seconds to a row
  };
  static constexpr std::array<Level, 3> kLevels = {
      {{10, 86'400, 360, 60}, {60, 30 * 86'400, 1'440, 600}, {3'600, 2 * 365 * 86'400, 240, 3'600}}};
  struct Limits {
    std::size_t points = 6'000'000;  ///< 8 bytes each; beyond, the step that has most keeps them shorter
    std::size_t lines = 40'000;      ///< beyond, queues that are gone go first, and new ones are not kept
  };

  History() : History(Limits{}) {}
  explicit History(const Limits& limits) : limits_(limits) {}

  /// Takes a sample; nothing in the 10 s in which there was one. While the clock is behind the last sample
  /// nothing is taken; once it is an hour behind, what lies after it is dropped. O(queues).
  void add(Wall at, const Sample& sample);

  struct Which {
    Measure measure = Measure::share;
    std::string name = {};                   ///< of the queue or the resource
    std::optional<std::string> tenant = {};  ///< only of the time when the queue was that tenant's
  };
  /// Unix seconds; `step` a multiple of the step of a level, `from` of `step`.
  struct Window {
    std::int64_t from = 0;
    std::int64_t to = 0;
    std::int64_t step = 10;
  };
  /// The mean in each step of the window; not a number where nothing is known. O(points of the window).
  std::vector<double> values(const Which& which, const Window& window) const;
  /// Is anything known of it?
  bool knows(const Which& which) const;

  /// Rows of table `series` that are due; those that are too old come with null columns.
  std::vector<Row> take_rows();
  /// Takes back what take_rows() gave, in any order; then ready() once. What cannot be read is left out:
  /// false.
  bool load(const Json& key, const Json& columns);
  void ready();

  std::size_t points() const { return points_; }
  std::size_t lines() const { return lines_.size(); }
  /// Up to when something is known, Unix seconds.
  std::int64_t end() const { return (levels_[0].last + 1) * kLevels[0].step; }
  /// For how long the points of a level are kept, seconds.
  std::int64_t kept(std::size_t level) const { return levels_[level].kept; }

 private:
  struct Point {
    std::int32_t at;  ///< in steps since 1970
    float value;
  };
  struct Mean {
    double sum = 0;
    std::int64_t count = 0;
  };
  struct Line {
    std::array<std::vector<Point>, kLevels.size()> points = {};
    std::array<Mean, kLevels.size()> open = {};  ///< of the step that has not ended; of the first level none
    std::int64_t seen = 0;                       ///< the last 10 s with a sample of it
  };
  using Key = std::tuple<Measure, std::string, std::string>;  ///< measure, name, tenant
  using Lines = std::map<Key, Line>;

  struct Kept {
    std::int64_t last = -1;  ///< the last step that has ended, or for the first level that has a sample
    std::int64_t kept;
    std::int64_t flushed = 0;                        ///< Unix seconds
    std::map<Key, std::vector<Point>> pending = {};  ///< since then
    std::deque<std::int64_t> rows = {};              ///< keys of the rows that there are
  };

  void put(std::size_t level, const Key& key, Line& line, std::int64_t at, double value);
  void end_steps(std::int64_t second);
  void note(const Key& key, double value, std::int64_t at);
  void drop_after(std::int64_t second);
  void trim();
  void drop_old();
  static std::optional<float> value_at(const std::vector<Point>& points, std::int64_t at);
  void sum_into(std::vector<Mean>& means, const Line& line, std::size_t level, const Window& window) const;
  std::size_t level_for(const Window& window) const;

  Limits limits_;
  Lines lines_;
  std::size_t points_ = 0;
  std::array<Kept, kLevels.size()> levels_ = {
      {{.kept = kLevels[0].kept}, {.kept = kLevels[1].kept}, {.kept = kLevels[2].kept}}};
};

}  // namespace mirab::live
