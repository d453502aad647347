#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "lib/grid/walltime.hpp"
#include "lib/jdl/key_readers.hpp"
#include "lib/jdl/text.hpp"
#include "lib/jdl/values.hpp"
#include "lib/text/numbers.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::jdl {
namespace {

/// Source: document 002, "Project Priority".
constexpr std::array<std::string_view, 7> kPriorities{"highest", "high", "above-normal", "normal", "below-normal", "low", "lowest"};

/// The campaign schedulers that a JDL may name; `test` is set by test_mode.
constexpr std::array<std::string_view, 3> kSchedulers{"workqueue", "prediction", "finalize"};

}  // namespace

void read_priority(const Node& node, const std::string& path, CampaignLevel& into, Findings& findings) {
  const auto text = node.kind == NodeKind::string ? lower(trim(node.text)) : node.text;
  const auto named = std::ranges::find(kPriorities, text);
  if (node.kind == NodeKind::string && named != kPriorities.end())
    into.file.scheduling.priority = static_cast<int>(named - kPriorities.begin()) + 1;
  else if (text.size() == 1 && text[0] >= '1' && text[0] <= '7') into.file.scheduling.priority = text[0] - '0';
  else
    findings.add(node.offset, path, shown(node),
                 fmt::format("'{}' is not a priority; write {}, or 1 to 7{}", excerpt(shown(node)), fmt::join(kPriorities, ", "),
                             text::did_you_mean(text, kPriorities)));
}

void read_scheduler(const Node& node, const std::string& path, CampaignLevel& into, Findings& findings) {
  const auto text = read_word(node, path, "workqueue, prediction or finalize", findings);
  if (!text) return;
  if (std::ranges::find(kSchedulers, *text) != kSchedulers.end()) {
    into.file.scheduling.scheduler = *text;
    return;
  }
  const auto hint =
      *text == "test" ? std::string{"; a test campaign is declared by \"test_mode\": true"} : text::did_you_mean(*text, kSchedulers);
  findings.add(node.offset, path, *text,
               fmt::format("'{}' is not a campaign scheduler; write workqueue, prediction or finalize{}", excerpt(*text), hint));
}

/// Text, h:m:s; or a number of seconds, as a walltime may be.
void read_min_duration(const Node& node, const std::string& path, CampaignLevel& into, Findings& findings) {
  if (node.kind == NodeKind::number) {
    constexpr Bounds kSeconds{0, 100'000'000};
    if (const auto seconds = read_integer(node, path, kSeconds, findings)) into.file.scheduling.min_duration = grid::Seconds{*seconds};
    return;
  }
  const auto text = read_text(node, path, findings);
  if (!text) return;
  // The same number without quotes is one of seconds, and gridsub --edit sends a plain word as text.
  if (const auto number = text::whole_number<std::int64_t>(*text, 1, grid::kLongestWalltime.count() / 3600))
    findings.doubt(node.offset, path, *text,
                   fmt::format("'{0}' is a number of hours; write {1} for seconds, or {0}:00:00", *number,
                               grid::format_walltime(grid::Seconds{*number})));
  const bool is_zero = !text->empty() && text->find_first_not_of("0:") == std::string::npos && text->front() != ':';
  if (const auto seconds = grid::parse_walltime(*text); seconds || is_zero)
    into.file.scheduling.min_duration = seconds.value_or(grid::Seconds{0});
  else
    findings.add(node.offset, path, *text,
                 fmt::format("'{}' is not a time; write h:m:s, e.g. 0:00:10, or 0 if tasks may end at once", excerpt(*text)));
}

void read_retry_on(const Node& node, const std::string& path, CampaignLevel& into, Findings& findings) {
  constexpr Bounds kStatuses{1, 255};
  if (node.kind == NodeKind::array && node.elements.empty())
    findings.add(node.offset, path, "[]", "it is empty: write exit statuses, such as [1, 137], or leave it out");
  const auto statuses = node.kind == NodeKind::array ? std::span{node.elements} : std::span{&node, 1};
  for (const auto& element : statuses) {
    const auto status = read_integer(element, path, kStatuses, findings);
    if (status && std::ranges::find(into.file.scheduling.retry_on, *status) == into.file.scheduling.retry_on.end())
      into.file.scheduling.retry_on.push_back(static_cast<int>(*status));
  }
}

