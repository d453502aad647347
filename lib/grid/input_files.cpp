#include "lib/grid/input_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lib/grid/campaign_folder.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::grid {
namespace {

constexpr std::size_t kDigits = 64;
constexpr int kMostWords = 1000;

struct Place {
  std::size_t begin;
  std::size_t end;   ///< after its brace
  std::size_t word;  ///< from 1
};
/// The next `{N}` from `from` on.
std::optional<Place> next_place(std::string_view pattern, std::size_t from) {
  for (auto open = pattern.find('{', from); open != std::string_view::npos; open = pattern.find('{', open + 1)) {
    const auto close = pattern.find('}', open);
    if (close == std::string_view::npos) return std::nullopt;
    const auto word = text::whole_number(pattern.substr(open + 1, close - open - 1), 1, kMostWords);
    if (word) return Place{open, close + 1, static_cast<std::size_t>(*word)};
  }
  return std::nullopt;
}

/// Takes the mode of a file from what follows its SHA-256 in a manifest, and leaves the path. Empty: it has neither form.
std::optional<int> take_mode(std::string_view& rest) {
  constexpr std::size_t kOfSha256sum = 2;
  constexpr std::size_t kOfMode = 5;
  if (rest.starts_with("  ") || rest.starts_with(" *")) {
    rest.remove_prefix(kOfSha256sum);
    return kPlainInput;
  }
  if (rest.size() < kOfMode || rest[0] != ' ' || rest[kOfMode - 1] != ' ') return std::nullopt;
  int mode = 0;
  for (const auto digit : rest.substr(1, kOfMode - 2)) {
    if (digit < '0' || digit > '7') return std::nullopt;
    mode = mode * 8 + (digit - '0');
  }
  rest.remove_prefix(kOfMode);
  return input_mode(mode);
}

}  // namespace

