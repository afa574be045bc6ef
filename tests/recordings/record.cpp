// Records what the engine and the filling decide, and holds a later tree against the recordings.
//
//   recordings --check FOLDER DISCIPLINE…    compares with FOLDER; exit status 1 when something differs
//   recordings --record FOLDER DISCIPLINE…   writes FOLDER
//   recordings --replay FOLDER               replays the logs that are kept whole
//   recordings --print CASE                  prints all lines of the cases that begin so; fill/… of a filling
//   recordings --list                        prints the disciplines
//   recordings --all DISCIPLINE…             exit status 1 when these are not all of them
//
// Without disciplines: all. Before everything else `--threads N` plays N cases at a time, and `--every
// N` compares only every Nth case, for programs that are slow (sanitizers).
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <thread>

#include <mirab/scheduling/event_log.hpp>
#include <mirab/scheduling/fill.hpp>
#include <mirab/scheduling/snapshot.hpp>

#include "recordings/cases.hpp"
#include "recordings/play.hpp"
#include "recordings/recording.hpp"

namespace mirab::recordings {
namespace {

namespace fs = std::filesystem;

struct Effort {
  unsigned threads = 1;
  std::size_t every = 1;  ///< 1: all cases are played, 2: every second one
};

/// All cases of the discipline on its engine, or all its fillings.
std::vector<Played> played(const std::string& discipline, bool fills, const Effort& effort) {
  if (fills) return fillings_of(discipline);
  std::vector<Case> cases;
  std::size_t number = 0;
  for (Case& each : cases_of(discipline))
    if (number++ % effort.every == 0) cases.push_back(std::move(each));
  std::vector<Played> all(cases.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < cases.size(); i = next++) all[i] = play(cases[i]);
  };
  std::vector<std::thread> others;
  for (unsigned t = 1; t < effort.threads; ++t) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  all.push_back(options_of(discipline));
  return all;
}

std::string path_of(const std::string& folder, const std::string& discipline, bool fills) {
  return folder + (fills ? "/fill/" : "/engine/") + discipline + ".digest";
}

std::string log_path(const std::string& folder, std::string name) {
  std::replace(name.begin(), name.end(), '/', '.');
  return folder + "/logs/" + name + ".log";
}

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

const std::vector<std::string>& log_of(const Played& played) { return played.parts.front().lines; }

const Recording* recording_called(const Recordings& recordings, const std::string& name) {
  const auto found = std::find_if(recordings.cases.begin(), recordings.cases.end(),
                                  [&](const Recording& recording) { return recording.name == name; });
  return found == recordings.cases.end() ? nullptr : &*found;
}

const Played* played_called(const std::vector<Played>& all, const std::string& name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Played& played) { return played.name == name; });
  return found == all.end() ? nullptr : &*found;
}

/// The cases whose logs are kept whole.
std::vector<std::string> with_log(const std::string& discipline) {
  std::vector<std::string> names;
  for (const Case& each : cases_of(discipline))
    if (each.keeps_log) names.push_back(each.name);
  return names;
}

bool contains(const std::vector<std::string>& all, const std::string& name) {
  return std::find(all.begin(), all.end(), name) != all.end();
}

/// The first line where the log that is kept whole differs; empty when there is none.
std::string difference_of_log(const std::string& path, const std::vector<std::string>& now) {
  if (!fs::exists(path)) return "  " + path + ": gone\n";
  const std::vector<std::string> recorded = lines_of(path);
  const auto [was, is] = std::mismatch(recorded.begin(), recorded.end(), now.begin(), now.end());
  if (was == recorded.end() && is == now.end()) return {};
  const std::string nothing = "(the end of the log)";
  return "  " + path + ":" + std::to_string(was - recorded.begin() + 1) + ": recorded\n    " +
         (was == recorded.end() ? nothing : *was) + "\n    now\n    " + (is == now.end() ? nothing : *is) +
         "\n";
}

/// Prints how the case differs. Does it?
bool differs(const Recordings& recordings, const Recording& recorded, const Played* now,
             const std::string& name, const std::optional<std::string>& log) {
  if (now == nullptr) {
    std::cout << name << ": the case is gone\n";
    return true;
  }
  const bool same_form = recordings.snapshot_version == scheduling::kSnapshotVersion;
  std::vector<std::string> found = differences(recorded, *now, same_form ? "" : kSnapshots);
  for (const std::string& fault : now->faults) found.push_back("  " + fault + "\n");
  if (log)
    if (const std::string line = difference_of_log(*log, log_of(*now)); !line.empty()) found.push_back(line);
  if (found.empty()) return false;
  std::cout << name << " differs:\n";
  for (const std::string& text : found) std::cout << text;
  std::cout << "  All lines of it: recordings --print " << name
            << "\n  (the same with the tree that recorded it shows what they were)\n";
  return true;
}

