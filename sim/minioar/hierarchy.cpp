#include "sim/minioar/hierarchy.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "lib/text/numbers.hpp"

namespace gleaner::minioar {

namespace {

using Kind = RequestError::Kind;

tl::unexpected<RequestError> unrecognized(std::string_view text) {
  return tl::unexpected{RequestError{Kind::unrecognized_description, std::string{text}}};
}

std::optional<std::int64_t> parse_hms(std::string_view text) {
  std::int64_t seconds = 0;
  std::int64_t unit = 3600;
  while (true) {
    const auto colon = text.find(':');
    const auto part = text::whole_number<int>(text.substr(0, colon), 0);
    if (!part || unit == 0) return std::nullopt;
    seconds += *part * unit;
    unit = unit == 3600 ? 60 : unit == 60 ? 1 : 0;
    if (colon == std::string_view::npos) return seconds;
    text.remove_prefix(colon + 1);
  }
}

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// Splits at a character that is outside braces.
std::vector<std::string_view> split_outside_braces(std::string_view text, char mark) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}') --depth;
    if (text[i] == mark && depth == 0) {
      parts.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::optional<Level> parse_level(std::string_view text) {
  const auto equal = text.find('=');
  if (equal == std::string_view::npos) return std::nullopt;
  const auto name = trimmed(text.substr(0, equal));
  const auto count = trimmed(text.substr(equal + 1));
  if (!is_name(name)) return std::nullopt;
  Level level{name == "nodes" ? "network_address" : std::string{name}, 0};
  if (count == "ALL") {
    level.count = kAll;
  } else if (count == "BEST") {
    level.count = kBest;
  } else if (const auto value = text::whole_number<int>(count, 0)) {
    level.count = *value;
  } else {
    return std::nullopt;
  }
  return level;
}

tl::expected<Group, RequestError> parse_group(std::string_view text, std::string_view whole) {
  Group group;
  text = trimmed(text);
  if (text.starts_with("{")) {
    const auto end = text.rfind('}');
    if (end == std::string_view::npos) return unrecognized(whole);
    group.filter_text = text.substr(1, end - 1);
    auto filter = Condition::parse(group.filter_text);
    if (!filter) return tl::unexpected{RequestError{Kind::resource, filter.error()}};
    group.filter = *filter;
    text.remove_prefix(end + 1);
  }
  if (text.starts_with("/")) text.remove_prefix(1);
  for (const auto part : split_outside_braces(text, '/')) {
    auto level = parse_level(part);
    if (!level) return unrecognized(whole);
    group.levels.push_back(std::move(*level));
  }
  return group;
}

/// Chooses a group's resources: values of the first level, each with the resources that the deeper levels need.
class Placement {
 public:
  Placement(const Choice& choice, std::vector<bool>& usable) : choice_{choice}, usable_{usable} {}

  bool take(std::span<const Level> levels, const std::vector<int>& members, std::vector<int>& taken) const {
    const auto& level = levels.front();
    std::size_t got = 0;
    std::size_t values = 0;
    for (const auto& value : values_of(level.property, members)) {
      if (level.count >= 0 && got == static_cast<std::size_t>(level.count)) break;
      ++values;
      const auto before = taken.size();
      const bool fits = levels.size() == 1 ? take_all(value, taken) : take(levels.subspan(1), value, taken);
      if (fits) {
        ++got;
      } else {
        taken.resize(before);
      }
    }
    if (level.count == kAll) return got == values && got > 0;
    if (level.count == kBest) return got > 0;
    return got == static_cast<std::size_t>(level.count) && got > 0;
  }

 private:
  [[nodiscard]] int rank(int place) const { return choice_.rank.empty() ? 0 : choice_.rank[static_cast<std::size_t>(place)]; }

  bool take_all(const std::vector<int>& members, std::vector<int>& taken) const {
    for (const int place : members) {
      if (!usable_[static_cast<std::size_t>(place)]) return false;
    }
    taken.insert(taken.end(), members.begin(), members.end());
    return true;
  }

  /// The members by value of a property; values whose worst member ranks best come first.
  [[nodiscard]] std::vector<std::vector<int>> values_of(const std::string& name, const std::vector<int>& members) const {
    std::map<PropertyValue, std::vector<int>> by_value;
    for (const int place : members) {
      by_value[property(choice_.resources[static_cast<std::size_t>(place)], name).value()].push_back(place);
    }
    std::vector<std::vector<int>> values;
    for (auto& [key, places] : by_value) values.push_back(std::move(places));
    const auto worst = [this](const std::vector<int>& places) {
      int most = 0;
      for (const int place : places) most = std::max(most, rank(place));
      return most;
    };
    std::stable_sort(values.begin(), values.end(), [&](const auto& a, const auto& b) {
      return std::pair{worst(a), a.front()} < std::pair{worst(b), b.front()};
    });
    return values;
  }

  const Choice& choice_;
  std::vector<bool>& usable_;
};

}  // namespace

tl::expected<Moldable, RequestError> parse_moldable(std::string_view text) {
  Moldable moldable;
  moldable.walltime = kDefaultWalltime;
  auto request = text;
  const auto parts = split_outside_braces(text, ',');
  if (parts.back().starts_with("walltime=") || parts.size() > 1) {
    const auto last = parts.back();
    const auto walltime = last.starts_with("walltime=") ? parse_hms(last.substr(9)) : std::nullopt;
    if (!walltime || parts.size() > 2) {
      return tl::unexpected{RequestError{Kind::unrecognized_part, std::string{last}}};
    }
    moldable.walltime = *walltime;
    moldable.walltime_given = true;
    request = parts.size() == 2 ? parts.front() : std::string_view{};
  }
  if (trimmed(request).empty()) request = "/core=1";
  for (const auto part : split_outside_braces(request, '+')) {
    auto group = parse_group(part, text);
    if (!group) return tl::unexpected{group.error()};
    moldable.groups.push_back(std::move(*group));
  }
  for (const auto& group : moldable.groups) {
    for (const auto& level : group.levels) {
      if (!column_type(level.property)) {
        return tl::unexpected{
            RequestError{Kind::resource,
                         fmt::format("column \"{0}\" does not exist\nLINE 1: SELECT  {0}, resource_id\n                ", level.property)}};
      }
    }
  }
  return moldable;
}

std::string walltime_text(std::int64_t seconds) { return fmt::format("{}:{}:{}", seconds / 3600, seconds / 60 % 60, seconds % 60); }

std::string wanted_resources(const Moldable& moldable) {
  std::string out;
  for (const auto& group : moldable.groups) {
    out += out.empty() ? "-l \"" : "+";
    out += group.filter_text.empty()                             ? "{type = 'default'}"
           : group.filter_text.find("type") != std::string::npos ? fmt::format("{{{}}}", group.filter_text)
                                                                 : fmt::format("{{({}) AND type = 'default'}}", group.filter_text);
    for (const auto& level : group.levels) {
      out += fmt::format("/{}={}", level.property,
                         level.count == kAll    ? "ALL"
                         : level.count == kBest ? "BEST"
                                                : std::to_string(level.count));
    }
  }
  return fmt::format("{},walltime={}\" ", out, walltime_text(moldable.walltime));
}

void keep_best_effort(Choice& choice) {
  for (std::size_t i = 0; i < choice.resources.size(); ++i) {
    if (!choice.resources[i].best_effort) choice.usable[i] = false;
  }
}

std::optional<std::vector<int>> place(const Moldable& moldable, const Condition& properties, const Choice& choice) {
  std::vector<int> taken;
  auto usable = choice.usable;
  for (const auto& group : moldable.groups) {
    std::vector<int> members;
    for (std::size_t i = 0; i < choice.resources.size(); ++i) {
      const auto& resource = choice.resources[i];
      const bool is_meant = resource.licence == 0 || group.filter_text.find("type") != std::string::npos;
      if (resource.state != ResourceState::dead && is_meant && properties.holds(resource) && group.filter.holds(resource))
        members.push_back(static_cast<int>(i));
    }
    const auto before = taken.size();
    if (members.empty() || !Placement{choice, usable}.take(group.levels, members, taken)) return std::nullopt;
    if (choice.groups_meet) continue;
    for (auto i = before; i < taken.size(); ++i) usable[static_cast<std::size_t>(taken[i])] = false;
  }
  if (choice.groups_meet) {
    std::ranges::sort(taken);
    taken.erase(std::ranges::unique(taken).begin(), taken.end());
  }
  return taken;
}

}  // namespace gleaner::minioar
