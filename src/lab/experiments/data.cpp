// Tables that the experiments need, inside the library, so that they run wherever it does (data/README.md
// says where each comes from). They are part of the program: a table that cannot be read is a broken
// invariant.
#include <algorithm>
#include <array>
#include <charconv>
#include <zlib.h>

#include <mirab/model/assert.hpp>

#include "lab/experiments/experiment.hpp"

// Generated from the files of data/ (cmake/MirabEmbed.cmake).
namespace mirab::embedded {
extern const unsigned char bitbrains_instants[];
extern const std::size_t bitbrains_instants_size;
extern const unsigned char google2011_jobs[];
extern const std::size_t google2011_jobs_size;
extern const unsigned char google2011_machines[];
extern const std::size_t google2011_machines_size;
extern const unsigned char google2011_requests[];
extern const std::size_t google2011_requests_size;
extern const unsigned char google2011_users[];
extern const std::size_t google2011_users_size;
}  // namespace mirab::embedded

namespace mirab::experiments {
namespace {

struct DataFile {
  std::string_view name;
  const unsigned char* bytes;
  const std::size_t& size;
};

const std::array<DataFile, 5> files = {{
    {"bitbrains_instants.csv.gz", embedded::bitbrains_instants, embedded::bitbrains_instants_size},
    {"google2011_jobs.csv.gz", embedded::google2011_jobs, embedded::google2011_jobs_size},
    {"google2011_machines.csv", embedded::google2011_machines, embedded::google2011_machines_size},
    {"google2011_requests.csv.gz", embedded::google2011_requests, embedded::google2011_requests_size},
    {"google2011_users.csv.gz", embedded::google2011_users, embedded::google2011_users_size},
}};

constexpr int gzip_only = 15 + 16;  // zlib's widest window, behind a gzip head

std::string unpacked(std::string_view packed) {
  z_stream stream = {};
  MIRAB_ASSERT(inflateInit2(&stream, gzip_only) == Z_OK, "zlib starts");
  std::string bytes(packed);  // zlib asks for bytes that are not const
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  int state = Z_OK;
  while (state == Z_OK) {
    std::array<char, 1 << 16> part;
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = part.size();
    state = inflate(&stream, Z_NO_FLUSH);
    text.append(part.data(), part.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  MIRAB_ASSERT(state == Z_STREAM_END, "embedded data unpack wholly");
  return text;
}

std::vector<double> cells(std::string_view line) {
  std::vector<double> row;
  while (true) {
    const std::string_view cell = line.substr(0, line.find(','));
    double value = 0;
    const auto [rest, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    MIRAB_ASSERT(cell.empty() || (error == std::errc() && rest == cell.data() + cell.size()),
                 "embedded tables hold numbers");
    row.push_back(value);
    if (cell.size() == line.size()) return row;
    line.remove_prefix(cell.size() + 1);
  }
}

}  // namespace

std::string_view data_file(std::string_view name) {
  const auto found =
      std::find_if(files.begin(), files.end(), [&](const DataFile& file) { return file.name == name; });
  MIRAB_ASSERT(found != files.end(), "an experiment names data that are embedded");
  return {reinterpret_cast<const char*>(found->bytes), found->size};
}

std::string data_text(std::string_view name) {
  const std::string_view bytes = data_file(name);
  return name.ends_with(".gz") ? unpacked(bytes) : std::string(bytes);
}

std::vector<std::vector<double>> data_rows(std::string_view name) {
  const std::string text = data_text(name);
  std::string_view rest = text;
  rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);  // the heading
  std::vector<std::vector<double>> rows;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rows.push_back(cells(line));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return rows;
}

}  // namespace mirab::experiments
