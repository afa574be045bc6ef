#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace mirab::test {

/// What a command left behind.
struct Ran {
  int status;  ///< its exit status; 128 + n when signal n ended it
  std::string out;
  std::string err;
};

/// A folder of its own, gone at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "mirab-test.XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }

  /// Writes the text and returns the file's name.
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name), std::ios::binary) << text;
    return file(name);
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_text(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Runs a line of bash in the source folder, with the built program first on the PATH.
inline Ran shell(const std::string& line) {
  const TemporaryFolder folder;
  const std::string script = folder.write("script", "cd '" MIRAB_SOURCE_DIR "'\n" + line + "\n");
  const std::string program = std::filesystem::path(MIRAB_PROGRAM).parent_path().string();
  const std::string command = "PATH='" + program + "':\"$PATH\" bash '" + script + "' >'" +
                              folder.file("out") + "' 2>'" + folder.file("err") + "' </dev/null";
  const int raw = std::system(command.c_str());
  const int status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
  return {status, read_text(folder.file("out")), read_text(folder.file("err"))};
}

}  // namespace mirab::test