bool is_sha256(std::string_view text) {
  return text.size() == kDigits && std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

std::optional<std::string> wrong_input_path(std::string_view path) {
  if (path.empty()) return "it is empty";
  if (path.size() > kLongestInputPath) return fmt::format("it is longer than {} bytes", kLongestInputPath);
  if (path.front() == '/' || path.front() == '~') return "it is not relative to the folder of the campaign file";
  if (path.front() == ' ' || path.back() == ' ') return "it begins or ends with a blank";
  if (std::ranges::any_of(path, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f' || c == '\\'; }))
    return "it has a control character or a backslash";
  for (std::size_t begin = 0; begin <= path.size();) {
    const auto end = std::min(path.find('/', begin), path.size());
    const auto part = path.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") return "its parts between the slashes are not all names";
    begin = end + 1;
  }
  return std::nullopt;
}

std::size_t last_input_word(std::string_view pattern) {
  std::size_t last = 0;
  for (auto place = next_place(pattern, 0); place; place = next_place(pattern, place->end)) last = std::max(last, place->word);
  return last;
}

std::string input_path(std::string_view pattern, std::span<const std::string> words) {
  std::string path;
  std::size_t plain = 0;
  for (auto place = next_place(pattern, 0); place; place = next_place(pattern, place->end)) {
    path += pattern.substr(plain, place->begin - plain);
    if (place->word <= words.size()) path += words[place->word - 1];
    plain = place->end;
  }
  return path.append(pattern.substr(plain));
}

tl::expected<std::vector<InputFile>, std::string> read_manifest(std::string_view text) {
  std::vector<InputFile> files;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    auto rest = line.substr(std::min(kDigits, line.size()));
    const auto mode = is_sha256(line.substr(0, kDigits)) ? take_mode(rest) : std::nullopt;
    if (!mode || rest.empty())
      return tl::unexpected{fmt::format(
          "line {} is not a SHA-256, a mode and a path, as in 'SHA256 755 run.sh', nor a SHA-256, two blanks and a path, as sha256sum prints them",
          number)};
    InputFile file{.path = std::string{rest}, .sha256 = std::string{line.substr(0, kDigits)}, .mode = *mode};
    if (const auto wrong = wrong_input_path(file.path))
      return tl::unexpected{fmt::format("line {}: '{}' cannot be an input file: {}", number, file.path, *wrong)};
    files.push_back(std::move(file));
    if (files.size() > kMostInputFiles) return tl::unexpected{fmt::format("a campaign has {} input files at most", kMostInputFiles)};
  }
  std::ranges::sort(files, {}, &InputFile::path);
  const auto twice = std::ranges::adjacent_find(files, {}, &InputFile::path);
  if (twice != files.end()) return tl::unexpected{fmt::format("'{}' is there twice", twice->path)};
  return files;
}

std::string manifest_of(std::span<const InputFile> files) {
  std::string text;
  for (const auto& file : files) text += fmt::format("{} {:03o} {}\n", file.sha256, file.mode, file.path);
  return text;
}

std::int64_t place_inputs(std::vector<InputFile>& files) {
  std::ranges::sort(files, {}, [](const InputFile& file) { return std::pair{file.readers.first, std::string_view{file.path}}; });
  std::int64_t bytes = 0;
  for (auto& file : files) {
    file.begin = bytes;
    bytes += file.bytes;
  }
  return bytes;
}

std::int64_t input_pieces(std::int64_t bytes) { return (bytes + kInputPiece - 1) / kInputPiece; }

InputsThere::InputsThere(std::span<const InputFile> files, std::int64_t tasks, std::span<const Range> there)
    : files_{files}, tasks_{tasks} {
  for (const auto& file : files) bytes_ += file.bytes;
  const auto pieces = input_pieces(bytes_);
  there_.resize(static_cast<std::size_t>(pieces));
  for (const auto& range : there) {
    for (auto piece = std::max<std::int64_t>(0, range.first); piece < std::min(range.past, pieces); ++piece) add(piece);
  }
}

bool InputsThere::is_complete() const { return std::ranges::find(there_, false) == there_.end(); }

bool InputsThere::lacks(const InputFile& file) const {
  for (auto piece = file.begin / kInputPiece; piece * kInputPiece < file.begin + file.bytes; ++piece) {
    if (!has(piece)) return true;
  }
  return false;
}

std::vector<std::int64_t> InputsThere::missing() const {
  std::vector<std::int64_t> pieces;
  for (std::int64_t piece = 0; piece < std::ssize(there_); ++piece) {
    if (!has(piece)) pieces.push_back(piece);
  }
  return pieces;
}

std::vector<std::int64_t> InputsThere::missing_for(std::span<const Range> tasks) const {
  if (std::ranges::any_of(tasks, [&](const Range& range) { return range.past > tasks_; })) return missing();
  std::vector<std::int64_t> pieces;
  for (const auto& file : files_) {
    const auto reads = [&](const Range& range) { return file.readers.first < range.past && file.readers.last >= range.first; };
    if (file.bytes == 0 || std::ranges::none_of(tasks, reads)) continue;
    // The file before may end in this one's first piece.
    const auto first = std::max(file.begin / kInputPiece, pieces.empty() ? 0 : pieces.back() + 1);
    for (auto piece = first; piece * kInputPiece < file.begin + file.bytes; ++piece) {
      if (!has(piece)) pieces.push_back(piece);
    }
  }
  return pieces;
}

std::vector<Range> InputsThere::lacking() const {
  std::vector<Range> ranges;
  const auto add = [&](Range range) {
    if (range.first >= range.past) return;
    // The files are in the order of their first readers.
    if (!ranges.empty() && range.first <= ranges.back().past) ranges.back().past = std::max(ranges.back().past, range.past);
    else ranges.push_back(range);
  };
  for (const auto& file : files_) {
    if (lacks(file)) add({file.readers.first, std::min(file.readers.last + 1, tasks_)});
  }
  if (!is_complete()) add({tasks_, kNoTask});
  return ranges;
}

std::int64_t InputsThere::bytes_of(std::span<const std::int64_t> pieces) const {
  std::int64_t bytes = 0;
  for (const auto piece : pieces) bytes += std::min(kInputPiece, bytes_ - piece * kInputPiece);
  return bytes;
}

std::vector<Range> ranges_of(std::span<const std::int64_t> numbers) {
  std::vector<Range> ranges;
  for (const auto number : numbers) {
    if (!ranges.empty() && ranges.back().past == number) ++ranges.back().past;
    else ranges.push_back({number, number + 1});
  }
  return ranges;
}

std::string input_index(std::span<const InputFile> files) {
  std::string text;
  for (const auto& file : files) {
    const auto mode = file.mode == kPlainInput ? std::string{} : fmt::format(":{:03o}", file.mode);
    text += fmt::format("{} {} {}{} {}\n", file.sha256, file.begin, file.bytes, mode, file.path);
  }
  return text;
}

std::string inputs_folder(const Epochs& epochs, CampaignId campaign) { return fmt::format("{}/inputs", campaign_folder(epochs, campaign)); }

}  // namespace gleaner::grid
