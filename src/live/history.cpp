#include "live/history.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace mirab::live {
namespace {

constexpr std::size_t kLevelCount = History::kLevels.size();
constexpr std::int64_t kBack = 3'600;  // seconds that the clock may go back before what lies after is dropped
constexpr std::int64_t kMissed = 3;    // samples that may be missing before nothing is known of the time
constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();
constexpr std::string_view kMeasures[] = {"share", "running", "waiting", "used"};

bool is_same(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

std::int64_t seconds_of(Wall wall) {
  return std::chrono::floor<std::chrono::seconds>(wall).time_since_epoch().count();
}

}  // namespace

std::string_view word_of(Measure measure) { return kMeasures[static_cast<std::size_t>(measure)]; }

std::optional<Measure> measure_of(std::string_view word) {
  const auto found = std::find(std::begin(kMeasures), std::end(kMeasures), word);
  if (found == std::end(kMeasures)) return {};
  return static_cast<Measure>(found - std::begin(kMeasures));
}

void History::put(std::size_t level, const Key& key, Line& line, std::int64_t at, double value) {
  const auto stored = static_cast<float>(value);
  std::vector<Point>& points = line.points[level];
  const bool is_keyframe = !std::isnan(stored) && at % kLevels[level].keyframe == 0;
  if (points.empty() ? std::isnan(stored) : is_same(points.back().value, stored) && !is_keyframe) return;
  const Point point{.at = static_cast<std::int32_t>(at), .value = stored};
  points.push_back(point);
  ++points_;
  levels_[level].pending[key].push_back(point);
}

void History::add(Wall wall, const Sample& sample) {
  const std::int64_t second = seconds_of(wall);
  const std::int64_t at = second / kLevels[0].step;
  Kept& finest = levels_[0];
  if (at <= finest.last && at + kBack / kLevels[0].step > finest.last) return;
  if (at <= finest.last) drop_after(second);
  if (finest.last >= 0 && at > finest.last + kMissed) {  // nobody looked
    for (auto& [key, line] : lines_) put(0, key, line, finest.last + 1, kUnknown);
  }
  end_steps(second);
  finest.last = at;
  for (const Sample::OfQueue& each : sample.queues) {
    note({Measure::share, each.queue, each.tenant}, each.share, at);
    note({Measure::running, each.queue, each.tenant}, static_cast<double>(each.running), at);
    note({Measure::waiting, each.queue, each.tenant}, static_cast<double>(each.waiting), at);
  }
  for (const auto& [resource, used] : sample.used)
    note({Measure::used, resource, {}}, static_cast<double>(used), at);
  for (auto& [key, line] : lines_) {
    if (line.seen != at) put(0, key, line, at, kUnknown);
  }
  trim();
}

void History::note(const Key& key, double value, std::int64_t at) {
  auto found = lines_.find(key);
  if (found == lines_.end()) {
    if (lines_.size() >= limits_.lines) return;
    found = lines_.emplace(key, Line{}).first;
  }
  Line& line = found->second;
  line.seen = at;
  put(0, key, line, at, value);
  for (std::size_t level = 1; level < kLevelCount; ++level) {
    line.open[level].sum += value;
    ++line.open[level].count;
  }
}

/// The minutes and hours that are over at that second.
void History::end_steps(std::int64_t second) {
  for (std::size_t level = 1; level < kLevelCount; ++level) {
    const std::int64_t step = kLevels[level].step;
    const std::int64_t ended = levels_[0].last < 0 ? -1 : levels_[0].last * kLevels[0].step / step;
    if (ended < 0 || second / step <= ended) continue;
    const bool misses_some = levels_[level].last >= 0 && ended > levels_[level].last + 1;
    for (auto& [key, line] : lines_) {
      if (misses_some) put(level, key, line, levels_[level].last + 1, kUnknown);
      const Mean mean = std::exchange(line.open[level], Mean{});
      put(level, key, line, ended, mean.count == 0 ? kUnknown : mean.sum / static_cast<double>(mean.count));
    }
    levels_[level].last = ended;
  }
}

/// The clock was ahead: what it has noted since is not true.
void History::drop_after(std::int64_t second) {
  for (std::size_t level = 0; level < kLevelCount; ++level) {
    const std::int64_t first = second / kLevels[level].step;
    const auto is_after = [&](const Point& point) { return point.at >= first; };
    for (auto& [key, line] : lines_) {
      points_ -= std::erase_if(line.points[level], is_after);
      line.open[level] = {};
    }
    for (auto& [key, points] : levels_[level].pending) std::erase_if(points, is_after);
    levels_[level].last = std::min(levels_[level].last, first - 1);
    levels_[level].flushed = std::min(levels_[level].flushed, second);
  }
}

void History::trim() {
  drop_old();
  while (points_ > limits_.points) {
    std::array<std::size_t, kLevelCount> sizes = {};
    for (const auto& [key, line] : lines_) {
      for (std::size_t level = 0; level < kLevelCount; ++level) sizes[level] += line.points[level].size();
    }
    const auto most = static_cast<std::size_t>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
    if (levels_[most].kept <= kLevels[most].step) break;
    levels_[most].kept = std::max(levels_[most].kept * 3 / 4, kLevels[most].step);
    drop_old();
  }
}

/// Of each line what is older than its level is kept, but for the point that still holds then.
void History::drop_old() {
  const std::int64_t now = levels_[0].last * kLevels[0].step;
  for (auto each = lines_.begin(); each != lines_.end();) {
    Line& line = each->second;
    bool is_empty = line.seen != levels_[0].last;
    for (std::size_t level = 0; level < kLevelCount; ++level) {
      const Level& rule = kLevels[level];
      const std::int64_t oldest = (now - levels_[level].kept) / rule.step;
      std::vector<Point>& points = line.points[level];
      // Only when there is much: moving what stays costs as much as it has.
      auto first = std::partition_point(points.begin(), points.end(),
                                        [&](const Point& point) { return point.at <= oldest; });
      if (first != points.begin() && !std::isnan(std::prev(first)->value)) --first;
      const auto old = static_cast<std::size_t>(first - points.begin());
      if (old * 4 >= points.size() || points_ > limits_.points) {
        points.erase(points.begin(), first);
        points_ -= old;
      }
      is_empty = is_empty && points.empty();
    }
    // Of a queue that is gone nothing stays but the mark that it is; and where there are too many, it goes.
    const bool is_gone = line.seen != levels_[0].last && lines_.size() >= limits_.lines;
    if (is_gone) {
      for (const auto& points : line.points) points_ -= points.size();
    }
    each = is_empty || is_gone ? lines_.erase(each) : std::next(each);
  }
}

// Questions.

std::optional<float> History::value_at(const std::vector<Point>& points, std::int64_t at) {
  const auto next =
      std::partition_point(points.begin(), points.end(), [&](const Point& point) { return point.at <= at; });
  if (next == points.begin() || std::isnan(std::prev(next)->value)) return {};
  return std::prev(next)->value;
}

/// The finest level that fits the step and goes back far enough; else the last that fits.
std::size_t History::level_for(const Window& window) const {
  const std::int64_t now = levels_[0].last * kLevels[0].step;
  std::size_t fitting = 0;
  for (std::size_t level = 0; level < kLevelCount; ++level) {
    if (window.step % kLevels[level].step != 0) break;
    fitting = level;
    if (window.from >= now - levels_[level].kept) break;
  }
  return fitting;
}

void History::sum_into(std::vector<Mean>& means, const Line& line, std::size_t level,
                       const Window& window) const {
  const std::int64_t step = kLevels[level].step;
  const std::vector<Point>& points = line.points[level];
  const std::int64_t end = std::min(window.to / step, levels_[level].last + 1);
  const std::int64_t now = levels_[0].last * kLevels[0].step;
  std::int64_t at = std::max(window.from / step, (now - levels_[level].kept) / step);
  while (at < end) {
    const auto next = std::partition_point(points.begin(), points.end(),
                                           [&](const Point& point) { return point.at <= at; });
    const std::int64_t until = next == points.end() ? end : std::min<std::int64_t>(end, next->at);
    const auto value = value_at(points, at);
    for (; at < until; ++at) {
      if (!value) continue;
      Mean& mean = means[static_cast<std::size_t>((at * step - window.from) / window.step)];
      mean.sum += static_cast<double>(*value);
      ++mean.count;
    }
  }
}

std::vector<double> History::values(const Which& which, const Window& window) const {
  const auto count = static_cast<std::size_t>((window.to - window.from + window.step - 1) / window.step);
  std::vector<Mean> means(count);
  const std::size_t level = level_for(window);
  const Key first{which.measure, which.name, which.tenant.value_or("")};
  for (auto each = lines_.lower_bound(first); each != lines_.end(); ++each) {
    const auto& [measure, name, tenant] = each->first;
    if (measure != which.measure || name != which.name || (which.tenant && tenant != *which.tenant)) break;
    sum_into(means, each->second, level, window);
  }
  std::vector<double> values;
  values.reserve(count);
  for (const Mean& mean : means)
    values.push_back(mean.count == 0 ? std::numeric_limits<double>::quiet_NaN()
                                     : mean.sum / static_cast<double>(mean.count));
  return values;
}

bool History::knows(const Which& which) const {
  const auto found = lines_.lower_bound({which.measure, which.name, which.tenant.value_or("")});
  if (found == lines_.end()) return false;
  const auto& [measure, name, tenant] = found->first;
  return measure == which.measure && name == which.name && (!which.tenant || tenant == *which.tenant);
}

// Rows: `[step, from]` to the points of all lines since the row before.

std::vector<Row> History::take_rows() {
  std::vector<Row> rows;
  const std::int64_t now = levels_[0].last * kLevels[0].step;
  for (std::size_t level = 0; level < kLevelCount; ++level) {
    const Level& rule = kLevels[level];
    Kept& kept = levels_[level];
    const std::int64_t from = now / rule.flush * rule.flush;
    if (kept.last < 0 || from <= kept.flushed) continue;
    kept.flushed = from;
    Json lines = Json::array();
    for (const auto& [key, points] : std::exchange(kept.pending, {})) {
      Json at = Json::array();
      Json values = Json::array();
      for (const Point& point : points) {
        at.push_back(point.at);
        values.push_back(std::isnan(point.value) ? Json() : Json(static_cast<double>(point.value)));
      }
      if (points.empty()) continue;
      lines.push_back({word_of(std::get<Measure>(key)), std::get<1>(key), std::get<2>(key), std::move(at),
                       std::move(values)});
    }
    rows.push_back({.table = "series",
                    .key = Json::array({rule.step, from}),
                    .columns = {{"last", kept.last}, {"lines", std::move(lines)}}});
    kept.rows.push_back(from);
    const std::int64_t oldest = now - rule.kept - 2 * rule.keyframe * rule.step;
    for (; !kept.rows.empty() && kept.rows.front() < oldest; kept.rows.pop_front())
      rows.push_back({.table = "series", .key = Json::array({rule.step, kept.rows.front()}), .columns = {}});
  }
  return rows;
}

bool History::load(const Json& key, const Json& columns) {
  try {
    const auto step = key.at(0).get<std::int64_t>();
    std::size_t level = 0;
    while (level < kLevelCount && kLevels[level].step != step) ++level;
    if (level == kLevelCount) return false;
    Kept& kept = levels_[level];
    for (const Json& each : columns.at("lines")) {
      const auto measure = measure_of(each.at(0).get<std::string>());
      if (!measure) return false;
      Line& line = lines_[{*measure, each.at(1).get<std::string>(), each.at(2).get<std::string>()}];
      for (std::size_t i = 0; i < each.at(3).size(); ++i) {
        const Json& value = each.at(4).at(i);
        line.points[level].push_back({.at = each.at(3).at(i).get<std::int32_t>(),
                                      .value = value.is_null() ? kUnknown : value.get<float>()});
        ++points_;
      }
    }
    kept.last = std::max(kept.last, columns.at("last").get<std::int64_t>());
    kept.flushed = std::max(kept.flushed, key.at(1).get<std::int64_t>());
    kept.rows.push_back(key.at(1).get<std::int64_t>());
    return true;
  } catch (const Json::exception&) {
    return false;
  }
}

/// Puts what was loaded in order, and makes the means of minutes and hours that no row holds yet from the
/// points of the level below.
void History::ready() {
  for (Kept& kept : levels_) std::sort(kept.rows.begin(), kept.rows.end());
  for (auto& [key, line] : lines_) {
    for (auto& points : line.points)
      std::stable_sort(points.begin(), points.end(),
                       [](const Point& a, const Point& b) { return a.at < b.at; });
  }
  if (levels_[0].last < 0) return;
  for (std::size_t level = 1; level < kLevelCount; ++level) {
    const std::int64_t step = kLevels[level].step;
    const std::int64_t finer = kLevels[0].step;
    const std::int64_t present = levels_[0].last * finer / step;
    const std::int64_t since = (levels_[0].last * finer - levels_[0].kept) / step;
    const std::int64_t first = std::max(levels_[level].last + 1, since);
    for (auto& [key, line] : lines_) {
      for (std::int64_t at = first; at <= present; ++at) {
        Mean mean;
        for (std::int64_t n = at * step / finer; n < (at + 1) * step / finer && n <= levels_[0].last; ++n) {
          const auto value = value_at(line.points[0], n);
          if (!value) continue;
          mean.sum += static_cast<double>(*value);
          ++mean.count;
        }
        if (at == present) {
          line.open[level] = mean;
        } else {
          put(level, key, line, at, mean.count == 0 ? kUnknown : mean.sum / static_cast<double>(mean.count));
        }
      }
    }
    levels_[level].last = std::max(levels_[level].last, present - 1);
  }
}

}  // namespace mirab::live
