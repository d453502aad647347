#pragma once
#include <string>
#include <string_view>

#include "lib/process/run.hpp"

namespace gleaner::process {

/// A manual page: troff with the macros `man`. All texts are plain; whatever troff would read in them is escaped.
class ManualPage {
 public:
  /// @param purpose  what it is for, in one sentence, for the section NAME
  ManualPage(std::string_view name, int section, std::string_view purpose);

  void begin_section(std::string_view title);
  /// Lines of the text stay lines.
  void add_text(std::string_view text);
  /// A term in bold, the argument in italics, and what it means.
  void add_item(std::string_view term, std::string_view argument, std::string_view meaning);
  /// The same for an option, with its dashes.
  void add_option(const std::string& usage, std::string_view meaning);

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// The page of a program: its options, commands, configuration keys and exit statuses, as --help lists them.
[[nodiscard]] std::string manual_of(const Program& program);

/// The page gleaner.conf(5): every configuration key.
[[nodiscard]] std::string manual_of_configuration();

}  // namespace gleaner::process
