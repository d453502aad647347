// Routes that submit and check campaigns.
#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/admission.hpp"
#include "api/audit.hpp"
#include "api/campaign_inputs.hpp"
#include "api/campaign_json.hpp"
#include "api/dependencies.hpp"
#include "api/limits.hpp"
#include "api/named_parameters.hpp"
#include "api/router.hpp"
#include "api/scenario_json.hpp"
#include "api/spool.hpp"
#include "api/submission.hpp"
#include "api/task_intake.hpp"
#include "lib/intake/groups.hpp"
#include "lib/intake/rows.hpp"
#include "lib/intake/submitters.hpp"
#include "lib/jdl/placement.hpp"
#include "lib/jdl/tree.hpp"
#include "lib/process/log.hpp"
#include "lib/store/campaigns.hpp"
#include "lib/store/requests.hpp"
#include "lib/text/digest.hpp"

namespace gleaner::api {
namespace {

void write_findings(text::JsonWriter& json, const Submission& submission) {
  json.key("warnings").array(submission.warnings, [&](const std::string& warning) { json.value(warning); });
  write_rules(json, submission.steps);
}

http::Response created(const store::views::Campaign& campaign, const Submission& submission) {
  text::JsonWriter json;
  json.object([&] {
    write_campaign(json, campaign);
    write_findings(json, submission);
  });
  auto response = answer(201, json.text());
  response.headers.add("Location", campaign_path(campaign.id));
  return response;
}

void write_section(text::JsonWriter& json, const jdl::CampaignFile& file, const jdl::ClusterSection& section, const jdl::Parameter& first) {
  json.object([&] {
    json.field("cluster_name", section.name);
    json.field("exec_file", section.exec_file);
    json.field("first_command", jdl::command_of_task(file, section, first));
    json.field("exec_directory", section.exec_directory);
    json.field("resources", section.resources_text());
    json.field("resources_per_job", section.resources.resources());
    json.field("walltime", section.walltime_expression.empty() ? std::optional{section.walltime} : std::nullopt);
    json.field("walltime_expression", section.walltime_expression);
    json.field("memory_mb", section.memory_mb);
    json.field("max_walltime", section.max_walltime);
    json.field("properties", section.properties);
    json.field("project", section.project);
    json.field("best_effort", section.kind == jdl::JobKind::best_effort);
    json.field("max_jobs", section.max_jobs);
    json.field("priority", section.priority);
  });
}

void note(Submission& submission, const TaskIntake& intake) {
  for (auto& warning : intake.warnings()) submission.warnings.push_back(std::move(warning));
}

void note_stuck(Submission& submission, const std::vector<store::NewDependency>& dependencies) {
  for (const auto& one : dependencies) {
    if (one.stuck)
      submission.warnings.push_back(
          fmt::format("{0}: not all tasks of campaign {1} are done, and some failed or were cancelled: this "
                      "campaign starts when they are (gridsub --retry {1})",
                      name_of(one.kind), one.on.value()));
  }
}

template <class Value>
Value* address_of(std::optional<Value>& value) {
  return value ? &*value : nullptr;
}

/// The numbers of the requests that differ from the campaign's own.
std::set<int> different_of(const std::optional<jdl::Requests>& requests) {
  std::set<int> numbers;
  if (!requests) return numbers;
  for (const auto& one : requests->different()) numbers.insert(one.request);
  return numbers;
}

http::Response check_only(const Call& call, Submission& submission, const std::vector<std::string>& groups, const SubmissionLimits& limits,
                          ParameterBody* following) {
  const auto& file = submission.file;
  auto requests = requests_of(submission);
  if (!requests) return requests.error();
  if (*requests && (*requests)->lacks_inputs()) {
    submission.warnings.emplace_back("what input_mb gives is not checked: the sizes of the input files are known when they are uploaded");
    requests->reset();
  }
  TaskIntake intake{file, nullptr, address_of(*requests), limits.tasks};
  const auto tasks = intake.take_all(following);
  if (!tasks) return tasks.error();
  note(submission, intake);
  if (const auto admitted = admit(call, submission, *tasks); !admitted) return admitted.error();
  const auto input = *requests ? (*requests)->mean_input_mb() : jdl::constant_input_mb(file);
  std::vector<std::string> commands;
  for (const auto& section : file.clusters) commands.push_back(section.exec_file);
  std::vector<std::string> names;
  std::vector<store::NewDependency> dependencies;
  const auto wrong = call.connections.read([&](store::Transaction& transaction) -> std::optional<http::Response> {
    auto found = dependencies_of(call, transaction, file, *tasks, SubmissionMode::check_only);
    if (!found) return std::move(found.error());
    dependencies = std::move(*found);
    return std::nullopt;
  });
  if (wrong) return *wrong;
  note_stuck(submission, dependencies);
  std::vector<grid::ClusterFacts> clusters;
  const auto known = call.connections.read([&](store::Transaction& transaction) {
    names.clear();
    clusters = store::planning_clusters(transaction, {.flood = call.config.flood,
                                                      .array_size = call.config.array_size,
                                                      .headroom = call.config.headroom,
                                                      .availability = call.config.availability});
    for (const auto& cluster : clusters) {
      if (is_simulated(cluster)) names.push_back(cluster.name);
    }
    return store::durations_of(transaction, call.caller.user, commands);
  });
  text::JsonWriter json;
  json.object([&] {
    json.field("dry_run", true);
    json.field("name", file.name);
    json.field("user", call.caller.user);
    json.field("type", grid::name_of(file.type));
    json.field("total_tasks", *tasks);
    json.field("replicas_allowed", file.may_replicate());
    json.field("requests", std::ssize(different_of(*requests)));
    json.key("clusters").array(file.clusters, [&](const auto& section) {
      write_section(json, file, section, intake.first_parameter().value_or(jdl::Parameter{"0"}));
    });
    json.key("candidate");
    write_candidate(json, {.file = file,
                           .user = call.caller.user,
                           .tasks = *tasks,
                           .requests = *requests ? (*requests)->different() : std::vector<jdl::TaskRequest>{},
                           .input_mb = input.value_or(0),
                           .known = known,
                           .clusters = names,
                           .known_clusters = clusters,
                           .dependencies = dependencies,
                           .groups = groups});
    write_findings(json, submission);
  });
  return answer(json);
}

/// The campaign that was created under this key, if any.
http::Response repeated(store::Transaction& transaction, const store::Repeated& known, const Submission& submission) {
  if (!known.same)
    return error(Code::key_reused,
                 fmt::format("this Idempotency-Key stands for campaign {}, which is another one: use a new key", known.id.value()));
  const auto campaign = store::views::campaign(transaction, known.id);
  if (!campaign) return error(Code::no_such_campaign, fmt::format("campaign {} of this Idempotency-Key was removed", known.id.value()));
  auto response = created(*campaign, submission);
  response.headers.add("Idempotent-Replayed", "true");
  return response;
}

/// Parameters that are only numbers are generated by the database.
bool is_plain_count(const jdl::CampaignFile& file, const ParameterBody* following, const jdl::Requests* requests) {
  return following == nullptr && requests == nullptr && file.input_files.empty() && std::holds_alternative<jdl::Count>(file.parameters) &&
         file.type == grid::CampaignType::default_;
}

Asked<std::int64_t> write_tasks(store::Transaction& transaction, grid::CampaignId id, Submission& submission, ParameterBody* following,
                                jdl::Requests* requests, std::int64_t most, jdl::KnownInputs* inputs) {
  const auto& file = submission.file;
  if (is_plain_count(file, following, requests)) {
    const auto count = std::get<jdl::Count>(file.parameters).tasks;
    store::write_numbered_tasks(transaction, id, count);
    return count;
  }
  store::TaskWriter writer{transaction, id, requests == nullptr ? store::Requests::all_the_same : store::Requests::by_task};
  TaskIntake intake{file, &writer, requests, most, 0, inputs};
  auto tasks = intake.take_all(following);
  if (!tasks) return tasks;
  writer.finish();
  note(submission, intake);
  return tasks;
}

/// Admission rules that need the number of tasks run after the tasks are written.
http::Response store_campaign(const Call& call, store::Transaction& transaction, Submission& submission, const store::NewCampaign& campaign,
                              const SubmissionLimits& limits, ParameterBody* following, const CampaignInputs& inputs) {
  const auto& file = submission.file;
  auto requests = requests_of(submission);
  if (!requests) return requests.error();
  auto known = inputs.known();
  if (*requests && known) (*requests)->know_inputs(*known);
  const auto outcome = store::create_campaign(transaction, campaign, call.now);
  if (const auto* before = std::get_if<store::Repeated>(&outcome)) return repeated(transaction, *before, submission);
  const auto id = std::get<grid::CampaignId>(outcome);
  // The user may have submitted others since the limits were read; the present campaign counts too now.
  if (const auto present = store::limits_of_user(transaction, call.caller.user).campaigns - 1; present >= limits.campaigns)
    return allow_campaign({.campaigns = limits.campaigns, .present = present}).error();
  const auto asked = asking(file);
  const auto tasks = write_tasks(transaction, id, submission, following, address_of(*requests), limits.tasks, address_of(known));
  if (!tasks) return tasks.error();
  if (const auto admitted = admit(call, submission, *tasks); !admitted) return admitted.error();
  if (submission.is_changed) store::record_admitted(transaction, id, file.name, jdl::to_json(file));
  for (const auto& section : file.clusters) {
    if (!store::add_campaign_cluster(transaction, id, intake::stored_section(file, section, id, submission.limits)))
      return error(Code::changed_meanwhile, fmt::format("cluster '{}' was removed just now", section.name));
  }
  // Requests of streamed tasks were evaluated on arrival.
  const bool differ = *requests || std::ranges::any_of(file.clusters, &jdl::ClusterSection::has_expressions);
  if (differ && asking(file) != asked)
    return error(
        Code::wrong_state,
        "an admission rule changes what the tasks ask for once it knows how many they are: give their number in the campaign file (params or nb_jobs)");
  if (const auto attached = inputs.attach(call, transaction, {id, *tasks, file, address_of(known)}); !attached) return attached.error();
  intake::write_requests(transaction, id, file, address_of(*requests));
  const auto dependencies = dependencies_of(call, transaction, file, *tasks, SubmissionMode::store, id);
  if (!dependencies) return dependencies.error();
  note_stuck(submission, *dependencies);
  store::complete_campaign(transaction, id, *tasks);
  store::add_dependencies(transaction, id, *dependencies, call.now);
  const auto stored = store::views::campaign(transaction, id);
  note(call, transaction,
       {.name = "campaign submitted", .subject = campaign_text(id), .campaign = id, .after = count_json("tasks", *tasks)});
  transaction.commit();
  process::log::info("campaign submitted", {{"campaign", id}, {"user", call.caller.user}, {"tasks", *tasks}});
  return created(stored.value(), submission);
}

/// A campaign that already exists under its key does not pass admission again.
std::optional<http::Response> find_repeated(const Call& call, const Submission& submission, const store::NewCampaign& campaign) {
  if (!campaign.idempotency_key) return {};
  return call.connections.read([&](store::Transaction& transaction) -> std::optional<http::Response> {
    const auto known = store::find_repeated(transaction, campaign);
    if (!known) return {};
    return repeated(transaction, *known, submission);
  });
}

/// Campaigns are of persons.
Asked<void> allow_user(const Call& call) {
  const auto refused = intake::why_refused(call.caller.user, {call.config.refused_users, call.config.least_uid});
  if (!refused)
    return tl::unexpected{error(Code::unavailable, fmt::format("this server cannot look you up ({}): try again later", refused.error()))};
  if (*refused) return tl::unexpected{error(Code::refused_user, fmt::format("{}: submit under your own name", **refused))};
  return {};
}

http::Response take(const Call& call, Submission& submission, SubmissionMode mode, std::optional<std::string> key,
                    std::optional<std::int64_t> digest, const SubmissionLimits& limits, ParameterBody* following) {
  const auto& file = submission.file;
  if (const auto wrong = wrong_inputs(call, file)) return *wrong;
  store::NewCampaign campaign{
      .user = call.caller.user, .name = file.name, .type = file.type, .jdl = jdl::to_json(file), .idempotency_key = std::move(key)};
  campaign.digest = digest;
  if (mode == SubmissionMode::store) {
    if (auto response = find_repeated(call, submission, campaign)) return std::move(*response);
  }
  if (const auto wrong = wrong_sources(call, file)) return *wrong;
  if (auto allowed = allow_campaign(limits); !allowed) return allowed.error();
  if (auto allowed = allow_user(call); !allowed) return allowed.error();
  auto groups = intake::groups_of(call.caller.user);
  if (!groups)
    return error(Code::unavailable, fmt::format("this server cannot look up your unix groups ({}): try again later", groups.error()));
  campaign.groups = std::move(*groups);
  if (auto wrong = wrong_numbers(file)) return std::move(*wrong);
  if (const auto tasks = known_tasks(file)) {
    if (*tasks > limits.tasks) return too_many_tasks(limits.tasks);
    if (const auto admitted = admit(call, submission, *tasks); !admitted) return admitted.error();
  }
  if (mode == SubmissionMode::check_only) return check_only(call, submission, campaign.groups, limits, following);
  const auto inputs = CampaignInputs::of(call, file);
  if (!inputs) return inputs.error();
  return call.connections.write_once(
      [&](store::Transaction& transaction) { return store_campaign(call, transaction, submission, campaign, limits, following, *inputs); });
}

Parameters parameters_of(const Call& call, const ParameterBody* following) {
  if (following != nullptr) return Parameters::may_follow;
  return call.param_files != nullptr ? Parameters::on_this_machine : Parameters::in_the_file;
}

http::Response submit(const Call& call, const SubmissionHead& head, const SubmissionLimits& limits, ParameterBody* following) {
  auto key = idempotency_key(call);
  if (!key) return key.error();
  auto submission = check_submission(call, head, parameters_of(call, following));
  if (!submission) return submission.error();
  std::unique_ptr<NamedParameters> named;
  if (const auto* file = std::get_if<jdl::ParamFile>(&submission->file.parameters); file != nullptr && following == nullptr) {
    auto read = NamedParameters::read(call, file->path);
    if (!read) return read.error();
    named = std::move(*read);
  }
  auto response = take(call, *submission, head.mode, std::move(*key), head.digest, limits, named ? &named->body() : following);
  // No connection to the database is held here.
  if (submission->broken_rule) report_broken_rule(call, *submission->broken_rule);
  return response;
}

/// Reads the digest of the whole request, if it has a key: the same key with another request is refused.
Asked<void> read_digest(const Call& call, Upload& upload, SubmissionHead& head) {
  if (!call.request.headers.find("Idempotency-Key")) return {};
  const auto body = upload.digest();
  if (!body) return tl::unexpected{broken_body(http::BodyError::broken)};
  text::Digest digest;
  digest.add(*body);
  for (const auto* key : {"type", "input_manifest"}) digest.add(call.request.parameter(key).value_or(""));
  head.digest = static_cast<std::int64_t>(digest.value());
  return {};
}

http::Response submit_json(const Call& call) {
  SubmissionHead head;
  if (const auto type = call.request.parameter("type")) {
    head.type = grid::campaign_type(*type);
    if (!head.type) return error(Code::bad_value, fmt::format("type={}: it is default or test", jdl::excerpt(*type)));
  }
  if (flag(call, "dry_run")) head.mode = SubmissionMode::check_only;
  if (flag(call, "strict")) head.doubts = jdl::Doubts::refused;
  head.input_manifest = call.request.parameter("input_manifest").value_or("");
  if (!head.input_manifest.empty() && !grid::is_sha256(head.input_manifest))
    return error(Code::bad_value, "input_manifest is not a SHA-256, 64 digits 0-9 and a-f");
  const auto limits = submission_limits(call, call.caller.user);
  Upload upload{call, limits.submission, {limits.campaign_file, file_too_large}};
  if (auto received = upload.receive_all(); !received) return received.error();
  const auto memory = take_memory(call, memory_of_file(upload.size()));
  if (!memory) return memory.error();
  if (auto read = read_digest(call, upload, head); !read) return read.error();
  auto text = upload.read_all(limits.campaign_file);
  if (!text) return broken_body(text.error());
  head.jdl = std::move(*text);
  return submit(call, head, limits, nullptr);
}

/// Errors of the head are answered before the parameters are received.
Asked<void> check_early(const Call& call, std::string_view line) {
  const auto memory = take_memory(call, memory_of_file(line.size()));
  if (!memory) return tl::unexpected{memory.error()};
  const auto head = read_head(line);
  if (!head) return tl::unexpected{error(Code::bad_input, head.error())};
  if (const auto submission = check_submission(call, *head, Parameters::may_follow); !submission) return tl::unexpected{submission.error()};
  return {};
}

http::Response submit_ndjson(const Call& call) {
  const auto limits = submission_limits(call, call.caller.user);
  Upload upload{call, limits.submission, {limits.submission, submission_too_large}};
  if (auto received = upload.receive_first_line(); !received) return received.error();
  const auto first = upload.first_line();
  if (first && !upload.is_whole()) {
    if (auto right = check_early(call, *first); !right) return right.error();
  }
  if (auto received = upload.receive_all(); !received) return received.error();
  // Escaping makes a text longer in JSON.
  const auto longest = 2 * limits.campaign_file + 4096;
  const auto memory = take_memory(call, memory_of_file(std::min<std::uint64_t>(first ? first->size() : upload.size(), longest)));
  if (!memory) return memory.error();
  SubmissionHead whole;
  if (auto read = read_digest(call, upload, whole); !read) return read.error();
  ParameterBody body{upload};
  auto line = body.first_line(longest);
  if (!line) return line.error() == http::BodyError::too_large ? file_too_large(limits.campaign_file) : broken_body(line.error());
  auto head = read_head(std::exchange(*line, {}));
  if (!head) return error(Code::bad_input, head.error());
  head->digest = whole.digest;
  if (head->jdl.size() > limits.campaign_file) return file_too_large(limits.campaign_file);
  return submit(call, *head, limits, &body);
}

http::Response post_campaign(const Call& call) {
  const auto header = call.request.headers.find("Content-Type").value_or("application/json");
  const auto type = header.substr(0, header.find_first_of("; "));
  if (type == "application/x-ndjson") return submit_ndjson(call);
  if (type == "application/json") return submit_json(call);
  return error(Code::wrong_media_type,
               fmt::format("'{}' is not taken here: send application/json or application/x-ndjson", jdl::excerpt(type)));
}

}  // namespace

std::span<const Route> submission_routes() {
  static constexpr std::array kRoutes{
      Route{"POST", "/v1/campaigns", Access::identified, post_campaign, "type dry_run strict input_manifest"}};
  return kRoutes;
}

}  // namespace gleaner::api
