#pragma once
#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

/// Reading a parameter file as a user of this machine: the program `param-file`, one process for each file, so that a file system that
/// hangs holds nobody but that process.
namespace gleaner::param_file {

/// The most bytes of a parameter file.
inline constexpr std::size_t kMostBytes = std::size_t{16} << 20U;

struct Question {
  uid_t user = 0;
  std::string path;
};
/// `1000\n/home/ada/list.txt\n`. Error: it is none.
[[nodiscard]] tl::expected<Question, std::string> parse(std::string_view text);
[[nodiscard]] std::string text_of(const Question& question);

/// The answer: `ok 1234`, a line, and the 1234 bytes of the file; or a line that is the reason why there are none.
[[nodiscard]] std::string head_of(std::size_t bytes);
inline constexpr std::size_t kLongestHead = 32;
/// The bytes of a file out of an answer. Error: the reason; empty if the answer is not whole.
[[nodiscard]] tl::expected<std::string, std::string> bytes_of(std::string answer);

struct Site {
  std::vector<std::string> folders;  ///< files below these are read, and no others
  std::filesystem::path locks;       ///< a folder that is this program's alone
};

/// Becomes the user for good, with the user's groups, and reads the file. One process at a time does so for a user. Only a regular file is
/// opened; a link that leads out of the allowed folder is not followed. Error: the reason, for the user.
[[nodiscard]] tl::expected<std::string, std::string> read_as(const Question& question, const Site& site);

}  // namespace gleaner::param_file
