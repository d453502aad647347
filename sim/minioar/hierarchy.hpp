#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "sim/minioar/condition.hpp"
#include "sim/minioar/resource.hpp"

namespace gleaner::minioar {

/// `/host=2`; a count below zero is kAll or kBest.
struct Level {
  std::string property;
  int count;
};
constexpr int kAll = -1;
constexpr int kBest = -2;

/// `{mem > 8}/host=2/core=4`
struct Group {
  std::string filter_text;  ///< without the braces, may be empty
  Condition filter;
  std::vector<Level> levels;
};

/// One `-l` option: groups joined by `+`, and a walltime.
struct Moldable {
  std::vector<Group> groups;
  std::int64_t walltime = 0;  ///< seconds
  bool walltime_given = false;
};

constexpr std::int64_t kDefaultWalltime = 7200;

struct RequestError {
  /// unrecognized_description, unrecognized_part: oarsub cannot read it, or a part of it; resource: the server refuses it.
  enum class Kind { unrecognized_description, unrecognized_part, resource };
  Kind kind;
  std::string message;  ///< as OAR prints it; of what is unrecognized, its text
};

/// Parses an `-l` option. `nodes` becomes network_address, a missing request `/core=1`, a missing walltime the default.
[[nodiscard]] tl::expected<Moldable, RequestError> parse_moldable(std::string_view text);

/// `-l "{type = 'default'}/core=1,walltime=2:0:0" `, as OAR shows what it understood.
[[nodiscard]] std::string wanted_resources(const Moldable& moldable);

/// h:m:s without padding.
[[nodiscard]] std::string walltime_text(std::int64_t seconds);

/// The usable resources, and their order of preference.
struct Choice {
  std::span<const Resource> resources;
  std::vector<bool> usable;  ///< by place in resources
  std::vector<int> rank;     ///< lower first, by place; empty: by id
  bool groups_meet = false;  ///< a resource may serve two groups of a request, and counts once, as in OAR 3
};

/// Takes out what best-effort jobs do not get.
void keep_best_effort(Choice& choice);

/// Indices of the resources that a request gets, in order. Empty: it does not fit. A level takes whole values: `/host=1` needs all eligible
/// resources of one host.
[[nodiscard]] std::optional<std::vector<int>> place(const Moldable& moldable, const Condition& properties, const Choice& choice);

}  // namespace gleaner::minioar
