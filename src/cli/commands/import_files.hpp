#pragma once

// What the importers of clusters and of teams share.

#include <string>
#include <vector>

#include <mirab/model/result.hpp>

#include "kubernetes/cluster_import.hpp"
#include "model/document.hpp"

namespace mirab::cli {

/// No file that is read is replaced, and only one is standard input.
Check check_import_files(const std::string& destination, const std::vector<std::string>& inputs);

/// Each as of read_foreign_input().
Result<std::vector<InputText>> read_inputs(const std::vector<std::string>& paths);

/// The objects of Kubernetes that these texts hold.
Result<std::vector<kubernetes::ObjectText>> read_objects(const std::vector<InputText>& inputs);

}  // namespace mirab::cli
