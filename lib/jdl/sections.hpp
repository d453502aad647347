#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/jdl/campaign_file.hpp"
#include "lib/jdl/tree.hpp"

/// The levels of a file at which a cluster's keys may stand, while it is read. For lib/jdl only.
namespace gleaner::jdl {

/// An expression and its place. It is checked after the whole file was read, because its names may be defined later.
struct WrittenExpression {
  enum class Kind { walltime, resources, memory, input } kind;
  std::string text;
  std::size_t offset;
  std::string path;
};

/// Which keys of outputs one level states: two of them may mean the same, as CiGri's are understood too.
struct OutputKeys {
  std::string directory{};  ///< output_directory or output_destination; empty: neither
  std::string files{};      ///< output_files or output_file
  std::string gathering{};  ///< output_gathering_method
  std::size_t files_offset = 0;
};

/// One level of the file: the top level, or one cluster, which begins as a copy of the top level.
struct SectionLevel {
  ClusterSection section;                      ///< what this level states, else what the level above does, else the defaults
  std::optional<JobKind> kind;                 ///< stated here or above; the default depends on the campaign's type
  std::optional<CampaignType> test_mode;       ///< stated here or above
  bool has_exec_file = false;                  ///< stated here or above, rightly or wrongly
  std::vector<WrittenExpression> expressions;  ///< stated here, not yet checked
  OutputKeys outputs;                          ///< the keys of outputs that are stated here
  std::string resources_key{};                 ///< `resources` or `resource`, whichever is stated here; empty: neither
  std::optional<std::string> stated_walltime;  ///< stated here, by walltime or in resources
};

/// Reads a number or a string as an expression.
[[nodiscard]] std::optional<std::string> read_expression(const Node& node, const std::string& path, Findings& findings);

}  // namespace gleaner::jdl
