#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "lib/jdl/expression.hpp"

namespace gleaner::jdl {

/// A resource request with formulas as counts: `/nodes=1/core=2*p1`. A formula with `/`, `+` or `,` must be in brackets, `/core=(p1/2)`,
/// because these are OAR's own signs.
class ResourceTemplate {
 public:
  /// The greatest length, in bytes, and the greatest number of formulas.
  static constexpr std::size_t kLongest = 8'000;
  static constexpr std::size_t kMostFormulas = 32;

  /// Whether a count of the text is a formula: it has a letter and is not ALL, BEST or BESTHALF, or has an operator or bracket.
  [[nodiscard]] static bool is_one(std::string_view text) { return formulas(text) > 0; }
  /// Number of counts in the text that are formulas, valid or not.
  [[nodiscard]] static std::size_t formulas(std::string_view text);
  [[nodiscard]] static tl::expected<ResourceTemplate, std::string> compile(std::string_view text, const Expression::Names& names);

  [[nodiscard]] const std::string& text() const { return text_; }
  /// The counts that are formulas, in their order.
  [[nodiscard]] std::vector<Expression>& counts() { return counts_; }
  /// The request with each formula replaced by its value.
  [[nodiscard]] std::string filled(const std::vector<std::int64_t>& numbers) const;

 private:
  std::string text_;
  std::vector<std::string> between_;  ///< the text before each formula, and after the last
  std::vector<Expression> counts_;
};

}  // namespace gleaner::jdl
