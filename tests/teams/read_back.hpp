#pragma once

// A teams file that was written is what its reader reads.

#include <gtest/gtest.h>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kubernetes/cluster_import.hpp"
#include "kubernetes/objects.hpp"
#include "model/exact.hpp"
#include "model/teams_file.hpp"
#include "support/files.hpp"
#include "teams/imported_teams.hpp"

namespace mirab::test {

/// The objects of a text in YAML.
inline std::vector<kubernetes::ObjectText> objects(const std::string& text) {
  Result<std::vector<Node>> documents = kubernetes::read_object_documents(text, Syntax::yaml, "queues.yaml");
  EXPECT_TRUE(documents) << describe(documents.error());
  return {{.file = "queues.yaml", .documents = *std::move(documents)}};
}

/// Reads what is written, and holds each group against what was imported. Percentages are of 1000 of each
/// resource. Answers with the text.
inline std::string read_back(const Result<teams::ImportedTeams>& import) {
  EXPECT_TRUE(import) << describe(import.error());
  if (!import) return {};
  std::string text = teams::write_teams_yaml(*import, {});
  const TemporaryFolder folder;
  const Result<LiveTeams> read = LiveTeams::read(folder.write("teams.yaml", text), import->members_key);
  EXPECT_TRUE(read) << describe(read.error()) << "\n" << text;
  if (!read) return text;
  const std::vector<std::string> resources = read->resources();
  const std::vector<Group> groups = read->groups(resources, ResourceVector(resources.size(), Quantity(1000)));
  EXPECT_EQ(groups.size(), import->groups.size());
  for (const teams::Group& group : import->groups) {
    const std::optional<std::size_t> place = read->group_called(group.name);
    if (!place) {
      ADD_FAILURE() << "no group " << group.name;
      continue;
    }
    const Group& again = groups[*place];
    EXPECT_EQ(again.weight, rounded_down(group.weight)) << group.name;
    std::string parent;
    for (const teams::Group& each : import->groups) {
      if (group.parent == each.id) parent = each.name;
    }
    EXPECT_EQ(again.parent.value_or(""), parent) << group.name;
    for (std::size_t r = 0; r < resources.size(); ++r) {
      const auto amount = [&](const teams::Share& share) -> std::optional<Quantity> {
        if (share.percent) return rounded_down(*share.percent * 10);
        const auto own = share.amounts.find(resources[r]);
        return own == share.amounts.end() ? std::nullopt : std::optional(rounded_down(own->second));
      };
      const Quantity none;
      EXPECT_EQ(again.quota.guarantee ? (*again.quota.guarantee)[r] : none,
                amount(group.guarantee).value_or(none))
          << group.name << " " << resources[r];
      EXPECT_EQ(again.quota.reserved.empty() ? none : again.quota.reserved[r],
                amount(group.reserved).value_or(none))
          << group.name << " " << resources[r];
      EXPECT_EQ(again.quota.limit.empty() ? std::nullopt : again.quota.limit[r], amount(group.limit))
          << group.name << " " << resources[r];
    }
    for (const std::string& member : group.members) EXPECT_EQ(read->group_of(member), place) << member;
  }
  return text;
}

}  // namespace mirab::test
