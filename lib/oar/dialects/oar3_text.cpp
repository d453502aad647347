#include "lib/oar/dialects/oar3_text.hpp"

#include <fmt/format.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <cctype>

#include "lib/grid/evidence.hpp"
#include "lib/oar/json.hpp"
#include "lib/oar/request_text.hpp"
#include "lib/text/clean.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::oar::oar3 {
namespace {

using rapidjson::Value;

/// Columns of its database: a longer text is an error of the database.
constexpr std::size_t kLongestText = 255;
constexpr std::size_t kLongestName = 100;

bool is_name_letter(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

class Body {
 public:
  Body() { writer_.StartObject(); }
  void add(const char* name, std::string_view value) {
    if (value.empty()) return;
    writer_.Key(name);
    text(value);
  }
  void add(const char* name, std::span<const std::string> values) {
    if (values.empty()) return;
    writer_.Key(name);
    writer_.StartArray();
    for (const auto& value : values) text(value);
    writer_.EndArray();
  }
  void add(const char* name, std::int64_t value) {
    writer_.Key(name);
    writer_.Int64(value);
  }
  std::string finish() {
    writer_.EndObject();
    return {buffer_.GetString(), buffer_.GetSize()};
  }

 private:
  void text(std::string_view value) { writer_.String(value.data(), static_cast<rapidjson::SizeType>(value.size())); }
  rapidjson::StringBuffer buffer_;
  rapidjson::Writer<rapidjson::StringBuffer, rapidjson::UTF8<>, rapidjson::ASCII<>> writer_{buffer_};
};

/// A comparison's columns and values, of a text that is a condition by its grammar (grid::wrong_properties has checked it where it was
/// submitted; what is no condition is refused here too).
class ConditionReader {
 public:
  ConditionReader(std::string_view text, const Columns& columns) : text_{text}, columns_{columns} {}

  std::optional<std::string> read() {
    condition(0);
    skip_blanks();
    if (!wrong_ && at_ < text_.size()) fail(fmt::format("'{}' is no part of a condition", rest()));
    return std::move(wrong_);
  }

 private:
  static constexpr int kDeepest = 50;
  struct Operand {
    bool is_column = false;
    Column kind = Column::text;
    std::string_view text;
  };

  void fail(std::string why) {
    if (!wrong_) wrong_ = std::move(why);
    at_ = text_.size();
  }
  [[nodiscard]] std::string rest() const {
    constexpr std::size_t kExcerpt = 40;
    return text::clean_text(text_.substr(std::min(at_, text_.size()), kExcerpt));
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool take(std::string_view sign) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }
  bool take_word(std::string_view word) {
    skip_blanks();
    const auto found = text_.substr(at_, word.size());
    const bool same = std::ranges::equal(found, word, [](unsigned char a, unsigned char b) { return std::toupper(a) == b; });
    const auto after = at_ + word.size();
    if (!same || (after < text_.size() && is_name_letter(text_[after]))) return false;
    at_ = after;
    return true;
  }

  void condition(int depth) {
    if (depth > kDeepest) return fail("it is nested too deep");
    do {
      do {
        while (take_word("NOT")) {
        }
        if (take("(")) {
          condition(depth + 1);
          if (!wrong_ && !take(")")) fail(fmt::format("a parenthesis is not closed at '{}'", rest()));
        } else {
          comparison();
        }
      } while (!wrong_ && take_word("AND"));
    } while (!wrong_ && take_word("OR"));
  }

  void comparison() {
    const auto left = operand();
    if (wrong_) return;
    if (take_word("IS")) {
      static_cast<void>(take_word("NOT"));
      if (!take_word("NULL")) fail(fmt::format("NULL is expected at '{}'", rest()));
      return;
    }
    static_cast<void>(take_word("NOT"));
    if (take_word("IN")) return list(left);
    if (take_word("BETWEEN")) {
      compare(left, operand());
      if (!wrong_ && !take_word("AND")) fail(fmt::format("AND is expected at '{}'", rest()));
      return wrong_ ? void() : compare(left, operand());
    }
    if (take_word("LIKE") || take_word("ILIKE")) {
      const auto right = operand();
      if (!wrong_ && (left.kind != Column::text || right.kind != Column::text || right.is_column))
        fail(fmt::format("'{}' is compared by LIKE, which is for texts", left.text));
      return;
    }
    for (const std::string_view sign : {"<=", ">=", "<>", "!=", "=", "<", ">"}) {
      if (take(sign)) return compare(left, operand());
    }
    fail(fmt::format("a comparison is expected at '{}'", rest()));
  }

  void list(const Operand& left) {
    if (!take("(")) return fail(fmt::format("'(' is expected at '{}'", rest()));
    do compare(left, operand());
    while (!wrong_ && take(","));
    if (!wrong_ && !take(")")) fail(fmt::format("')' is expected at '{}'", rest()));
  }

  Operand operand() {
    skip_blanks();
    if (at_ >= text_.size()) {
      fail("it ends too early");
      return {};
    }
    if (text_[at_] == '\'') return quoted();
    const auto begin = at_;
    if (text_[at_] == '-' || text_[at_] == '+') ++at_;
    while (at_ < text_.size() && (is_name_letter(text_[at_]) || text_[at_] == '.')) ++at_;
    const auto word = text_.substr(begin, at_ - begin);
    if (text::real_number(word)) return {.kind = Column::number, .text = word};
    const auto column = columns_.find(word);
    if (column != columns_.end()) return {.is_column = true, .kind = column->second, .text = word};
    at_ = begin;
    fail(fmt::format("'{}' is no property of which its resources have a value", word.empty() ? rest() : text::clean_text(word)));
    return {};
  }

  Operand quoted() {
    const auto begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '\'') ++at_;
    if (at_ >= text_.size()) {
      fail("a quote is not closed");
      return {};
    }
    const auto value = text_.substr(begin, at_++ - begin);
    const bool is_plain = std::ranges::none_of(value, [](unsigned char letter) { return letter < ' ' || letter == ':' || letter == '\\'; });
    if (!is_plain || (at_ < text_.size() && text_[at_] == '\''))
      fail(fmt::format("'{}' has a quote, a colon, a backslash or a control character", text::clean_text(value)));
    return {.kind = Column::text, .text = value};
  }

  /// PostgreSQL reads a quoted number as a number, and takes no other value for a column of numbers.
  void compare(const Operand& left, const Operand& right) {
    if (wrong_ || left.kind == right.kind) return;
    constexpr std::size_t kMostDigits = 9;
    const auto& [column, value] = left.is_column ? std::tie(left, right) : std::tie(right, left);
    const bool is_quoted_number = column.is_column && column.kind == Column::number && !value.is_column &&
                                  value.text.size() <= kMostDigits && !value.text.empty() &&
                                  std::ranges::all_of(value.text, [](unsigned char letter) { return std::isdigit(letter) != 0; });
    if (!is_quoted_number) fail(fmt::format("'{}' and '{}' are a number and a text", left.text, right.text));
  }

  std::string_view text_;
  const Columns& columns_;
  std::size_t at_ = 0;
  std::optional<std::string> wrong_;
};

std::optional<std::string> too_long(std::string_view what, std::string_view value, std::size_t most) {
  if (value.size() <= most) return std::nullopt;
  return fmt::format("its {} has {} bytes, and OAR 3 keeps {}", what, value.size(), most);
}

}  // namespace

