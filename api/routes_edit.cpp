// The route that edits a campaign.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "api/admission.hpp"
#include "api/audit.hpp"
#include "api/campaign_answers.hpp"
#include "api/campaign_json.hpp"
#include "api/change.hpp"
#include "api/etag.hpp"
#include "api/limits.hpp"
#include "api/router.hpp"
#include "api/spool.hpp"
#include "api/task_intake.hpp"
#include "api/task_json.hpp"
#include "lib/intake/rows.hpp"
#include "lib/jdl/edit.hpp"
#include "lib/jdl/placement.hpp"
#include "lib/process/log.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::api {
namespace {

/// The caller's request.
struct Wanted {
  std::string text;          ///< JSON: an object of the changed keys
  jdl::Document document{};  ///< the same without `state`
  std::optional<grid::CampaignState> state{};
  SubmissionMode mode = SubmissionMode::store;
};

http::Response wrong(const std::vector<jdl::Problem>& problems) {
  const auto& first = problems.front();
  return error(fmt::format("nothing was changed: {}{}{}", first.path, first.path.empty() ? "" : ": ", first.message), problems);
}

/// CiGri's form, `name=…&state=…`, as JSON.
std::string json_of_form(const std::string& text) {
  text::JsonWriter json;
  json.object([&] {
    for (const auto& [name, value] : http::parse_query(text)) json.field(name, value);
  });
  return json.text();
}

Asked<std::string> read_body(const Call& call, Upload& upload) {
  auto text = upload.read_all(call.config.max_campaign_file);
  if (!text) return tl::unexpected{broken_body(text.error())};
  if (text->find('\0') != std::string::npos)
    return tl::unexpected{error(Code::bad_input, "there is a NUL byte in the changes: this is not a text")};
  const auto header = call.request.headers.find("Content-Type").value_or("application/json");
  const auto type = header.substr(0, header.find_first_of("; "));
  if (type == "application/x-www-form-urlencoded") return json_of_form(*text);
  if (type == "application/json") return std::move(*text);
  return tl::unexpected{
      error(Code::wrong_media_type,
            fmt::format("'{}' is not taken here: send application/json, an object of the changed keys", jdl::excerpt(type)))};
}

/// Takes `state` out of the document.
Asked<void> take_state(Wanted& wanted) {
  constexpr std::array<std::string_view, 2> kEditableStates{"in_treatment", "paused"};
  auto& members = wanted.document.root.members;
  const auto found = std::ranges::find(members, "state", &jdl::Member::key);
  if (found == members.end()) return {};
  const auto state = found->value.kind == jdl::NodeKind::string ? grid::campaign_state(found->value.text) : std::nullopt;
  if (state != grid::CampaignState::in_treatment && state != grid::CampaignState::paused)
    return tl::unexpected{wrong({{{},
                                  "state",
                                  found->value.text,
                                  fmt::format("'{}' is neither in_treatment nor paused{}; a campaign is cancelled by DELETE",
                                              jdl::excerpt(found->value.text), text::did_you_mean(found->value.text, kEditableStates))}})};
  wanted.state = state;
  members.erase(found);
  return {};
}

Asked<Wanted> read_wanted(const Call& call, Upload& upload) {
  auto text = read_body(call, upload);
  if (!text) return tl::unexpected{text.error()};
  Wanted wanted{.text = std::move(*text)};
  jdl::Findings findings;
  wanted.document = jdl::read_json(wanted.text, findings, "changes are an object of keys: { \"walltime\": \"2:0:0\" }");
  if (!findings.empty()) return tl::unexpected{wrong(findings.problems(wanted.text))};
  if (auto taken = take_state(wanted); !taken) return tl::unexpected{taken.error()};
  if (flag(call, "dry_run")) wanted.mode = SubmissionMode::check_only;
  return wanted;
}

/// The result of an edit.
struct Edited {
  Submission submission;
  jdl::CampaignFile file;
  std::vector<rules::Change> changes;
};

/// The first changed key that the tasks' requests are computed from.
std::string key_of_requests(const std::vector<rules::Change>& changes) {
  constexpr std::array<std::string_view, 4> kSectionKeys{"resources", "walltime", "memory_mb", "max_walltime"};
  for (const auto& change : changes) {
    const auto key = std::string_view{change.path}.substr(change.path.rfind('.') + 1);
    if (std::ranges::find(kSectionKeys, key) != kSectionKeys.end()) return change.path;
  }
  return changes.empty() ? std::string{} : changes.front().path;
}

/// Checks the edit as a submission is checked, and lets the admission rules see it.
Asked<Edited> edited(const Call& call, const Changeable& campaign, const Wanted& wanted, std::optional<std::string>& broken_rule) {
  auto file = jdl::edit(campaign.file, wanted.document, wanted.text, call.defaults, campaign.surroundings.setting.known);
  if (!file) return tl::unexpected{wrong(file.error())};
  Edited result{.submission = submission_of(call, std::move(file->file), campaign.surroundings), .file = campaign.file, .changes = {}};
  auto& submission = result.submission;
  submission.refusal = "nothing was changed";
  if (changes_of(campaign.file, submission.file).empty() && submission.file == campaign.file) return result;
  for (const auto& warning : file->warnings) submission.warnings.push_back(fmt::format("{}: {}", warning.path, warning.message));
  if (const auto requests = requests_of(submission); !requests) return tl::unexpected{requests.error()};
  auto admitted = admit(call, submission, campaign.stored.tasks);
  broken_rule = submission.broken_rule;
  if (!admitted) return tl::unexpected{std::move(admitted.error())};
  result.file = with_clusters_of(campaign.file, submission.file);
  result.changes = changes_of(campaign.file, result.file);
  if (needs_new_requests(campaign, result.file))
    return tl::unexpected{
        wrong({{{},
                key_of_requests(result.changes),
                {},
                "it cannot be changed: the requests of the tasks are computed from expressions and memory_mb when the tasks are "
                "submitted; submit another campaign"}})};
  return result;
}

/// The answer to an edit whose placeholders have no word in the parameter of a task that was submitted before; empty: each has one. Cost:
/// O(tasks), and only if the edit gives exec_file a greater number.
std::optional<http::Response> lacking_words(const Call& call, grid::CampaignId id, const jdl::CampaignFile& before,
                                            const jdl::CampaignFile& after) {
  constexpr std::int64_t kTasksAtOnce = 10'000;
  if (jdl::last_place(after).word <= jdl::last_place(before).word) return std::nullopt;
  return call.connections.read([&](store::Transaction& transaction) -> std::optional<http::Response> {
    const auto campaign = store::views::campaign(transaction, id);
    if (!campaign) return no_campaign(call);
    jdl::PlacementCheck check{after};
    for (std::int64_t from = 0; from < campaign->total;) {
      const auto page = store::views::tasks(transaction, *campaign, {.states = {}, .from = from}, {kTasksAtOnce, 0});
      for (const auto& task : page.items) {
        if (const auto why = check.wrong(task.number.value(), intake::parameter_of(task.form, task.parameter)))
          return wrong({{{}, "exec_file", {}, *why}});
      }
      if (page.items.empty()) break;
      from = page.items.back().number.value() + 1;
    }
    return std::nullopt;
  });
}

/// The changes of the JDL, and that of the state.
std::vector<rules::Change> changes_with_state(const Edited& result, grid::CampaignState before, const Wanted& wanted) {
  const auto quoted = [](grid::CampaignState state) { return fmt::format("\"{}\"", grid::name_of(state)); };
  auto changes = result.changes;
  if (wanted.state && *wanted.state != before)
    changes.push_back({.path = "state", .before = quoted(before), .after = quoted(*wanted.state)});
  return changes;
}

http::Response edit_accepted(const store::views::Campaign& campaign, const Edited& result, const std::vector<rules::Change>& changes) {
  text::JsonWriter json;
  json.object([&] {
    write_campaign(json, campaign);
    json.key("changes");
    write_changes(json, changes);
    json.key("warnings").array(result.submission.warnings);
    write_rules(json, result.submission.steps);
  });
  return answer(202, json.text());
}

http::Response checked(grid::CampaignId id, const Edited& result, const std::vector<rules::Change>& changes) {
  text::JsonWriter json;
  json.object([&] {
    json.field("dry_run", true);
    json.field("id", id);
    json.key("changes");
    write_changes(json, changes);
    json.key("warnings").array(result.submission.warnings);
    write_rules(json, result.submission.steps);
  });
  return answer(json);
}

/// A terminated campaign with failed tasks may be edited before they are retried; what it changes is theirs then.
std::optional<http::Response> refuse_ended(const Call& call, grid::CampaignId id, grid::CampaignState state, const Wanted& wanted) {
  if (state == grid::CampaignState::in_treatment || state == grid::CampaignState::paused) return std::nullopt;
  if (state == grid::CampaignState::terminated) {
    const auto campaign = call.connections.read([&](store::Transaction& transaction) { return store::views::campaign(transaction, id); });
    const bool has_failed = campaign && campaign->tasks.failed > 0;
    if (has_failed && !wanted.state) return std::nullopt;
    if (has_failed)
      return error(Code::wrong_state,
                   fmt::format("campaign {} is terminated: 'gridsub --retry {}' runs its failed tasks again, and has it in "
                               "treatment; until then its state stays",
                               id.value(), id.value()));
  }
  return error(Code::wrong_state,
               fmt::format("campaign {} is {}, and nothing of it is left to change: append tasks to it first (gridsub -c {})", id.value(),
                           grid::name_of(state), id.value()));
}

/// The answer to an edit of a campaign that is not as the client knows it (If-Match); empty: it is, or the client does not say. It is
/// compared after `before` was read, so that an edit between the two is found when `before` is replaced.
std::optional<http::Response> refuse_outdated(const Call& call, grid::CampaignId id) {
  const auto known = call.request.headers.list("If-Match");
  if (!known) return std::nullopt;
  const auto is_of = [&known](const http::Response& now) {
    return names_etag(*known, etag_of(now.body, Layout::plain), Comparison::strong) ||
           names_etag(*known, etag_of(now.body, Layout::pretty), Comparison::strong);
  };
  if (is_of(show_jdl(call)) || is_of(show_campaign(call))) return std::nullopt;
  return error(Code::outdated,
               fmt::format("If-Match has neither the ETag that the JDL of campaign {0} has now nor the campaign's own: the JDL was edited "
                           "since, or a job of the campaign went on, which changes the campaign's own. Nothing was changed. Read the JDL "
                           "again (GET /v1/campaigns/{0}/jdl) and send its ETag, which only edits change",
                           id.value()));
}

bool set_state(store::Transaction& transaction, grid::CampaignId id, const store::SubmittedCampaign& before, const Wanted& wanted,
               grid::Instant now) {
  if (!wanted.state || *wanted.state == before.state) return true;
  return *wanted.state == grid::CampaignState::paused ? store::hold_campaign(transaction, id)
                                                      : store::resume_campaign(transaction, id, now);
}

void note_edit(const Call& call, store::Transaction& transaction, grid::CampaignId id, const std::vector<rules::Change>& changes) {
  if (changes.empty()) return;
  note(call, transaction,
       {.name = "campaign edited",
        .subject = campaign_text(id),
        .campaign = id,
        .before = side_json(changes, Side::before),
        .after = side_json(changes, Side::after)});
}

/// Somebody changed the campaign since it was read.
struct Outdated {};

/// Whether the JDL is still that one. After set_state() the campaign's row is locked.
bool is_stored(store::Transaction& transaction, grid::CampaignId id, const Changeable& before) {
  const auto now = store::submitted_campaign(transaction, id);
  return now && now->jdl == before.stored.jdl;
}

http::Response store_edited(const Call& call, store::Transaction& transaction, grid::CampaignId id, const Changeable& before,
                            const Edited& result, const Wanted& wanted) {
  const bool is_edited = !(result.file == before.file);
  if (is_edited && !store_file(transaction, id, before, result.file)) throw Outdated{};
  if (!set_state(transaction, id, before.stored, wanted, call.now)) throw Outdated{};
  if (!is_edited && call.request.headers.find("If-Match") && !is_stored(transaction, id, before)) throw Outdated{};
  if (is_edited) store::record_change(transaction, id, {.author = call.caller.user, .edits = changes_json(result.changes)}, call.now);
  const auto changes = changes_with_state(result, before.stored.state, wanted);
  note_edit(call, transaction, id, changes);
  const auto campaign = store::views::campaign(transaction, id);
  if (!campaign) throw Outdated{};
  return edit_accepted(*campaign, result, changes);
}

/// Empty: somebody changed the campaign since it was read.
std::optional<http::Response> try_to_store(const Call& call, grid::CampaignId id, const Changeable& before, const Edited& result,
                                           const Wanted& wanted) {
  try {
    auto response = call.connections.write(
        [&](store::Transaction& transaction) { return store_edited(call, transaction, id, before, result, wanted); });
    process::log::info("campaign edited", {{"campaign", id}, {"by", call.caller.user}, {"changes", std::ssize(result.changes)}});
    return response;
  } catch (const Outdated&) {
    return std::nullopt;
  }
}

http::Response edit(const Call& call) {
  const auto number = id_of(call.parts[0]);
  if (!number) return no_campaign(call);
  const grid::CampaignId id{*number};
  const auto limits = submission_limits(call, call.caller.user);
  Upload upload{call, limits.submission, {limits.campaign_file, file_too_large}};
  if (auto received = upload.receive_all(); !received) return received.error();
  const auto memory = take_memory(call, memory_of_file(upload.size()));
  if (!memory) return memory.error();
  const auto wanted = read_wanted(call, upload);
  if (!wanted) return wanted.error();
  constexpr int kAttempts = 3;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const auto before = call.connections.read([&](store::Transaction& transaction) { return load_changeable(call, transaction, id); });
    if (!before) return before.error();
    if (auto refused = refuse_ended(call, id, before->stored.state, *wanted)) return std::move(*refused);
    if (auto refused = refuse_outdated(call, id)) return std::move(*refused);
    std::optional<std::string> broken_rule;
    const auto result = edited(call, *before, *wanted, broken_rule);
    if (broken_rule) report_broken_rule(call, *broken_rule);
    if (!result) return result.error();
    if (auto lacking = lacking_words(call, id, before->file, result->file)) return std::move(*lacking);
    if (wanted->mode == SubmissionMode::check_only) return checked(id, *result, changes_with_state(*result, before->stored.state, *wanted));
    if (auto response = try_to_store(call, id, *before, *result, *wanted)) return std::move(*response);
  }
  return error(Code::changed_meanwhile,
               fmt::format("campaign {} is being changed by somebody else: nothing was changed; try again", id.value()));
}

}  // namespace

std::span<const Route> edit_routes() {
  static constexpr std::array kRoutes{Route{"PUT", "/v1/campaigns/:id", Access::identified, edit, "dry_run", Etag::compared}};
  return kRoutes;
}

}  // namespace gleaner::api
