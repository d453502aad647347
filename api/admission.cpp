#include "api/admission.hpp"

#include <fmt/format.h>

#include "lib/process/log.hpp"
#include "lib/store/events.hpp"

namespace gleaner::api {
namespace {

http::Response refused(const Call& call, const Submission& submission, const rules::Step& step) {
  process::log::info("campaign refused", {{"user", call.caller.user}, {"rule", step.rule}, {"why", step.message}});
  return rule_error(Code::rule_refused, step.rule,
                    fmt::format("{}: the admission rule '{}' refuses it{}{}", submission.refusal, step.rule,
                                step.message.empty() ? "" : ": ", step.message));
}

http::Response broken(const Call& call, Submission& submission, const std::string& rule, const std::string& why) {
  process::log::error("admission rule failed", {{"user", call.caller.user}, {"rule", rule}, {"why", why}});
  submission.broken_rule = fmt::format("the admission rule '{}' failed on a campaign of {}: {} (gridctl rules test shows what it does)",
                                       rule, call.caller.user, why);
  return rule_error(
      Code::rule_broken, rule,
      fmt::format(
          "{}: the admission rule '{}' of this grid is broken. This is not your campaign's fault; the administrators have been notified",
          submission.refusal, rule));
}

}  // namespace

std::optional<std::int64_t> known_tasks(const jdl::CampaignFile& file) {
  if (file.type == grid::CampaignType::test) return std::ssize(file.clusters);
  if (const auto* count = std::get_if<jdl::Count>(&file.parameters)) return count->tasks;
  if (const auto* params = std::get_if<jdl::Params>(&file.parameters)) return std::ssize(params->values);
  return {};
}

Asked<void> admit(const Call& call, Submission& submission, std::int64_t tasks) {
  if (submission.is_admitted) return {};
  auto admission = rules::admit(call.sandbox, submission.setting, {submission.file, call.caller.user, tasks, call.defaults});
  if (!admission) return tl::unexpected{broken(call, submission, "?", admission.error())};
  if (const auto* step = admission->obstacle()) {
    return tl::unexpected{step->effect == rules::Effect::refused ? refused(call, submission, *step)
                                                                 : broken(call, submission, step->rule, rules::failure_text(*step))};
  }
  submission.is_admitted = true;
  submission.is_changed = admission->is_changed();
  submission.file = std::move(admission->file);
  submission.steps = std::move(admission->steps);
  for (const auto& step : submission.steps) {
    for (auto& sentence : rules::sentences(step)) submission.warnings.push_back(std::move(sentence));
  }
  return {};
}

void report_broken_rule(const Call& call, const std::string& broken_rule) {
  call.connections.write([&](store::Transaction& transaction) {
    store::open_event(transaction, {.code = "ADMISSION_RULE", .target = {}, .job = {}, .message = broken_rule}, call.now);
    return true;
  });
}

void write_changes(text::JsonWriter& json, const std::vector<rules::Change>& changes) {
  const auto side = [&](std::string_view name, const std::optional<std::string>& value) {
    json.key(name);
    if (value) json.raw(*value);
    else json.null();
  };
  json.array(changes, [&](const rules::Change& change) {
    json.object([&] {
      json.field("path", change.path);
      side("before", change.before);
      side("after", change.after);
    });
  });
}

void write_rules(text::JsonWriter& json, const std::vector<rules::Step>& steps) {
  json.key("rules");
  std::vector<const rules::Step*> told;
  for (const auto& step : steps) {
    if (!step.changes.empty() || !step.notes.empty()) told.push_back(&step);
  }
  json.array(told, [&](const rules::Step* step) {
    json.object([&] {
      json.field("name", step->rule);
      json.key("changes");
      write_changes(json, step->changes);
      json.key("notes").array(step->notes, [&](const std::string& note) { json.value(note); });
    });
  });
}

}  // namespace gleaner::api
