// Whatever bytes come, the importers of queues answer with an error that says where, or with groups that a
// teams file can hold: written and read again they are the same.
//
// The first line says which importer reads the rest: `kueue`, `volcano`, `yunikorn`, `slurm-accounts` or
// `yarn`; anything else tries all.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "imported.hpp"
#include "kubernetes/objects.hpp"
#include "model/teams_file.hpp"
#include "teams/kueue.hpp"
#include "teams/slurm_accounts.hpp"
#include "teams/volcano.hpp"
#include "teams/yarn.hpp"
#include "teams/yunikorn.hpp"

namespace {

using namespace mirab;

/// The file that the reader of teams files reads; it ends with the process.
class File {
 public:
  ~File() { std::filesystem::remove(path_); }

  const std::string& with(const std::string& text) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << text;
    return path_;
  }

 private:
  std::string path_ =
      (std::filesystem::temp_directory_path() / fmt::format("mirab-fuzz-teams-{}.yaml", getpid())).string();
};

void check(const Result<teams::ImportedTeams>& import) {
  if (!import) return fuzz::check_error(import.error());
  static const File file;
  const std::string text = teams::write_teams_yaml(*import, import->notices);
  const Result<LiveTeams> again = LiveTeams::read(file.with(text), import->members_key);
  if (!again) {  // as in check_cluster
    MIRAB_ASSERT(again.error().message.starts_with("nested deeper"), "what is imported can be read");
    return;
  }
  MIRAB_ASSERT(again->group_count() == import->groups.size(), "all groups are there");
  for (const teams::Group& group : import->groups) {
    const auto place = again->group_called(group.name);
    MIRAB_ASSERT(place, "each has its name");
    for (const std::string& member : group.members)
      MIRAB_ASSERT(again->group_of(member) == place, "each has its members");
  }
}

template <class Import>
void check_objects(std::string_view text, const Import& import) {
  for (const Syntax syntax : {Syntax::yaml, Syntax::json}) {
    Result<std::vector<Node>> documents = kubernetes::read_object_documents(text, syntax, "input");
    if (!documents) continue;
    const std::vector<kubernetes::ObjectText> texts{{"input", *std::move(documents)}};
    check(import(texts));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view which = text.substr(0, text.find('\n'));
  const bool is_named = which == "kueue" || which == "volcano" || which == "yunikorn" ||
                        which == "slurm-accounts" || which == "yarn";
  if (is_named) text.remove_prefix(std::min(which.size() + 1, text.size()));
  const auto is_asked = [&](std::string_view importer) { return !is_named || which == importer; };
  if (is_asked("kueue")) check_objects(text, teams::import_kueue);
  if (is_asked("volcano")) check_objects(text, teams::import_volcano);
  if (is_asked("yunikorn")) check_objects(text, teams::import_yunikorn);
  if (is_asked("slurm-accounts")) {
    check(teams::import_slurm_accounts({"input", text}, teams::SlurmTeam::account));
    check(teams::import_slurm_accounts({"input", text}, teams::SlurmTeam::user));
  }
  if (is_asked("yarn")) check(teams::import_yarn({"input", text}));
  return 0;
}
