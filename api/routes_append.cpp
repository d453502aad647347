// The route that appends tasks to a campaign.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "api/admission.hpp"
#include "api/audit.hpp"
#include "api/campaign_json.hpp"
#include "api/change.hpp"
#include "api/limits.hpp"
#include "api/router.hpp"
#include "api/spool.hpp"
#include "api/task_intake.hpp"
#include "api/task_json.hpp"
#include "lib/intake/rows.hpp"
#include "lib/process/log.hpp"
#include "lib/store/dependencies.hpp"
#include "lib/store/inputs.hpp"

namespace gleaner::api {
namespace {

/// The caller's request.
struct Appended {
  grid::CampaignId campaign{0};
  ParameterBodyForm form = ParameterBodyForm::lines;
  std::optional<std::int64_t> count;  ///< so many tasks, whose parameters are their numbers; empty: the body has the parameters
  std::optional<std::string> key;
  std::int64_t digest = 0;  ///< of the body and the count; only with a key
  SubmissionMode mode = SubmissionMode::store;
};

/// The answer to an append that the campaign's state does not allow; empty: it does.
std::optional<http::Response> refuse_state(grid::CampaignId id, const store::SubmittedCampaign& campaign) {
  if (campaign.sealed)
    return error(Code::wrong_state,
                 fmt::format("campaign {} is being removed, as it ended long ago: submit its new tasks as another campaign", id.value()));
  if (campaign.state == grid::CampaignState::cancelled)
    return error(Code::wrong_state, fmt::format("campaign {} is cancelled: submit its new tasks as another campaign", id.value()));
  if (campaign.type == grid::CampaignType::test)
    return error(Code::wrong_state,
                 fmt::format("campaign {} is a test, with one task on each cluster: submit a default campaign", id.value()));
  return std::nullopt;
}

void write_range(text::JsonWriter& json, store::TaskRange tasks) {
  json.key("appended").object([&] {
    json.field("first_task", tasks.first);
    json.field("tasks", tasks.count);
  });
}

http::Response appended(const store::views::Campaign& campaign, store::TaskRange tasks, const Submission* submission) {
  text::JsonWriter json;
  json.object([&] {
    write_campaign(json, campaign);
    write_range(json, tasks);
    json.key("warnings").array(submission == nullptr ? std::vector<std::string>{} : submission->warnings);
    write_rules(json, submission == nullptr ? std::vector<rules::Step>{} : submission->steps);
  });
  auto response = answer(201, json.text());
  response.headers.add("Location", campaign_path(campaign.id));
  return response;
}

/// The answer to an earlier append with this key. Empty: there was none.
std::optional<http::Response> repeated(store::Transaction& transaction, const Appended& sent) {
  if (!sent.key) return std::nullopt;
  const auto known = store::find_append(transaction, sent.campaign, *sent.key);
  if (!known) return std::nullopt;
  if (known->digest != sent.digest)
    return error(Code::key_reused,
                 fmt::format("this Idempotency-Key stands for other tasks of campaign {}: use a new key", sent.campaign.value()));
  auto response = appended(store::views::campaign(transaction, sent.campaign).value(), known->tasks, nullptr);
  response.headers.add("Idempotent-Replayed", "true");
  return response;
}

/// The campaign's file with the new tasks' parameters in place of those that were submitted.
Submission submission_for(const Call& call, const Changeable& campaign, const Appended& sent) {
  auto file = campaign.file;
  file.parameters = sent.count ? jdl::ParamSource{jdl::Count{*sent.count}} : jdl::ParamSource{};
  auto submission = submission_of(call, std::move(file), campaign.surroundings);
  submission.refusal = "nothing was appended";
  return submission;
}

/// The computation of the new tasks' requests, continued from those stored. Empty: all tasks request the same.
Asked<std::optional<jdl::Requests>> continued_requests(store::Transaction& transaction, grid::CampaignId id, const Submission& submission,
                                                       const jdl::KnownInputs* inputs) {
  auto requests = requests_of(submission);
  if (!requests || !*requests) return requests;
  if (inputs != nullptr) (*requests)->know_inputs(*inputs);
  (*requests)->resume(intake::known_requests(transaction, id, submission.file));
  return requests;
}

/// An append while its transaction runs.
class Append {
 public:
  Append(const Call& call, store::Transaction& transaction, const Appended& sent, const SubmissionLimits& limits)
      : call_{call}, transaction_{transaction}, sent_{sent}, limits_{limits} {}

  http::Response run(ParameterBody* body, std::optional<std::string>& broken_rule) {
    store::lock_appends(transaction_, sent_.campaign);
    if (auto known = repeated(transaction_, sent_)) return std::move(*known);
    const auto campaign = load_changeable(call_, transaction_, sent_.campaign);
    if (!campaign) return campaign.error();
    if (auto refused = refuse_state(sent_.campaign, campaign->stored)) return std::move(*refused);
    auto submission = submission_for(call_, *campaign, sent_);
    auto response = take(*campaign, submission, body);
    broken_rule = submission.broken_rule;
    return response;
  }

