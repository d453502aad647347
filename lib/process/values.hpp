#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/process/config.hpp"

/// The textual form of options' values.
namespace gleaner::process {

/// `5`, `5s`, `200ms`, `2m`, `1h`, `90d`; a bare number is seconds. Negative values are refused.
[[nodiscard]] std::optional<Duration> parse_duration(std::string_view text);

/// The shortest form: `2m`, `200ms`.
[[nodiscard]] std::string format_duration(Duration duration);

/// Bytes: `4096`, `512K`, `64M`, `4G`; K is 1024.
[[nodiscard]] std::optional<std::uint64_t> parse_size(std::string_view text);

/// The shortest form: `64M`, `1000`.
[[nodiscard]] std::string format_size(std::uint64_t bytes);

/// Replaces `~/` at the beginning by $HOME; any other text is unchanged.
[[nodiscard]] std::filesystem::path expand_home(std::string_view text);

/// The path from the root, `~/` replaced; an empty text stays empty.
[[nodiscard]] std::string absolute_path(std::string_view text);

/// The parts of a comma-separated list, without blanks around them; none for an empty text.
[[nodiscard]] std::vector<std::string> split_list(std::string_view text);

/// The text without blanks at both ends.
[[nodiscard]] std::string_view trim(std::string_view text);

}  // namespace gleaner::process
