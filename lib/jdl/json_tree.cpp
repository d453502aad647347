#include <fmt/format.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <unordered_map>

#include "lib/jdl/json_syntax.hpp"
#include "lib/jdl/text.hpp"
#include "lib/jdl/tree.hpp"

namespace gleaner::jdl {
namespace {

constexpr std::size_t kDeepest = 16;

/// A text in the form that RapidJSON reads. It is passed by reference, so that the handler can ask it for the reader's position. For `\$`
/// it returns the `$` alone.
class TextStream {
 public:
  using Ch = char;
  explicit TextStream(std::string_view text) : text_{text} {}
  [[nodiscard]] Ch Peek() const { return character(next()); }
  Ch Take() {
    const auto c = Peek();
    at_ = next() + 1;
    is_escaped_ = c == '\\' && !is_escaped_;
    return c;
  }
  [[nodiscard]] std::size_t Tell() const { return at_; }

  // Output functions are not called for an input stream, but RapidJSON requires their names.
  [[noreturn]] Ch* PutBegin() { std::terminate(); }
  [[noreturn]] void Put(Ch) { std::terminate(); }
  [[noreturn]] void Flush() { std::terminate(); }
  [[noreturn]] std::size_t PutEnd(Ch*) { std::terminate(); }

 private:
  [[nodiscard]] Ch character(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }
  [[nodiscard]] std::size_t next() const { return !is_escaped_ && character(at_) == '\\' && character(at_ + 1) == '$' ? at_ + 1 : at_; }

  std::string_view text_;
  std::size_t at_ = 0;
  bool is_escaped_ = false;  ///< the character before was a backslash that escapes this one
};

/// The end of the comment at this place, `npos` if it has none; empty: there is no comment.
std::optional<std::size_t> end_of_comment(std::string_view text, std::size_t at) {
  const auto rest = text.substr(at);
  if (rest.starts_with('#') || rest.starts_with("//")) return std::min(text.find('\n', at), text.size());
  if (!rest.starts_with("/*")) return std::nullopt;
  const auto end = text.find("*/", at + 2);
  return end == std::string_view::npos ? end : end + 2;
}

/// The text with blanks for its comments: every other character keeps its place.
std::string without_comments(std::string_view text) {
  std::string clean{text};
  bool in_string = false;
  for (std::size_t at = 0; at < clean.size(); ++at) {
    if (in_string && clean[at] == '\\') {
      ++at;
    } else if (clean[at] == '"') {
      in_string = !in_string;
    } else if (const auto end = in_string ? std::nullopt : end_of_comment(text, at)) {
      if (*end == std::string_view::npos) return clean;  // the reader stops there
      std::replace_if(
          clean.begin() + static_cast<std::ptrdiff_t>(at), clean.begin() + static_cast<std::ptrdiff_t>(*end),
          [](char c) { return c != '\n'; }, ' ');
      at = *end - 1;
    }
  }
  return clean;
}

/// Builds the tree. The reader reports a value after it has read it, so the value's begin is computed: the first character after the
/// previous value that is neither blank nor punctuation.
class TreeBuilder {
 public:
  TreeBuilder(std::string_view text, const TextStream& stream, std::size_t most_values)
      : text_{text}, stream_{stream}, most_values_{most_values} {}

  bool Null() { return scalar(NodeKind::null, "null"); }
  bool Bool(bool value) { return scalar(NodeKind::boolean, value ? "true" : "false"); }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) { return scalar(NodeKind::number, {text, size}); }
  bool String(const char* text, rapidjson::SizeType size, bool) { return scalar(NodeKind::string, {text, size}); }
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(std::int64_t) { return false; }
  bool Uint64(std::uint64_t) { return false; }
  bool Double(double) { return false; }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    if (size > kLongestKey) return too_much(fmt::format("this key is longer than {} bytes", kLongestKey));
    if (open_.back()->members.size() == kMostKeys) return too_much(fmt::format("there are more than {} keys in this object", kMostKeys));
    Member member;
    member.key.assign(text, size);
    member.spelling = member.key;
    member.offset = token();
    open_.back()->members.push_back(std::move(member));
    done_ = stream_.Tell();
    return true;
  }
  bool StartObject() { return start(NodeKind::object); }
  bool StartArray() { return start(NodeKind::array); }
  bool EndObject(rapidjson::SizeType) { return end(); }
  bool EndArray(rapidjson::SizeType) { return end(); }

  /// The begin of the present value.
  [[nodiscard]] std::size_t token() const {
    const auto found = text_.find_first_not_of(" \t\r\n,:", done_);
    return found == std::string_view::npos ? text_.size() : found;
  }
  [[nodiscard]] std::size_t open() const { return open_.empty() ? std::string_view::npos : open_.back()->offset; }
  [[nodiscard]] Node take_root() { return std::move(root_); }
  [[nodiscard]] std::size_t values() const { return values_; }
  /// The limit that was exceeded, if that ended the reading.
  [[nodiscard]] const std::optional<SyntaxError>& excess() const { return excess_; }

