#include "lib/jdl/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/jdl/key_readers.hpp"
#include "lib/jdl/text.hpp"
#include "lib/jdl/values.hpp"
#include "lib/text/numbers.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::jdl {
namespace {

constexpr std::string_view kInputFiles = "input_files";
constexpr std::size_t kMostInputPatterns = 100;
constexpr int kMostInputWords = 1000;

void read_input_pattern(const Node& node, const std::string& path, std::vector<std::string>& into, Findings& findings) {
  const auto pattern = read_word(node, path, "the path of a file beside the campaign file, e.g. \"data/{1}.bin\"", findings);
  if (!pattern) return;
  if (const auto wrong = grid::wrong_input_path(*pattern))
    findings.add(node.offset, path, *pattern, fmt::format("'{}' cannot be an input file: {}", excerpt(*pattern), *wrong));
  into.push_back(*pattern);
}

/// The pattern with numbers for names.
tl::expected<std::string, std::string> numbered(const std::string& pattern, const std::vector<std::string>& parameter_names) {
  std::string result;
  std::size_t plain = 0;
  for (auto open = pattern.find('{'); open != std::string::npos; open = pattern.find('{', plain)) {
    const auto close = std::min(pattern.find('}', open), pattern.size() - 1);
    const auto name = pattern.substr(open + 1, close - open - 1);
    const auto named = std::ranges::find(parameter_names, name);
    const bool is_number = text::whole_number(name, 1, kMostInputWords).has_value();
    if (!is_number && named == parameter_names.end()) {
      const std::vector<std::string_view> known{parameter_names.begin(), parameter_names.end()};
      return tl::unexpected{fmt::format(
          "'{}': '{{{}}}' is no word of the parameter{}; there are {{1}} for its first word, {{2}} for its second, and the parameter_names",
          excerpt(pattern), excerpt(name), text::did_you_mean(name, known))};
    }
    result += pattern.substr(plain, open - plain);
    result += fmt::format("{{{}}}", is_number ? name : std::to_string(named - parameter_names.begin() + 1));
    plain = close + 1;
  }
  return result + pattern.substr(plain);
}

}  // namespace

void read_input_files(const Node& node, const std::string& path, CampaignLevel& level, Findings& findings) {
  auto& patterns = level.file.input_files;
  if (node.kind == NodeKind::string) {
    read_input_pattern(node, path, patterns, findings);
  } else if (node.kind != NodeKind::array || node.elements.empty()) {
    findings.add(
        node.offset, path, shown(node),
        fmt::format("'{}' is no list of files; write an array of paths, e.g. [\"model.cfg\", \"data/{{1}}.bin\"]", excerpt(shown(node))));
  } else if (node.elements.size() > kMostInputPatterns) {
    findings.add(node.offset, path, shown(node),
                 fmt::format("there are {} patterns; there may be {}", node.elements.size(), kMostInputPatterns));
  } else {
    for (const auto& element : node.elements) read_input_pattern(element, path, patterns, findings);
  }
}

void number_inputs(const Document& document, CampaignFile& campaign, Findings& findings) {
  for (auto& pattern : campaign.input_files) {
    if (auto result = numbered(pattern, campaign.parameter_names)) {
      pattern = std::move(*result);
    } else {
      const auto& key = *std::ranges::find(document.root.members, kInputFiles, &Member::key);
      findings.add(key.value.offset, campaign_path(document.form, key.spelling), pattern, std::move(result.error()));
    }
  }
}

std::optional<double> constant_input_mb(const CampaignFile& file) {
  const auto megabytes = text::real_number(file.input_mb);
  return megabytes ? std::optional{*megabytes} : std::nullopt;
}

bool has_input(const CampaignFile& file) { return !file.input_mb.empty() || !file.input_files.empty(); }

tl::expected<std::vector<std::string>, std::string> input_paths(const CampaignFile& file, std::int64_t task, const Parameter& parameter) {
  const auto read = file.params_shell ? shell_words_of(parameter) : arguments_of(parameter);
  const auto words = read.value_or(Arguments{});
  std::vector<std::string> paths;
  for (const auto& pattern : file.input_files) {
    auto path = grid::input_path(pattern, words);
    const auto wrong = grid::last_input_word(pattern) > words.size()
                           ? std::optional{fmt::format("the parameter has {} word{}", words.size(), words.size() == 1 ? "" : "s")}
                           : grid::wrong_input_path(path);
    if (wrong)
      return tl::unexpected{
          fmt::format("task {}, parameter {}: input_files has '{}', and {}", task, quoted_parameter(parameter), excerpt(pattern), *wrong)};
    paths.push_back(std::move(path));
  }
  return paths;
}

KnownInputs::KnownInputs(std::span<const grid::InputFile> files) {
  for (const auto& file : files) files_.emplace(file.path, Known{.bytes = file.bytes});
}

tl::expected<void, std::string> KnownInputs::read_by(const CampaignFile& file, std::int64_t task, const Parameter& parameter) {
  const auto paths = input_paths(file, task, parameter);
  if (!paths) return tl::unexpected{paths.error()};
  for (const auto& path : *paths) {
    const auto found = files_.find(path);
    if (found == files_.end())
      return tl::unexpected{
          fmt::format("task {}, parameter {}: its input file '{}' is not among those that the campaign was submitted with", task,
                      quoted_parameter(parameter), excerpt(path))};
    auto& readers = found->second.readers;
    readers.first = std::min(readers.first, task);
    readers.last = std::max(readers.last, task);
  }
  return {};
}

grid::Readers KnownInputs::readers_of(std::string_view path) const {
  const auto found = files_.find(path);
  return found == files_.end() ? grid::Readers{} : found->second.readers;
}

double KnownInputs::megabytes(const CampaignFile& file, const Parameter& parameter) const {
  constexpr double kMegabyte = 1e6;
  auto paths = input_paths(file, 0, parameter).value_or(std::vector<std::string>{});
  std::ranges::sort(paths);
  const auto repeated = std::ranges::unique(paths);
  paths.erase(repeated.begin(), repeated.end());
  std::int64_t bytes = 0;
  for (const auto& path : paths) {
    if (const auto found = files_.find(path); found != files_.end()) bytes += found->second.bytes;
  }
  return static_cast<double>(bytes) / kMegabyte;
}

}  // namespace gleaner::jdl
