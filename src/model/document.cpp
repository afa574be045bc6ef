// YAML and JSON to one tree of nodes with line numbers. The input passes a guard first, which bounds depth
// and number of values before the parsers see them.
#include "model/document.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fmt/format.h>
#include <iostream>
#include <istream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <streambuf>
#include <string>
#include <system_error>
#include <unordered_set>
#include <utility>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include "model/names.hpp"

namespace mirab {

/// Passes a text on to a parser and cuts it off before it could exhaust the parser's memory.
///
/// yaml-cpp keeps every token of a flow collection `[…]` until it closes, since the whole might yet turn out
/// to be a key; so a file of opening brackets costs it a hundred bytes a bracket before it calls us. Two
/// counts since its last call prevent that: opening brackets with nothing between them, and all that can
/// begin a value in a flow. Brackets and commas in texts and comments count too, but only until the next
/// call, which follows every text outside of brackets.
class InputGuard final : public std::streambuf {
 public:
  struct Refusal {
    std::string message;
    int line;
  };

  InputGuard(std::streambuf& source, std::int64_t most_values) : source_(source), most_values_(most_values) {}

  /// The parser called: it keeps nothing of what it read before, but for some kilobytes read ahead.
  void parser_called() {
    opening_brackets_ = 0;
    values_ = 0;
  }

  /// Why the text was cut off, if it was.
  const std::optional<Refusal>& refusal() const { return refusal_; }

  /// The first line of what was passed on that is indented with a tab, which YAML allows between brackets
  /// only; 0 when there is none.
  int tab_line() const { return tab_line_; }

 private:
  int_type underflow() override;
  bool allows(char c);
  void look_for_tab(char c);

  static constexpr int kMostBracketsInARow = 10'000;  // more than any text has: they nest too deep

  std::streambuf& source_;
  std::int64_t most_values_;
  std::optional<Refusal> refusal_;
  char chunk_[4096] = {};
  int opening_brackets_ = 0;  // since the last other character or call
  std::int64_t values_ = 0;   // opening brackets and commas since the last call
  int line_ = 1;
  bool indenting_ = true;  // only blanks so far on this line
  bool tab_ = false;       // among them a tab
  int tab_line_ = 0;
};

std::streambuf::int_type InputGuard::underflow() {
  if (refusal_) return traits_type::eof();
  const std::streamsize read = source_.sgetn(chunk_, sizeof chunk_);
  std::streamsize passed = 0;
  while (passed < read && allows(chunk_[passed])) ++passed;
  if (passed == 0) return traits_type::eof();
  setg(chunk_, chunk_, chunk_ + passed);
  return traits_type::to_int_type(chunk_[0]);
}

void InputGuard::look_for_tab(char c) {
  if (c == '\n') {
    indenting_ = true;
    tab_ = false;
  } else if (indenting_ && c == '\t') {
    tab_ = true;
  } else if (indenting_ && c != ' ' && c != '\r') {
    indenting_ = false;
    if (tab_ && tab_line_ == 0 && c != '#') tab_line_ = line_;
  }
}

bool InputGuard::allows(char c) {
  look_for_tab(c);
  const bool opening = c == '[' || c == '{';
  if (c == '\n') ++line_;
  if (opening) {
    ++opening_brackets_;
  } else if (c != ' ' && c != '\n' && c != '\t' && c != '\r') {
    opening_brackets_ = 0;
  }
  if (opening || c == ',') ++values_;
  if (opening_brackets_ > kMostBracketsInARow) {
    refusal_ = {fmt::format("nested deeper than {} levels", kDeepestNesting), line_};
  } else if (values_ > most_values_) {
    refusal_ = {fmt::format("more than {} values in brackets; write so large a file as JSON", most_values_),
                line_};
  }
  return !refusal_;
}

namespace {

/// Leaves a parser from within its callbacks; never leaves this file.
struct Refused {
  std::string message;
  std::string key;
  int line;
};

/// Where a value begins; column 0 when the parser does not tell.
struct Spot {
  int line = 1;
  int column = 0;
};

// Grows the tree from the events of either parser, in place: of what is open only the last value grows.
class Builder {
 public:
  explicit Builder(LeftOut left_out = {}) : left_out_(left_out) {}

  void scalar(Spot spot, std::string_view text) {
    if (awaits_key()) return key(spot, text);
    if (Node* const node = place(Node::Kind::scalar, spot)) node->text = text;
  }
  void null(Spot spot) {
    if (awaits_key()) return key(spot, {});
    place(Node::Kind::null, spot);
  }

