#include "sim/minioar/condition.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include <fmt/format.h>

#include "lib/text/numbers.hpp"

namespace gleaner::minioar {

struct Condition::Node {
  std::function<bool(const Resource&)> holds;
};

namespace {

using NodePtr = std::shared_ptr<const Condition::Node>;

struct SyntaxError {
  std::string what;
};

enum class TokenKind { word, number, string, symbol, end };
struct Token {
  TokenKind kind = TokenKind::end;
  std::string text;
};

std::string lower(std::string_view text) {
  std::string out{text};
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool word_start(char c) { return (std::isalpha(static_cast<unsigned char>(c)) != 0) || c == '_'; }
bool word_part(char c) { return (std::isalnum(static_cast<unsigned char>(c)) != 0) || c == '_' || c == '.'; }
bool operator_char(char c) { return std::string_view{"=<>!~"}.find(c) != std::string_view::npos; }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_{text} {}

  Token next() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    if (at_ == text_.size()) return {};
    const char c = text_[at_];
    if (c == '\'') return quoted('\'', TokenKind::string);
    if (c == '"') return quoted('"', TokenKind::word);
    if (word_start(c)) return {TokenKind::word, take(word_part)};
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) return {TokenKind::number, take(word_part)};
    if (operator_char(c)) return {TokenKind::symbol, take(operator_char)};
    ++at_;
    return {TokenKind::symbol, std::string(1, c)};
  }

 private:
  template <class Predicate>
  std::string take(Predicate part) {
    const auto begin = at_;
    while (at_ < text_.size() && part(text_[at_])) ++at_;
    return std::string{text_.substr(begin, at_ - begin)};
  }
  Token quoted(char mark, TokenKind kind) {
    std::string out;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == mark) {
        if (at_ + 1 == text_.size() || text_[at_ + 1] != mark) break;
        ++at_;
      }
      out += text_[at_];
    }
    if (at_ == text_.size()) throw SyntaxError{fmt::format("unterminated quoted string at or near \"{}{}\"", mark, out)};
    ++at_;
    return {kind, out};
  }
  std::string_view text_;
  std::size_t at_ = 0;
};

/// Matches a LIKE pattern: `%` any run of characters, `_` any one.
bool like(std::string_view text, std::string_view pattern) {
  if (pattern.empty()) return text.empty();
  if (pattern.front() == '%') {
    for (std::size_t skip = 0; skip <= text.size(); ++skip) {
      if (like(text.substr(skip), pattern.substr(1))) return true;
    }
    return false;
  }
  if (text.empty() || (pattern.front() != '_' && pattern.front() != text.front())) return false;
  return like(text.substr(1), pattern.substr(1));
}

/// A column or a literal.
struct Operand {
  std::string column;  ///< empty: a literal
  PropertyValue literal;
  bool quoted = false;
  [[nodiscard]] PropertyValue of(const Resource& resource) const { return column.empty() ? literal : property(resource, column).value(); }
  [[nodiscard]] bool is_integer() const {
    return column.empty() ? std::holds_alternative<std::int64_t>(literal) : column_type(column) == ColumnType::integer;
  }
};

std::int64_t integer(const std::string& text) {
  const auto value = text::whole_number(text);
  if (!value) throw SyntaxError{fmt::format("invalid input syntax for type integer: \"{}\"", text)};
  return *value;
}

/// Converts both to one type: a quoted literal takes the type of the column.
void unify(Operand& left, Operand& right, const std::string& op) {
  const auto adapt = [](Operand& literal) {
    literal.literal = integer(std::get<std::string>(literal.literal));
    literal.quoted = false;
  };
  if (left.is_integer() && right.quoted) adapt(right);
  if (right.is_integer() && left.quoted) adapt(left);
  if (left.is_integer() != right.is_integer()) {
    const auto name = [](const Operand& o) { return o.is_integer() ? "integer" : "character varying"; };
    throw SyntaxError{fmt::format("operator does not exist: {} {} {}", name(left), op, name(right))};
  }
}

using Compare = std::function<bool(const PropertyValue&, const PropertyValue&)>;
Compare comparison(const std::string& op, const Operand& left, const Operand& right) {
  if (op == "=") return std::equal_to<>{};
  if (op == "!=" || op == "<>") return std::not_equal_to<>{};
  if (op == "<") return std::less<>{};
  if (op == ">") return std::greater<>{};
  if (op == "<=") return std::less_equal<>{};
  if (op == ">=") return std::greater_equal<>{};
  const auto name = [](const Operand& o) { return o.is_integer() ? "integer" : o.quoted ? "unknown" : "character varying"; };
  throw SyntaxError{fmt::format("operator does not exist: {} {} {}", name(left), op, name(right))};
}

