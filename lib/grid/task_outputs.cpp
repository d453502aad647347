#include "lib/grid/task_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "lib/grid/oarsub_words.hpp"
#include "lib/text/numbers.hpp"
#include "lib/text/percent.hpp"

namespace gleaner::grid {
namespace {

constexpr std::string_view kFileMark{".file."};

bool is_plain(char c, std::string_view more) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || more.find(c) != std::string_view::npos;
}

/// The wrapper has the same set.
std::string encoded(std::string_view name) { return text::percent_encoded(name, "._,=+@-"); }

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string name;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      name += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) return std::nullopt;
    name += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return name;
}

/// Whether it names a file: a job gathers nothing else. A name such as `/` would stand for the task's folder itself.
bool is_path_of_file(std::string_view name) { return !name.empty() && !name.ends_with('/'); }

std::string stem(const TaskOutput& output) {
  return output.attempt == 0 ? std::to_string(output.task) : fmt::format("{}.{}", output.task, output.attempt);
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) text.replace(at, what.size(), by);
  return text;
}

}  // namespace

std::string output_folder(std::string_view directory, std::int64_t task) {
  const auto thousand = task / kTasksOfOutputFolder * kTasksOfOutputFolder;
  return thousand == 0 ? std::string{directory} : fmt::format("{}/{}", directory, thousand);
}

std::string_view name_of(OutputKind kind) {
  switch (kind) {
    case OutputKind::standard_output: return "stdout";
    case OutputKind::standard_error: return "stderr";
    case OutputKind::file: return "file";
  }
  return "";
}

std::string output_name(const TaskOutput& output) {
  switch (output.kind) {
    case OutputKind::standard_output: return stem(output) + ".out";
    case OutputKind::standard_error: return stem(output) + ".err";
    case OutputKind::file: break;
  }
  return stem(output) + std::string{kFileMark} + encoded(output.name);
}

std::optional<TaskOutput> read_output_name(std::string_view name) {
  TaskOutput output;
  auto rest = name;
  const auto task = text::take_whole_number(rest);
  if (!task || *task < 0) return std::nullopt;
  output.task = *task;
  if (rest.size() > 1 && rest[0] == '.' && rest[1] >= '1' && rest[1] <= '9') {
    rest.remove_prefix(1);
    const auto attempt = text::take_whole_number<int>(rest);
    if (!attempt) return std::nullopt;
    output.attempt = *attempt;
  }
  if (rest == ".err") output.kind = OutputKind::standard_error;
  if (rest.starts_with(kFileMark)) {
    auto file = decoded(rest.substr(kFileMark.size()));
    if (!file || !is_path_of_file(*file)) return std::nullopt;
    output.kind = OutputKind::file;
    output.name = std::move(*file);
  }
  // Only the one spelling of each name is accepted.
  return output_name(output) == name ? std::optional{std::move(output)} : std::nullopt;
}

std::string stream_name(CampaignId campaign, RemoteJobId remote, std::optional<TaskNumber> pooled, OutputKind kind) {
  const auto task = pooled ? fmt::format(".{}", pooled->value()) : std::string{};
  return fmt::format("OAR.cigri.{}.{}{}.{}", campaign.value(), remote.value(), task, name_of(kind));
}

bool is_home(std::string_view folder) {
  while (folder.ends_with('/')) folder.remove_suffix(1);
  return folder == "$HOME" || folder == "${HOME}";
}

std::string folder_with_values(std::string_view folder, std::string_view home, std::string_view login) {
  std::string path{folder};
  for (const std::string_view variable : {"${HOME}", "$HOME"}) path = replaced(std::move(path), variable, home);
  for (const std::string_view variable : {"${USER}", "$USER", "${LOGNAME}", "$LOGNAME"}) path = replaced(std::move(path), variable, login);
  return path;
}

std::string media_folder(std::string_view folder, std::string_view login) {
  std::string path{folder};
  for (const std::string_view home : {"${HOME}", "$HOME"}) {
    if (path.starts_with(home)) {
      path.replace(0, home.size(), "~");
      break;
    }
  }
  for (const std::string_view user : {"${USER}", "$USER", "${LOGNAME}", "$LOGNAME"}) path = replaced(std::move(path), user, login);
  return path;
}

std::optional<std::string> unreadable_character(std::string_view folder) {
  constexpr std::string_view kMore = "/-_.,:=@+%~";
  constexpr std::array<std::string_view, 8> kReplaced{"{HOME}",     "{CAMPAIGN_ID}", "${HOME}", "${USER}",
                                                      "${LOGNAME}", "$HOME",         "$USER",   "$LOGNAME"};
  for (auto rest = folder; !rest.empty();) {
    const auto* const macro = std::ranges::find_if(kReplaced, [&](std::string_view one) { return rest.starts_with(one); });
    if (macro != kReplaced.end()) {
      rest.remove_prefix(macro->size());
    } else if (is_plain(rest.front(), kMore)) {
      rest.remove_prefix(1);
    } else {
      std::size_t size = 1;
      while (size < rest.size() && (static_cast<unsigned char>(rest[size]) & 0xC0U) == 0x80U) ++size;
      return std::string{rest.substr(0, size)};
    }
  }
  return std::nullopt;
}

std::optional<std::string> wrong_output_directory(std::string_view text) {
  constexpr std::string_view kRightFolder =
      "write letters, digits and / - _ . , : = @ + alone, as in results, ~/pi/{CAMPAIGN_ID} or /scratch/$USER/pi";
  if (auto wrong = wrong_directory(text)) return wrong;
  auto character = unreadable_character(text);
  // In the names of folders these two mean something else: a home, and a byte of a name.
  const auto home = text == "~" || text.starts_with("~/") ? 1U : 0U;
  if (const auto other = text.find_first_of("%~", home); !character && other != std::string_view::npos)
    character = std::string(1, text[other]);
  if (character) return fmt::format("OAR's API can read no file whose path has '{}' in it; {}", *character, kRightFolder);
  if (fmt::format("/{}/", text).find("/../") != std::string::npos) return fmt::format("'..' cannot be a part of it; {}", kRightFolder);
  return std::nullopt;
}

}  // namespace gleaner::grid