  void begin(Node::Kind kind, Spot spot) {
    if (depth_left_out_ == 0) {
      if (open_.size() >= static_cast<std::size_t>(kDeepestNesting))
        throw Refused{fmt::format("nested deeper than {} levels", kDeepestNesting), path(), spot.line};
      if (awaits_key()) throw Refused{"a key must be a plain name", path(), spot.line};
      if (Node* const node = place(kind, spot)) {
        open_.push_back({.node = node});
        if (entries_.size() < open_.size()) entries_.emplace_back();
        return;
      }
    }
    ++depth_left_out_;
  }

  void end() {
    if (depth_left_out_ > 0) return static_cast<void>(--depth_left_out_);
    std::vector<Node::Entry>& read = entries_[open_.size() - 1];
    open_.back().node->entries.assign(std::make_move_iterator(read.begin()),
                                      std::make_move_iterator(read.end()));
    read.clear();
    open_.pop_back();
  }

  /// The key of the value that is being read: `users[3].demand`.
  std::string path() const {
    std::string text;
    for (std::size_t depth = 0; depth < open_.size(); ++depth) {
      const bool is_last = depth + 1 == open_.size();
      if (open_[depth].node->kind == Node::Kind::list) {
        text += fmt::format("[{}]", entries_[depth].size() - (is_last ? 0 : 1));
      } else if (open_[depth].has_key || !is_last) {
        text += (text.empty() ? "" : ".") + entries_[depth].back().key;
      }
    }
    return text;
  }

  /// Is the next scalar the key of a map?
  bool awaits_key() const {
    return depth_left_out_ == 0 && !open_.empty() && open_.back().node->kind == Node::Kind::map &&
           !open_.back().has_key;
  }

  Node take() { return std::exchange(root_, {}); }

 private:
  static constexpr std::size_t kFewKeys = 16;

  struct Level {
    Node* node = nullptr;                                        // stays where it is while it is open
    bool has_key = false;                                        // of a map: its last entry has no value yet
    std::unique_ptr<std::unordered_set<std::string>> keys = {};  // of a map with more than a few
  };

  void count_value(int line) {
    if (++values_ > kMostValues) throw Refused{fmt::format("more than {} values", kMostValues), path(), line};
  }

  // Of the innermost level that is open: they grow here, so that a node gets them in a block of their size.
  std::vector<Node::Entry>& entries() { return entries_[open_.size() - 1]; }

  static bool has(Level& map, const std::vector<Node::Entry>& entries, std::string_view key) {
    if (entries.size() < kFewKeys)
      return std::any_of(entries.begin(), entries.end(),
                         [&](const Node::Entry& each) { return each.key == key; });
    if (!map.keys) {
      map.keys = std::make_unique<std::unordered_set<std::string>>();
      for (const Node::Entry& each : entries) map.keys->insert(each.key);
    }
    return !map.keys->emplace(key).second;
  }

  void key(Spot spot, std::string_view text) {
    count_value(spot.line);
    Level& map = open_.back();
    const bool is_known = has(map, entries(), text);
    entries().push_back({std::string(text), spot.line, spot.column, {}});
    map.has_key = true;
    if (is_known) throw Refused{"duplicate key", path(), spot.line};
  }

  // Null: it is left out.
  Node* place(Node::Kind kind, Spot spot) {
    if (depth_left_out_ > 0) return nullptr;
    count_value(spot.line);
    Node* node = &root_;
    if (!open_.empty()) {
      Level& parent = open_.back();
      if (!parent.has_key) entries().push_back({{}, spot.line, spot.column, {}});
      if (std::exchange(parent.has_key, false) && is_left_out()) {
        entries().pop_back();
        return nullptr;
      }
      node = &entries().back().value;
    }
    node->kind = kind;
    node->line = spot.line;
    node->column = spot.column;
    return node;
  }

  bool is_left_out() const {
    return !left_out_.key.empty() && open_.size() > 1 &&
           entries_[open_.size() - 1].back().key == left_out_.key &&
           entries_[open_.size() - 2].back().key == left_out_.map;
  }

  LeftOut left_out_;
  std::size_t depth_left_out_ = 0;  // of what is left out, within which it is
  std::vector<Level> open_;
  std::deque<std::vector<Node::Entry>> entries_;  // by depth
  Node root_;
  std::int64_t values_ = 0;
};

class YamlEvents final : public YAML::EventHandler {
 public:
  YamlEvents(Builder& builder, InputGuard& guard) : builder_(builder), guard_(guard) {}

