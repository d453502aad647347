#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <unordered_set>

#include "lib/jdl/described_keys.hpp"
#include "lib/jdl/text.hpp"
#include "lib/jdl/tree.hpp"
#include "lib/jdl/unbuilt_keys.hpp"
#include "lib/jdl/values.hpp"
#include "lib/text/numbers.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::jdl {
namespace {

using Level = DescribedKey::Level;

/// Names of the classic form that are not those of the JSON form.
struct ClassicName {
  std::string_view classic;
  std::string_view json;
};
constexpr std::array kClassicNames{ClassicName{"paramFile", "param_file"}, ClassicName{"nbJobs", "nb_jobs"},
                                   ClassicName{"execFile", "exec_file"}, ClassicName{"execDir", "exec_directory"}};

/// `maxJobs` is `max_jobs`.
std::string with_underscores(std::string_view spelling) {
  std::string name;
  for (const unsigned char c : spelling) {
    if (std::isupper(c) != 0 && !name.empty()) name += '_';
    name += static_cast<char>(std::isupper(c) != 0 ? std::tolower(c) : c);
  }
  return name;
}

std::string json_name(std::string_view spelling) {
  const auto known = std::ranges::find(kClassicNames, spelling, &ClassicName::classic);
  if (known != kClassicNames.end()) return std::string{known->json};
  const bool has_capitals = std::ranges::any_of(spelling, [](unsigned char c) { return std::isupper(c) != 0; });
  const bool is_camel =
      has_capitals && spelling.find('_') == std::string_view::npos && std::islower(static_cast<unsigned char>(spelling[0])) != 0;
  return is_camel ? with_underscores(spelling) : std::string{spelling};
}

/// The key of the JSON form. Clusters are sections here.
const DescribedKey* key_of_form(std::string_view json) {
  const auto keys = described_keys();
  const auto known = json == "clusters" ? keys.end() : std::ranges::find(keys, json, &DescribedKey::name);
  return known == keys.end() ? nullptr : &*known;
}

/// Whether its value may be an array or an object. Others are text, which may begin with a bracket.
bool has_brackets(std::string_view spelling) {
  const auto* const key = key_of_form(json_name(spelling));
  return key != nullptr && (key->value == "ARRAY" || key->value == "OBJECT" || key->value == "CAMPAIGNS" || key->value == "TYPES");
}

/// The keys of a section; DEFAULT has its own keys and those of every cluster.
std::vector<std::string_view> offered_keys(bool in_default) {
  std::vector<std::string_view> names;
  for (const auto& key : described_keys()) {
    if (key.name == "clusters" || (key.level == Level::campaign && !in_default)) continue;
    const auto known = std::ranges::find(kClassicNames, key.name, &ClassicName::json);
    names.push_back(known == kClassicNames.end() ? key.name : known->classic);
  }
  return names;
}

constexpr std::string_view kBlanksInLine = " \t\r\v\f";

/// Reads line by line. A section's head, values and end may be on one line or on several, but a value ends on its own line.
class ClassicReader {
 public:
  ClassicReader(std::string_view text, Findings& findings) : text_{text}, findings_{findings} {}

  Document read() {
    Member clusters{"clusters", "clusters", 0, {}};
    clusters.value.kind = NodeKind::object;
    clusters_ = &clusters.value;
    document_.form = Form::classic;
    document_.root.kind = NodeKind::object;
    for (skip_blanks(); at_ < text_.size() && !is_too_much(); skip_blanks()) section();
    if (clusters.value.members.size() > kMostKeys) return {};
    document_.root.members.push_back(std::move(clusters));
    return std::move(document_);
  }

 private:
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  [[nodiscard]] std::size_t line_end() const { return std::min(text_.find('\n', at_), text_.size()); }

  /// Skips blanks, ends of lines and comments.
  void skip_blanks() {
    while (at_ < text_.size()) {
      if (peek() == '#') at_ = line_end();
      else if (peek() == '\n' || kBlanksInLine.find(peek()) != std::string_view::npos) ++at_;
      else return;
    }
  }

  /// Whether there are too many sections or problems.
  bool is_too_much() {
    if (clusters_->members.size() > kMostKeys)
      findings_.add(at_, "", "", fmt::format("there are more than {} sections in this file", kMostKeys));
    return clusters_->members.size() > kMostKeys || findings_.is_full();
  }

