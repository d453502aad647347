#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/minioar/api.hpp"
#include "sim/minioar/oarsub.hpp"
#include "sim/minioar/pages.hpp"

namespace gleaner::minioar {

namespace {

constexpr std::size_t kBodyLimit = std::size_t{1} << 30U;

/// The exit status of OAR's commands, in the encoding of wait().
int status_of(Refusal refusal) {
  switch (refusal) {
    case Refusal::already_killed: return 6 << 8;
    case Refusal::not_running: return 5 << 8;
    default: return 1 << 8;
  }
}

std::string_view reason_of(Refusal refusal) {
  switch (refusal) {
    case Refusal::already_killed: return "This job was already killed.";
    case Refusal::not_running: return "This job is not running.";
    default: return "You are not the right user.";
  }
}

std::string_view hold_reason(Refusal refusal, std::string_view wrong_state) {
  if (refusal == Refusal::unknown_job) return "this job does not exist.";
  if (refusal == Refusal::wrong_user) return "you are not the right user.";
  return wrong_state;
}

/// The output and exit status of one of OAR's commands.
struct Outcome {
  std::string output;
  int status = 0;
};

Outcome oardel(Engine& engine, const std::string& user, const std::vector<JobNumber>& ids) {
  Outcome outcome;
  std::vector<JobNumber> registered;
  for (const auto id : ids) {
    if (const auto done = engine.kill(user, id)) {
      registered.push_back(id);
      outcome.output += fmt::format("Deleting the job = {} ...REGISTERED.\n", id);
    } else {
      outcome.status = status_of(done.error());
      outcome.output += fmt::format("Deleting the job = {} ...ERROR.\nCannot frag {} ; {}\n", id, id, reason_of(done.error()));
    }
  }
  if (!registered.empty() && !engine.server_lives()) {
    outcome.output += fmt::format("Could not connect to the socket {}:{}\n", engine.options().shape.name, kServerPort);
    outcome.status = 2 << 8;
    return outcome;
  }
  if (!registered.empty())
    outcome.output += fmt::format("The job(s) [ {} ] will be deleted in the near future.\n", fmt::join(registered, " "));
  return outcome;
}

Outcome checkpoint(Engine& engine, const std::string& user, JobNumber id, const std::string& node) {
  const auto done = engine.checkpoint(user, id);
  if (done) {
    return {fmt::format("Checkpointing the job {0} ...DONE.\nThe job {0} was notified to checkpoint itself on {1}.\n", id, node)};
  }
  return {fmt::format("Checkpointing the job {0} ...ERROR.\nCannot checkpoint {0} ; {1}\n", id, reason_of(done.error())),
          status_of(done.error())};
}

Outcome change(const Dialect& dialect, const Done& done, JobNumber id, std::string_view asked, std::string_view verb,
               std::string_view wrong_state) {
  if (done) return {fmt::format("[{}] {} request was sent to the OAR server.\n", id, asked)};
  return {words(dialect.cannot, fmt::arg("verb", verb), fmt::arg("job", id), fmt::arg("reason", hold_reason(done.error(), wrong_state))),
          1 << 8};
}

/// A command of OAR that the API runs on jobs.
struct Action {
  std::string_view name;
  std::string_view command;
  std::string_view option;
  std::string_view status;
};
constexpr std::array<Action, 6> kActions{{{"deletions", "oardel", "", "Delete request registered"},
                                          {"checkpoints", "oardel", "-c ", "Checkpoint request registered"},
                                          {"holds", "oarhold", "", "Hold request registered"},
                                          {"rholds", "oarhold", "-r ", "Hold request registered"},
                                          {"resumptions", "oarresume", "", "Resume request registered"},
                                          {"resubmissions", "oarsub", "--resubmit ", "Resubmit request registered"}}};

ApiError command_error(std::string_view name, const Outcome& outcome, std::string_view command) {
  return {400, fmt::format("{} error", name),
          fmt::format("{} command exited with status {}: {}. (Command was: /usr/lib/oar/oardodo/oardodo {}).", name, outcome.status,
                      outcome.output, command)};
}

std::string node_of(Engine& engine, JobNumber id) {
  return engine.read([&](Ledger& ledger) -> std::string {
    const auto* job = ledger.find(id);
    if (job == nullptr || job->resources.empty()) return {};
    return ledger.resources()[static_cast<std::size_t>(job->resources.front())].host;
  });
}

Outcome run_one(Engine& engine, const std::string& user, std::string_view action, JobNumber id) {
  constexpr std::string_view kNotHeld = "the job is not in the Hold or Suspended state.";
  constexpr std::string_view kNotRight = "the job is not in the right state (try '-r' option).";
  if (action == "checkpoints") return checkpoint(engine, user, id, node_of(engine, id));
  if (action == "holds") return change(engine.dialect(), engine.hold(user, id), id, "Hold", "hold", kNotRight);
  if (action == "rholds") return change(engine.dialect(), engine.suspend(user, id), id, "Hold", "hold", kNotRight);
  return change(engine.dialect(), engine.resume(user, id), id, "Resume", "resume", kNotHeld);
}

Outcome run_all(Engine& engine, const std::string& user, std::string_view action, const std::vector<JobNumber>& ids) {
  if (action == "deletions") return oardel(engine, user, ids);
  Outcome all;
  for (const auto id : ids) {
    const auto one = run_one(engine, user, action, id);
    all.output += one.output;
    if (one.status != 0) all.status = one.status;
  }
  return all;
}

}  // namespace

http::Response Api::post_job(const Call& call) {
  if (call.user.empty()) return no_identity("posting jobs");
  const auto type = call.http.headers.find("Content-Type").value_or("application/json");
  if (!type.starts_with("application/json")) {
    return error_answer(
        {406, "Job description must be in YAML or JSON", "The correct format for a job request is text/yaml or application/json. "});
  }
  const auto body = call.http.body->read_all(kBodyLimit);
  if (!body) return html_page(400, "Bad Request", http::describe(body.error()));
  const auto posted = read_posted_job(*body);
  if (!posted) return error_answer(posted.error());
  if (!knows(call.user)) {
    return error_answer(
        {401, "Permission denied", "Oardodo error: 52: [OARDODO] ERROR: Cannot get information regarding the target user (Success)\n\n"});
  }
  std::error_code ignored;
  std::filesystem::create_directories(engine_.home_of(call.user), ignored);
  const auto accepted = oarsub(engine_, call.user, *posted);
  if (!accepted) return error_answer(accepted.error());
  const auto id = accepted->ids.front();
  text::JsonWriter json;
  json.begin_object().field("api_timestamp", call.now).field("cmd_output", accepted->output).field("id", id).key("links").begin_array();
  write_link(json, call.link(fmt::format("jobs/{}", id)), "self");
  json.end_array().end_object();
  auto response = json_answer(201, json.text());
  response.headers.add("Location", call.link(fmt::format("jobs/{}", id)));
  return response;
}

http::Response Api::delete_job(const Call& call, JobNumber id) {
  if (call.user.empty()) return no_identity("deleting jobs");
  const auto outcome = oardel(engine_, call.user, {id});
  if (outcome.status != 0) return error_answer(command_error("Oardel", outcome, fmt::format("oardel {}", id)));
  text::JsonWriter json;
  json.begin_object().field("api_timestamp", call.now).field("id", std::to_string(id)).field("oardel_output", outcome.output);
  json.field("status", "Delete request registered").end_object();
  return json_answer(202, json.text());
}

http::Response Api::act(const Call& call, Scope scope, JobNumber id, const std::string& name) {
  if (call.user.empty()) return no_identity("modifying jobs");
  const auto& action = *std::find_if(kActions.begin(), kActions.end(), [&](const Action& each) { return each.name == name; });
  text::JsonWriter json;
  json.begin_object().field("api_timestamp", call.now);
  if (name == "resubmissions") {
    const auto fresh = engine_.resubmit(call.user, id);
    if (!fresh)
      return error_answer(command_error("Oar", {fmt::format("Resubmitting job {}...[ERROR] {}\n", id, reason_of(fresh.error())), 1 << 8},
                                        fmt::format("oarsub  --resubmit {}", id)));
    json.field("cmd_output", fmt::format("{}OAR_JOB_ID={}\n", words(engine_.dialect().resubmitted, fmt::arg("job", id)), *fresh))
        .field("id", *fresh)
        .key("links")
        .begin_array();
    write_link(json, call.link(fmt::format("jobs/{}", *fresh)), "self");
    write_link(json, call.link(fmt::format("jobs/{}", id)), "parent");
    json.end_array().field("status", "submitted").end_object();
    return json_answer(201, json.text());
  }
  auto ids = scope == Scope::job ? std::vector<JobNumber>{id} : engine_.read([&](Ledger& ledger) { return ledger.array(id); });
  const auto outcome =
      ids.empty() ? Outcome{fmt::format("[ERROR] \"{}\" is not a valid array job\n", id), 4 << 8} : run_all(engine_, call.user, name, ids);
  if (outcome.status != 0) {
    const auto command = fmt::format("{} {} {}{}", action.command, scope == Scope::job ? "" : "--array", action.option, id);
    return error_answer(command_error("Oar", outcome, command));
  }
  json.field("cmd_output", outcome.output).field("id", std::to_string(id)).key("links").begin_array();
  write_link(json, call.link(fmt::format("jobs/{}", id)), "self");
  json.end_array().field("status", action.status).end_object();
  return json_answer(202, json.text());
}

http::Response Api::send_signal(const Call& call, JobNumber id, int signal) {
  if (call.user.empty()) return no_identity("modifying jobs");
  const auto said = fmt::format("Signaling the job {} with {} signal.\n", id, signal);
  const auto node = node_of(engine_, id);
  if (const auto done = engine_.signal(call.user, id, signal); !done) {
    const Outcome outcome{fmt::format("{}ERROR.\nCannot signal {} ; {}\n", said, id, reason_of(done.error())), status_of(done.error())};
    return error_answer(command_error("Oar", outcome, fmt::format("oardel -s {} {}", signal, id)));
  }
  text::JsonWriter json;
  json.begin_object().field("api_timestamp", call.now);
  json.field("cmd_output", fmt::format("{}DONE.\nThe job {} was notified to signal itself with {} on {}.\n", said, id, signal, node));
  json.field("id", std::to_string(id)).field("status", "Signal sending request registered").end_object();
  return json_answer(202, json.text());
}

}  // namespace gleaner::minioar
