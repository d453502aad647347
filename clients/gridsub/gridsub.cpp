#include "clients/gridsub/gridsub.hpp"

#include <fmt/format.h>

#include <array>

#include "clients/act.hpp"
#include "clients/api_client.hpp"
#include "clients/asked.hpp"
#include "clients/follow.hpp"
#include "clients/gridsub/campaign.hpp"
#include "clients/text.hpp"

namespace gleaner::gridsub {
namespace {

using clients::Answer;
using clients::ApiClient;
using clients::Output;
using clients::Reply;
using process::Error;
using process::ExitCode;

constexpr std::array kActions{
    clients::Action{"hold", clients::Verb::post, "/hold", "held"},
    clients::Action{"resume", clients::Verb::post, "/resume", "resumed"},
    clients::Action{"retry", clients::Verb::post, "/retries", "retried"},
    clients::Action{"fix", clients::Verb::remove, "/events", "fixed"},
};

/// What the grid finds wrong, as if it had been found here.
Error refused(const Reply& reply, const Campaign& campaign) {
  std::vector<jdl::Problem> of_file;
  std::vector<jdl::Problem> of_parameters;
  for (const auto& item : reply.json["problems"].items()) {
    jdl::Problem problem{{static_cast<std::size_t>(item["line"].integer()), static_cast<std::size_t>(item["column"].integer())},
                         item["path"].text(), item["value"].text(), item["message"].text()};
    const bool is_parameter = problem.path == "parameters" && campaign.parameters != nullptr;
    (is_parameter ? of_parameters : of_file).push_back(std::move(problem));
  }
  auto text = jdl::render(of_file, campaign.source);
  if (campaign.parameters) text += jdl::render(of_parameters, campaign.parameters->name());
  if (text.ends_with('\n')) text.pop_back();
  return Error{ExitCode::usage, fmt::format("nothing was submitted:\n{}", text)};
}

Reply send(ApiClient& api, Campaign& campaign, Wish wish) {
  SubmissionBody body{head_of(campaign, wish), campaign.parameters.get()};
  auto reply = api.submit(body);
  if (reply.status == 400) throw refused(reply, campaign);
  return reply;
}

void tell_warnings(const Reply& reply, Output& output) {
  for (const auto& warning : reply.json["warnings"].items()) output.tell(fmt::format("gridsub: note: {}", clients::printable(warning.text())));
}

void check_only(ApiClient& api, Campaign& campaign, Output& output) {
  const auto reply = send(api, campaign, Wish::check_only);
  tell_warnings(reply, output);
  std::string clusters;
  for (const auto& cluster : reply.json["clusters"].items()) clusters += (clusters.empty() ? "" : ", ") + cluster["cluster_name"].text();
  output.show({.text = fmt::format("{} is valid: {} on {}; nothing was submitted\n", campaign.source,
                                   clients::counted(reply.json["total_jobs"].integer(), "task"), clients::printable(clusters)),
               .json = reply.body});
}

std::int64_t submit(ApiClient& api, Campaign& campaign, Output& output) {
  const auto reply = send(api, campaign, Wish::submit);
  const auto id = reply.json["id"].whole();
  if (!id) throw Error{ExitCode::failure, "the API's answer names no campaign"};
  tell_warnings(reply, output);
  output.tell(fmt::format("Campaign successfully submitted: {}", clients::counted(reply.json["total_jobs"].integer(), "task")));
  output.show({.text = fmt::format("CAMPAIGN_ID={}\n", *id), .json = reply.body, .ids = {fmt::format("{}", *id)}});
  return *id;
}

clients::Form form_of(const process::Arguments& arguments) {
  if (arguments.has("details")) return clients::Form::json;
  return arguments.has("quiet") ? clients::Form::quiet : clients::Form::human;
}

std::optional<clients::Action> asked_action(const process::Arguments& arguments) {
  std::optional<clients::Action> asked;
  for (const auto& action : kActions) {
    if (!arguments.has(action.option)) continue;
    if (asked) throw Error{ExitCode::usage, fmt::format("--{} and --{} exclude each other", asked->option, action.option)};
    asked = action;
  }
  if (asked && (arguments.has("file") || arguments.has("json"))) throw Error{ExitCode::usage, fmt::format("--{} is for campaigns that were submitted before", asked->option)};
  return asked;
}

}  // namespace

process::Outcome gridsub(const process::Context& context) {
  const auto& arguments = context.arguments;
  const auto output = clients::make_output(form_of(arguments));
  if (const auto action = asked_action(arguments)) {
    auto named = arguments.all(action->option);
    named.insert(named.end(), arguments.positional.begin(), arguments.positional.end());
    ApiClient api{context.config};
    return clients::act_on(api, *output, *action, clients::ids_of(named));
  }
  if (!arguments.positional.empty()) throw Error{ExitCode::usage, fmt::format("unexpected argument '{}': a campaign file is given by -f", arguments.positional[0])};
  // All are checked before the first one is sent.
  auto campaigns = read_campaigns(arguments);
  ApiClient api{context.config};
  std::vector<std::int64_t> ids;
  for (auto& campaign : campaigns) {
    if (arguments.has("dry-run")) {
      check_only(api, campaign, *output);
    } else {
      ids.push_back(submit(api, campaign, *output));
    }
  }
  if (!arguments.has("wait") || ids.empty()) return ExitCode::ok;
  return clients::follow(api, *output, {.ids = ids});
}

}  // namespace gleaner::gridsub
