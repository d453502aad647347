#include "lib/jdl/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lib/grid/oarsub_words.hpp"
#include "lib/grid/task_outputs.hpp"
#include "lib/jdl/key_readers.hpp"
#include "lib/jdl/text.hpp"
#include "lib/jdl/unbuilt_keys.hpp"
#include "lib/jdl/values.hpp"
#include "lib/text/numbers.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::jdl {
namespace {

constexpr std::size_t kMostPatterns = 20;
constexpr std::size_t kLongestPattern = 1000;
constexpr int kMostWords = 1000;
constexpr std::string_view kPattern = "a pattern, e.g. \"result-{TASK}.dat\" or \"{1}/*.csv\"";

/// The macros whose value is the same, or none, for all tasks; and those that distinguish tasks.
constexpr std::array<std::string_view, 2> kCommonMacros{"HOME", "CAMPAIGN_ID"};
constexpr std::array<std::string_view, 3> kTaskMacros{"TASK", "ATTEMPT", "OAR_JOB_ID"};

bool is_one_of(std::span<const std::string_view> names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

/// The place of a word of the parameter, from 1.
std::optional<int> word_of(std::string_view macro, const std::vector<std::string>& parameter_names) {
  if (const auto place = text::whole_number(macro, 1, kMostWords); place && macro[0] != '0') return *place;
  const auto named = std::ranges::find(parameter_names, macro);
  return named == parameter_names.end() ? std::nullopt : std::optional{static_cast<int>(named - parameter_names.begin()) + 1};
}

struct Macro {
  std::size_t begin;
  std::size_t end;  ///< after its brace
  std::string_view name;
};
/// The next macro from `from` on. An open brace that is not closed is a macro up to the end, without a name.
std::optional<Macro> next_macro(std::string_view pattern, std::size_t from) {
  for (auto open = pattern.find('{', from); open != std::string_view::npos; open = pattern.find('{', open + 1)) {
    if (open > 0 && pattern[open - 1] == '$') continue;  // ${HOME}
    const auto close = pattern.find('}', open);
    if (close == std::string_view::npos) return Macro{open, pattern.size(), {}};
    return Macro{open, close + 1, pattern.substr(open + 1, close - open - 1)};
  }
  return std::nullopt;
}

std::optional<std::string> wrong_pattern(const std::string& pattern, const std::vector<std::string>& parameter_names) {
  bool is_of_its_task = false;
  for (auto macro = next_macro(pattern, 0); macro; macro = next_macro(pattern, macro->end)) {
    if (is_one_of(kCommonMacros, macro->name)) continue;
    if (!is_one_of(kTaskMacros, macro->name) && !word_of(macro->name, parameter_names)) {
      std::vector<std::string_view> known{parameter_names.begin(), parameter_names.end()};
      known.insert(known.end(), kCommonMacros.begin(), kCommonMacros.end());
      known.insert(known.end(), kTaskMacros.begin(), kTaskMacros.end());
      return fmt::format(
          "'{}': there is no macro '{{{}}}'{}; there are {{TASK}}, {{1}} for the first word of the parameter, {{ATTEMPT}}, "
          "{{OAR_JOB_ID}}, {{CAMPAIGN_ID}}, {{HOME}}, and the parameter_names",
          excerpt(pattern), excerpt(macro->name), text::did_you_mean(macro->name, known));
    }
    is_of_its_task = is_of_its_task || macro->name != "ATTEMPT";
  }
  if (is_of_its_task) return std::nullopt;
  return fmt::format(
      "'{}' matches the files of every task: write {{TASK}}, {{OAR_JOB_ID}} or a word of the parameter, such as {{1}}, into it",
      excerpt(pattern));
}

void read_pattern(const Node& node, const std::string& path, std::vector<std::string>& into, Findings& findings) {
  const auto pattern = read_word(node, path, kPattern, findings);
  if (!pattern) return;
  const auto wrong = [&](std::string_view why) {
    findings.add(node.offset, path, *pattern, fmt::format("'{}' is not a pattern of files: {}", excerpt(*pattern), why));
  };
  if (pattern->size() > kLongestPattern) wrong(fmt::format("it is longer than {} bytes", kLongestPattern));
  else if (const auto why = grid::wrong_directory(*pattern)) wrong(*why);
  else if (fmt::format("/{}/", *pattern).find("/../") != std::string::npos) wrong("'..' cannot be a part of it; write an absolute path");
  into.push_back(*pattern);
}

}  // namespace

void read_output_directory(const Node& node, const std::string& path, SectionLevel& into, Findings& findings) {
  if (!is_first(into.outputs.directory, "output_directory", node, path, findings)) return;
  const auto folder = read_word(node, path, "the folder of the tasks' outputs, e.g. results or /scratch/$USER/pi", findings);
  if (!folder) return;
  if (const auto why = grid::wrong_output_directory(*folder))
    findings.add(node.offset, path, *folder, fmt::format("'{}' is not a folder of outputs: {}", excerpt(*folder), *why));
  into.section.output_directory = *folder;
}

void read_output_files(const Node& node, const std::string& path, SectionLevel& into, Findings& findings) {
  if (!is_first(into.outputs.files, "output_files", node, path, findings)) return;
  into.outputs.files_offset = node.offset;
  into.section.output_files.clear();
  if (node.kind == NodeKind::string) return read_pattern(node, path, into.section.output_files, findings);
  if (node.kind != NodeKind::array) {
    findings.add(
        node.offset, path, shown(node),
        fmt::format("'{}' is {}; write an array of patterns, e.g. [\"result-{{TASK}}.dat\"]", excerpt(shown(node)), kind_name(node.kind)));
    return;
  }
  if (node.elements.size() > kMostPatterns) {
    findings.add(node.offset, path, shown(node),
                 fmt::format("there are {} patterns; there may be {}", node.elements.size(), kMostPatterns));
    return;
  }
  for (const auto& element : node.elements) read_pattern(element, path, into.section.output_files, findings);
}

void read_output_destination(const Node& node, const std::string& path, SectionLevel& into, Findings& findings) {
  if (is_neutral(node)) return;
  if (!is_first(into.outputs.directory, "output_destination", node, path, findings)) return;
  const auto folder = read_word(node, path, "the folder of the tasks' outputs on the cluster, e.g. results", findings);
  if (!folder) return;
  if (folder->find(':') != std::string::npos) {
    findings.add(
        node.offset, path, *folder,
        fmt::format("'{}' is on another machine, and outputs are gathered on their cluster: write \"output_directory\": \"results\", and "
                    "fetch them with 'gridget ID --to DIR'",
                    excerpt(*folder)));
    return;
  }
  if (const auto why = grid::wrong_output_directory(*folder))
    findings.add(node.offset, path, *folder, fmt::format("'{}' is not a folder of outputs: {}", excerpt(*folder), *why));
  into.section.output_directory = *folder;
}

void read_output_file(const Node& node, const std::string& path, SectionLevel& into, Findings& findings) {
  if (is_neutral(node)) return;
  if (!is_first(into.outputs.files, "output_file", node, path, findings)) return;
  into.outputs.files_offset = node.offset;
  into.section.output_files.clear();
  read_pattern(node, path, into.section.output_files, findings);
}

void read_output_gathering(const Node& node, const std::string& path, SectionLevel& into, Findings& findings) {
  if (is_neutral(node)) return;
  const auto method = read_word(node, path, "collector, or leave it out", findings);
  if (!method) return;
  if (lower(*method) == "collector") {
    into.outputs.gathering = *method;
    return;
  }
  findings.doubt(
      node.offset, path, *method,
      fmt::format("'{}' is not supported by this version; write output_directory and output_files, which gather the files on their "
                  "cluster, fetch them with 'gridget ID --to DIR', and copy them on from there",
                  excerpt(*method)),
      ": it has no effect");
}

std::optional<std::string_view> vain_outputs(const ClusterSection& section, std::string_view gathering, std::string_view files) {
  if (section.output_files.empty() && !gathering.empty())
    return "output_gathering_method needs output_files, the patterns of the files that a task leaves";
  if (section.output_directory.empty() && files == "output_file")
    return "output_file needs output_directory, the folder in which the files are gathered, e.g. \"output_directory\": \"results\"";
  return std::nullopt;
}

std::optional<std::string> wrong_outputs(const ClusterSection& section, const std::vector<std::string>& parameter_names) {
  if (section.output_files.empty()) return std::nullopt;
  if (section.output_directory.empty())
    return "output_files need output_directory, the folder in which they are gathered, e.g. \"output_directory\": \"results\"";
  for (const auto& pattern : section.output_files) {
    if (auto wrong = wrong_pattern(pattern, parameter_names)) return wrong;
  }
  return std::nullopt;
}

std::string stored_output_files(const ClusterSection& section, const std::vector<std::string>& parameter_names) {
  std::string lines;
  for (const auto& pattern : section.output_files) {
    if (!lines.empty()) lines += '\n';
    std::size_t plain = 0;
    for (auto macro = next_macro(pattern, 0); macro; macro = next_macro(pattern, macro->end)) {
      lines += pattern.substr(plain, macro->begin - plain);
      const auto word = word_of(macro->name, parameter_names);
      lines += word ? fmt::format("{{{}}}", *word) : pattern.substr(macro->begin, macro->end - macro->begin);
      plain = macro->end;
    }
    lines += pattern.substr(plain);
  }
  return lines;
}

}  // namespace gleaner::jdl
