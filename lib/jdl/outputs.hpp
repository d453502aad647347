#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/jdl/sections.hpp"
#include "lib/jdl/tree.hpp"

/// The keys of what tasks leave: output_directory, output_files, and those of CiGri that mean the same.
namespace gleaner::jdl {

// Readers of the keys, for the table in sections.cpp.
void read_output_directory(const Node& node, const std::string& path, SectionLevel& into, Findings& findings);
void read_output_files(const Node& node, const std::string& path, SectionLevel& into, Findings& findings);
void read_output_destination(const Node& node, const std::string& path, SectionLevel& into, Findings& findings);
void read_output_file(const Node& node, const std::string& path, SectionLevel& into, Findings& findings);
void read_output_gathering(const Node& node, const std::string& path, SectionLevel& into, Findings& findings);

/// The error in the patterns of a section, now that all its keys and the names of the parameters are known. Empty: there is none.
[[nodiscard]] std::optional<std::string> wrong_outputs(const ClusterSection& section, const OutputKeys& keys,
                                                       const std::vector<std::string>& parameter_names);

}  // namespace gleaner::jdl
