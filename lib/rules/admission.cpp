#include "lib/rules/admission.hpp"

#include <fmt/format.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <array>
#include <optional>

namespace gleaner::rules {
namespace {

constexpr std::array<std::string_view, 3> kParameters{"params", "param_file", "nb_jobs"};

/// A change of the campaign's own keys that is not allowed to rules.
std::optional<std::string> wrong_key(const std::string& jdl) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(jdl.data(), jdl.size());
  for (const auto& member : document.GetObject()) {
    const std::string_view key{member.name.GetString(), member.name.GetStringLength()};
    if (std::ranges::find(kParameters, key) != kParameters.end())
      return fmt::format("it gives the campaign \"{}\": a rule cannot change the parameters", key);
    if (key != "test_mode" && jdl::is_cluster_key(key))
      return fmt::format("jdl[\"{0}\"] would have no effect, since each cluster states its own: change jdl[\"clusters\"][NAME][\"{0}\"]",
                         jdl::excerpt(key));
  }
  return {};
}

/// The project of all its clusters; `otherwise` if they differ or have none.
std::string common_project(const jdl::CampaignFile& file, const std::string& otherwise) {
  const auto& first = file.clusters.front().project;
  const bool one = std::ranges::all_of(file.clusters, [&](const auto& section) { return section.project == first; });
  return one ? first : otherwise;
}

/// Reads the campaign as a rule changed it; the error states why it is invalid.
tl::expected<jdl::Parsed, std::string> read_changed(const std::string& jdl, const jdl::CampaignFile& before, const Applicant& applicant,
                                                    const jdl::KnownClusters& known) {
  if (auto wrong = wrong_key(jdl)) return tl::unexpected{std::move(*wrong)};
  auto defaults = applicant.defaults;
  defaults.type.reset();
  defaults.params_shell = before.params_shell;
  defaults.doubts = jdl::Doubts::reported_of_pairs;
  auto parsed = jdl::parse_with_warnings(jdl, defaults, &known);
  if (!parsed) {
    const auto& problem = parsed.error().front();
    return tl::unexpected{
        fmt::format("what it makes of the campaign is not valid: {}{}{}", problem.path, problem.path.empty() ? "" : ": ", problem.message)};
  }
  auto& file = parsed->file;
  if (file.type != before.type)
    return tl::unexpected{std::string{"it changes test_mode: a rule cannot make a test of a campaign, nor a campaign of a test"}};
  file.parameters = before.parameters;
  file.input_manifest = before.input_manifest;
  file.project = common_project(file, before.project);
  parsed->warnings = jdl::warnings_beyond(before, std::move(parsed->warnings));
  return std::move(*parsed);
}

Step step_of(const std::string& rule, const Ran& ran, jdl::CampaignFile& file, const Applicant& applicant,
             const jdl::KnownClusters& known) {
  Step step{.rule = rule, .effect = ran.effect, .notes = ran.notes, .message = ran.message, .line = ran.line};
  if (ran.effect != Effect::changed) return step;
  auto changed = read_changed(ran.jdl, file, applicant, known);
  if (!changed) {
    step.effect = Effect::failed;
    step.message = std::move(changed.error());
    return step;
  }
  step.changes = differences(jdl::to_jdl(file), jdl::to_jdl(changed->file));
  if (step.changes.empty()) step.effect = Effect::unchanged;
  for (const auto& warning : changed->warnings) step.notes.push_back(fmt::format("{}: {}", warning.path, warning.message));
  file = std::move(changed->file);
  return step;
}

}  // namespace

std::vector<std::string> sentences(const Step& step) {
  std::vector<std::string> lines;
  for (const auto& change : step.changes) lines.push_back(fmt::format("the admission rule '{}' changed {}", step.rule, text_of(change)));
  for (const auto& note : step.notes) lines.push_back(fmt::format("the admission rule '{}' says: {}", step.rule, note));
  return lines;
}

std::string failure_text(const Step& step) { return step.line > 0 ? fmt::format("line {}: {}", step.line, step.message) : step.message; }

bool Admission::is_changed() const {
  return std::ranges::any_of(steps, [](const Step& step) { return step.effect == Effect::changed; });
}

const Step* Admission::obstacle() const {
  if (steps.empty()) return nullptr;
  const auto& last = steps.back();
  return last.effect == Effect::refused || last.effect == Effect::failed ? &last : nullptr;
}

tl::expected<Admission, std::string> admit(Sandbox& sandbox, const Setting& setting, const Applicant& applicant) {
  std::vector<const store::Rule*> enabled;
  std::vector<std::string> texts;
  for (const auto& rule : setting.rules) {
    if (!rule.enabled) continue;
    enabled.push_back(&rule);
    texts.push_back(rule.text);
  }
  auto ran = sandbox.run(texts, {jdl::to_jdl(applicant.file), applicant.user, applicant.tasks, setting.clusters});
  if (!ran) return tl::unexpected{std::move(ran.error())};
  Admission admission{applicant.file};
  for (std::size_t i = 0; i < ran->size() && admission.obstacle() == nullptr; ++i)
    admission.steps.push_back(step_of(enabled[i]->name, (*ran)[i], admission.file, applicant, setting.known));
  return admission;
}

}  // namespace gleaner::rules