  void section() {
    const auto begin = at_;
    const auto end = std::min(text_.find_first_of("{};#\n", at_), text_.size());
    // A longer name is wrong in any case, and would be quoted in each message.
    const std::string name{trim(text_.substr(begin, end - begin)).substr(0, kLongestKey)};
    at_ = end;
    skip_blanks();
    if (peek() != '{') {
      findings_.add(begin, "", name.empty() ? text_.substr(begin, 1) : name,
                    fmt::format("'{}' is outside of any section; a section is written: name {{ key = value ; }}",
                                excerpt(text_.substr(begin, std::max<std::size_t>(1, name.size())))));
      at_ = std::max(begin + 1, end);
      if (peek() == ';' || peek() == '}') ++at_;
      return;
    }
    const auto brace = at_++;
    body(checked_name(name, begin), begin, brace);
  }

  std::string checked_name(std::string name, std::size_t offset) {
    if (name != "DEFAULT" && lower(name) == "default") {
      findings_.add(offset, name, name, fmt::format("write DEFAULT, in capitals, instead of '{}'", name));
      name = "DEFAULT";
    }
    const auto allowed = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.' || c == '*' || c == '+'; };
    if (name.empty()) findings_.add(offset, "", "", "this section has no name: DEFAULT, or that of a cluster");
    else if (!std::ranges::all_of(name, allowed))
      findings_.add(offset, "", name, fmt::format("'{}' is not the name of a section: letters, digits and _ - . * + only", excerpt(name)));
    else if (seen_.contains(name)) findings_.add(offset, name, name, fmt::format("there are two sections '{}': make them one", name));
    is_new_ = seen_.insert(name).second;
    return name;
  }

  void body(const std::string& name, std::size_t offset, std::size_t brace) {
    Node section{NodeKind::object, offset, {}, {}, {}};
    bool closed = false;
    for (skip_blanks(); !closed && at_ < text_.size() && !findings_.is_full(); skip_blanks()) {
      closed = peek() == '}';
      if (closed || peek() == ';') ++at_;
      else if (begins_section()) break;
      else closed = statement(name, section);
    }
    if (!closed) findings_.add(brace, name, "", fmt::format("the '{{' of section '{}' is never closed", name));
    const bool again = !is_new_;
    if (name == "DEFAULT" && document_.root.members.empty()) document_.root = std::move(section);
    else if (name != "DEFAULT" && !again) clusters_->members.push_back({name, name, offset, std::move(section)});
  }

  /// Whether the head of another section is in the place of a key.
  [[nodiscard]] bool begins_section() const {
    const auto stop = text_.find_first_of("=;\n#{}", at_);
    return stop != std::string_view::npos && text_[stop] == '{';
  }

  /// Reads one `key = value ;`. True when the line, which is wrong, also ended the section.
  bool statement(const std::string& section, Node& into) {
    const auto begin = at_;
    const auto stop = std::min(text_.find_first_of("=;\n#}", at_), text_.size());
    const std::string key{trim(text_.substr(begin, stop - begin)).substr(0, kLongestKey)};
    at_ = stop;
    if (peek() != '=') {
      findings_.add(begin, section, key, fmt::format("'{}' is not a 'key = value ;'", excerpt(key)));
      if (peek() == ';') ++at_;
      return false;
    }
    ++at_;
    Member member{{}, key, begin, {}};
    const bool ends_section = value(section, member);
    // A wrong value was reported.
    if (member.value.kind != NodeKind::null) add(section, std::move(member), into);
    return ends_section;
  }

  bool value(const std::string& section, Member& member) {
    at_ = std::min(text_.find_first_not_of(kBlanksInLine, at_), text_.size());
    member.value.kind = NodeKind::string;
    member.value.offset = at_;
    if ((peek() == '[' || peek() == '{') && has_brackets(member.spelling)) return bracketed_value(section, member);
    if (peek() == '"') return quoted_value(section, member);
    const bool ends_section = plain_value(section, member);
    // A campaign to come after: its number, or its name.
    if (has_brackets(member.spelling) && text::whole_number<std::int64_t>(member.value.text)) member.value.kind = NodeKind::number;
    return ends_section;
  }

