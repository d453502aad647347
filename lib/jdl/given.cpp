#include "lib/jdl/given.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lib/jdl/key_readers.hpp"
#include "lib/jdl/named_words.hpp"
#include "lib/jdl/stored_json.hpp"
#include "lib/jdl/text.hpp"
#include "lib/jdl/values.hpp"
#include "lib/text/numbers.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::jdl {
namespace {

std::string wrong_name(const std::string& name) {
  return fmt::format(
      "'{}' cannot be a name of a number: letters, digits and '_' are, and neither p1, p2… nor what expressions have already",
      excerpt(name));
}

/// Adds a problem, and returns false, if there are too many.
bool are_few(std::size_t names, const Node& node, const std::string& path, Findings& findings) {
  if (names <= grid::kMostGiven) return true;
  findings.add(node.offset, path, shown(node), fmt::format("there are {} names; there may be {}", names, grid::kMostGiven));
  return false;
}

}  // namespace

void read_gives(const Node& node, const std::string& path, CampaignLevel& into, Findings& findings) {
  auto& names = into.file.gives;
  if (node.kind != NodeKind::array || node.elements.empty())
    return findings.add(node.offset, path, shown(node),
                        fmt::format("it is {}; write the names of the numbers that each task writes into $CIGRI_GIVES, e.g. [\"cells\"]",
                                    node.kind == NodeKind::array ? "empty" : kind_name(node.kind)));
  if (!are_few(node.elements.size(), node, path, findings)) return;
  for (const auto& element : node.elements) {
    const auto name = read_word(element, path, "a name", findings);
    if (!name) continue;
    if (!may_be_named(*name)) findings.add(element.offset, path, *name, wrong_name(*name));
    else if (std::ranges::find(names, *name) != names.end())
      findings.add(element.offset, path, *name, fmt::format("'{}' is there twice", *name));
    names.push_back(*name);
  }
}

void read_given_key(const Node& node, const std::string& path, CampaignLevel& into, Findings& findings) {
  if (node.kind != NodeKind::object || node.members.empty())
    return findings.add(node.offset, path, shown(node),
                        fmt::format("it is {}; write for each number its name, and the value where none is given: {{ \"cells\": 1000 }}",
                                    node.kind == NodeKind::object ? "empty" : kind_name(node.kind)));
  if (!are_few(node.members.size(), node, path, findings)) return;
  for (const auto& member : node.members) {
    const auto place = fmt::format("{}.{}", path, excerpt(member.spelling));
    if (!may_be_named(member.key)) {
      findings.add(member.offset, place, member.key, wrong_name(member.key));
      continue;
    }
    const bool is_value = member.value.kind == NodeKind::number || member.value.kind == NodeKind::string;
    const auto value = is_value ? text::real_number(trim(member.value.text)) : tl::unexpected{text::NumberError::malformed};
    if (value) into.file.given[member.key] = *value;
    else
      findings.add(member.value.offset, place, shown(member.value),
                   fmt::format("'{}' is not a number; write the one that expressions have where none is given, e.g. 1000",
                               excerpt(shown(member.value))));
  }
}

void stored::write_value(text::JsonWriter& json, const grid::Given& given) {
  json.object([&] {
    for (const auto& [name, value] : given) json.field(name, value);
  });
}
void stored::read_value(const rapidjson::Value& value, std::string_view name, grid::Given& into) {
  if (!value.IsObject()) throw Malformed{fmt::format("'{}' is not an object", name)};
  for (const auto& member : value.GetObject()) into.emplace(text(member.name, name), number(member.value, name));
}

std::optional<std::string> wrong_given(const CampaignFile& file) {
  if (file.given.empty()) return std::nullopt;
  const bool follows =
      std::ranges::any_of(file.dependencies, [](const Dependency& one) { return one.kind == grid::DependencyKind::after_each; });
  if (!follows) return "no task gives numbers to its tasks: write \"after_each\", the campaign whose tasks do, too";
  for (const auto& [name, assumed] : file.given) {
    if (std::ranges::find(file.parameter_names, name) != file.parameter_names.end())
      return fmt::format("'{}' is a word of the parameter, too (parameter_names): write another name for one of them", name);
  }
  return std::nullopt;
}

std::optional<std::string> not_given(const CampaignFile& taker, const std::vector<Giver>& givers) {
  for (const auto& [name, assumed] : taker.given) {
    std::vector<std::string_view> known;
    const Giver* first = nullptr;
    for (const auto& giver : givers) {
      known.insert(known.end(), giver.names.begin(), giver.names.end());
      if (std::ranges::find(giver.names, name) == giver.names.end()) continue;
      if (first != nullptr)
        return fmt::format("campaigns {} and {} both give '{}': name one of them in after_each, or write another name",
                           first->campaign.value(), giver.campaign.value(), name);
      first = &giver;
    }
    if (first != nullptr) continue;
    const auto hint = text::did_you_mean(name, known);
    return fmt::format("no campaign of after_each gives '{}'{}{}", name, hint,
                       !hint.empty() ? ""
                       : known.empty()
                           ? fmt::format(": write \"gives\": [\"{}\"] there", name)
                           : fmt::format("; {} given", fmt::format("{} {}", fmt::join(known, ", "), known.size() == 1 ? "is" : "are")));
  }
  return std::nullopt;
}

}  // namespace gleaner::jdl
