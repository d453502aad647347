#include "tests/unit/named_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace gleaner {

Words literals_of(const std::string& source) {
  Words literals;
  bool joins = false;
  for (std::size_t i = 0; i < source.size();) {
    const auto rest = std::string_view{source}.substr(i);
    if (rest.starts_with("//")) {
      i = std::min(source.find('\n', i), source.size());
    } else if (rest.starts_with("/*")) {
      i = std::min(source.find("*/", i + 2), source.size() - 2) + 2;
    } else if (rest.starts_with("R\"")) {
      const auto open = source.find('(', i);
      const auto end = ")" + source.substr(i + 2, open - i - 2) + "\"";
      const auto close = source.find(end, open);
      literals.push_back(source.substr(open + 1, close - open - 1));
      joins = true;
      i = close + end.size();
    } else if (rest.starts_with("'") && i > 0 && std::isalnum(static_cast<unsigned char>(source[i - 1])) == 0) {
      i = source.find('\'', i + (rest[1] == '\\' ? 3 : 2)) + 1;
    } else if (rest.starts_with('"')) {
      std::string literal;
      for (++i; source[i] != '"'; ++i) {
        if (source[i] == '\\') ++i;
        literal += source[i - 1] == '\\' && source[i] == 'n' ? '\n' : source[i];
      }
      ++i;
      if (joins) literals.back() += literal;
      else literals.push_back(std::move(literal));
      joins = true;
    } else {
      if (std::isspace(static_cast<unsigned char>(source[i])) == 0) joins = false;
      ++i;
    }
  }
  return literals;
}

Words code_of(const std::string& document) {
  Words code;
  bool in_block = false;
  for (std::size_t begin = 0; begin < document.size();) {
    const auto end = std::min(document.find('\n', begin), document.size());
    auto line = document.substr(begin, end - begin);
    begin = end + 1;
    if (line.starts_with("```")) {
      in_block = !in_block;
    } else if (in_block || line.starts_with("    ")) {
      line.erase(0, line.find_first_not_of(' '));
      if (line.starts_with("$ ")) line.erase(0, 2);
      line = line.substr(0, std::min(line.find("  "), line.find(" #")));
      code.push_back("`" + line + "`");
    } else {
      for (auto open = line.find('`'); open != std::string::npos; open = line.find('`', open + 1)) {
        const auto close = std::min(line.find('`', open + 1), line.size() - 1);
        code.push_back(line.substr(open, close - open + 1));
        open = close;
      }
    }
  }
  return code;
}

Words cells_of(const std::string& document, std::string_view program) {
  Words cells;
  const auto heading = fmt::format("\n## {}\n", program);
  const auto found = document.find(heading);
  if (found == std::string::npos) return cells;
  auto section = document.substr(found + heading.size());
  section = section.substr(0, section.find("\n## "));
  section = section.substr(0, section.find("\n### "));
  for (std::size_t line = section.find("\n| "); line != std::string::npos; line = section.find("\n| ", line + 1)) {
    const auto cell = section.substr(line + 3, section.find(" | ", line + 3) - line - 3);
    for (auto& code : code_of(cell)) {
      const bool is_command = code.starts_with("`-") || program == "gridctl";
      if (is_command) cells.push_back(fmt::format("`{} {}", program, code.substr(1)));
    }
  }
  return cells;
}

}  // namespace gleaner