  void OnDocumentStart(const YAML::Mark&) override { guard_.parser_called(); }
  void OnDocumentEnd() override { guard_.parser_called(); }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    guard_.parser_called();
    builder_.null(spot(mark));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw Refused{"aliases (*name) are not supported; write the value out", builder_.path(), spot(mark).line};
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& value) override {
    guard_.parser_called();
    // An unquoted ~ or null is a null; a quoted one (tag `!`) is text.
    if (tag != "!" && (value == "~" || value == "null" || value.empty())) return builder_.null(spot(mark));
    if (value == "<<" && tag != "!" && builder_.awaits_key())
      throw Refused{"merged maps (<<) are not supported; write their keys out", builder_.path(),
                    spot(mark).line};
    if (!is_utf8(value)) throw Refused{"is not valid UTF-8", builder_.path(), spot(mark).line};
    builder_.scalar(spot(mark), value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    guard_.parser_called();
    builder_.begin(Node::Kind::list, spot(mark));
  }
  void OnSequenceEnd() override {
    guard_.parser_called();
    builder_.end();
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    guard_.parser_called();
    builder_.begin(Node::Kind::map, spot(mark));
  }
  void OnMapEnd() override {
    guard_.parser_called();
    builder_.end();
  }

 private:
  static Spot spot(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

  Builder& builder_;
  InputGuard& guard_;
};

// The last character that the JSON parser took and that is not white space: the parser looks one character
// ahead, so a number at the end of a line is known only after the line break.
struct Place {
  int here = 1;  // the line that is being read
  int line = 1;  // of the last character that is no blank
  char last = 0;
  char before = 0;  // the one before the last
};

bool is_white_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// The characters of a stream, of which many are read at once, and the place up to which they are taken.
class Characters {
 public:
  explicit Characters(std::istream& input) : source_(*input.rdbuf()), chunk_(kChunk) {}

  bool at_end() { return next_ == end_ && !fill(); }
  /// Requires that it is not at the end. The same of take().
  char next() const { return *next_; }
  void take() {
    const char c = *next_++;
    if (c == '\n') ++place_.here;
    if (is_white_space(c)) return;
    place_.line = place_.here;
    place_.before = std::exchange(place_.last, c);
  }
  void pass_blanks() {
    while (!at_end() && is_white_space(next())) take();
  }

  const Place& place() const { return place_; }

 private:
  static constexpr std::size_t kChunk = std::size_t{1} << 16;

  bool fill() {
    next_ = chunk_.data();
    end_ = next_ + source_.sgetn(chunk_.data(), static_cast<std::streamsize>(chunk_.size()));
    return next_ != end_;
  }

  std::streambuf& source_;
  std::vector<char> chunk_;
  const char* next_ = nullptr;
  const char* end_ = nullptr;
  Place place_;
};

// Hands characters to the JSON parser.
class CharacterIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  CharacterIterator() = default;
  explicit CharacterIterator(Characters& from) : from_(&from) {}

  char operator*() const { return from_->next(); }
  CharacterIterator& operator++() { return from_->take(), *this; }
  bool operator!=(const CharacterIterator& /*end*/) const { return !from_->at_end(); }
  bool operator==(const CharacterIterator& end) const { return !(*this != end); }

 private:
  Characters* from_ = nullptr;
};

class JsonEvents final : public nlohmann::json_sax<nlohmann::json> {
 public:
  JsonEvents(Builder& builder, const Place& place) : builder_(builder), place_(place) {}

