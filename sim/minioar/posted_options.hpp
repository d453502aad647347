#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

namespace gleaner::minioar {

/// An error answer: {"code","title","message"}.
struct ApiError {
  unsigned code;
  std::string title;
  std::string message;
};

/// The posted options of a job, and the parts that are not options of oarsub.
struct PostedOptions {
  std::vector<std::pair<std::string, std::string>> options;  ///< in their order; an empty value: a flag
  std::optional<std::string> command;
  std::optional<std::string> script;
  std::string param_file;  ///< bytes as OAR writes them to its file: Latin-1 when that holds them all
  std::string workdir;
};

/// Reads the JSON of POST /jobs. Invalid JSON yields code 500 without a title: OAR's server fails on it, and answers HTML.
[[nodiscard]] tl::expected<PostedOptions, ApiError> read_posted_job(const std::string& json);

/// The "mode" of a chmod's JSON.
[[nodiscard]] tl::expected<std::string, ApiError> read_mode(const std::string& json);

/// Converts UTF-8 to Latin-1; returns the text itself if Latin-1 lacks one of its characters.
[[nodiscard]] std::string latin1_when_possible(const std::string& utf8);

}  // namespace gleaner::minioar
