#include "lib/jdl/expression.hpp"

#include <fmt/format.h>
#include <muParser.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "lib/jdl/problem.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::jdl {
namespace {

struct Constant {
  const char* name;
  double value;
};
constexpr std::array kConstants{Constant{"second", 1}, Constant{"minute", 60}, Constant{"hour", 3600}, Constant{"day", 86400}};

double up(double value) { return std::ceil(value); }
double down(double value) { return std::floor(value); }

void prepare(mu::Parser& parser) {
  for (const auto& constant : kConstants) parser.DefineConst(constant.name, constant.value);
  parser.DefineFun("ceil", up);
  parser.DefineFun("floor", down);
}

/// Syntax that muParser accepts with another meaning: it would assign to the name, and evaluate only the part after a comma.
std::optional<std::string> refused(std::string_view text) {
  if (text.size() > Expression::kLongest) return fmt::format("it is longer than {} characters", Expression::kLongest);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') return std::string{"there is a '\"' in it: it computes with numbers alone"};
    if (text[i] != '=') continue;
    const bool pair = i + 1 < text.size() && text[i + 1] == '=';
    const bool compares = pair || (i > 0 && std::string_view{"<>!"}.find(text[i - 1]) != std::string_view::npos);
    if (!compares) return fmt::format("there is a lone '=' at character {}: numbers are compared by '=='", i + 1);
    if (pair) ++i;
  }
  return std::nullopt;
}

/// muParser's error, as the end of a sentence.
std::string text_of(const mu::ParserError& error) {
  auto message = error.GetMsg();
  while (!message.empty() && (message.back() == '.' || message.back() == '\n')) message.pop_back();
  if (!message.empty()) message[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(message[0])));
  return message;
}

}  // namespace

struct Expression::Implementation {
  mu::Parser parser;
  std::string text;
  std::vector<std::string> names;
  std::vector<double> values;  // the parser has pointers to these
};

Expression::Expression(std::unique_ptr<Implementation> implementation) : implementation_{std::move(implementation)} {}
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;
Expression::~Expression() = default;

const std::string& Expression::text() const { return implementation_->text; }
const std::vector<std::string>& Expression::names() const { return implementation_->names; }

tl::expected<Expression, std::string> Expression::compile(std::string_view text, const Names& names) {
  if (auto why = refused(text)) return tl::unexpected{std::move(*why)};
  auto made = std::make_unique<Implementation>();
  made->text = text;
  try {
    prepare(made->parser);
    made->parser.SetExpr(made->text);
    for (const auto& [name, unused] : made->parser.GetUsedVar()) made->names.push_back(name);
    for (const auto& name : made->names) {
      if (!names.known(name))
        return tl::unexpected{fmt::format("there is no '{}'{}", excerpt(name), text::did_you_mean(name, names.suggestions))};
    }
    made->values.resize(made->names.size(), 1);
    for (std::size_t i = 0; i < made->names.size(); ++i) made->parser.DefineVar(made->names[i], &made->values[i]);
    // muParser checks the syntax in the first evaluation; the result is not used.
    static_cast<void>(made->parser.Eval());
    if (made->parser.GetNumResults() > 1) return tl::unexpected{std::string{"there is a ',' in it outside a function's brackets"}};
  } catch (const mu::ParserError& error) {
    return tl::unexpected{text_of(error)};
  }
  return Expression{std::move(made)};
}

tl::expected<double, std::string> Expression::evaluate(std::span<const double> values) {
  std::ranges::copy(values.first(implementation_->values.size()), implementation_->values.begin());
  try {
    const double result = implementation_->parser.Eval();
    if (!std::isfinite(result)) return tl::unexpected{std::string{"it gives no number (a division by zero, or the like)"}};
    return result;
  } catch (const mu::ParserError& error) {
    return tl::unexpected{text_of(error)};
  }
}

bool is_free_name(std::string_view name) {
  const auto is_word = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) || !std::ranges::all_of(name, is_word)) return false;
  mu::Parser parser;
  prepare(parser);
  const std::string text{name};
  return !parser.GetFunDef().contains(text) && !parser.GetConst().contains(text);
}

}  // namespace gleaner::jdl