  bool null() override { return builder_.null({place_.line}), true; }
  bool boolean(bool value) override { return scalar(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return scalar(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return scalar(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& written) override { return scalar(written); }
  bool string(string_t& value) override { return scalar(value); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return builder_.begin(Node::Kind::map, {place_.line}), true; }
  bool key(string_t& value) override { return scalar(value); }
  bool end_object() override { return builder_.end(), true; }
  bool start_array(std::size_t) override { return builder_.begin(Node::Kind::list, {place_.line}), true; }
  bool end_array() override { return builder_.end(), true; }
  bool parse_error(std::size_t, const std::string& token,
                   const nlohmann::detail::exception& failure) override {
    // nlohmann's text is `[json.exception…] parse error at line 1, column 2: syntax error while …`; keep what
    // follows.
    std::string_view what = failure.what();
    const std::size_t syntax = what.find("syntax error");
    if (syntax != std::string_view::npos) what.remove_prefix(syntax);
    if (what.find("number overflow") != std::string_view::npos) what = "a number overflows";
    if (token.empty()) what = "the text ends too early";
    if (std::string_view slip = likely_slip(what); !slip.empty()) what = slip;
    throw Refused{std::string(what.substr(0, 200)), builder_.path(), place_.line};
  }

 private:
  // The parser has refused what is no UTF-8.
  bool scalar(std::string_view text) { return builder_.scalar({place_.line}, text), true; }

  // What YAML and other languages allow, and JSON does not.
  std::string_view likely_slip(std::string_view what) const {
    const auto says = [&](std::string_view words) { return what.find(words) != std::string_view::npos; };
    if ((place_.last == '/' || place_.last == '#') && says("invalid literal")) return "JSON has no comments";
    if ((place_.last == '\xFF' || place_.last == '\xFE') && says("invalid literal"))
      return "bytes that are no UTF-8; write the file as UTF-8 (PowerShell's > writes UTF-16)";
    if (place_.before == ',' && (says("unexpected ']'") || says("unexpected '}'"))) {
      return "a comma before ] or }: in JSON none follows the last value";
    }
    return {};
  }

  Builder& builder_;
  const Place& place_;
};

// yaml-cpp leaves a token where no document can begin, and finds an empty document there, without end.
void refuse_standstill(const std::vector<Node>& documents) {
  if (documents.size() < 2 || documents.back().kind != Node::Kind::null) return;
  const Node& before = documents[documents.size() - 2];
  const Node& last = documents.back();
  if (before.kind != Node::Kind::null || before.line != last.line || before.column != last.column) return;
  YAML::Mark mark;
  mark.line = last.line - 1;
  throw YAML::ParserException(mark, "nothing can begin here; is the indentation right?");
}

std::vector<Node> parse_yaml(std::istream& input, InputGuard& guard) {
  std::vector<Node> documents;
  Builder builder;  // one for all, since their values are counted together
  YamlEvents events(builder, guard);
  YAML::Parser parser(input);
  while (parser.HandleNextDocument(events)) {
    documents.push_back(builder.take());
    refuse_standstill(documents);
  }
  return documents;
}

std::vector<Node> read_yaml(std::istream& input) {
  InputGuard guard(*input.rdbuf(), kMostFlowValues);
  std::istream guarded(&guard);
  const auto refuse_if_cut_off = [&] {
    if (guard.refusal()) throw Refused{guard.refusal()->message, "", guard.refusal()->line};
  };
  try {
    std::vector<Node> documents = parse_yaml(guarded, guard);
    refuse_if_cut_off();
    return documents;
  } catch (const YAML::Exception& failure) {
    refuse_if_cut_off();  // what the parser says of the stump does not matter
    const int line = failure.mark.line + 1;
    if (line == guard.tab_line()) throw Refused{"tabs cannot indent in YAML; use spaces", "", line};
    throw;
  } catch (...) {
    refuse_if_cut_off();
    throw;
  }
}

// One value after the other, as several calls of a program print them into one file.
std::vector<Node> read_json(std::istream& input) {
  std::vector<Node> documents;
  Characters characters(input);
  Builder builder;  // one for all, since their values are counted together
  JsonEvents events(builder, characters.place());
  while (characters.pass_blanks(), !characters.at_end()) {
    nlohmann::json::sax_parse(CharacterIterator(characters), CharacterIterator(), &events,
                              nlohmann::json::input_format_t::json, false);
    documents.push_back(builder.take());
  }
  return documents;
}

}  // namespace

const Node* Node::find(std::string_view key) const {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &found->value;
}

Result<std::vector<Node>> read_documents(std::istream& input, Syntax syntax, const std::string& name) {
  try {
    return syntax == Syntax::json ? read_json(input) : read_yaml(input);
  } catch (const Refused& refused) {
    return Error{.message = refused.message, .key = refused.key, .file = name, .line = refused.line};
  } catch (const YAML::Exception& failure) {
    return Error{.message = failure.msg, .file = name, .line = std::max(0, failure.mark.line + 1)};
  }
}

namespace {

// A text in memory as a stream reads it, without a copy.
class TextBuffer final : public std::streambuf {
 public:
  explicit TextBuffer(std::string_view text) {
    char* const begin = const_cast<char*>(text.data());  // nothing is written
    setg(begin, begin, begin + text.size());
  }
};

}  // namespace

Result<std::vector<Node>> read_documents(std::string_view text, Syntax syntax, const std::string& name) {
  TextBuffer buffer(text);
  std::istream input(&buffer);
  return read_documents(input, syntax, name);
}

std::string json_string(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<std::ifstream> open_file(const std::string& path) {
  std::ifstream input(path, std::ios::binary);
  // A directory opens, but cannot be read.
  const bool readable = input.is_open() && (input.peek(), !input.bad());
  if (!readable) {
    return Error{.message = fmt::format("cannot be read: {}", std::generic_category().message(errno)),
                 .file = path};
  }
  input.clear();
  return input;
}

namespace {

Check append(std::istream& input, InputText& read) {
  std::array<char, 65536> chunk;
  while (input.read(chunk.data(), chunk.size()), input.gcount() > 0) {
    read.text.append(chunk.data(), static_cast<std::size_t>(input.gcount()));
    if (read.text.size() > kMaxTextBytes)
      return Error{.message = fmt::format("more than {} bytes", kMaxTextBytes), .file = read.name};
  }
  return {};
}

}  // namespace

Result<InputText> read_input(const std::string& path) {
  if (path == "-") {
    InputText read{.name = "standard input", .text = {}};
    if (Check wrong = append(std::cin, read)) return *std::move(wrong);
    const std::size_t first = read.text.find_first_not_of(" \t\r\n");
    const bool is_json = first != std::string::npos && (read.text[first] == '{' || read.text[first] == '[');
    if (is_json) read.syntax = Syntax::json;
    return read;
  }
  InputText read{.name = path, .text = {}};
  Result<std::ifstream> file = open_file(path);
  if (!file) return file.error();
  std::error_code unknown;  // of a pipe
  const std::uintmax_t size = std::filesystem::file_size(path, unknown);
  if (!unknown) read.text.reserve(std::min<std::uintmax_t>(size, kMaxTextBytes));
  if (Check wrong = append(*file, read)) return *std::move(wrong);
  if (path.ends_with(".json")) read.syntax = Syntax::json;
  return read;
}

Result<Node> read_document(std::istream& input, Syntax syntax, const std::string& name) {
  Result<std::vector<Node>> documents = read_documents(input, syntax, name);
  if (!documents) return std::move(documents).error();
  if (documents->size() > 1) {
    return Error{.message = fmt::format("a second document begins{}; write one document in each file",
                                        syntax == Syntax::yaml ? " (---)" : ""),
                 .file = name,
                 .line = (*documents)[1].line};
  }
  return documents->empty() ? Node{} : std::move(documents->front());
}

Result<Node> read_document(std::string_view text, Syntax syntax, const std::string& name) {
  TextBuffer buffer(text);
  std::istream input(&buffer);
  return read_document(input, syntax, name);
}

Result<Node> read_json_line(std::string_view text, const std::string& name, int line, LeftOut left_out) {
  const Place place{.line = line};
  Builder builder(left_out);
  JsonEvents events(builder, place);
  try {
    nlohmann::json::sax_parse(text.begin(), text.end(), &events);
    return builder.take();
  } catch (const Refused& refused) {
    return Error{.message = refused.message, .key = refused.key, .file = name, .line = line};
  }
}

int line_of(const Node& root, std::string_view key) {
  const Node* node = &root;
  int line = root.line;
  while (!key.empty()) {
    if (key[0] == '.') key.remove_prefix(1);
    const Node::Entry* next = nullptr;
    std::size_t taken = 0;
    std::size_t index = 0;
    if (key[0] == '[' && node->kind == Node::Kind::list) {
      const auto [end, failure] = std::from_chars(key.data() + 1, key.data() + key.size(), index);
      if (failure == std::errc{} && index < node->entries.size()) next = &node->entries[index];
      taken = static_cast<std::size_t>(end - key.data()) + 1;
    } else if (node->kind == Node::Kind::map) {
      // Names may contain dots: the longest key that fits is meant.
      for (const Node::Entry& entry : node->entries) {
        const bool fits =
            key.starts_with(entry.key) && entry.key.size() > taken &&
            (key.size() == entry.key.size() || key[entry.key.size()] == '.' || key[entry.key.size()] == '[');
        if (!fits) continue;
        next = &entry;
        taken = entry.key.size();
      }
    }
    if (next == nullptr) return line;
    line = next->line;
    node = &next->value;
    key.remove_prefix(std::min(taken, key.size()));
  }
  return line;
}

}  // namespace mirab
