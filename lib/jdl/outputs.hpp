#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/jdl/campaign_file.hpp"

/// The keys of what tasks leave: output_directory, output_files, and those of CiGri that mean the same.
namespace gleaner::jdl {

/// Why keys of CiGri's have no effect in a section, as they had none there; empty: they have one.
/// @param gathering  output_gathering_method, or empty
/// @param files      the key by which output_files are stated: output_files, output_file, or empty
[[nodiscard]] std::optional<std::string_view> vain_outputs(const ClusterSection& section, std::string_view gathering,
                                                           std::string_view files);

/// The error in the patterns of a section, now that all its keys and the names of the parameters are known. Empty: there is none.
[[nodiscard]] std::optional<std::string> wrong_outputs(const ClusterSection& section, const std::vector<std::string>& parameter_names);

}  // namespace gleaner::jdl