 private:
  http::Response take(const Changeable& campaign, Submission& submission, ParameterBody* body) {
    auto inputs = known_inputs(submission.file);
    auto requests = continued_requests(transaction_, sent_.campaign, submission, address_of(inputs));
    if (!requests) return requests.error();
    auto* const different = *requests ? &**requests : nullptr;
    store::TaskRange tasks{.first = campaign.stored.tasks, .count = 0};
    const auto written = write_tasks(submission, different, tasks.first, address_of(inputs), body);
    if (!written) return written.error();
    tasks.count = *written;
    if (const auto admitted = admit(call_, submission, tasks.first + tasks.count); !admitted) return admitted.error();
    const auto file = with_clusters_of(campaign.file, restored(submission, campaign));
    if (submission.is_changed && needs_new_requests(campaign, file))
      return error(Code::wrong_state,
                   "an admission rule changes what the tasks ask for, which is computed once: submit them as another campaign");
    if (sent_.mode == SubmissionMode::check_only) return checked(campaign, submission, tasks);
    return store_tasks(campaign, submission, file, tasks, different);
  }

  Asked<std::int64_t> write_tasks(Submission& submission, jdl::Requests* requests, std::int64_t first, jdl::KnownInputs* inputs,
                                  ParameterBody* body) {
    const auto& file = submission.file;
    if (auto wrong = wrong_numbers(file)) return tl::unexpected{std::move(*wrong)};
    if (sent_.mode == SubmissionMode::check_only)
      return take_all({file, nullptr, requests, limits_.tasks, first, inputs}, submission, body);
    if (sent_.count && requests == nullptr && inputs == nullptr) {
      if (first + *sent_.count > limits_.tasks) return tl::unexpected{too_many_tasks(limits_.tasks)};
      store::write_numbered_tasks(transaction_, sent_.campaign, *sent_.count, first);
      return *sent_.count;
    }
    const auto kind = requests == nullptr ? store::Requests::all_the_same : store::Requests::by_task;
    store::TaskWriter writer{transaction_, sent_.campaign, kind, first};
    auto tasks = take_all({file, &writer, requests, limits_.tasks, first, inputs}, submission, body);
    if (tasks) writer.finish();
    return tasks;
  }

  /// The input files that the campaign was submitted with; appended tasks use them.
  [[nodiscard]] std::optional<jdl::KnownInputs> known_inputs(const jdl::CampaignFile& file) const {
    if (file.input_files.empty()) return std::nullopt;
    return jdl::KnownInputs{store::inputs_of(transaction_, sent_.campaign)};
  }
  static jdl::KnownInputs* address_of(std::optional<jdl::KnownInputs>& inputs) { return inputs ? &*inputs : nullptr; }

  Asked<std::int64_t> take_all(TaskIntake intake, Submission& submission, ParameterBody* body) {
    auto tasks = intake.take_all(body, sent_.form);
    for (auto& warning : intake.warnings()) submission.warnings.push_back(std::move(warning));
    return tasks;
  }

  /// The file as admitted, with the parameters that were submitted.
  static jdl::CampaignFile restored(const Submission& submission, const Changeable& campaign) {
    auto file = submission.file;
    file.parameters = campaign.file.parameters;
    return file;
  }

  http::Response checked(const Changeable& campaign, const Submission& submission, store::TaskRange tasks) const {
    text::JsonWriter json;
    json.object([&] {
      json.field("dry_run", true);
      json.field("id", sent_.campaign);
      json.field("name", campaign.file.name);
      json.field("total_tasks", tasks.first + tasks.count);
      write_range(json, tasks);
      json.key("warnings").array(submission.warnings);
      write_rules(json, submission.steps);
    });
    return answer(json);
  }

  /// The answer to tasks that would wait for tasks that do not exist (after_each); empty: there are none.
  std::optional<http::Response> refuse_unheld(const std::vector<store::Holder>& holders, std::int64_t tasks) const {
    for (const auto& holder : holders) {
      if (tasks > holder.tasks)
        return error(
            Code::wrong_state,
            fmt::format("campaign {0} comes after campaign {1} task by task, and would have {2} tasks where that one has {3}: append "
                        "to campaign {1} first",
                        sent_.campaign.value(), holder.id.value(), tasks, holder.tasks));
    }
    return std::nullopt;
  }

  http::Response gone() const {
    return error(Code::changed_meanwhile,
                 fmt::format("campaign {} was cancelled, changed or removed meanwhile: nothing was appended", sent_.campaign.value()));
  }

