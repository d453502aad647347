#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace gleaner::jdl {

/// A formula of named numbers in muParser's syntax: `+ - * / ^`, comparisons, `c ? a : b`, min, max, sqrt, ln, ceil, floor and the like,
/// and the constants second, minute, hour and day (in seconds).
class Expression {
 public:
  /// The greatest length of a formula, in bytes.
  static constexpr std::size_t kLongest = 1000;

  /// The names that a formula may use: those that `known` accepts; `suggestions` are offered for a misspelt one.
  struct Names {
    std::function<bool(std::string_view)> known;
    std::vector<std::string_view> suggestions;
  };
  /// Reads a formula; the error states what is wrong (syntax, an unknown name).
  [[nodiscard]] static tl::expected<Expression, std::string> compile(std::string_view text, const Names& names);

  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;
  ~Expression();

  [[nodiscard]] const std::string& text() const;
  /// The names in the formula, sorted.
  [[nodiscard]] const std::vector<std::string>& names() const;
  /// @param values  one for each of `names()`
  /// @return a finite number, or the error of the computation
  [[nodiscard]] tl::expected<double, std::string> evaluate(std::span<const double> values);

 private:
  struct Implementation;
  explicit Expression(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

/// Whether a name may be defined: letters, digits and `_`, no digit first, and no function or constant of formulas.
[[nodiscard]] bool is_free_name(std::string_view name);

}  // namespace gleaner::jdl
