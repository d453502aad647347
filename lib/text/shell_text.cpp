#include "lib/text/shell_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace gleaner::text {
namespace {

constexpr std::string_view kBlanks = " \t\n";

/// The characters that may make a difference.
constexpr auto kSpecial = [] {
  std::array<bool, 256> special{};
  for (const char letter : std::string_view{"$`~#*?[{;&|\n<>()"}) special[static_cast<unsigned char>(letter)] = true;
  return special;
}();

bool is_name(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

/// At most so much of a text as a message quotes.
std::string_view cut(std::string_view text) {
  constexpr std::size_t kMost = 40;
  auto end = std::min(text.size(), kMost);
  while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

/// The variable, or the substituted command, that begins with this `$`; empty: the `$` stands for itself.
std::string_view variable_at(std::string_view text) {
  if (text.size() < 2) return {};
  const char next = text[1];
  if (next == '{' || next == '(') return text.substr(0, text.find(next == '{' ? '}' : ')') + 1);
  if (!is_name(next)) return std::string_view{"@*#?$!-"}.find(next) == std::string_view::npos ? std::string_view{} : text.substr(0, 2);
  if (next >= '0' && next <= '9') return text.substr(0, 2);
  const auto end = std::ranges::find_if_not(text.substr(1), is_name);
  return {text.data(), static_cast<std::size_t>(end - text.begin())};
}

/// The number of backslashes directly before this place.
std::size_t backslashes_before(std::string_view text, std::size_t place) {
  const auto last = text.substr(0, place).find_last_not_of('\\');
  return last == std::string_view::npos ? place : place - last - 1;
}

/// The places of each `$` after an odd number of backslashes.
std::vector<std::size_t> oarsub_dollars(std::string_view text) {
  std::vector<std::size_t> places;
  for (auto found = text.find("\\$"); found != std::string_view::npos; found = text.find("\\$", found + 2)) {
    if (backslashes_before(text, found + 1) % 2 == 1) places.push_back(found + 1);
  }
  return places;
}

class Reader {
 public:
  explicit Reader(std::string_view line) : line_{line} {}

  std::optional<std::string> read() {
    for (; at_ < line_.size(); ++at_) {
      if (auto would = step()) return would;
    }
    return std::nullopt;
  }

 private:
  /// Reads a character, or a whole quoted part.
  std::optional<std::string> step() {
    const char letter = line_[at_];
    if (letter == '\\') {
      ++at_;
      return std::nullopt;
    }
    if (letter == '"') {
      in_double_quotes_ = !in_double_quotes_;
      return std::nullopt;
    }
    if (auto would = substitution(letter)) return would;
    if (in_double_quotes_) return std::nullopt;
    if (letter == '\'') {
      at_ = std::min(line_.find('\'', at_ + 1), line_.size());
      return std::nullopt;
    }
    return outside_quotes(letter);
  }

  std::optional<std::string> substitution(char letter) const {
    if (letter == '`') return fmt::format("run the command in {}", cut(word()));
    if (letter != '$') return std::nullopt;
    const auto rest = line_.substr(at_);
    if (!in_double_quotes_ && rest.size() > 1 && (rest[1] == '\'' || rest[1] == '"'))
      return fmt::format("read {} as a quoted text", cut(word()));
    const auto variable = variable_at(rest);
    if (variable.empty()) return std::nullopt;
    if (variable[1] == '(') return fmt::format("replace {} by what this command writes", cut(variable));
    return fmt::format("replace {} by the value of that variable", cut(variable));
  }

  std::optional<std::string> outside_quotes(char letter) const {
    if (letter == '~' && starts_word()) return fmt::format("replace the ~ of {} by a home", cut(word()));
    if (letter == '#' && starts_word()) return fmt::format("skip {} as a comment", cut(line_.substr(at_)));
    if (letter == '*' || letter == '?' || (letter == '[' && word().find(']') != std::string_view::npos))
      return fmt::format("replace {} by the names of the files that it matches", cut(whole_word()));
    if (letter == '{' && is_brace_expansion(word())) return fmt::format("write {} out as several words", cut(whole_word()));
    if (letter == ';' || letter == '&' || letter == '|' || letter == '\n') return "end the command there, and begin another one";
    if (letter == '<' || letter == '>') return fmt::format("read or write a file at {}", cut(line_.substr(at_)));
    if (letter == '(' || letter == ')') return "read the bracket as its own";
    return std::nullopt;
  }

  [[nodiscard]] bool starts_word() const { return at_ == 0 || kBlanks.find(line_[at_ - 1]) != std::string_view::npos; }
  /// The word from here on.
  [[nodiscard]] std::string_view word() const { return line_.substr(at_, line_.find_first_of(kBlanks, at_) - at_); }
  [[nodiscard]] std::string_view whole_word() const {
    const auto before = at_ == 0 ? std::string_view::npos : line_.find_last_of(kBlanks, at_ - 1);
    const auto begin = before == std::string_view::npos ? 0 : before + 1;
    return line_.substr(begin, line_.find_first_of(kBlanks, at_) - begin);
  }
  static bool is_brace_expansion(std::string_view word) {
    const auto inner = word.substr(0, word.find('}'));
    return inner.size() < word.size() && (inner.find(',') != std::string_view::npos || inner.find("..") != std::string_view::npos);
  }

  std::string_view line_;
  std::size_t at_ = 0;
  bool in_double_quotes_ = false;
};

}  // namespace

std::string without_oarsub_backslashes(std::string_view text) {
  std::string result;
  std::size_t begin = 0;
  for (const auto dollar : oarsub_dollars(text)) {
    const auto backslashes = backslashes_before(text, dollar);
    result += text.substr(begin, dollar - (backslashes + 1) / 2 - begin);
    begin = dollar;
  }
  return result += text.substr(begin);
}

std::string_view first_oarsub_dollar(std::string_view text) {
  const auto dollars = oarsub_dollars(text);
  if (dollars.empty()) return {};
  const auto begin = dollars.front() - backslashes_before(text, dollars.front());
  const auto variable = variable_at(text.substr(dollars.front()));
  return text.substr(begin, dollars.front() - begin + std::max<std::size_t>(variable.size(), 1));
}

std::optional<std::string> shell_would(std::string_view line) {
  const bool may_differ = std::ranges::any_of(line, [](char letter) { return kSpecial[static_cast<unsigned char>(letter)]; });
  return may_differ ? Reader{line}.read() : std::nullopt;
}

}  // namespace gleaner::text
