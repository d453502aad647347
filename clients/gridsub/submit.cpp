#include "clients/gridsub/submit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "clients/cigri_tables.hpp"
#include "clients/gridsub/chain.hpp"
#include "clients/gridsub/inputs.hpp"
#include "clients/gridsub/problems.hpp"
#include "lib/terminal/text.hpp"

namespace gleaner::gridsub {
namespace {

using clients::ApiClient;
using clients::Reply;
using process::Error;
using process::ExitCode;
using terminal::Output;

/// The error for problems that the grid reports, in the form of those found locally.
WrongInput refused(const Reply& reply, const Campaign& campaign) {
  std::vector<jdl::Problem> of_file;
  std::vector<jdl::Problem> of_parameters;
  for (auto& problem : problems_of(reply.json)) {
    const bool is_parameter = problem.path == "parameters" && campaign.parameters != nullptr;
    (is_parameter ? of_parameters : of_file).push_back(std::move(problem));
  }
  auto text = jdl::render(of_file, campaign.source);
  if (campaign.parameters) text += jdl::render(of_parameters, campaign.parameters->name());
  if (text.ends_with('\n')) text.pop_back();
  return {kNothingSubmitted, std::move(text)};
}

/// The API speaks of one submission: "nothing was submitted: WHY".
std::string_view reason_of(std::string_view what) {
  if (!what.starts_with(kNothingSubmitted)) return what;
  what.remove_prefix(kNothingSubmitted.size());
  while (what.starts_with(':') || what.starts_with(' ')) what.remove_prefix(1);
  return what;
}

void check_all(ApiClient& api, std::vector<Campaign>& campaigns) {
  std::string problems;
  for (auto& campaign : campaigns) {
    try {
      static_cast<void>(send(api, campaign, SubmissionMode::check_only));
    } catch (const WrongInput& wrong) {
      problems += (problems.empty() ? "" : "\n") + wrong.problems();
    } catch (const Error& error) {
      throw Error{error.code(), fmt::format("{}: {}: {}", kNothingSubmitted, campaign.source, reason_of(error.what()))};
    }
  }
  if (!problems.empty()) throw WrongInput{kNothingSubmitted, problems};
}

/// Its id is in `ids` as soon as the campaign exists, also if it cannot be shown then.
void submit(ApiClient& api, Campaign& campaign, Output& output, Announcement announcement, std::vector<std::int64_t>& ids) {
  upload_inputs(api, campaign, output);
  const auto reply = send(api, campaign, SubmissionMode::submit);
  const auto id = reply.json["id"].whole();
  if (!id) throw Error{ExitCode::failure, "the API's answer names no campaign"};
  ids.push_back(*id);
  show_warnings(reply, output);
  if (is_cigri(announcement)) {
    const auto document = announcement == Announcement::cigri_details ? reply.body + "\n" : std::string{};
    Output::pass_on(fmt::format("Campaign successfully submitted\n{}CAMPAIGN_ID={}\n", document, *id));
    return;
  }
  output.report(fmt::format("Campaign successfully submitted: {}", terminal::counted(reply.json["total_tasks"].integer(), "task")));
  if (announcement == Announcement::details) output.report(fmt::format("CAMPAIGN_ID={}", *id));
  output.show({.text = fmt::format("CAMPAIGN_ID={}\n", *id),
               .json = reply.body,
               .ids = {fmt::format("{}", *id)},
               .done = fmt::format("campaign {} was submitted", *id)});
}

/// Why the campaign was not submitted, or its id not shown.
std::string why(const Campaign& campaign, const Error& error, bool is_submitted) {
  if (is_submitted) return error.what();
  if (const auto* wrong = dynamic_cast<const WrongInput*>(&error))
    return fmt::format("{} was not submitted:\n{}", campaign.source, wrong->problems());
  // If the answer was lost, the error itself says what is known.
  if (error.code() == ExitCode::unavailable) return fmt::format("{}: {}", campaign.source, error.what());
  return fmt::format("{} was not submitted: {}", campaign.source, reason_of(error.what()));
}

/// The name of one of several campaigns in a file.
std::string shown(const std::vector<Campaign>& campaigns, std::size_t place) {
  const auto& source = campaigns[place].source;
  if (std::ranges::count(campaigns, source, &Campaign::source) == 1) return source;
  return fmt::format("{} ('{}')", source, terminal::printable(campaigns[place].file.name));
}

Error part_of_all(const std::vector<Campaign>& campaigns, const std::vector<std::int64_t>& ids, std::size_t failed, const Error& error) {
  auto text = why(campaigns[failed], error, ids.size() > failed);
  for (std::size_t i = 0; i < campaigns.size(); ++i) {
    if (i < failed) text += fmt::format("\n{} was submitted as campaign {}", shown(campaigns, i), ids[i]);
    if (i > failed) text += fmt::format("\n{} was not submitted", shown(campaigns, i));
  }
  return {error.code(), text};
}

}  // namespace

std::vector<jdl::Problem> problems_of_grid(const process::Config& config, const Campaign& campaign) {
  try {
    ApiClient api{config};
    SubmissionBody body{head_of(campaign, SubmissionMode::check_only), nullptr};
    const auto reply = api.submit(body);
    return reply.status == 400 ? problems_of(reply.json) : std::vector<jdl::Problem>{};
  } catch (const Error&) {
    return {};
  }
}

Reply send(ApiClient& api, Campaign& campaign, SubmissionMode mode) {
  SubmissionBody body{head_of(campaign, mode), campaign.parameters.get()};
  auto reply = api.submit(body);
  if (reply.status == 400) throw refused(reply, campaign);
  return reply;
}

Announcement announcement_of(const process::Context& context) {
  const bool has_details = context.arguments.has("details");
  if (!has_details && context.arguments.has("quiet")) return Announcement::by_form;
  if (clients::is_cigri_style(context.config)) return has_details ? Announcement::cigri_details : Announcement::cigri;
  return has_details ? Announcement::details : Announcement::by_form;
}

std::vector<std::int64_t> submit_all(ApiClient& api, std::vector<Campaign>& campaigns, Output& output, Announcement announcement) {
  std::vector<std::int64_t> ids;
  if (campaigns.size() > 1) check_all(api, campaigns);
  for (std::size_t i = 0; i < campaigns.size(); ++i) {
    try {
      name_by_number(campaigns[i], campaigns, ids);
      submit(api, campaigns[i], output, announcement, ids);
    } catch (const Error& error) {
      if (campaigns.size() == 1) throw;
      throw part_of_all(campaigns, ids, i, error);
    }
  }
  return ids;
}

}  // namespace gleaner::gridsub
