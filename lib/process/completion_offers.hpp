#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "lib/process/run.hpp"
#include "lib/process/shown_options.hpp"

/// The content of completions, which is the same in every shell.
namespace gleaner::process {

/// The completions at one place of the command line.
struct Offer {
  enum class Kind { nothing, words, answer, settings, files, folders, users };
  Kind kind = Kind::nothing;
  std::string text{};  ///< words, settings: with blanks between them; answer: the command that prints them, one a line
};

/// By the name of the value in --help (FILE, USER, `none|basic`), or its choices.
[[nodiscard]] Offer offer_of(std::string_view value, const std::vector<std::string>& choices = {});

/// A place among the arguments that are no options.
struct Position {
  std::size_t at = 0;       ///< 1: the first; 0: any
  std::string before{};     ///< the words before it that matter
  bool is_further = false;  ///< more words may stand between
  Offer offer{};
};

[[nodiscard]] std::vector<Position> positions_of(const Program& program);

}  // namespace gleaner::process
