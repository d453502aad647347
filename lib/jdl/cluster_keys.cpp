#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "lib/grid/oarsub_words.hpp"
#include "lib/jdl/key_readers.hpp"
#include "lib/jdl/text.hpp"
#include "lib/jdl/unbuilt_keys.hpp"
#include "lib/jdl/values.hpp"
#include "lib/text/shell_text.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::jdl {
namespace {

constexpr std::size_t kLongestCommand = 64 * 1024;
constexpr std::size_t kLongestTypes = 80;  // a job's message in OAR contains all of them

/// Text that OAR receives unchanged has a grammar: oarsub_words.hpp.
struct Place {
  const Node& node;
  const std::string& path;
};
void check_words(const std::string& text, std::string_view what, std::optional<std::string> (*wrong)(std::string_view), Place place,
                 Findings& findings) {
  if (const auto why = wrong(text))
    findings.add(place.node.offset, place.path, text, fmt::format("'{}' is not {}: {}", excerpt(text), what, *why));
}

void read_for_oar(const Node& node, const std::string& path, std::string_view what, std::optional<std::string> (*wrong)(std::string_view),
                  std::string& into, Findings& findings) {
  auto text = read_text(node, path, findings);
  if (!text) return;
  if (!text->empty()) check_words(*text, what, wrong, {node, path}, findings);
  into = std::move(*text);
}

}  // namespace

void read_exec_file(const Node& node, const std::string& path, SectionLevel& into, Findings& findings) {
  into.has_exec_file = true;
  auto command = read_word(node, path, "the command that each task runs, e.g. $HOME/run.sh", findings);
  if (!command) return;
  if (command->size() > kLongestCommand)
    findings.add(node.offset, path, *command,
                 fmt::format("it is longer than {} kB: put it into a script on the cluster", kLongestCommand / 1024));
  into.section.exec_file = std::move(*command);
}

void read_exec_directory(const Node& node, const std::string& path, SectionLevel& into, Findings& findings) {
  auto directory = read_word(node, path, "the folder in which the tasks run, or leave it out: $HOME", findings);
  if (!directory) return;
  const auto wrong = [](std::string_view text) { return grid::wrong_exec_directory(text::without_oarsub_backslashes(text)); };
  check_words(*directory, "a folder for tasks", wrong, {node, path}, findings);
  into.section.exec_directory = std::move(*directory);
}

void read_memory(const Node& node, const std::string& path, SectionLevel& into, Findings& findings) {
  const auto memory = read_expression(node, path, findings);
  if (!memory) return;
  into.section.memory_mb = *memory;
  into.expressions.push_back({WrittenExpression::Kind::memory, *memory, node.offset, path});
}

void read_properties(const Node& node, const std::string& path, SectionLevel& into, Findings& findings) {
  read_for_oar(node, path, "a condition on resources", grid::wrong_properties, into.section.properties, findings);
}

void read_project(const Node& node, const std::string& path, SectionLevel& into, Findings& findings) {
  read_for_oar(node, path, "a project", grid::wrong_project, into.section.project, findings);
}

namespace {

/// The types of a list with commas between them. One type of OAR has a comma itself: `timesharing=user,name`, with `*` for each word.
std::vector<std::string> split_job_types(std::string_view text) {
  constexpr std::array<std::string_view, 3> kSecond{"user", "name", "*"};
  std::vector<std::string> types;
  for (std::size_t begin = 0; begin <= text.size() && !text.empty();) {
    const auto comma = std::min(text.find(',', begin), text.size());
    const auto part = trim(text.substr(begin, comma - begin));
    begin = comma + 1;
    const bool is_second = !types.empty() && types.back().starts_with("timesharing=") && types.back().find(',') == std::string::npos &&
                           std::ranges::find(kSecond, part) != kSecond.end();
    if (is_second) types.back().append(",").append(part);
    else types.emplace_back(part);
  }
  return types;
}

/// One type, of a list or an array. False: it is none, and was reported.
bool take_job_type(std::string type, const Node& node, const std::string& path, std::vector<std::string>& types, Findings& findings) {
  if (type.empty()) {
    findings.add(node.offset, path, node.text,
                 fmt::format("'{}' has an empty part; write for instance \"devel\" or \"devel,night\"", excerpt(node.text)));
    return false;
  }
  if (type == "besteffort" || type == "best-effort") {
    findings.add(node.offset, path, type,
                 fmt::format("'{}' does not belong here; write \"type\": \"best-effort\" (it is the default)", type));
    return false;
  }
  check_words(type, "a type of jobs", grid::wrong_job_type, {node, path}, findings);
  if (std::ranges::find(types, type) == types.end()) types.push_back(std::move(type));
  return true;
}

}  // namespace

