#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/result.hpp>

namespace mirab {

/// The lines of a text file, gzip or plain, one after the other in bounded memory. One owner, one thread.
class Lines {
 public:
  ~Lines();
  Lines(Lines&& other) noexcept;
  Lines& operator=(Lines&& other) noexcept;

  /// Errors: the file cannot be opened. Memory: four times the longest line that is allowed, in bytes.
  static Result<Lines> open(const std::string& path, std::size_t longest = kLongestLine);

  /// The next line without its end (\n or \r\n), alive until the next call; no value after the last line.
  /// Errors name the first line that is not whole: the file ends in the middle of its gzip stream, goes on
  /// after it, is damaged or cannot be read; a line is longer than allowed.
  Result<std::optional<std::string_view>> next();

  /// The number of the line that `next` last returned, from 1.
  int number() const { return number_; }

  /// How many bytes of the file, as it is on the disk, have been read.
  std::uint64_t bytes_read() const;

  static constexpr std::size_t kLongestLine =
      std::size_t{64} * 1024;  ///< bytes; a line of the traces has some 200

  /// In bytes, of a workload file: its longest lines name thousands of servers, or hold the usage of days.
  static constexpr std::size_t kLongestWorkloadLine = std::size_t{1} << 20;

 private:
  class Text;

  Lines(std::unique_ptr<Text> text, std::string path, std::size_t longest);
  void refill();
  Error error(std::string message) const;

  std::unique_ptr<Text> text_;
  std::string path_;
  std::size_t longest_;
  std::vector<char> buffer_;
  std::string_view unread_;               // a part of buffer_
  bool at_end_ = false;                   // nothing is left in the file beyond unread_
  std::optional<std::string> complaint_;  // why the file cannot be read beyond unread_
  int number_ = 0;
};

}  // namespace mirab
