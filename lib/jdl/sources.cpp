#include "lib/jdl/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lib/jdl/values.hpp"

namespace gleaner::jdl {
namespace {

constexpr std::array<std::string_view, 3> kSources{"params", "param_file", "nb_jobs"};

void wrong_parameter(const Node& node, const std::string& path, Findings& findings) {
  findings.add(node.offset, path, shown(node),
               fmt::format("'{}' is not a parameter; write a string (split into words as a shell does) or an array of strings",
                           excerpt(shown(node))));
}

std::optional<Parameter> read_arguments(Node& node, const std::string& path, Findings& findings) {
  Arguments arguments;
  arguments.reserve(node.elements.size());
  for (auto& element : node.elements) {
    if (element.kind != NodeKind::string && element.kind != NodeKind::number) {
      findings.add(
          element.offset, path, shown(element),
          fmt::format("'{}' is {}, not an argument; write a string or a number", excerpt(shown(element)), kind_name(element.kind)));
      return std::nullopt;
    }
    arguments.push_back(std::move(element.text));
  }
  return arguments;
}

std::optional<Parameter> read_parameter(Node& node, const std::string& path, Findings& findings) {
  if (node.kind == NodeKind::array) return read_arguments(node, path, findings);
  if (node.kind == NodeKind::string || node.kind == NodeKind::number) return std::move(node.text);
  wrong_parameter(node, path, findings);
  return std::nullopt;
}

ParamSource read_params(Node& node, const std::string& path, Findings& findings) {
  if (node.kind != NodeKind::array) {
    findings.add(node.offset, path, shown(node), fmt::format("it is {}; write an array, e.g. [\"1 a\", \"2 b\"]", kind_name(node.kind)));
    return {};
  }
  if (node.elements.empty()) findings.add(node.offset, path, "[]", "it is empty: a campaign has at least one task");
  Params params;
  params.values.reserve(node.elements.size());
  for (std::size_t i = 0; i < node.elements.size(); ++i) {
    const auto element_path = [&] { return fmt::format("{}[{}]", path, i); };
    auto& element = node.elements[i];
    const auto offset = element.offset;
    const auto before = findings.count();
    auto parameter = read_parameter(element, element.kind == NodeKind::string ? std::string{} : element_path(), findings);
    if (!parameter || findings.count() != before) continue;
    if (const auto checked = check(*parameter); !checked) {
      const auto* line = std::get_if<std::string>(&*parameter);
      findings.add(offset, element_path(), line ? *line : "[ … ]", checked.error().message);
    } else {
      params.values.push_back(std::move(*parameter));
    }
  }
  return params;
}

ParamSource read_one(Member& member, const std::string& path, Findings& findings) {
  if (member.key == "params") return read_params(member.value, path, findings);
  if (member.key == "param_file") {
    constexpr std::size_t kLongestFileName = 4095;
    auto file = read_word(member.value, path, "the path of a file with one parameter a line", findings);
    if (file && file->size() > kLongestFileName)
      findings.add(member.value.offset, path, *file, fmt::format("it is longer than {} bytes", kLongestFileName));
    return file ? ParamSource{ParamFile{std::move(*file)}} : ParamSource{};
  }
  const auto count = read_integer(member.value, path, {0, kMostTasks}, findings);
  if (count && *count == 0)
    findings.doubt(member.value.offset, path, "0", "there are no tasks; write how many there are",
                   ": the campaign ends at once, and 'gridsub --campaign ID' can append some");
  return count ? ParamSource{Count{*count}} : ParamSource{};
}

bool is_source_key(std::string_view key) { return std::ranges::find(kSources, key) != kSources.end(); }

}  // namespace

ParamSource read_source(Document& document, Findings& findings) {
  auto& members = document.root.members;
  const auto params = std::ranges::find(members, "params", &Member::key);
  const Member* first = params == members.end() ? nullptr : &*params;
  ParamSource source;
  if (first != nullptr) source = read_one(*params, campaign_path(document.form, params->spelling), findings);
  for (auto& member : members) {
    if (!is_source_key(member.key) || &member == first) continue;
    const auto path = campaign_path(document.form, member.spelling);
    auto read = read_one(member, path, findings);
    if (first == nullptr) {
      first = &member;
      source = std::move(read);
    } else if (first->key == "params") {
      findings.doubt(member.offset, path, member.spelling,
                     fmt::format("'{}' has no effect: the parameters are those of '{}'", member.spelling, first->spelling));
    } else {
      findings.add(member.offset, path, member.spelling,
                   fmt::format("'{}' and '{}' both say the parameters: keep one of them", first->spelling, member.spelling));
    }
  }
  return source;
}

}  // namespace gleaner::jdl
