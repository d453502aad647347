#include "lib/decisions/stored.hpp"

#include <fmt/format.h>
#include <rapidjson/document.h>

#include <optional>

#include "lib/decisions/decision.hpp"
#include "lib/decisions/figures.hpp"
#include "lib/text/json_depth.hpp"

namespace gleaner::decisions {
namespace {

/// The sentence that the migration kept.
std::optional<std::string> kept_sentence(const std::string& figures) {
  rapidjson::Document document;
  if (!text::is_nested_deeper(figures)) document.Parse(figures.data(), figures.size());
  if (document.HasParseError() || !document.IsObject()) return std::nullopt;
  const auto found = document.FindMember("sentence");
  if (found == document.MemberEnd() || !found->value.IsString()) return std::nullopt;
  return std::string{found->value.GetString(), found->value.GetStringLength()};
}

Rendered unreadable(const StoredDecision& decision, std::string_view why) {
  if (auto sentence = kept_sentence(decision.figures)) return {.sentence = std::move(*sentence), .advice = {}, .figures = decision.figures};
  return {
      .sentence = fmt::format("{}{}: the reason is '{}', and its figures cannot be read ({}); another version of the grid wrote them, or "
                              "they were damaged",
                              decision.cluster.empty() ? "decided on the campaign" : "decided on ", decision.cluster, decision.reason, why),
      .advice = {},
      .figures = decision.figures};
}

}  // namespace

Rendered rendered(const StoredDecision& decision) {
  const auto stage = stage_of(decision.stage);
  if (!stage) return unreadable(decision, fmt::format("this version knows no stage '{}'", decision.stage));
  const auto read = read_figures(decision.reason, decision.figures);
  if (!read) return unreadable(decision, read.error());
  if (const auto* standing = std::get_if<Standing>(&*read)) {
    auto explanation = explained(*standing);
    return {std::move(explanation.sentence), std::move(explanation.advice), figures_of(*standing)};
  }
  const auto& reason = std::get<Reason>(*read);
  auto explanation = explained(*stage, reason, decision.jobs, decision.cluster);
  return {std::move(explanation.sentence), std::move(explanation.advice), figures_of(reason)};
}

}  // namespace gleaner::decisions
