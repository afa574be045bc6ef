#include "traces/wagap2013_request.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace mirab::traces::wagap2013 {

namespace {

/// The text up to the mark, which is taken away with it.
std::string_view take(std::string_view& text, char mark) {
  const std::string_view part = text.substr(0, text.find(mark));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

bool begins_with_digit(std::string_view text) {
  return !text.empty() && text.front() >= '0' && text.front() <= '9';
}

/// `8` of `8:ppn=8`.
Check read_nodes(std::string_view word, Part& part) {
  constexpr std::int64_t kMostNodes = 1'000'000;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), part.nodes);
  const bool good = failed == std::errc() && end == word.data() + word.size();
  if (good && part.nodes >= 1 && part.nodes <= kMostNodes) return std::nullopt;
  return Error{.message = fmt::format("'{}' is no number of nodes", word)};
}

Check read_cpus(std::string_view word, Part& part) {
  Result<Quantity> cpus = Quantity::parse(word);
  if (!cpus || cpus->is_zero()) return Error{.message = fmt::format("'{}' is no number of CPUs", word)};
  part.cpus = *cpus;
  return std::nullopt;
}

Check read_word(std::string_view word, bool is_first, Part& part) {
  constexpr std::string_view kCpus = "ppn=";
  constexpr std::string_view kHost = "host=";
  if (is_first && begins_with_digit(word)) return read_nodes(word, part);
  if (word.starts_with(kCpus)) return read_cpus(word.substr(kCpus.size()), part);
  if (word.starts_with('^')) {
    part.rejected.emplace_back(word.substr(1));
  } else {
    part.wanted.emplace_back(word.starts_with(kHost) ? word.substr(kHost.size()) : word);
  }
  return std::nullopt;
}

}  // namespace

Result<Asked> read_asked(std::string_view text) {
  constexpr std::string_view kExclusive = "#excl";
  Asked asked;
  if (text.ends_with(kExclusive)) {
    asked.exclusive = true;
    text.remove_suffix(kExclusive.size());
  }
  while (!text.empty()) {
    std::string_view words = take(text, '+');
    Part& part = asked.parts.emplace_back();
    for (bool is_first = true; !words.empty(); is_first = false) {
      if (Check failed = read_word(take(words, ':'), is_first, part)) return *failed;
    }
  }
  if (asked.parts.empty()) return Error{.message = "asks for no node"};
  return asked;
}

}  // namespace mirab::traces::wagap2013
