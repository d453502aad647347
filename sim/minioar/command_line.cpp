#include "sim/minioar/command_line.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "sim/minioar/spawn.hpp"

namespace gleaner::minioar {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view kMarker = "--minioar--arguments--";

std::string with_home(std::string text, const std::string& home) {
  if (const auto at = text.find("/~/"); at != std::string::npos) text.replace(at, 3, home + "/");
  return text;
}

/// The result of the shells for a text within double quotes. Empty: only the shells can determine it.
std::optional<std::string> read_within_quotes(std::string_view text) {
  if (text.find_first_of("`\0"sv) != std::string_view::npos) return std::nullopt;
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '$' || (text[at] == '\\' && !text.substr(at + 1).starts_with('$'))) return std::nullopt;
    if (text[at] == '\\') ++at;
    out += text[at];
  }
  return out;
}

/// The arguments, as the shells would read them. Empty: only they can.
std::optional<std::vector<std::string>> read_without_shell(const std::vector<std::string>& arguments, const PostedOptions& posted) {
  const auto named = [](const auto& option) {
    return std::ranges::all_of(option.first, [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; });
  };
  if (!std::ranges::all_of(posted.options, named)) return std::nullopt;
  std::vector<std::string> read;
  for (const auto& argument : arguments) {
    auto text = read_within_quotes(argument);
    if (!text) return std::nullopt;
    read.push_back(std::move(*text));
  }
  return read;
}

std::vector<std::string> split_at_nul(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto end = text.find('\0');
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return parts;
}

/// The shell's output, as if oarsub stood where the arguments are printed.
std::string as_of_oarsub(std::string output) {
  const auto printed = fmt::format("printf '%s\\0' {} \"$(pwd -P)\"", kMarker);
  if (const auto at = output.find(printed); at != std::string::npos) output.replace(at, printed.size(), "oarsub ");
  return output;
}

}  // namespace

std::string escape_before(std::string_view text, std::string_view marks) {
  std::string out;
  std::size_t backslashes = 0;
  for (const char c : text) {
    if (marks.find(c) != std::string_view::npos) out.append(backslashes + 1, '\\');
    backslashes = c == '\\' ? backslashes + 1 : 0;
    out += c;
  }
  return out;
}

tl::expected<CommandLine, ShellFailure> read_by_shell(const PostedOptions& posted, const std::string& home,
                                                      const std::vector<std::string>& environment, FolderIs folder) {
  CommandLine line;
  line.folder = home;
  std::string words;
  auto place = posted.workdir;
  for (const auto& [name, value] : posted.options) {
    if (name == "directory" && folder == FolderIs::where_oarsub_starts) {
      place = value;
      continue;
    }
    words += fmt::format(" --{}", name);
    if (!value.empty()) words += fmt::format("=\"{}\"", escape_before(value, "\""));
    line.arguments.push_back(value.empty() ? "--" + name : fmt::format("--{}={}", name, value));
  }
  if (posted.command) {
    words += with_home(fmt::format(" \"{}\"", escape_before(*posted.command, "\"")), home);
    line.arguments.push_back(with_home(*posted.command, home));
  }
  words = escape_before(words, "\"");
  line.shown = "oarsub " + words;
  if (auto read = place.empty() ? read_without_shell(line.arguments, posted) : std::nullopt) {
    line.arguments = std::move(*read);
    return line;
  }

  const auto go = place.empty() ? std::string{} : fmt::format("cd {} && ", with_home(place, home));
  const auto oarsub = fmt::format("printf '%s\\0' {} \\\"$(pwd -P)\\\"", kMarker);
  const auto inner = fmt::format("bash --noprofile --norc -c \"{}{}{}\"", go, oarsub, words);
  SpawnRequest request;
  request.program = "/bin/sh";
  request.arguments = {"sh", "-c", escape_before(inner, "`$")};
  request.environment = environment;
  request.directory = place.empty() ? home : "/";  // the API is no user's process
  const auto result = run_and_read(std::move(request));
  if (!result) return tl::unexpected{ShellFailure{255, "cannot run a shell\n", line.shown}};
  const auto marker = result->output.find(std::string{kMarker} + '\0');
  if (marker == std::string::npos || result->status != 0) {
    return tl::unexpected{
        ShellFailure{WIFEXITED(result->status) ? WEXITSTATUS(result->status) : 255, as_of_oarsub(result->output), line.shown}};
  }
  line.noise = result->output.substr(0, marker);
  line.arguments = split_at_nul(std::string_view{result->output}.substr(marker + kMarker.size() + 1));
  if (!place.empty()) line.folder = line.arguments.front();
  line.arguments.erase(line.arguments.begin());
  return line;
}

}  // namespace gleaner::minioar
