// The words that the forms of an audit share.
#include <algorithm>
#include <fmt/format.h>

#include "report/audit.hpp"
#include "report/figures.hpp"
#include "report/text_width.hpp"

namespace mirab::report {
namespace {

constexpr std::size_t kMostInWords = 20;  // servers and users, a dozen lines

std::string amounts(const Cluster& cluster, const ResourceVector& vector) {
  std::string text;
  for (std::size_t r = 0; r < vector.size(); ++r)
    text += fmt::format("{}{} {}", r == 0 ? "" : ", ", cluster.resources[r], amount(vector[r].value()));
  return text;
}

std::string user_words(const Cluster& cluster, const User& user) {
  std::string text = fmt::format("{}: {}", user.name, amounts(cluster, user.demand));
  if (user.weight != Quantity(1)) text += fmt::format(", weight {}", user.weight.text());
  if (user.tasks) text += fmt::format(", {} tasks", user.tasks->text());
  if (user.servers) {
    text += ", on";
    for (const std::string& server : *user.servers) text += " " + server;
    text += " only";
  }
  for (const auto& [server, demand] : user.demand_on)
    text += fmt::format(", on {} {}", server, amounts(cluster, demand));
  return text;
}

}  // namespace

std::string cluster_words(const Cluster& cluster) {
  if (cluster.servers.size() + cluster.users.size() > kMostInWords)
    return fmt::format("{} and {}; --witness-dir writes them to a file",
                       counted(cluster.servers.size(), "server"), counted(cluster.users.size(), "user"));
  std::string text;
  for (const Server& server : cluster.servers) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", server.name, amounts(cluster, server.capacity));
    if (server.count != 1) text += fmt::format(" ({} times)", server.count);
  }
  for (const User& user : cluster.users) text += "; " + user_words(cluster, user);
  return text;
}

std::string indented(std::string_view text, std::size_t indent, std::size_t width) {
  constexpr std::size_t kHanging = 2;
  std::string lines;
  for (const std::string& line : wrap(text, width - indent - kHanging))
    lines += std::string(lines.empty() ? indent : indent + kHanging, ' ') + line + "\n";
  return lines;
}

std::string_view printed_word(const Claim& claim) {
  if (claim.refuted) return "refuted";
  return claim.holds ? "holds" : "fails";
}

std::string_view found_word(const Verdict& verdict) {
  if (!verdict.holds) return "fails";
  if (!verdict.decided) return "undecided";
  if (verdict.vacuous) return "vacuous";
  return verdict.scope == VerdictScope::instance ? "holds" : "searched";
}

const Witness& shown_witness(const Verdict& verdict) {
  return verdict.smallest ? *verdict.smallest : *verdict.witness;
}

std::string witness_name(const std::string& mechanism, Property property) {
  std::string name = fmt::format("{}-{}", mechanism, property_name(property));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ':' || c == '=' || c == ',' || c == '/'; }, '-');
  return name;
}

}  // namespace mirab::report
