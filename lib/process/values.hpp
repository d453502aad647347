#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/process/config.hpp"

/// How the values of options are written.
namespace gleaner::process {

/// `5`, `5s`, `200ms`, `2m`, `1h`, `90d`; a bare number is seconds. Not negative.
[[nodiscard]] std::optional<Duration> parse_duration(std::string_view text);

/// The shortest way to write it: `2m`, `200ms`.
[[nodiscard]] std::string format_duration(Duration duration);

/// Bytes: `4096`, `512K`, `64M`, `4G`; K is 1024.
[[nodiscard]] std::optional<std::uint64_t> parse_size(std::string_view text);

/// The shortest way to write it: `64M`, `1000`.
[[nodiscard]] std::string format_size(std::uint64_t bytes);

/// `~/x` is below $HOME; anything else is itself.
[[nodiscard]] std::filesystem::path expand_home(std::string_view text);

/// The parts of a comma-separated list, blanks around them removed; an empty text has none.
[[nodiscard]] std::vector<std::string> split_list(std::string_view text);

/// Without blanks at both ends.
[[nodiscard]] std::string_view trim(std::string_view text);

}  // namespace gleaner::process
