// --alike: servers that differ a little are divided as one entry, where that costs little.
#pragma once

#include <gmpxx.h>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/allocation.hpp>
#include <mirab/model/choice.hpp>
#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace mirab::cli {

/// Takes a percentage from 0 to 100, with or without its sign, and nothing else.
void take_percent(CLI::Option* option);

/// Adds --alike.
void add_alike_option(CLI::App& app, std::string& alike);

/// A percentage as a part of 1. Errors: none from 0 to 100.
Result<mpq_class> read_alike(const std::string& percent);

/// A cluster, and how it is divided.
struct ToDivide {
  const Problem& problem;
  std::vector<Choice> mechanisms = {};
  bool is_filled = false;  ///< with whole tasks
};

/// The clusters of one answer as it divides them: all with their alike servers counted together, or all as
/// they are, with a note on standard error of why. They are divided as they are where `alike` is empty; where
/// by a division of the counted ones some level may be off by more than 5 %; and where a user who fills a
/// cluster alone has more than 5 % fewer whole tasks on the counted servers. Another note says where no
/// servers are alike. Costs one division of each counted cluster by each mechanism. Errors: no percent; a
/// guarantee that fits into the servers as they are, and not as they count.
Result<std::vector<Problem>> as_divided(std::span<const ToDivide> clusters, const std::string& alike,
                                        const Execution& execution);

/// The same of one cluster.
Result<Problem> as_divided(const ToDivide& cluster, const std::string& alike, const Execution& execution);

/// The servers that count in each entry that stands for several, by its name. Requires a percentage.
std::map<std::string, std::vector<std::string>> servers_together(const Problem& problem,
                                                                 const std::string& alike);

/// What alike servers that count together may cost, on standard error: for a format without a place for it.
/// In any format, where a file has them together and that may cost much, how to have them as they are.
void print_merged(const std::string& format, const Problem& problem, const Outcome& outcome);

}  // namespace mirab::cli
