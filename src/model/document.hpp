#pragma once

// A YAML or JSON text as a tree of values that know their lines: what every reader of Mirab's own files
// starts from.

#include <cstdint>
#include <fstream>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/cluster_file.hpp>
#include <mirab/model/result.hpp>

namespace mirab {

/// One value of a document. Scalars keep their text as written; what it means is for the reader of the file
/// to say.
struct Node {
  enum class Kind { null, scalar, list, map };
  struct Entry;

  Kind kind = Kind::null;
  int line = 1;
  int column = 0;              ///< from 1, in bytes; in YAML only
  std::string text = {};       ///< of a scalar
  std::vector<Entry> entries;  ///< of a list (without keys) or a map (keys are unique)

  /// The value under a key of a map; nothing when there is none.
  const Node* find(std::string_view key) const;
};

struct Node::Entry {
  std::string key;
  int line;    ///< of the key
  int column;  ///< of the key, from 1, in bytes; in YAML only
  Node value;
};

/// The deepest nesting and the most values that a document may have, so that hostile input cannot exhaust
/// memory. Kubernetes' objects have some 15 levels, files of Mirab's own fewer; a Node::Entry has 112 bytes,
/// so that all take half a gigabyte and more.
inline constexpr int kDeepestNesting = 32;
inline constexpr std::int64_t kMostValues = 5'000'000;

/// In bytes, of a text that is read whole before it is parsed: 50 for each of kMostValues.
inline constexpr std::size_t kMaxTextBytes = std::size_t{1} << 28;

/// The same for values between one pair of brackets of YAML, which cost its parser more; JSON has no such
/// bound.
inline constexpr std::int64_t kMostFlowValues = 1'000'000;

/// U+FEFF in UTF-8, with which some editors begin a text: no part of what it says.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// The text as a string of JSON, which YAML reads too. Bytes that are no UTF-8 are replaced.
std::string json_string(const std::string& text);

/// A text that was read whole.
struct InputText {
  std::string name;  ///< as errors call it: the file, or `standard input`
  std::string text;
  Syntax syntax =
      Syntax::yaml;  ///< JSON when the name ends in .json, or standard input begins with `{` or `[`
};

/// Reads a file, or standard input for `-`. Errors: cannot be read, or longer than kMaxTextBytes.
Result<InputText> read_input(const std::string& path);

/// Opens a file to be read. Errors: the system's, of a folder too.
Result<std::ifstream> open_file(const std::string& path);

/// Reads one document. Errors: a syntax error, a duplicate key, too deep, too large, a second document. An
/// empty text is a null value. Memory: some hundred bytes a value, 250 for one between the brackets of YAML,
/// and three times the longest text.
Result<Node> read_document(std::istream& input, Syntax syntax, const std::string& name);
Result<Node> read_document(std::string_view text, Syntax syntax, const std::string& name);

/// The same for a text of several YAML documents with `---` between them, or one in JSON. The bounds hold for
/// all documents together.
Result<std::vector<Node>> read_documents(std::istream& input, Syntax syntax, const std::string& name);
Result<std::vector<Node>> read_documents(std::string_view text, Syntax syntax, const std::string& name);

/// What is not kept of a text: the values of a key in each map under another key, such as `managedFields` in
/// `metadata`. The parser skips them: within them neither keys nor depth nor the number of values is checked,
/// and the key may come twice.
struct LeftOut {
  std::string_view map = {};
  std::string_view key = {};
};

/// One line of a file of JSON lines: one value, all of it on this line.
Result<Node> read_json_line(std::string_view text, const std::string& name, int line, LeftOut left_out = {});

/// The line on which a key such as `users[3].demand.cpu` stands, or the nearest line above it in the tree.
int line_of(const Node& root, std::string_view key);

}  // namespace mirab
