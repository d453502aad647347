#include "lib/grid/resource_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>

#include "lib/grid/oarsub_words.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::grid {
namespace {

constexpr std::array<std::string_view, 4> kLeaves{"core", "resource_id", "thread", "cpuset"};
constexpr std::size_t kLongestRequest = 8000;

bool is_leaf(std::string_view property) { return std::ranges::find(kLeaves, property) != kLeaves.end(); }

std::string_view trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

bool is_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

tl::expected<ResourceLevel, std::string> parse_level(std::string_view field) {
  const auto equals = field.find('=');
  if (equals == std::string_view::npos)
    return tl::unexpected{fmt::format("'{}' has no '=': a level is written property=count, as in /nodes=2/core=4", field)};
  const auto property = trim(field.substr(0, equals));
  const auto count = trim(field.substr(equals + 1));
  if (!is_word(property)) return tl::unexpected{fmt::format("'{}' is not the name of a resource property", property)};
  if (property == "walltime")
    return tl::unexpected{std::string{"the walltime does not belong in 'resources': write it as \"walltime\": \"h:m:s\""}};
  if (count == "ALL" || count == "BEST" || count == "BESTHALF") return ResourceLevel{std::string{property}, std::nullopt};
  const auto number = text::whole_number<int>(count, 1);
  if (!number) return tl::unexpected{fmt::format("'{}' in '{}' is not a count (a whole number from 1, ALL or BEST)", count, field)};
  return ResourceLevel{std::string{property}, *number};
}

/// Nodes that the levels of a group name.
std::optional<int> nodes_of(const std::vector<ResourceLevel>& levels) {
  std::int64_t nodes = 1;
  for (const auto& level : levels) {
    if (!level.count) return std::nullopt;
    nodes *= *level.count;
    if (std::ranges::find(kNodeLevels, level.property) != kNodeLevels.end()) return static_cast<int>(nodes);
  }
  return std::nullopt;
}

/// Whether a filter chooses resources of another type than `default`, which are no cores: licences, disks, networks.
bool is_of_other_type(std::string_view filter) {
  constexpr std::string_view kType{"type"};
  const auto is_of_name = [&](std::size_t i) { return i < filter.size() && is_word(filter.substr(i, 1)); };
  if (filter.find("default") != filter.npos) return false;
  for (auto at = filter.find(kType); at != filter.npos; at = filter.find(kType, at + 1)) {
    if ((at == 0 || !is_of_name(at - 1)) && !is_of_name(at + kType.size())) return true;
  }
  return false;
}

/// As oarsub takes several requests, `/core=4 -l /core=8`, or as others write alternatives, `/core=4 | /core=8`.
bool is_moldable(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
    if (depth == 0 && (text[i] == '|' || text.substr(i).starts_with("-l ") || text.substr(i).starts_with("-l\"") ||
                       text.substr(i).starts_with("--resource")))
      return true;
  }
  return false;
}

tl::expected<ResourceGroup, std::string> parse_group(std::string_view text) {
  ResourceGroup group;
  text = trim(text);
  if (text.starts_with('{')) {
    const auto close = text.find('}');
    if (close == std::string_view::npos) return tl::unexpected{fmt::format("the '{{' of '{}' is not closed", text)};
    group.of_cores = !is_of_other_type(text.substr(1, close - 1));
    if (const auto wrong = wrong_properties(text.substr(1, close - 1))) return tl::unexpected{fmt::format("in its braces: {}", *wrong)};
    text = trim(text.substr(close + 1));
  }
  if (text.starts_with('/')) text.remove_prefix(1);
  if (text.empty()) return tl::unexpected{std::string{"it is empty: write for instance /core=1 or /nodes=2/core=4"}};
  std::int64_t product = 1;
  bool counted = true;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto slash = std::min(text.find('/', begin), text.size());
    auto level = parse_level(trim(text.substr(begin, slash - begin)));
    if (!level) return tl::unexpected{level.error()};
    if (level->count) product *= *level->count;
    else counted = false;
    if (product > kMostResources) return tl::unexpected{fmt::format("it asks for more than {} resources", kMostResources)};
    group.levels.push_back(std::move(*level));
    begin = slash + 1;
    if (slash == text.size()) break;
  }
  if (counted && (!group.of_cores || is_leaf(group.levels.back().property))) group.resources = static_cast<int>(product);
  return group;
}

}  // namespace

tl::expected<ResourceRequest, std::string> ResourceRequest::parse(std::string_view text) {
  ResourceRequest request;
  request.text_ = trim(text);
  if (request.text_.size() > kLongestRequest) return tl::unexpected{fmt::format("it is longer than {} bytes", kLongestRequest)};
  if (is_moldable(request.text_))
    return tl::unexpected{
        std::string{"it has several requests of which OAR would choose one (a moldable job): write one, in a section of each cluster; or a "
                    "campaign of each request"}};
  if (std::ranges::any_of(request.text_, [](unsigned char c) { return c < 0x20 || c == 0x7F; }))
    return tl::unexpected{std::string{"there is a control character in it: write it on one line"}};
  std::int64_t total = 0;
  bool counted = true;
  const std::string_view whole = request.text_;
  int depth = 0;
  int groups = 0;
  for (std::size_t begin = 0, i = 0; i <= whole.size(); ++i) {
    if (i < whole.size() && whole[i] == '{') ++depth;
    if (i < whole.size() && whole[i] == '}') --depth;
    if (i < whole.size() && whole[i] == ',' && depth == 0)
      return tl::unexpected{fmt::format("there is a ',' at character {}: write the walltime as \"walltime\": \"h:m:s\"", i + 1)};
    if (i == whole.size() || (whole[i] == '+' && depth == 0)) {
      auto group = parse_group(whole.substr(begin, i - begin));
      if (!group) return tl::unexpected{group.error()};
      if (group->of_cores) {
        if (group->resources) total += *group->resources;
        else counted = false;
        request.nodes_ = ++groups == 1 ? nodes_of(group->levels) : std::nullopt;
      }
      std::ranges::copy(group->levels, std::back_inserter(request.levels_));
      request.groups_.push_back(std::move(*group));
      begin = i + 1;
    }
  }
  request.of_cores_ = groups > 0;
  if (counted && total <= kMostResources) request.resources_ = static_cast<int>(std::max<std::int64_t>(1, total));
  return request;
}

int ResourceRequest::others() const {
  std::int64_t count = 0;
  for (const auto& group : groups_) count += group.of_cores ? 0 : group.resources.value_or(0);
  return static_cast<int>(std::min<std::int64_t>(count, kMostResources));
}

std::optional<std::string> wrong_for_side_by_side(const ResourceRequest& request) {
  const auto is_node = [](const ResourceLevel& level) { return std::ranges::find(kNodeLevels, level.property) != kNodeLevels.end(); };
  const auto nodes = std::ranges::count_if(request.levels(), is_node);
  const auto node = std::ranges::find_if(request.levels(), is_node);
  const auto is_one_of_it = [](const ResourceLevel& level) { return level.count == 1; };
  const bool is_one = nodes == 1 && node->count == 1 && std::all_of(request.levels().begin(), node, is_one_of_it);
  if (nodes == 0) return fmt::format("the cores of '{}' may be on several nodes", request.text());
  if (!is_one) return fmt::format("'{}' may be several nodes", request.text());
  if (request.resources() == 1) return fmt::format("a job of '{}' has room for one task at a time", request.text());
  return std::nullopt;
}

}  // namespace gleaner::grid
