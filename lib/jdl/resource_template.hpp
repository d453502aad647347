#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "lib/jdl/expression.hpp"

namespace gleaner::jdl {

/// A resource request some of whose counts are formulas: `/nodes=1/core=2*p1`. A formula in which `/`,
/// `+` or `,` stand is put in brackets, `/core=(p1/2)`, as these signs are OAR's own.
class ResourceTemplate {
 public:
  /// The most bytes of one, and the most counts of it that are formulas.
  static constexpr std::size_t kLongest = 8'000;
  static constexpr std::size_t kMostFormulas = 32;

  /// Whether a count of the text is a formula: it has a letter and is not ALL, BEST or BESTHALF, or has
  /// an operator or bracket.
  [[nodiscard]] static bool is_one(std::string_view text) { return formulas(text) > 0; }
  /// How many counts of the text are formulas, right or wrong.
  [[nodiscard]] static std::size_t formulas(std::string_view text);
  [[nodiscard]] static tl::expected<ResourceTemplate, std::string> compile(std::string_view text, const Expression::Names& names);

  [[nodiscard]] const std::string& text() const { return text_; }
  /// The counts that are formulas, in their order.
  [[nodiscard]] std::vector<Expression>& counts() { return counts_; }
  /// The request, each formula replaced by its whole number.
  [[nodiscard]] std::string filled(const std::vector<std::int64_t>& numbers) const;

 private:
  std::string text_;
  std::vector<std::string> between_;  ///< the text before each formula, and behind the last
  std::vector<Expression> counts_;
};

}  // namespace gleaner::jdl
