#include "lib/jdl/scripts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/jdl/text.hpp"
#include "lib/jdl/unbuilt_keys.hpp"
#include "lib/jdl/values.hpp"

namespace gleaner::jdl {
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

}  // namespace

void read_prologue(const Node& node, const std::string& path, SectionLevel& into, Findings& findings) {
  read_commands(node, path, into.section.prologue, findings);
}

void read_epilogue(const Node& node, const std::string& path, SectionLevel& into, Findings& findings) {
  read_commands(node, path, into.section.epilogue, findings);
}

}  // namespace gleaner::jdl
