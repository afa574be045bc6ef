#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mirab::recordings {

/// Lines that are compared byte for byte. A file of recordings keeps how many there are, the digest of all,
/// and a short one after every kMarked lines, which tells about where another text differs.
struct Part {
  std::string name;
  bool decides = false;  ///< other lines are other decisions: they need another kDecisionVersion
  std::vector<std::string> lines;
};

inline constexpr std::size_t kMarked = 32;

struct Kept {
  std::string name;
  std::size_t lines = 0;
  std::string digest;
  std::vector<std::string> marks;
  friend bool operator==(const Kept&, const Kept&) = default;
};

Kept kept(const Part& part);

/// Numbers that may differ by rounding, each with a name: `key=0.25 next.key=0.5`.
struct Numbers {
  std::string label;
  std::vector<std::pair<std::string, double>> values;
};

/// What came of one case.
struct Played {
  std::string name;
  std::vector<Part> parts;
  std::vector<Numbers> numbers;
  std::vector<std::string> faults = {};  ///< what may not be recorded, whatever was recorded before
};

/// The same as a file keeps it.
struct Recording {
  std::string name;
  std::vector<Kept> parts;
  std::vector<Numbers> numbers;
};

Recording recording_of(const Played& played);

/// The versions under which recordings were made, and the recordings by name.
struct Recordings {
  int decision_version = 0;
  int snapshot_version = 0;
  std::vector<Recording> cases;
};

/// Empty when there is no such file. Ends the program with a message when a line cannot be read.
Recordings read_recordings(const std::string& path);
void write_recordings(const std::string& path, const Recordings& recordings);

/// Where the played case differs from its recording; empty when it does not. `leaves_out` is a part that is
/// not compared.
std::vector<std::string> differences(const Recording& recorded, const Played& played,
                                     std::string_view leaves_out);

/// Does it decide otherwise?
bool decides_otherwise(const Recording& recorded, const Played& played);

/// Equal to a relative 1e-12, the bound that divisible amounts keep. What is called `measure…` is a
/// difference of sums of shares, each at most a few, so that its last digits are rounding: those may differ
/// by 1e-12 too.
bool nearly_equal(std::string_view name, double recorded, double now);

/// A double as it reads back.
std::string exact_text(double number);

}  // namespace mirab::recordings