void read_job_types(const Node& node, const std::string& path, SectionLevel& into, Findings& findings) {
  std::vector<std::string> types;
  for (const auto& element : node.kind == NodeKind::array ? std::span{node.elements} : std::span{&node, 1}) {
    const auto text = read_text(element, path, findings);
    if (!text) return;
    // An element of an array is one type, with its commas.
    const auto parts = node.kind == NodeKind::array ? std::vector<std::string>{std::string{trim(*text)}} : split_job_types(*text);
    for (const auto& type : parts) {
      if (!take_job_type(type, element, path, types, findings)) return;
    }
  }
  std::size_t bytes = types.empty() ? 0 : types.size() - 1;
  for (const auto& type : types) bytes += type.size();
  if (bytes > kLongestTypes)
    findings.add(node.offset, path, shown(node),
                 fmt::format("they take {} bytes together, more than the {} that OAR keeps of them", bytes, kLongestTypes));
  into.section.job_types = std::move(types);
}

void read_type(const Node& node, const std::string& path, SectionLevel& into, Findings& findings) {
  const auto text = read_word(node, path, "best-effort or normal", findings);
  if (!text) return;
  into.kind = *text == "besteffort" ? JobKind::best_effort : job_kind(*text);
  if (into.kind) return;
  if (*text == "semi-best-effort" || *text == "nightly") {
    findings.add(node.offset, path, *text, fmt::format("'{}' is not supported by this version; write best-effort or normal", *text));
    return;
  }
  constexpr std::array<std::string_view, 2> kKinds{"best-effort", "normal"};
  const bool campaign = grid::campaign_type(*text).has_value();
  const auto hint = campaign ? std::string{"; a test campaign is declared by \"test_mode\": true"} : text::did_you_mean(*text, kKinds);
  findings.add(node.offset, path, *text, fmt::format("'{}' is not a type of jobs; write best-effort or normal{}", excerpt(*text), hint));
}

void read_test_mode(const Node& node, const std::string& path, SectionLevel& into, Findings& findings) {
  if (const auto is_test = read_yes(node, path, findings)) into.test_mode = *is_test ? CampaignType::test : CampaignType::default_;
}

std::optional<std::string> read_expression(const Node& node, const std::string& path, Findings& findings) {
  if (node.kind == NodeKind::number) return node.text;
  return read_word(node, path, "a number or an expression, e.g. 2 * input_mb", findings);
}

namespace {

constexpr std::size_t kLongestScript = 64 * 1024;

/// Adds a problem, and returns false, if no shell can be given the text as it is.
bool is_command(const Node& node, const std::string& path, Findings& findings) {
  if (node.kind != NodeKind::string) {
    findings.add(
        node.offset, path, shown(node),
        fmt::format("'{}' is {}, not a command; write a string, e.g. \"mkdir -p ~/data\"", excerpt(shown(node)), kind_name(node.kind)));
    return false;
  }
  const auto control = std::ranges::find_if(node.text, [](unsigned char c) { return (c < 0x20 && c != '\t' && c != '\n') || c == 0x7F; });
  if (control == node.text.end()) return true;
  findings.add(node.offset, path, node.text, fmt::format("'{}' has a control character in it", excerpt(node.text)));
  return false;
}

}  // namespace

void read_commands(const Node& node, const std::string& path, std::vector<std::string>& commands, Findings& findings) {
  commands.clear();
  if (is_neutral(node)) return;
  if (node.kind != NodeKind::array) {
    findings.add(
        node.offset, path, shown(node),
        fmt::format("'{}' is {}; write a list of commands, e.g. [\"mkdir -p ~/data\"]", excerpt(shown(node)), kind_name(node.kind)));
    return;
  }
  std::size_t bytes = 0;
  for (const auto& element : node.elements) {
    if (!is_command(element, path, findings)) return;
    commands.push_back(element.text);
    bytes += element.text.size() + 1;
  }
  if (bytes > kLongestScript)
    findings.add(node.offset, path, shown(node),
                 fmt::format("they are longer than {} kB together: put them into a script on the cluster", kLongestScript / 1024));
}

}  // namespace gleaner::jdl