std::optional<std::string> wrong_request(const SubmitRequest& request) {
  if (auto wrong = oar::wrong_request(request)) return wrong;
  if (auto wrong = too_long("name", request.name, kLongestName)) return wrong;
  if (auto wrong = too_long("project", request.project, kLongestText)) return wrong;
  if (auto wrong = too_long("stdout's name", request.stdout_file, kLongestText)) return wrong;
  if (auto wrong = too_long("stderr's name", request.stderr_file, kLongestText)) return wrong;
  for (const auto& type : request.types) {
    if (auto wrong = too_long("type", type, kLongestText)) return wrong;
  }
  return std::nullopt;
}

std::string unescaped(std::string_view command) {
  std::string text;
  text.reserve(command.size());
  for (std::size_t at = 0; at < command.size(); ++at) {
    const bool escapes =
        command[at] == '\\' && at + 1 < command.size() && (command[at + 1] == '$' || command[at + 1] == '`' || command[at + 1] == '\\');
    if (escapes) ++at;
    text += command[at];
  }
  return text;
}

std::string of_default_type(std::string_view resources) {
  std::string text;
  for (std::size_t begin = 0, i = 0, depth = 0; i <= resources.size() && !resources.empty(); ++i) {
    if (i < resources.size() && resources[i] == '{') ++depth;
    if (i < resources.size() && resources[i] == '}' && depth > 0) --depth;
    if (i < resources.size() && (resources[i] != '+' || depth > 0)) continue;
    const auto group = resources.substr(begin, i - begin);
    const auto brace = group.find('{'), close = group.find('}');
    const auto filter = brace == group.npos || close == group.npos ? std::string_view{} : group.substr(brace + 1, close - brace - 1);
    text += text.empty() ? "" : "+";
    if (filter.find("type") != filter.npos) text += group;
    else if (filter.empty()) text += fmt::format("{{type = 'default'}}{}{}", group.starts_with('/') ? "" : "/", group);
    else text += fmt::format("{{({}) AND type = 'default'}}{}", filter, group.substr(close + 1));
    begin = i + 1;
  }
  return text;
}

