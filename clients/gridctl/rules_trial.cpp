// Applies the admission rules to a campaign file without submitting it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "clients/asked.hpp"
#include "clients/gridctl/commands.hpp"
#include "lib/jdl/parameter_reader.hpp"
#include "lib/process/values.hpp"
#include "lib/rules/admission.hpp"
#include "lib/terminal/text.hpp"

namespace gleaner::gridctl {
namespace {

using process::Error;
using process::ExitCode;
using terminal::Cell;
using terminal::Ink;
using terminal::Shrink;
using terminal::Table;

std::string read_file(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  if (!file || std::filesystem::is_directory(path))
    throw Error{ExitCode::not_found, fmt::format("the campaign file {} cannot be read", path)};
  return {std::istreambuf_iterator<char>{file}, {}};
}

jdl::CampaignFile campaign_of(const std::string& path, const jdl::Defaults& defaults, const jdl::KnownClusters& known) {
  auto file = jdl::parse(read_file(path), defaults, &known);
  if (file) return std::move(*file);
  auto text = jdl::render(file.error(), path);
  if (text.ends_with('\n')) text.pop_back();
  throw Error{ExitCode::usage, text};
}

/// The number of parameters in a file.
std::int64_t count_parameters(const std::string& path, const std::string& campaign) {
  const auto here = clients::parameter_path(path, campaign);
  std::ifstream file{here, std::ios::binary};
  if (!file)
    throw Error{ExitCode::not_found,
                fmt::format("the parameter file {} cannot be read (--nb-jobs sets the number of tasks without it)", here.string())};
  jdl::ParameterReader reader{file};
  std::int64_t count = 0;
  for (auto next = reader.next(); !next || *next; next = reader.next()) ++count;
  return count;
}

std::int64_t tasks_of(const Call& call, const jdl::CampaignFile& file) {
  if (call.has("nb-jobs")) return clients::number_of(call.context.arguments, "nb-jobs", 1, 1, jdl::kMostTasks);
  if (file.type == grid::CampaignType::test) return std::ssize(file.clusters);
  if (const auto* count = std::get_if<jdl::Count>(&file.parameters)) return count->tasks;
  if (const auto* params = std::get_if<jdl::Params>(&file.parameters)) return std::ssize(params->values);
  if (const auto* path = std::get_if<jdl::ParamFile>(&file.parameters)) return count_parameters(path->path, call.arguments[0]);
  call.output.report("gridctl: the file gives no parameters: the rules are applied as for one task (--nb-jobs sets another number)");
  return 1;
}

/// The result of one rule, as text and as JSON.
struct Line {
  std::string rule;
  std::string effect;
  std::vector<std::string> details{};
  Ink ink = Ink::plain;
};

Line line_of(const rules::Step& step) {
  Line line{step.rule, std::string{rules::name_of(step.effect)}};
  for (const auto& change : step.changes) line.details.push_back(rules::text_of(change));
  for (const auto& note : step.notes) line.details.push_back("says: " + note);
  if (step.effect == rules::Effect::changed) line.ink = Ink::warm;
  if (step.effect == rules::Effect::refused) line.details.push_back(step.message);
  if (step.effect == rules::Effect::failed) line.details.push_back(rules::failure_text(step));
  if (rules::Effect::refused <= step.effect) line.ink = Ink::bad;
  return line;
}

std::vector<Line> lines_of(const rules::Setting& setting, const rules::Admission& admission) {
  std::vector<Line> lines;
  auto step = admission.steps.begin();
  for (const auto& rule : setting.rules) {
    if (!rule.enabled) lines.push_back({rule.name, "disabled", {}, Ink::faint});
    else if (step != admission.steps.end()) lines.push_back(line_of(*step++));
    else lines.push_back({rule.name, "not reached", {}, Ink::faint});
  }
  return lines;
}

void show(const Call& call, const std::vector<Line>& lines) {
  Table table{{{"rule", "Rule"}, {"effect", "Effect"}, {"details", "Details", terminal::Align::left, Shrink::when_needed}}, {}};
  std::string text;
  std::size_t widest = 0;
  for (const auto& line : lines) widest = std::max(widest, line.rule.size());
  for (const auto& line : lines) {
    std::string details;
    text += fmt::format("{:<{}}  {}\n", line.rule, widest, call.output.paint(line.ink, line.effect));
    for (const auto& detail : line.details) {
      text += fmt::format("{:<{}}    {}\n", "", widest, terminal::printable(detail));
      details += fmt::format("{}{}", details.empty() ? "" : "; ", detail);
    }
    table.rows.push_back({Cell{line.rule}, Cell{line.effect}, Cell{details}});
  }
  if (lines.empty()) text = "There is no admission rule.\n";
  call.output.show({.table = table, .text = text});
}

}  // namespace

process::Outcome rules_test(const Call& call) {
  const auto& path = call.arguments[0];
  const auto user = call.value("user").value_or(clients::our_name());
  auto database = open_database(call);
  const auto setting = [&] {
    auto transaction = database.begin();
    return rules::load_setting(transaction, user);
  }();
  const auto defaults = defaults_of(call.context.config);
  const auto file = campaign_of(path, defaults, setting.known);
  rules::Sandbox sandbox{rules::interpreter_program()};
  const auto admission = rules::admit(sandbox, setting, {file, user, tasks_of(call, file), defaults});
  if (!admission) throw Error{ExitCode::failure, admission.error()};
  show(call, lines_of(setting, *admission));
  const auto* obstacle = admission->obstacle();
  if (obstacle == nullptr) {
    call.output.report(fmt::format("gridctl: {} of {} is admitted{}", path, user, admission->is_changed() ? ", changed" : ""));
    return ExitCode::ok;
  }
  if (obstacle->effect == rules::Effect::refused)
    return {ExitCode::refused, fmt::format("{} of {} is refused by the rule '{}'", path, user, obstacle->rule)};
  return {ExitCode::failure,
          fmt::format("the rule '{}' fails: campaigns like this one cannot be submitted until it is fixed or disabled", obstacle->rule)};
}

}  // namespace gleaner::gridctl
