#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <sys/wait.h>

#include "support/files.hpp"

namespace mirab::test {

/// What a command left behind.
struct Ran {
  int status;  ///< its exit status; 128 + n when signal n ended it
  std::string out;
  std::string err;
};

/// Runs a line of bash in the source folder, with the built program first on the PATH.
inline Ran shell(const std::string& line) {
  const TemporaryFolder folder;
  const std::string script = folder.write("script", "cd '" MIRAB_SOURCE_DIR "'\n" + line + "\n");
  const std::string program = std::filesystem::path(MIRAB_PROGRAM).parent_path().string();
  const std::string command = "PATH='" + program + "':\"$PATH\" bash '" + script + "' >'" +
                              folder.path("out") + "' 2>'" + folder.path("err") + "' </dev/null";
  const int raw = std::system(command.c_str());
  const int status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
  return {status, read_text(folder.path("out")), read_text(folder.path("err"))};
}

}  // namespace mirab::test
