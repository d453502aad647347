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
constexpr std::string_view kLongMark{".long."};
constexpr std::string_view kPathMark{".path."};
/// A byte takes at most three characters.
constexpr int kMostParts = static_cast<int>((3 * kLongestOutputPath + kPartOfPath - 1) / kPartOfPath);

bool is_plain(char c, std::string_view more) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || more.find(c) != std::string_view::npos;
}

/// Whether it names a file: a job gathers nothing else. A name such as `/` would stand for the task's folder itself.
bool is_path_of_file(std::string_view name) { return !name.empty() && !name.ends_with('/'); }

/// A number as a program prints it, up to `most`.
std::optional<int> take_count(std::string_view& text, int least, int most) {
  const bool is_padded = text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
  if (text.empty() || text[0] < '0' || text[0] > '9' || is_padded) return std::nullopt;
  const auto value = text::take_whole_number<int>(text);
  return value && *value >= least && *value <= most ? std::optional{*value} : std::nullopt;
}

bool take_dot(std::string_view& text) {
  if (!text.starts_with('.')) return false;
  text.remove_prefix(1);
  return true;
}

/// The beginning of the name of each output: its task and its attempt.
std::optional<TaskOutput> take_stem(std::string_view& text) {
  TaskOutput output;
  const auto task = text::take_whole_number(text);
  if (!task || *task < 0) return std::nullopt;
  output.task = *task;
  if (text.size() > 1 && text[0] == '.' && text[1] >= '1' && text[1] <= '9') {
    text.remove_prefix(1);
    const auto attempt = text::take_whole_number<int>(text);
    if (!attempt) return std::nullopt;
    output.attempt = *attempt;
  }
  return output;
}

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
  if (output.number > 0) return fmt::format("{}{}{}", stem(output), kLongMark, output.number);
  return stem(output) + std::string{kFileMark} + encoded_path(output.name);
}

std::optional<TaskOutput> read_output_name(std::string_view name) {
  auto rest = name;
  auto output = take_stem(rest);
  if (!output) return std::nullopt;
  if (rest == ".err") output->kind = OutputKind::standard_error;
  if (rest.starts_with(kFileMark)) {
    auto file = decoded_path(rest.substr(kFileMark.size()));
    if (!file) return std::nullopt;
    output->kind = OutputKind::file;
    output->name = std::move(*file);
  } else if (rest.starts_with(kLongMark)) {
    rest.remove_prefix(kLongMark.size());
    const auto number = take_count(rest, 1, kMostOutputFiles);
    if (!number) return std::nullopt;
    output->kind = OutputKind::file;
    output->number = *number;
  }
  // Only the one spelling of each name is accepted.
  return output_name(*output) == name ? std::move(output) : std::nullopt;
}

/// The wrapper has the same set of characters.
std::string encoded_path(std::string_view path) { return text::percent_encoded(path, "._,=+@-"); }

std::optional<std::string> decoded_path(std::string_view text) {
  auto path = text::percent_decoded(text);
  if (!path || !is_path_of_file(*path) || encoded_path(*path) != text) return std::nullopt;
  return path;
}

bool LongPaths::add(std::string_view name) {
  auto rest = name;
  auto file = take_stem(rest);
  if (!file || stem(*file) != name.substr(0, name.size() - rest.size()) || !rest.starts_with(kPathMark)) return false;
  rest.remove_prefix(kPathMark.size());
  const auto number = take_count(rest, 1, kMostOutputFiles);
  const auto part = number && take_dot(rest) ? take_count(rest, 0, kMostParts - 1) : std::nullopt;
  const auto count = part && take_dot(rest) ? take_count(rest, *part + 1, kMostParts) : std::nullopt;
  if (!count || !take_dot(rest) || rest.empty() || rest.size() > kPartOfPath) return false;
  auto& parts = files_.try_emplace(File{file->task, file->attempt, *number}, Parts{.count = *count, .texts = {}}).first->second;
  if (!parts.texts.try_emplace(*part, rest).second || parts.count != *count) parts.count = 0;
  return true;
}

std::optional<std::string> LongPaths::of(const TaskOutput& file) const {
  const auto found = files_.find({file.task, file.attempt, file.number});
  if (found == files_.end() || std::cmp_not_equal(found->second.texts.size(), found->second.count)) return std::nullopt;
  std::string whole;
  for (const auto& [part, text] : found->second.texts) whole += text;
  auto path = decoded_path(whole);
  return path && path->size() <= kLongestOutputPath ? std::move(path) : std::nullopt;
}

std::string shared_stream_begin(CampaignId campaign, std::string_view cluster) {
  constexpr std::string_view kKept{"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"};
  std::string name;
  for (const char letter : cluster.substr(0, 60)) name += kKept.find(letter) == std::string_view::npos ? '_' : letter;
  return fmt::format("OAR.cigri.{}.{}.", campaign.value(), name);
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
