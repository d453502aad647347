#pragma once
#include <memory>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "sim/minioar/resource.hpp"

namespace gleaner::minioar {

/// A condition on the properties of a resource, in the subset of SQL that is used after `-p`: = != <> < > <= >=, [NOT] LIKE, [NOT] IN,
/// [NOT] BETWEEN, IS [NOT] NULL, AND, OR, NOT, parentheses.
class Condition {
 public:
  struct Node;

  /// Parses a condition. Error: worded like PostgreSQL's.
  [[nodiscard]] static tl::expected<Condition, std::string> parse(std::string_view text);
  /// Always true.
  Condition() = default;

  [[nodiscard]] bool holds(const Resource& resource) const;

 private:
  explicit Condition(std::shared_ptr<const Node> root) : root_{std::move(root)} {}
  std::shared_ptr<const Node> root_;
};

}  // namespace gleaner::minioar
