#pragma once

#include <string>
#include <vector>

#include <mirab/model/result.hpp>

#include "teams/imported_teams.hpp"

namespace mirab::teams {

/// A property of Hadoop.
struct Property {
  std::string name;
  std::string value;
  int line;  ///< on which it begins
};

/// A configuration of Hadoop: `<configuration>` with a `<property>` for each `<name>` and `<value>`. Later
/// values of a name stand in for earlier ones. Errors name file and line: no well-formed XML, a document
/// type, another root element.
Result<std::vector<Property>> read_configuration(const SourceText& source);

}  // namespace mirab::teams
