#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

#include "lib/grid/oarsub_words.hpp"

namespace gleaner::grid {
namespace {

constexpr std::size_t kLongest = 8000;
constexpr int kDeepest = 50;  // nested brackets: the reader calls itself for each
constexpr std::string_view kRight = "write a condition such as mem >= 8 AND host LIKE 'node-1%'";

constexpr std::array<std::string_view, 8> kKeywords{"AND", "OR", "NOT", "IN", "LIKE", "ILIKE", "BETWEEN", "IS"};
constexpr std::array<std::string_view, 7> kComparisons{"=", "<>", "!=", "<=", ">=", "<", ">"};

bool is_name_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::toupper(x) == std::toupper(y); });
}

template <std::size_t N>
bool among(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::ranges::any_of(words, [&](std::string_view one) { return same_word(one, word); });
}

enum class Kind { end, name, number, text, sign };
struct Token {
  Kind kind = Kind::end;
  std::size_t at = 0;
  std::string_view text;
};

/// Reads a condition from left to right, and stops at the first error.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_{text} {}

  std::optional<std::string> read() {
    advance();
    condition();
    if (token_.kind != Kind::end) unexpected("AND, OR or the end");
    return std::move(wrong_);
  }

 private:
  void fail(std::size_t at, std::string_view what) {
    if (!wrong_) {
      const auto letters = std::ranges::count_if(text_.substr(0, at), [](unsigned char c) { return (c & 0xC0U) != 0x80U; });
      wrong_ = fmt::format("{} at character {}; {}", what, letters + 1, kRight);
    }
    token_ = {};
    next_ = text_.size();
  }
  void unexpected(std::string_view wanted) {
    if (token_.kind == Kind::end) return fail(text_.size(), fmt::format("it ends where {} is expected,", wanted));
    fail(token_.at, fmt::format("'{}' is found where {} is expected,", token_.text.substr(0, 40), wanted));
  }

  void take(Kind kind, std::size_t length) {
    token_ = {kind, next_, text_.substr(next_, length)};
    next_ += length;
  }
  void advance() {
    while (next_ < text_.size() && (text_[next_] == ' ' || text_[next_] == '\t')) ++next_;
    token_ = {Kind::end, next_, {}};
    if (next_ == text_.size()) return;
    const char c = text_[next_];
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) return number();
    if (is_name_letter(c)) return take(Kind::name, run(next_));
    if (c == '\'' || c == '"') return quoted(c);
    sign();
  }
  [[nodiscard]] std::size_t run(std::size_t from) const {
    auto end = from;
    while (end < text_.size() && is_name_letter(text_[end])) ++end;
    return end - from;
  }
  void number() {
    auto end = next_ + run(next_);
    if (end < text_.size() && text_[end] == '.') end += 1 + run(end + 1);
    const auto whole = text_.substr(next_, end - next_);
    if (std::ranges::any_of(whole, [](unsigned char c) { return std::isdigit(c) == 0 && c != '.'; }))
      return fail(next_, fmt::format("'{}' is not a number,", whole.substr(0, 40)));
    take(Kind::number, whole.size());
  }
  /// A quote inside is written twice.
  void quoted(char quote) {
    auto end = next_ + 1;
    for (; end < text_.size(); ++end) {
      const auto byte = static_cast<unsigned char>(text_[end]);
      if (byte < 0x20 || byte == 0x7F || std::string_view{"$`\\"}.find(text_[end]) != std::string_view::npos)
        return fail(end, byte < 0x20 || byte == 0x7F ? std::string{"a control character stands"}
                                                     : fmt::format("{} cannot be in a quoted text,", text_[end]));
      if (text_[end] != quote) continue;
      if (end + 1 == text_.size() || text_[end + 1] != quote) return take(Kind::text, end + 1 - next_);
      ++end;
    }
    fail(next_, "this quote is never closed,");
  }
  void sign() {
    const auto rest = text_.substr(next_);
    if (rest.starts_with("--") || rest.starts_with("/*")) return fail(next_, "SQL's comments cannot be in it,");
    for (const std::string_view two : {"<>", "!=", "<=", ">=", "||"})
      if (rest.starts_with(two)) return take(Kind::sign, 2);
    if (std::string_view{"=<>(),+-*/%"}.find(rest.front()) != std::string_view::npos) return take(Kind::sign, 1);
    const auto byte = static_cast<unsigned char>(rest.front());
    fail(next_,
         byte < 0x20 || byte >= 0x7F ? std::string{"a letter that no name has stands"} : fmt::format("{} cannot be in it,", rest.front()));
  }

  [[nodiscard]] bool is_sign(std::string_view sign) const { return token_.kind == Kind::sign && token_.text == sign; }
  [[nodiscard]] bool is_word(std::string_view word) const { return token_.kind == Kind::name && same_word(token_.text, word); }
  bool skip_sign(std::string_view sign) {
    const bool there = is_sign(sign);
    if (there) advance();
    return there;
  }
  bool skip_word(std::string_view word) {
    const bool there = is_word(word);
    if (there) advance();
    return there;
  }

  void condition() {
    do {
      while (skip_word("NOT")) {
      }
      comparison();
    } while (!wrong_ && (skip_word("AND") || skip_word("OR")));
  }
  void comparison() {
    sum();
    if (token_.kind == Kind::sign && among(kComparisons, token_.text)) {
      advance();
      return sum();
    }
    if (skip_word("IS")) {
      skip_word("NOT");
      if (!skip_word("NULL")) unexpected("NULL");
      return;
    }
    const bool negated = skip_word("NOT");
    if (skip_word("LIKE") || skip_word("ILIKE")) return sum();
    if (skip_word("IN")) return list();
    if (skip_word("BETWEEN")) {
      sum();
      if (!skip_word("AND")) return unexpected("AND");
      return sum();
    }
    if (negated) unexpected("IN, LIKE or BETWEEN");
  }
  void list() {
    if (!skip_sign("(")) return unexpected("(");
    do sum();
    while (!wrong_ && skip_sign(","));
    if (!skip_sign(")")) unexpected(", or )");
  }
  void sum() {
    value();
    while (!wrong_ && (is_sign("+") || is_sign("-") || is_sign("*") || is_sign("/") || is_sign("%") || is_sign("||"))) {
      advance();
      value();
    }
  }
  void value() {
    while (skip_sign("-")) {
    }
    if (is_sign("(")) return brackets();
    const bool keyword = token_.kind == Kind::name && among(kKeywords, token_.text);
    if (keyword || token_.kind == Kind::end || token_.kind == Kind::sign)
      return unexpected("a property, a number or a text in single quotes");
    const bool name = token_.kind == Kind::name;
    advance();
    if (name && is_sign("(")) fail(token_.at, "no function can be called,");
  }
  void brackets() {
    if (depth_ == kDeepest) return fail(token_.at, fmt::format("more than {} brackets are open,", kDeepest));
    ++depth_;
    advance();
    condition();
    --depth_;
    if (!wrong_ && !skip_sign(")")) unexpected(")");
  }

  std::string_view text_;
  std::size_t next_ = 0;
  Token token_;
  int depth_ = 0;
  std::optional<std::string> wrong_;
};

}  // namespace

std::optional<std::string> wrong_properties(std::string_view text) {
  if (text.size() > kLongest) return fmt::format("it is longer than {} bytes; {}", kLongest, kRight);
  return Reader{text}.read();
}

}  // namespace gleaner::grid
