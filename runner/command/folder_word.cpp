#include "runner/command/folder_word.hpp"

#include <fmt/format.h>

#include <optional>

#include "lib/grid/oarsub_words.hpp"
#include "lib/text/words.hpp"

namespace gleaner::runner {
namespace {

struct Variable {
  std::string_view name;
  std::size_t length;  ///< characters in the text
};

bool continues_name(std::string_view text) {
  if (text.empty()) return false;
  const char c = text.front();
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// The variable at the beginning of a text, `$HOME` or `${HOME}`.
std::optional<Variable> variable_at(std::string_view text) {
  for (const auto name : grid::kFolderVariables) {
    if (text.starts_with(fmt::format("${{{}}}", name))) return Variable{name, name.size() + 3};
    if (text.starts_with(fmt::format("${}", name)) && !continues_name(text.substr(name.size() + 1))) return Variable{name, name.size() + 1};
  }
  return std::nullopt;
}

}  // namespace

std::string folder_word(std::string_view folder) {
  std::string word;
  std::size_t plain = 0;  // where the literal text begins
  const auto quote_until = [&](std::size_t end) {
    if (end > plain) word += text::quote(folder.substr(plain, end - plain));
  };
  for (auto at = folder.find('$'); at != std::string_view::npos; at = folder.find('$', at)) {
    const auto variable = variable_at(folder.substr(at));
    if (!variable) {
      ++at;
      continue;
    }
    quote_until(at);
    word += fmt::format("\"${}\"", variable->name);
    plain = at += variable->length;
  }
  quote_until(folder.size());
  return word;
}

}  // namespace gleaner::runner