  http::Response store_tasks(const Changeable& campaign, const Submission& submission, const jdl::CampaignFile& file,
                             store::TaskRange tasks, const jdl::Requests* requests) {
    const auto id = sent_.campaign;
    if (requests != nullptr) store::sort_appended(transaction_, id, tasks.first);
    // Those that hold its tasks are locked before it, as by whoever settles their tasks.
    const auto holders = store::lock_holders(transaction_, id);
    if (auto refused = refuse_unheld(holders, tasks.first + tasks.count)) return std::move(*refused);
    // The campaign's row is locked from here on.
    if (!store::append_tasks(transaction_, id, tasks, requests == nullptr ? std::nullopt : requests->mean_input_mb())) return gone();
    const auto present = store::limits_of_user(transaction_, campaign.stored.user).campaigns - 1;
    if (campaign.stored.state == grid::CampaignState::terminated && present >= limits_.campaigns)
      return allow_campaign({.campaigns = limits_.campaigns, .present = present}).error();
    if (requests != nullptr) store::append_requests(transaction_, id, intake::stored_requests(campaign.file, *requests), tasks.first);
    store::hold_appended(transaction_, id, tasks.first);
    std::vector<rules::Change> changes;
    if (submission.is_changed) {
      changes = changes_of(campaign.file, file);
      if (!store_file(transaction_, id, campaign, file)) return gone();
    }
    store::record_change(
        transaction_, id,
        {.author = call_.caller.user, .edits = changes_json(changes), .tasks = tasks, .idempotency_key = sent_.key, .digest = sent_.digest},
        call_.now);
    const auto stored = store::views::campaign(transaction_, id).value();
    note(call_, transaction_,
         {.name = "tasks appended", .subject = campaign_text(id), .campaign = id, .after = count_json("tasks", tasks.count)});
    transaction_.commit();
    process::log::info("tasks appended", {{"campaign", id}, {"by", call_.caller.user}, {"first", tasks.first}, {"tasks", tasks.count}});
    return appended(stored, tasks, &submission);
  }

  const Call& call_;
  store::Transaction& transaction_;
  const Appended& sent_;
  const SubmissionLimits& limits_;
};

/// The request without its body.
Asked<Appended> read_request(const Call& call, grid::CampaignId id) {
  Appended sent{.campaign = id, .form = {}, .count = {}, .key = {}};
  const auto header = call.request.headers.find("Content-Type").value_or("application/json");
  const auto type = header.substr(0, header.find_first_of("; "));
  if (type == "application/json") sent.form = ParameterBodyForm::array;
  else if (type != "application/x-ndjson")
    return tl::unexpected{
        error(Code::wrong_media_type,
              fmt::format("'{}' is not taken here: send application/json, an array of parameters, or application/x-ndjson, one a line",
                          jdl::excerpt(type)))};
  if (call.request.parameter("nb_jobs")) {
    const auto count = number(call, "nb_jobs", 1, {1, jdl::kMostTasks});
    if (!count) return tl::unexpected{count.error()};
    sent.count = *count;
  }
  auto key = idempotency_key(call);
  if (!key) return tl::unexpected{key.error()};
  sent.key = std::move(*key);
  if (!flag(call, "dry_run")) return sent;
  sent.mode = SubmissionMode::check_only;
  sent.key.reset();
  return sent;
}

/// Errors that do not depend on the tasks are answered before these are received. Returns the campaign's user.
Asked<std::string> check_early(const Call& call, const Appended& sent) {
  return call.connections.read([&](store::Transaction& transaction) -> Asked<std::string> {
    const auto campaign = store::submitted_campaign(transaction, sent.campaign);
    if (!campaign) return tl::unexpected{no_campaign(call)};
    if (!may_change(call, campaign->user)) return tl::unexpected{not_yours(call, campaign_text(sent.campaign), campaign->user)};
    const bool is_repeated = sent.key && store::find_append(transaction, sent.campaign, *sent.key);
    if (auto refused = refuse_state(sent.campaign, *campaign); refused && !is_repeated) return tl::unexpected{std::move(*refused)};
    return campaign->user;
  });
}

http::Response append(const Call& call) {
  const auto id = id_of(call.parts[0]);
  if (!id) return no_campaign(call);
  auto sent = read_request(call, grid::CampaignId{*id});
  if (!sent) return sent.error();
  const auto owner = check_early(call, *sent);
  if (!owner) return owner.error();
  // The tasks are the owner's, the bytes on their way the caller's.
  const auto limits = submission_limits(call, *owner);
  const auto bytes = submission_limits(call, call.caller.user).submission;
  Upload upload{call, bytes, {bytes, submission_too_large}};
  if (auto received = upload.receive_all(); !received) return received.error();
  if (sent->count && upload.size() > 0)
    return error(Code::bad_value, "the parameters are given twice: by nb_jobs, and by the request's body");
  if (sent->key) {
    const auto digest = upload.digest();
    if (!digest) return broken_body(http::BodyError::broken);
    sent->digest = static_cast<std::int64_t>(*digest + static_cast<std::uint64_t>(sent->count.value_or(0)));
  }
  ParameterBody body{upload};
  std::optional<std::string> broken_rule;
  auto response = call.connections.write_once([&](store::Transaction& transaction) {
    return Append{call, transaction, *sent, limits}.run(sent->count ? nullptr : &body, broken_rule);
  });
  // No connection to the database is held here.
  if (broken_rule) report_broken_rule(call, *broken_rule);
  return response;
}

}  // namespace

std::span<const Route> append_routes() {
  static constexpr std::array kRoutes{Route{"POST", "/v1/campaigns/:id/tasks", Access::identified, append, "nb_jobs dry_run"}};
  return kRoutes;
}

}  // namespace gleaner::api