std::string submission_body(const SubmitRequest& request) {
  Body body;
  const std::string separator = request.resources.empty() || request.walltime.empty() ? "" : ",";
  const std::vector<std::string> resource{of_default_type(request.resources) +
                                          (request.walltime.empty() ? "" : separator + "walltime=" + request.walltime)};
  if (!resource.front().empty()) body.add("resource", resource);
  body.add("command", unescaped(request.command));
  if (!request.lines.empty()) body.add("param_file", fmt::format("{}", fmt::join(request.lines, "\n")));
  body.add("name", request.name);
  body.add("type", request.types);
  body.add("property", request.properties);
  body.add("project", request.project);
  body.add("stdout", request.stdout_file);
  body.add("stderr", request.stderr_file);
  if (request.checkpoint) {
    body.add("signal", request.checkpoint->signal);
    body.add("checkpoint", request.checkpoint->before_end.count());
  }
  return body.finish();
}

std::vector<IdChunk> id_chunks(std::span<const grid::RemoteJobId> ids, std::size_t bytes) {
  std::vector<grid::RemoteJobId> sorted;
  std::ranges::copy_if(ids, std::back_inserter(sorted), [](grid::RemoteJobId id) { return id.value() > 0 && id.value() <= kLastJob; });
  std::ranges::sort(sorted);
  const auto repeated = std::ranges::unique(sorted);
  sorted.erase(repeated.begin(), repeated.end());
  std::vector<IdChunk> chunks;
  for (const auto id : sorted) {
    const auto text = fmt::format("job_ids={}", id.value());
    if (chunks.empty() || chunks.back().query.size() + 1 + text.size() > bytes) {
      chunks.push_back({text, 1});
    } else {
      chunks.back().query += '&' + text;
      ++chunks.back().count;
    }
  }
  return chunks;
}

Parsed<Columns> parse_columns(std::string_view body) {
  try {
    const auto document = json::object(body);
    const auto* const items = json::array(document, "items");
    if (items == nullptr) return tl::unexpected{std::string{"'items' is missing"}};
    Columns columns;
    for (const auto& item : items->GetArray()) {
      if (!item.IsObject()) return tl::unexpected{std::string{"an item of the list is not an object"}};
      for (const auto& member : item.GetObject()) {
        const std::string name{member.name.GetString(), member.name.GetStringLength()};
        if (member.value.IsString()) columns.insert_or_assign(name, Column::text);
        else if (member.value.IsNumber()) columns.insert_or_assign(name, Column::number);
      }
    }
    // The answers call it otherwise than the database.
    if (const auto id = columns.extract("id"); !id.empty()) columns.insert_or_assign("resource_id", id.mapped());
    return columns;
  } catch (const json::Malformed& error) {
    return tl::unexpected{std::string{error.what()}};
  }
}

std::optional<std::string> wrong_properties(std::string_view properties, const Columns& columns) {
  auto wrong = ConditionReader{properties, columns}.read();
  if (!wrong) return std::nullopt;
  return fmt::format(
      "the properties '{}' are not sent to OAR 3, whose API an error of its database breaks for everybody: {}; comparisons of properties "
      "with values of their kind are sent, such as mem >= 8 AND host LIKE 'node-1%'",
      text::clean_text(properties), *wrong);
}

std::string message_of(std::string_view body) {
  try {
    const auto document = json::object(body);
    const auto detail = document.FindMember("detail");
    if (detail == document.MemberEnd()) return parse_message(body);
    if (detail->value.IsString()) return text::clean_text({detail->value.GetString(), detail->value.GetStringLength()});
    if (!detail->value.IsArray() || detail->value.Empty() || !detail->value[0].IsObject()) return "no message";
    std::string place;
    if (const auto* const loc = json::array(detail->value[0], "loc")) {
      for (const auto& part : loc->GetArray()) {
        if (part.IsString()) place += (place.empty() ? "" : ".") + std::string{part.GetString(), part.GetStringLength()};
      }
    }
    return text::clean_text(fmt::format("{}: {}", place, json::text(detail->value[0], {"msg"})));
  } catch (const json::Malformed&) {
    return parse_message(body);
  }
}

