#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "lib/grid/exit_status.hpp"
#include "lib/grid/input_files.hpp"
#include "lib/grid/task_outputs.hpp"
#include "lib/inputs/sha256.hpp"
#include "lib/text/numbers.hpp"
#include "sim/wrapper/files.hpp"
#include "sim/wrapper/shell.hpp"

/// A task's input files and outputs.
namespace gleaner::wrapper {

/// A line of the campaign's index of input files.
struct IndexedInput {
  std::string sha256;
  std::int64_t begin = 0;
  std::int64_t bytes = 0;
  mode_t mode = grid::kPlainInput;
};

namespace {

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::optional<IndexedInput> find_in_index(const std::string& index, const std::string& name) {
  for (std::size_t at = 0; at < index.size();) {
    const auto end = std::min(index.find('\n', at), index.size());
    const auto line = std::string_view{index}.substr(at, end - at);
    at = end + 1;
    const auto words = split_at_blanks(line.substr(0, line.size() - std::min(line.size(), name.size())));
    constexpr std::size_t kWords = 3;
    if (!line.ends_with(" " + name) || words.size() != kWords) continue;
    const auto colon = words[2].find(':');
    IndexedInput found{words[0], text::whole_number<std::int64_t>(words[1]).value_or(0),
                       text::whole_number<std::int64_t>(std::string_view{words[2]}.substr(0, colon)).value_or(0)};
    if (colon != std::string::npos) found.mode = static_cast<mode_t>(std::stoul(words[2].substr(colon + 1), nullptr, 8));
    return found;
  }
  return std::nullopt;
}

}  // namespace

Course Shell::bring_inputs() {
  for (const auto& word : script_.input_words) {
    const auto name = value_of_word(word, *this);
    std::string why;
    auto bringing = bring_input(name, why);
    co_await bringing;
    if (why.empty()) continue;
    auto quitting = note_and_quit('u', fmt::format("its input file {} cannot be used, nothing was run: {}", name, why));
    co_await quitting;
  }
}

/// get_input_file()
Course Shell::bring_input(const std::string& name, std::string& why) {
  const auto folder = campaign_folder() + "/inputs";
  const auto wanted = folder + "/f/" + name;
  if (exists(wanted)) co_return;
  const auto indexed = find_in_index(content_of(folder + "/index").value_or(""), name);
  if (!indexed) {
    why = "it is not among the files that were brought here";
    co_return;
  }
  std::string bytes;
  for (auto piece = indexed->begin / grid::kInputPiece; piece * grid::kInputPiece < indexed->begin + indexed->bytes; ++piece)
    bytes += content_of(fmt::format("{}/{}", folder, piece)).value_or("");
  const auto skipped = static_cast<std::size_t>(indexed->begin % grid::kInputPiece);
  bytes = skipped < bytes.size() ? bytes.substr(skipped, static_cast<std::size_t>(indexed->bytes)) : std::string{};
  const auto parts = folder + "/." + base_name(own_);
  bool works = co_await before(Step::input_file);
  works = works && make_folders(wanted.substr(0, wanted.rfind('/'))) && write_file(parts, bytes, Create::any);
  if (works && inputs::sha256_of_text(bytes) == indexed->sha256) {
    works = co_await before(Step::input_file);
    if (works && ::chmod(parts.c_str(), indexed->mode) == 0 && rename_file(parts, wanted)) co_return;
  }
  (void)remove_all(parts);
  why = fmt::format("it is damaged or incomplete here: its SHA-256 is not {}", indexed->sha256);
}

Course Shell::open_output_folder() {
  auto folder = value_of_word(script_.output_word, *this);
  const auto task = text::whole_number<std::int64_t>(words_[0]).value_or(0);
  if (task > 999) folder += fmt::format("/{}", task / grid::kTasksOfOutputFolder * grid::kTasksOfOutputFolder);
  output_base_ = fmt::format("{}/{}", folder, words_[0]);
  if (words_[1] != "0") output_base_ += "." + words_[1];
  bool works = co_await before(Step::output_folder);
  works = works && make_folders(folder) && append_file(output_base_ + ".out", {}) && append_file(output_base_ + ".err", {});
  if (!works) {
    auto quitting = note_and_quit('u', "its output directory cannot be used, nothing was run: No space left on device");
    co_await quitting;
  }
  out_ = output_base_ + ".out";
  err_ = output_base_ + ".err";
}

Course Shell::gather_outputs() {
  int number = 0;
  for (const auto& word : script_.output_patterns) {
    const auto found = expand(value_of_word(word, *this, Quoted::marked), folder_);
    for (const auto& file : found) {
      if (!is_file(file.starts_with('/') ? file : folder_ + "/" + file)) continue;
      if (++number > grid::kMostOutputFiles) {
        say("more than 1000 files match output_files, the others were not gathered");
        if (status_ == 0) status_ = grid::kNotGathered;
        break;
      }
      auto gathering = gather(file, number);
      co_await gathering;
    }
  }
}

Course Shell::gather(const std::string& file, int number) {
  auto path = std::string_view{file};
  for (const auto& begin : {folder_ + "/", std::string{"./"}, std::string{"/"}}) {
    if (path.starts_with(begin)) path.remove_prefix(begin.size());
  }
  const auto encoded = grid::encoded_path(path);
  auto name = fmt::format("{}.file.{}", output_base_, encoded);
  const bool works = co_await before(Step::output_file);
  if (base_name(name).size() > grid::kLongestFileName) {
    name = fmt::format("{}.long.{}", output_base_, number);
    const auto parts = (encoded.size() + grid::kPartOfPath - 1) / grid::kPartOfPath;
    for (std::size_t part = 0; works && part < parts; ++part) {
      (void)write_file(fmt::format("{}.path.{}.{}.{}.{}", output_base_, number, part, parts,
                                   encoded.substr(part * grid::kPartOfPath, grid::kPartOfPath)),
                       {}, Create::any);
    }
  }
  const auto from = std::filesystem::path{folder_} / file;
  std::error_code error;
  if (works) {
    (void)remove_all(name);
    std::filesystem::create_hard_link(std::filesystem::canonical(from, error), name, error);
    if (error) std::filesystem::copy_file(from, name, std::filesystem::copy_options::overwrite_existing, error);
    if (!error) co_return;
  }
  (void)remove_all(name);
  say(fmt::format("its output file {} cannot be gathered: No space left on device", file));
  if (status_ == 0) status_ = grid::kNotGathered;
}

}  // namespace gleaner::wrapper