/// How many cases differ; prints them.
std::size_t check(const std::string& folder, const std::string& discipline, bool fills,
                  const Effort& effort) {
  const std::string path = path_of(folder, discipline, fills);
  const Recordings recordings = read_recordings(path);
  if (recordings.cases.empty()) {
    std::cout << path << ": there are no recordings\n";
    return 1;
  }
  if (recordings.decision_version != scheduling::kDecisionVersion) {
    std::cout << path << ": recorded under decision version " << recordings.decision_version
              << ", and kDecisionVersion is " << scheduling::kDecisionVersion << ": record again\n";
    return 1;
  }
  const std::vector<Played> all = played(discipline, fills, effort);
  const std::vector<std::string> logs = fills ? std::vector<std::string>() : with_log(discipline);
  const std::string beginning = fills ? "fill/" : "";
  constexpr std::size_t kMostShown = 5;
  std::size_t compared = 0;
  std::size_t different = 0;
  for (const Recording& recorded : recordings.cases) {
    const Played* const now = played_called(all, recorded.name);
    if (effort.every > 1 && now == nullptr) continue;
    if (different == kMostShown) {
      std::cout << path << ": the cases after these are not compared\n";
      break;
    }
    std::optional<std::string> log;
    if (contains(logs, recorded.name)) log = log_path(folder, recorded.name);
    if (differs(recordings, recorded, now, beginning + recorded.name, log)) ++different;
    ++compared;
  }
  for (const Played& now : all) {
    if (recording_called(recordings, now.name) != nullptr) continue;
    std::cout << beginning << now.name << ": the case is not recorded\n";
    ++different;
  }
  std::cout << path << ": " << compared << " cases compared, " << different << " differ\n";
  return different;
}

/// Is nothing wrong with the cases? Prints what is.
bool are_sound(const std::vector<Played>& all) {
  bool sound = true;
  for (const Played& now : all) {
    for (const std::string& fault : now.faults) {
      std::cout << now.name << ": " << fault << '\n';
      sound = false;
    }
  }
  return sound;
}

/// Does a case decide otherwise than it did under the same version? Prints the first.
bool may_be_written(const Recordings& before, const std::vector<Played>& all) {
  if (before.decision_version != scheduling::kDecisionVersion) return true;
  const auto otherwise = std::find_if(all.begin(), all.end(), [&](const Played& now) {
    const Recording* const recorded = recording_called(before, now.name);
    return recorded != nullptr && decides_otherwise(*recorded, now);
  });
  if (otherwise == all.end()) return true;
  std::cout << otherwise->name << " decides otherwise under the same kDecisionVersion\n";
  return false;
}

void write_logs(const std::string& folder, const std::string& discipline, const std::vector<Played>& all) {
  for (const std::string& name : with_log(discipline)) {
    std::ofstream file(log_path(folder, name));
    for (const std::string& line : log_of(*played_called(all, name))) file << line << '\n';
  }
}

std::size_t record(const std::string& folder, const std::string& discipline, bool fills,
                   const Effort& effort) {
  const std::string path = path_of(folder, discipline, fills);
  const std::vector<Played> all = played(discipline, fills, {.threads = effort.threads, .every = 1});
  if (!are_sound(all)) {
    std::cout << path << " is left as it is: this may not be recorded\n";
    return 1;
  }
  if (!may_be_written(read_recordings(path), all)) {
    std::cout << path << " is left as it is: raise kDecisionVersion when these decisions are meant\n";
    return 1;
  }
  Recordings recordings{.decision_version = scheduling::kDecisionVersion,
                        .snapshot_version = scheduling::kSnapshotVersion,
                        .cases = {}};
  for (const Played& each : all) recordings.cases.push_back(recording_of(each));
  fs::create_directories(fs::path(path).parent_path());
  fs::create_directories(folder + "/logs");
  write_recordings(path, recordings);
  if (!fills) write_logs(folder, discipline, all);
  return 0;
}

std::vector<std::string> all_disciplines() {
  std::vector<std::string> names;
  for (const DisciplineInfo& row : disciplines()) names.emplace_back(row.name);
  return names;
}

