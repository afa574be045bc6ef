#include "service/log_age.hpp"

#include <cstddef>

#include "live/content.hpp"

namespace mirab::service {

LogAge LogAge::from(std::string_view text) {
  LogAge age;
  try {
    const live::Json json = live::Json::parse(text);
    age.run_ = std::chrono::seconds(json.at("run_s").get<std::int64_t>());
    for (const live::Json& mark : json.at("marks"))
      age.marks_.push_back({.revision = mark.at(0).get<std::uint64_t>(),
                            .at = std::chrono::seconds(mark.at(1).get<std::int64_t>())});
  } catch (const live::Json::exception&) {
    return {};  // the log is kept for longer
  }
  return age;
}

std::string LogAge::text(std::chrono::seconds run) const {
  live::Json marks = live::Json::array();
  for (const Mark& mark : marks_) marks.push_back({mark.revision, mark.at.count()});
  return live::Json{{"run_s", run.count()}, {"marks", marks}}.dump();
}

void LogAge::note(std::uint64_t revision, std::chrono::seconds now, std::chrono::seconds kept) {
  if (!marks_.empty() && now - marks_.back().at < kept / 200) return;
  marks_.push_back({.revision = revision, .at = now});
  std::size_t unneeded = 0;  // an older mark says less than the newest that is old enough
  while (unneeded + 1 < marks_.size() && now - marks_[unneeded + 1].at >= kept) ++unneeded;
  marks_.erase(marks_.begin(), marks_.begin() + static_cast<std::ptrdiff_t>(unneeded));
}

std::uint64_t LogAge::older_than(std::chrono::seconds now, std::chrono::seconds kept) const {
  std::uint64_t revision = 0;
  for (const Mark& mark : marks_) {
    if (now - mark.at >= kept) revision = mark.revision;
  }
  return revision;
}

}  // namespace mirab::service