 private:
  bool too_much(std::string message) {
    excess_ = SyntaxError{token(), std::move(message)};
    return false;
  }
  bool counts_one_more() {
    if (values_++ < most_values_) return true;
    return too_much(fmt::format(
        "there are more than {} values in this file: put the parameters into a file of their own, one a line, and name it by param_file",
        most_values_));
  }
  /// Pointers in open_ stay valid: a container grows only while it is the innermost one.
  Node& place() {
    if (open_.empty()) return root_;
    auto& parent = *open_.back();
    return parent.kind == NodeKind::object ? parent.members.back().value : parent.elements.emplace_back();
  }
  bool scalar(NodeKind kind, std::string_view text) {
    if (!counts_one_more()) return false;
    const auto offset = token();
    auto& node = place();
    node.kind = kind;
    node.offset = offset;
    node.text = text;
    done_ = stream_.Tell();
    return true;
  }
  bool start(NodeKind kind) {
    if (open_.size() == kDeepest || !counts_one_more()) return false;
    auto& node = place();
    node.kind = kind;
    node.offset = stream_.Tell();
    open_.push_back(&node);
    done_ = stream_.Tell() + 1;
    return true;
  }
  bool end() {
    open_.pop_back();
    done_ = stream_.Tell() + 1;
    return true;
  }

  std::string_view text_;
  const TextStream& stream_;
  Node root_;
  std::vector<Node*> open_;
  std::size_t done_ = 0;
  const std::size_t most_values_;
  std::size_t values_ = 0;
  std::optional<SyntaxError> excess_;
};

void lower_keys(Node& root) {
  for (auto& member : root.members) member.key = lower(member.key);
}

/// A repeated key is doubtful. Its last value is kept, as by CiGri and most readers of JSON.
void take_out_duplicates(Node& node, const std::string& path, Findings& findings) {
  std::unordered_map<std::string, std::size_t> places;
  std::vector<Member> kept;
  for (auto& member : node.members) {
    const auto member_path = path.empty() ? member.key : path + "." + member.key;
    if (member.value.kind == NodeKind::object) take_out_duplicates(member.value, member_path, findings);
    const auto [place, is_first] = places.emplace(member.key, kept.size());
    if (is_first) {
      kept.push_back(std::move(member));
      continue;
    }
    findings.doubt(member.offset, member_path, member.spelling, "'" + excerpt(member.spelling) + "' is stated twice: remove one of them",
                   "; the last one counts");
    kept[place->second] = std::move(member);
  }
  node.members = std::move(kept);
}

struct ReadTree {
  Node root;
  std::size_t values = 0;
};

/// Reads one value, with nothing behind it. `at`: where the text is in its file.
std::optional<ReadTree> read_tree(std::string_view text, std::size_t at, Findings& findings, std::size_t most_values) {
  constexpr auto kFlags = static_cast<unsigned>(rapidjson::kParseIterativeFlag) |
                          static_cast<unsigned>(rapidjson::kParseValidateEncodingFlag) |
                          static_cast<unsigned>(rapidjson::kParseNumbersAsStringsFlag);
  const auto clean = without_comments(text);
  TextStream stream{clean};
  TreeBuilder builder{clean, stream, most_values};
  rapidjson::Reader reader;
  if (const auto result = reader.Parse<kFlags>(stream, builder); result.IsError()) {
    const auto error = builder.excess()
                           ? *builder.excess()
                           : explain({static_cast<int>(result.Code()), result.Offset(), builder.token(), builder.open()}, clean);
    findings.add(at + error.offset, "", "", error.message);
    return std::nullopt;
  }
  return ReadTree{builder.take_root(), builder.values()};
}

void move_by(Node& node, std::size_t offset) {
  node.offset += offset;
  for (auto& element : node.elements) move_by(element, offset);
  for (auto& member : node.members) {
    member.offset += offset;
    move_by(member.value, offset);
  }
}

struct Brackets {
  std::size_t end;
  bool are_closed;
};

/// From the bracket at `at` to behind the one that closes it, or to one of another kind, or to the end.
Brackets brackets_at(std::string_view text, std::size_t at) {
  std::string open;
  bool in_string = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      else in_string = c != '"';
    } else if (const auto end = end_of_comment(text, at)) {
      if (*end == std::string_view::npos) break;
      at = *end - 1;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      open += c;
    } else if (c == ']' || c == '}') {
      if (open.back() != (c == ']' ? '[' : '{')) return {at, false};
      open.pop_back();
      if (open.empty()) return {at + 1, true};
    }
  }
  return {text.size(), false};
}

}  // namespace

Document read_json(std::string_view text, Findings& findings, std::string_view shape, std::size_t most_values) {
  auto tree = read_tree(text, 0, findings, most_values);
  if (!tree) return {};
  Document document{Form::json, std::move(tree->root)};
  if (document.root.kind != NodeKind::object) {
    findings.add(document.root.offset, "", "", std::string{shape});
    return document;
  }
  lower_keys(document.root);
  take_out_duplicates(document.root, "", findings);
  return document;
}

BracketedValue read_bracketed(std::string_view text, std::size_t at, const std::string& path, Findings& findings, std::size_t most_values) {
  const auto brackets = brackets_at(text, at);
  BracketedValue value{.node = {}, .end = brackets.end, .values = 0};
  if (!brackets.are_closed) {
    findings.add(at, path, text.substr(at, 1), fmt::format("this '{}' is never closed", text[at]));
    return value;
  }
  auto tree = read_tree(text.substr(at, brackets.end - at), at, findings, most_values);
  if (!tree) return value;
  move_by(tree->root, at);
  take_out_duplicates(tree->root, path, findings);
  value.node = std::move(tree->root);
  value.values = tree->values;
  return value;
}

}  // namespace gleaner::jdl