namespace {

/// A word of a grouping key; CiGri's users write an empty one, or `none`, for `false`. Empty: it is no word.
std::optional<std::string> grouping_word(const Node& node) {
  if (node.kind == NodeKind::array || node.kind == NodeKind::object) return std::nullopt;
  constexpr std::array<std::string_view, 4> kNone{"", "none", "null", "0"};
  auto text = node.kind == NodeKind::null ? std::string{} : lower(trim(node.text));
  return std::ranges::find(kNone, text) != kNone.end() ? "false" : std::move(text);
}

}  // namespace

void read_side_by_side(const Node& node, const std::string& path, CampaignLevel& into, Findings& findings) {
  const auto text = grouping_word(node);
  if (text == "true" || text == "false") into.file.scheduling.side_by_side = text == "true";
  else
    findings.add(node.offset, path, shown(node),
                 fmt::format("'{}' is neither true nor false; true: a job carries out as many tasks at a time as it has cores",
                             excerpt(shown(node))));
}

void read_grouping(const Node& node, const std::string& path, CampaignLevel& into, Findings& findings) {
  const auto text = grouping_word(node);
  const auto known = text ? grid::grouping(*text) : std::nullopt;
  if (known) into.file.scheduling.grouping = *known;
  else
    findings.add(node.offset, path, shown(node),
                 fmt::format("'{}' is not right here; write true: short tasks share jobs, false, or auto: once they are known to be short",
                             excerpt(shown(node))));
}

/// `50` and `"50"` are tasks; `"10%"`, `0.1` and `"0.1"` are a part of them.
void read_max_fails(const Node& node, const std::string& path, CampaignLevel& into, Findings& findings) {
  constexpr double kMostFails = 1e9;
  const auto refuse = [&](std::string_view why) {
    findings.add(
        node.offset, path, shown(node),
        fmt::format("'{}' {}; write a number of tasks, such as 50, or a part of them, such as \"10%\" or 0.1", excerpt(shown(node)), why));
  };
  if (node.kind != NodeKind::number && node.kind != NodeKind::string) return refuse("is no number");
  auto text = trim(node.text);
  const bool is_percentage = text.ends_with('%');
  if (is_percentage) text = trim(text.substr(0, text.size() - 1));
  const auto number = text::real_number(text);
  if (!number) return refuse("is no number");
  if (*number < 0) return refuse("is negative");
  if (is_percentage && *number >= 100) return refuse("is no limit: no more tasks than all can fail");
  const auto value = is_percentage ? *number / 100 : *number;
  if (value >= 1 && (value != std::floor(value) || value > kMostFails)) return refuse("is no number of tasks");
  into.file.scheduling.max_fails = value;
}

void read_notify(const Node& node, const std::string& path, CampaignLevel& into, Findings& findings) {
  constexpr std::array<std::string_view, 5> kWords{"low", "medium", "high", "end", "none"};
  into.file.scheduling.notify =
      read_choice(node, path, "low, medium, high, end or none", kWords, "none of low, medium, high, end and none", findings).value_or("");
}

void read_name(const Node& node, const std::string& path, CampaignLevel& into, Findings& findings) {
  constexpr std::size_t kLongestName = 255;
  auto name = read_word(node, path, "a name to know the campaign by", findings);
  if (name && characters(*name) > kLongestName)
    findings.add(node.offset, path, *name, fmt::format("'{}' is longer than {} characters", excerpt(*name), kLongestName));
  into.file.name = name.value_or("");
}

void read_jobs_type(const Node& node, const std::string& path, CampaignLevel&, Findings& findings) {
  const auto text = read_word(node, path, "normal, or leave it out", findings);
  if (!text || *text == "normal") return;
  constexpr std::array<std::string_view, 1> kTypes{"normal"};
  const auto why = *text == "desktop_computing" ? std::string{"is not supported by this version"}
                                                : fmt::format("is not a type of campaigns{}", text::did_you_mean(*text, kTypes));
  findings.add(node.offset, path, *text, fmt::format("'{}' {}; write normal, or leave it out", excerpt(*text), why));
}

void read_replicas(const Node& node, const std::string& path, CampaignLevel& into, Findings& findings) {
  constexpr std::array<std::string_view, 2> kAnswers{"allowed", "refused"};
  const auto text = read_choice(node, path, "allowed or refused", kAnswers, "neither allowed nor refused", findings);
  into.file.replicas_allowed = text == "allowed";
}

void read_input_mb(const Node& node, const std::string& path, CampaignLevel& into, Findings& findings) {
  into.file.input_mb = read_expression(node, path, findings).value_or("");
  if (!into.file.input_mb.empty())
    into.common.expressions.push_back({WrittenExpression::Kind::input, into.file.input_mb, node.offset, path});
}

}  // namespace gleaner::jdl
