#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <rapidjson/document.h>

#include "lib/jdl/campaign_file.hpp"
#include "lib/jdl/tree.hpp"
#include "lib/text/json_writer.hpp"

/// The keys of a cluster, which the campaign may state for all of them: each key's reader and stored form. For lib/jdl only.
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
  std::optional<std::string> stated_walltime;  ///< stated here, by walltime or in resources
};

/// Reads one key if it is a cluster's: sets the value, or adds a problem.
/// @return false when it is no key of a cluster
[[nodiscard]] bool read_cluster_key(const Member& member, const std::string& path, SectionLevel& into, Findings& findings);

/// Reads a number or a string as an expression.
[[nodiscard]] std::optional<std::string> read_expression(const Node& node, const std::string& path, Findings& findings);

/// The stored form of a section (campaign_json.cpp): an object of its keys.
void write_section(text::JsonWriter& json, const ClusterSection& section);
/// Reads the output of write_section. Throws Malformed (stored_json.hpp).
[[nodiscard]] ClusterSection read_section(std::string name, const rapidjson::Value& value);

/// The keys that read_cluster_key knows.
[[nodiscard]] const std::vector<std::string_view>& cluster_keys();

}  // namespace gleaner::jdl
