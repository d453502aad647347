#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/jdl/tree.hpp"
#include "sim/gridsim/engine/distribution.hpp"

/// Readers of single values of a scenario. Each reports an invalid value, and then returns empty.
namespace gleaner::gridsim {

using jdl::Findings;
using jdl::Node;

/// The path of a value, for messages: `clusters.alpha.nodes`.
struct Path {
  std::string text;
  [[nodiscard]] Path operator/(std::string_view key) const { return {text.empty() ? std::string{key} : text + '.' + std::string{key}}; }
};

/// One key of an object: its name, and what reads its value.
struct Key {
  std::string_view name;
  std::function<void(const Node&, const Path&)> read;
  enum class Need { optional, mandatory } need = Need::optional;
};
/// Reads an object by the table of its keys. A key that is not in the table is an error with the closest known key; so is a missing
/// mandatory key.
/// @return false: the value is not an object
bool read_object(const Node& node, const Path& path, const std::vector<Key>& keys, Findings& findings);

/// An array of names.
void read_names(const Node& node, const Path& path, Findings& findings, std::vector<std::string>& into);

/// A finite number within bounds.
struct Range {
  double least;
  double most;
};
[[nodiscard]] std::optional<double> read_number(const Node& node, const Path& path, Range range, Findings& findings);

/// Seconds: "90s", "5m", "2h", "1d", "200ms", or a bare number of seconds, within bounds.
[[nodiscard]] std::optional<double> read_seconds(const Node& node, const Path& path, Range range, Findings& findings);

/// A duration that is always the same, or {"uniform": [LEAST, MOST]}, {"exponential": MEAN},
/// {"lognormal": {"median", "sigma", "least", "most"}}, {"list": [...]}.
[[nodiscard]] std::optional<Distribution> read_distribution(const Node& node, const Path& path, Findings& findings);

/// Reports what is wrong with a value, and what is expected.
void refuse(const Node& node, const Path& path, std::string_view right, Findings& findings);

}  // namespace gleaner::gridsim
