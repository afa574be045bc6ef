#include "cli/commands/import_files.hpp"

#include <algorithm>

#include "cli/io/input.hpp"
#include "cli/io/output.hpp"
#include "kubernetes/objects.hpp"

namespace mirab::cli {

Check check_import_files(const std::string& destination, const std::vector<std::string>& inputs) {
  if (std::count(inputs.begin(), inputs.end(), kStandardInput) > 1)
    return Error{.message = "standard input can be read once"};
  return check_destinations({{"-o", destination}}, inputs);
}

Result<std::vector<InputText>> read_inputs(const std::vector<std::string>& paths) {
  std::vector<InputText> texts;
  for (const std::string& path : paths) {
    Result<InputText> input = read_foreign_input(path);
    if (!input) return std::move(input).error();
    texts.push_back(*std::move(input));
  }
  return texts;
}

Result<std::vector<kubernetes::ObjectText>> read_objects(const std::vector<InputText>& inputs) {
  std::vector<kubernetes::ObjectText> texts;
  for (const InputText& input : inputs) {
    Result<std::vector<Node>> documents =
        kubernetes::read_object_documents(input.text, input.syntax, input.name);
    if (!documents) return std::move(documents).error();
    texts.push_back({.file = input.name, .documents = *std::move(documents)});
  }
  return texts;
}

}  // namespace mirab::cli