/// How many logs are gone, are of no case that keeps one, or do not replay.
std::size_t replay(const std::string& folder) {
  std::vector<std::string> paths;
  for (const std::string& discipline : all_disciplines())
    for (const std::string& name : with_log(discipline)) paths.push_back(log_path(folder, name));
  std::size_t failed = 0;
  for (const auto& entry : fs::directory_iterator(folder + "/logs")) {
    if (contains(paths, entry.path().string())) continue;
    std::cout << entry.path().string() << ": no case keeps this log\n";
    ++failed;
  }
  for (const std::string& path : paths) {
    std::ifstream file(path);
    const auto engine = scheduling::replay(file, path);
    if (engine) continue;
    std::cout << (fs::exists(path) ? describe(engine.error()) : path + ": gone") << '\n';
    ++failed;
  }
  std::cout << paths.size() << " logs, " << failed << " failed\n";
  return failed;
}

/// Are these all the disciplines? Prints those that are not among both.
std::size_t are_all(std::vector<std::string> names) {
  std::vector<std::string> all = all_disciplines();
  std::sort(names.begin(), names.end());
  std::sort(all.begin(), all.end());
  std::vector<std::string> different;
  std::set_symmetric_difference(all.begin(), all.end(), names.begin(), names.end(),
                                std::back_inserter(different));
  for (const std::string& name : different)
    std::cout << name << (contains(all, name) ? ": no test checks it\n" : ": there is no such discipline\n");
  return different.size();
}

void print(const Played& played) {
  std::cout << "case " << played.name << '\n';
  for (const Part& part : played.parts)
    for (std::size_t line = 0; line < part.lines.size(); ++line)
      std::cout << part.name << ' ' << line + 1 << ": " << part.lines[line] << '\n';
  for (const Numbers& numbers : played.numbers) {
    std::cout << "numbers " << numbers.label;
    for (const auto& [name, value] : numbers.values) std::cout << ' ' << name << '=' << exact_text(value);
    std::cout << '\n';
  }
}

/// The cases whose names begin so.
std::size_t print(std::string beginning) {
  const bool fills = beginning.rfind("fill/", 0) == 0;
  if (fills) beginning.erase(0, 5);
  const std::string discipline = beginning.substr(0, beginning.find('/'));
  std::size_t printed = 0;
  const auto is_asked = [&](const std::string& name) { return name.rfind(beginning, 0) == 0; };
  if (choose_discipline(discipline) && fills) {
    for (const Played& each : fillings_of(discipline)) {
      if (!is_asked(each.name)) continue;
      print(each);
      ++printed;
    }
  } else if (choose_discipline(discipline)) {
    for (const Case& each : cases_of(discipline)) {
      if (!is_asked(each.name)) continue;
      print(play(each));
      ++printed;
    }
  }
  if (printed > 0) return 0;
  std::cout << "there is no case '" << beginning << "'\n";
  return 1;
}

std::size_t run(std::vector<std::string> words) {
  Effort effort;
  for (; words.size() > 2; words.erase(words.begin(), words.begin() + 2)) {
    const int number = std::max(1, std::atoi(words[1].c_str()));
    if (words[0] == "--threads") {
      effort.threads = static_cast<unsigned>(number);
    } else if (words[0] == "--every") {
      effort.every = static_cast<std::size_t>(number);
    } else {
      break;
    }
  }
  const std::string what = words.empty() ? "" : words[0];
  if (what == "--list") {
    for (const std::string& name : all_disciplines()) std::cout << name << '\n';
    return 0;
  }
  if (words.size() < 2) {
    std::cout << "recordings [--threads N] [--every N] --check|--record|--replay FOLDER, or --print CASE, or "
                 "--list, or --all DISCIPLINE\n";
    return 2;
  }
  if (what == "--print") return print(words[1]);
  if (what == "--replay") return replay(words[1]);
  if (what == "--all") return are_all({words.begin() + 1, words.end()});
  std::vector<std::string> asked(words.begin() + 2, words.end());
  if (asked.empty()) asked = all_disciplines();
  std::size_t different = 0;
  for (const std::string& discipline : asked)
    for (const bool fills : {false, true})
      different += (what == "--record" ? record : check)(words[1], discipline, fills, effort);
  return different;
}

}  // namespace
}  // namespace mirab::recordings

int main(int count, char** words) {
  return mirab::recordings::run({words + 1, words + count}) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