  bool plain_value(const std::string& section, Member& member) {
    const auto end = std::min(text_.find_first_of(";#\n", at_), text_.size());
    member.value.text = trim(text_.substr(at_, end - at_));
    at_ = end;
    if (peek() == ';') {
      ++at_;
      return false;
    }
    auto& text = member.value.text;
    const auto braces = std::ranges::count(text, '}') - std::ranges::count(text, '{');
    const bool ends_section = braces > 0 && text.ends_with('}');
    if (ends_section) text = trim(std::string_view{text}.substr(0, text.size() - 1));
    missing_semicolon(section, member);
    return ends_section;
  }

  bool quoted_value(const std::string& section, Member& member) {
    const auto open = at_++;
    auto& text = member.value.text;
    for (; at_ < text_.size() && peek() != '"' && peek() != '\n'; ++at_) {
      const bool escape = peek() == '\\' && at_ + 1 < text_.size() && (text_[at_ + 1] == '"' || text_[at_ + 1] == '\\');
      if (escape) ++at_;
      text += peek();
    }
    if (peek() != '"') {
      findings_.add(open, cluster_path(Form::classic, section, member.spelling), text, "this value has no closing '\"' on its line");
      return trim(text).ends_with('}');
    }
    ++at_;
    behind(section, member, "the closing '\"': quote the whole value (a quote in it is written \\\"), or nothing of it");
    return false;
  }

  /// An array or an object, as in the JSON form, on one line or on several.
  bool bracketed_value(const std::string& section, Member& member) {
    const auto path = cluster_path(Form::classic, section, member.spelling);
    auto read = read_bracketed(text_, at_, path, findings_, kMostValues - values_);
    at_ = read.end;
    if (!read.node) {
      member.value.kind = NodeKind::null;
      return false;
    }
    member.value = std::move(*read.node);
    values_ += read.values;
    behind(section, member, "the closing bracket");
    return false;
  }

  /// Reads the semicolon behind a value that has an end of its own.
  void behind(const std::string& section, const Member& member, std::string_view what) {
    at_ = std::min(text_.find_first_not_of(kBlanksInLine, at_), text_.size());
    if (peek() == ';') {
      ++at_;
    } else if (peek() == '\n' || peek() == '#' || peek() == '}' || at_ == text_.size()) {
      missing_semicolon(section, member);
    } else {
      findings_.add(at_, cluster_path(Form::classic, section, member.spelling), text_.substr(at_, line_end() - at_),
                    fmt::format("there is something behind {}", what));
      at_ = std::min(text_.find_first_of(";\n", at_), text_.size());
    }
  }

  void missing_semicolon(const std::string& section, const Member& member) {
    findings_.add(at_, cluster_path(Form::classic, section, member.spelling), shown(member.value),
                  fmt::format("the ';' behind '{}' is missing", excerpt(shown(member.value))));
  }

  void add(const std::string& section, Member member, Node& into) {
    const bool in_default = section == "DEFAULT";
    const auto path = cluster_path(Form::classic, section, member.spelling);
    member.key = json_name(member.spelling);
    const auto* const known = key_of_form(member.key);
    if (known == nullptr && !is_unbuilt_key(member.key)) {
      findings_.add(
          member.offset, path, member.spelling,
          fmt::format("there is no key '{}'{}", excerpt(member.spelling), text::did_you_mean(member.spelling, offered_keys(in_default))));
      return;
    }
    if (known != nullptr && known->level == Level::campaign && !in_default) {
      findings_.add(member.offset, path, member.spelling, fmt::format("'{}' belongs in the section DEFAULT", member.spelling));
      return;
    }
    if (const auto before = std::ranges::find(into.members, member.key, &Member::key); before != into.members.end()) {
      findings_.doubt(member.offset, path, member.spelling, fmt::format("'{}' is stated twice: remove one of them", member.spelling),
                      "; the last one counts");
      *before = std::move(member);
      return;
    }
    into.members.push_back(std::move(member));
  }

  std::string_view text_;
  Findings& findings_;
  std::size_t at_ = 0;
  Document document_;
  Node* clusters_ = nullptr;
  std::unordered_set<std::string> seen_;
  bool is_new_ = true;      ///< the name of the section
  std::size_t values_ = 0;  ///< in brackets
};

}  // namespace

Document read_classic(std::string_view text, Findings& findings) { return ClassicReader{text, findings}.read(); }

}  // namespace gleaner::jdl
