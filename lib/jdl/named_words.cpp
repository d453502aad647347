#include "lib/jdl/named_words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/jdl/key_readers.hpp"
#include "lib/jdl/requests.hpp"
#include "lib/jdl/resource_template.hpp"
#include "lib/jdl/values.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::jdl {

std::size_t word_number(std::string_view name) {
  constexpr std::size_t kMostWords = 1000;
  if (name.size() < 2 || name[0] != 'p' || name[1] == '0') return 0;
  return text::whole_number<std::size_t>(name.substr(1), 1, kMostWords).value_or(0);
}

Expression::Names expression_names(const CampaignFile& file, bool has_input) {
  const auto& parameter_names = file.parameter_names;
  Expression::Names names;
  names.known = [&file, has_input](std::string_view name) {
    return word_number(name) > 0 || (has_input && name == kInput) || file.given.contains(name) ||
           std::ranges::find(file.parameter_names, name) != file.parameter_names.end();
  };
  names.suggestions = {"p1", "p2", "p3", "second", "minute", "hour", "day", "min", "max", "sqrt", "ceil", "floor"};
  if (has_input) names.suggestions.push_back(kInput);
  names.suggestions.insert(names.suggestions.end(), parameter_names.begin(), parameter_names.end());
  for (const auto& [name, assumed] : file.given) names.suggestions.push_back(name);
  return names;
}

bool may_be_named(std::string_view name) { return is_free_name(name) && name != kInput && word_number(name) == 0; }

void read_parameter_names(const Node& node, const std::string& path, CampaignLevel& into, Findings& findings) {
  auto& names = into.file.parameter_names;
  if (node.kind != NodeKind::array) {
    findings.add(node.offset, path, shown(node), fmt::format("it is {}; write an array, e.g. [\"file\", \"size\"]", kind_name(node.kind)));
    return;
  }
  constexpr std::size_t kMostNames = 100;
  if (node.elements.size() > kMostNames) {
    findings.add(node.offset, path, shown(node), fmt::format("there are {} names; there may be {}", node.elements.size(), kMostNames));
    return;
  }
  for (const auto& element : node.elements) {
    const auto name = read_word(element, path, "a name", findings);
    if (!name) continue;
    if (!may_be_named(*name))
      findings.add(
          element.offset, path, *name,
          fmt::format("'{}' cannot be a name of a word: letters, digits and '_' are, and neither p1, p2… nor what expressions have already",
                      excerpt(*name)));
    else if (std::ranges::find(names, *name) != names.end())
      findings.add(element.offset, path, *name, fmt::format("'{}' is there twice", *name));
    names.push_back(*name);
  }
}

std::optional<std::string> wrong_expression(const WrittenExpression& written, const CampaignFile& file, bool has_input) {
  using Kind = WrittenExpression::Kind;
  const auto names = expression_names(file, has_input && written.kind != Kind::input);
  if (written.kind == Kind::resources) {
    const auto read = ResourceTemplate::compile(written.text, names);
    if (read) return std::nullopt;
    return fmt::format("'{}' is not a resource request: {}", excerpt(written.text), read.error());
  }
  const auto read = Expression::compile(written.text, names);
  if (read) return std::nullopt;
  if (written.kind == Kind::walltime)
    return fmt::format("'{}' is not a walltime; write h:m:s, e.g. 1:30:00, or an expression that gives seconds ({})", excerpt(written.text),
                       read.error());
  return fmt::format("'{}' is not a number of MB nor an expression that gives one: {}", excerpt(written.text), read.error());
}

}  // namespace gleaner::jdl