NodePtr node(std::function<bool(const Resource&)> holds) { return std::make_shared<const Condition::Node>(std::move(holds)); }

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_{text} { advance(); }

  NodePtr whole() {
    auto root = disjunction();
    if (current_.kind != TokenKind::end) unexpected();
    return root;
  }

 private:
  void advance() { current_ = lexer_.next(); }
  [[nodiscard]] bool at_word(std::string_view word) const { return current_.kind == TokenKind::word && lower(current_.text) == word; }
  [[nodiscard]] bool at_symbol(std::string_view symbol) const { return current_.kind == TokenKind::symbol && current_.text == symbol; }
  bool accept_word(std::string_view word) {
    if (!at_word(word)) return false;
    advance();
    return true;
  }
  bool accept_symbol(std::string_view symbol) {
    if (!at_symbol(symbol)) return false;
    advance();
    return true;
  }
  void expect_symbol(std::string_view symbol) {
    if (!accept_symbol(symbol)) unexpected();
  }
  [[noreturn]] void unexpected() const {
    // In the server's query, a parenthesis follows the user's text.
    throw SyntaxError{fmt::format("syntax error at or near \"{}\"", current_.kind == TokenKind::end ? ")" : current_.text)};
  }

  NodePtr disjunction() {
    auto left = conjunction();
    while (accept_word("or")) {
      left = node([left, right = conjunction()](const Resource& r) { return left->holds(r) || right->holds(r); });
    }
    return left;
  }
  NodePtr conjunction() {
    auto left = negation();
    while (accept_word("and")) {
      left = node([left, right = negation()](const Resource& r) { return left->holds(r) && right->holds(r); });
    }
    return left;
  }
  NodePtr negation() {
    if (accept_word("not")) return inverted(negation());
    if (accept_symbol("(")) {
      auto inner = disjunction();
      expect_symbol(")");
      return inner;
    }
    if (accept_word("true")) return node([](const Resource&) { return true; });
    if (accept_word("false")) return node([](const Resource&) { return false; });
    return predicate();
  }
  static NodePtr inverted(const NodePtr& inner) {
    return node([inner](const Resource& r) { return !inner->holds(r); });
  }

  NodePtr predicate() {
    const auto left = operand();
    if (accept_word("is")) {
      const bool negated = accept_word("not");
      if (!accept_word("null")) unexpected();
      return node([negated](const Resource&) { return negated; });
    }
    const bool negated = accept_word("not");
    NodePtr result;
    if (accept_word("in")) {
      result = in_list(left);
    } else if (accept_word("between")) {
      result = between(left);
    } else if (at_word("like") || at_word("ilike")) {
      result = pattern(left);
    } else if (!negated && current_.kind == TokenKind::symbol && operator_char(current_.text.front())) {
      const auto op = current_.text;
      advance();
      return compared(left, op, operand());
    } else if (!negated && left.quoted) {
      return node([yes = truth(std::get<std::string>(left.literal))](const Resource&) { return yes; });
    } else {
      unexpected();
    }
    return negated ? inverted(result) : result;
  }

  static bool truth(const std::string& text) {
    const auto word = lower(text);
    if (word == "1" || word == "t" || word == "true" || word == "yes" || word == "on") return true;
    if (word == "0" || word == "f" || word == "false" || word == "no" || word == "off") return false;
    throw SyntaxError{fmt::format("invalid input syntax for type boolean: \"{}\"", text)};
  }

  static NodePtr compared(Operand left, const std::string& op, Operand right) {
    const auto compare = comparison(op, left, right);
    unify(left, right, op);
    return node([=](const Resource& r) { return compare(left.of(r), right.of(r)); });
  }

  NodePtr in_list(const Operand& left) {
    expect_symbol("(");
    std::vector<NodePtr> choices;
    do {
      choices.push_back(compared(left, "=", operand()));
    } while (accept_symbol(","));
    expect_symbol(")");
    return node(
        [choices](const Resource& r) { return std::any_of(choices.begin(), choices.end(), [&](const auto& c) { return c->holds(r); }); });
  }
  NodePtr between(const Operand& left) {
    const auto low = compared(left, ">=", operand());
    if (!accept_word("and")) unexpected();
    const auto high = compared(left, "<=", operand());
    return node([low, high](const Resource& r) { return low->holds(r) && high->holds(r); });
  }
  NodePtr pattern(const Operand& left) {
    const bool any_case = at_word("ilike");
    advance();
    const auto right = operand();
    if (left.is_integer()) throw SyntaxError{"operator does not exist: integer ~~ unknown"};
    return node([=](const Resource& r) {
      const auto text = as_text(left.of(r));
      const auto mask = as_text(right.of(r));
      return any_case ? like(lower(text), lower(mask)) : like(text, mask);
    });
  }

  Operand operand() {
    Operand made;
    const auto token = current_;
    switch (token.kind) {
      case TokenKind::number: made.literal = integer(token.text); break;
      case TokenKind::string:
        made.literal = token.text;
        made.quoted = true;
        break;
      case TokenKind::word:
        made.column = lower(token.text);
        if (!column_type(made.column)) throw SyntaxError{fmt::format("column \"{}\" does not exist", made.column)};
        break;
      case TokenKind::symbol:
        if (token.text == "-") {
          advance();
          if (current_.kind != TokenKind::number) unexpected();
          made.literal = -integer(current_.text);
          break;
        }
        unexpected();
      case TokenKind::end: unexpected();
    }
    advance();
    return made;
  }

  Lexer lexer_;
  Token current_;
};

}  // namespace

tl::expected<Condition, std::string> Condition::parse(std::string_view text) {
  try {
    return Condition{Parser{text}.whole()};
  } catch (const SyntaxError& error) {
    return tl::unexpected{error.what};
  }
}

bool Condition::holds(const Resource& resource) const { return !root_ || root_->holds(resource); }

}  // namespace gleaner::minioar
