#include "lib/jdl/resource_template.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>

#include "lib/grid/resource_request.hpp"
#include "lib/jdl/problem.hpp"
#include "lib/jdl/text.hpp"

namespace gleaner::jdl {
namespace {

bool is_formula(std::string_view count) {
  if (count == "ALL" || count == "BEST" || count == "BESTHALF") return false;
  return std::ranges::any_of(count, [](unsigned char c) { return std::isalpha(c) || c == '_' || c == '(' || c == '*'; });
}

/// The place of a count: after a `=` outside braces, up to OAR's next sign outside brackets.
struct Span {
  std::size_t begin;
  std::size_t end;
};
std::vector<Span> counts_of(std::string_view text) {
  std::vector<Span> counts;
  int braces = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{') ++braces;
    if (text[i] == '}') --braces;
    if (text[i] != '=' || braces > 0) continue;
    const auto begin = i + 1;
    int brackets = 0;
    for (i = begin; i < text.size(); ++i) {
      if (text[i] == '(') ++brackets;
      if (text[i] == ')') --brackets;
      if (brackets <= 0 && std::string_view{"/+,{"}.find(text[i]) != std::string_view::npos) break;
    }
    counts.push_back({begin, i});
    --i;
  }
  return counts;
}

std::vector<Span> formulas_of(std::string_view text) {
  auto counts = counts_of(text);
  std::erase_if(counts, [&](const Span& at) { return !is_formula(trim(text.substr(at.begin, at.end - at.begin))); });
  return counts;
}

}  // namespace

std::size_t ResourceTemplate::formulas(std::string_view text) { return formulas_of(text).size(); }

tl::expected<ResourceTemplate, std::string> ResourceTemplate::compile(std::string_view text, const Expression::Names& names) {
  if (text.size() > kLongest) return tl::unexpected{fmt::format("it is {} bytes long, and may have {}", text.size(), kLongest)};
  const auto formulas = formulas_of(text);
  if (formulas.size() > kMostFormulas)
    return tl::unexpected{
        fmt::format("{} of its counts are expressions, and {} may be: write numbers for the others", formulas.size(), kMostFormulas)};
  ResourceTemplate made;
  made.text_ = text;
  std::size_t written = 0;
  for (const auto& at : formulas) {
    const auto count = trim(text.substr(at.begin, at.end - at.begin));
    auto expression = Expression::compile(count, names);
    if (!expression)
      return tl::unexpected{fmt::format("'{}' is not a count (a whole number from 1, ALL or BEST), nor an expression: {}", excerpt(count),
                                        expression.error())};
    made.between_.emplace_back(text.substr(written, at.begin - written));
    made.counts_.push_back(std::move(*expression));
    written = at.end;
  }
  made.between_.emplace_back(text.substr(written));
  // The text around the formulas must be valid, whatever their values.
  const std::vector<std::int64_t> ones(made.counts_.size(), 1);
  if (const auto example = grid::ResourceRequest::parse(made.filled(ones)); !example) return tl::unexpected{example.error()};
  return made;
}

std::string ResourceTemplate::filled(const std::vector<std::int64_t>& numbers) const {
  auto text = between_.front();
  for (std::size_t i = 0; i < numbers.size(); ++i) text += fmt::format("{}{}", numbers[i], between_[i + 1]);
  return text;
}

}  // namespace gleaner::jdl