Parsed<grid::RemoteJobId> parse_first(std::string_view body) {
  try {
    const auto id = json::required_integer(json::object(body), {"id"});
    if (id <= 0 || id > kLastJob) return tl::unexpected{fmt::format("{} is not the id of a job", id)};
    return grid::RemoteJobId{id};
  } catch (const json::Malformed& error) {
    return tl::unexpected{std::string{error.what()}};
  }
}

Parsed<std::vector<grid::RemoteJobId>> parse_ids(std::string_view body, std::size_t expected) {
  auto page = parse_jobs(body);
  if (!page) return tl::unexpected{page.error()};
  std::vector<grid::RemoteJobId> ids;
  for (const auto& job : page->items) ids.push_back(job.id);
  std::ranges::sort(ids);
  if (ids.size() != expected || page->total.value_or(0) != expected || std::ranges::adjacent_find(ids) != ids.end())
    return tl::unexpected{fmt::format("{} jobs were asked for, and the array has {}", expected, page->total.value_or(ids.size()))};
  return ids;
}

Parsed<std::string> parse_checked(std::string_view body) {
  try {
    const auto document = json::object(body);
    if (json::text(document, {"auth"}) != "Token valid") return tl::unexpected{std::string{"it does not say that the token is valid"}};
    return json::text(document, {"user"});
  } catch (const json::Malformed& error) {
    return tl::unexpected{std::string{error.what()}};
  }
}

Parsed<Token> parse_new_token(std::string_view body) {
  try {
    return read_token(json::text(json::object(body), {"OAR_API_TOKEN"}));
  } catch (const json::Malformed& error) {
    return tl::unexpected{std::string{error.what()}};
  }
}

Parsed<Action> parse_action(std::string_view body) {
  try {
    const auto document = json::object(body);
    Action action{.status = json::required_integer(document, {"exit_status"}), .output = {}};
    // The output is a text, or a list of lines or of pairs of one and its status.
    const auto output = document.FindMember("cmd_output");
    if (output == document.MemberEnd()) return action;
    if (output->value.IsString()) action.output = text::clean_text({output->value.GetString(), output->value.GetStringLength()});
    if (output->value.IsArray()) {
      for (const auto& line : output->value.GetArray()) {
        const auto* text = &line;
        if (line.IsArray() && !line.Empty()) text = &line[0];
        if (text->IsString())
          action.output += (action.output.empty() ? "" : " ") + text::clean_text({text->GetString(), text->GetStringLength()});
      }
    }
    return action;
  } catch (const json::Malformed& error) {
    return tl::unexpected{std::string{error.what()}};
  }
}

Parsed<std::string> absolute_path(std::string_view path, std::string_view user, std::string_view homes) {
  if (auto wrong = wrong_path(path)) return tl::unexpected{std::move(*wrong)};
  std::string full;
  if (path.starts_with("~/")) {
    full = homes;
    for (auto at = full.find("%u"); at != std::string::npos; at = full.find("%u", at + user.size())) full.replace(at, 2, user);
    path.remove_prefix(1);
  }
  full += path;
  if (full.find(',') != std::string::npos)
    return tl::unexpected{fmt::format("'{}' holds a comma, which OAR 3 would read with a backslash", full)};
  return full;
}

std::optional<std::string> evidence_in_claim(const RunOf& run, std::string_view claim) {
  // `<unix time> <host> <job> <OAR job>`, then the end, once there is one.
  const auto end_of_line = claim.find('\n');
  if (end_of_line == std::string_view::npos) return std::nullopt;
  std::vector<std::string_view> words;
  for (auto line = claim.substr(0, end_of_line); !line.empty();) {
    const auto blank = std::min(line.find(' '), line.size());
    words.push_back(line.substr(0, blank));
    line.remove_prefix(std::min(blank + 1, line.size()));
  }
  constexpr std::size_t kWords = 4;
  if (words.size() != kWords) return std::nullopt;
  claim.remove_prefix(end_of_line + 1);
  const auto ending = claim.find('\n') == std::string_view::npos ? std::string_view{"s"} : claim.substr(0, claim.find('\n'));
  auto name = fmt::format("{}.{}.{}.{}.{}", run.task.value(), run.attempt, words[2], words[3], ending);
  return grid::read_evidence_name(name) ? std::optional{std::move(name)} : std::nullopt;
}

}  // namespace gleaner::oar::oar3
