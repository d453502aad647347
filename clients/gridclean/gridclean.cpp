#include "clients/gridclean/gridclean.hpp"

#include <fmt/format.h>

#include <map>

#include "clients/api_client.hpp"
#include "clients/asked.hpp"
#include "clients/task_lines.hpp"
#include "lib/terminal/output.hpp"
#include "lib/terminal/text.hpp"

namespace gleaner::gridclean {
namespace {

using clients::ApiClient;
using clients::Json;
using process::Error;
using process::ExitCode;

/// OAR's ids of a campaign's last jobs, by cluster.
using Jobs = std::map<std::string, std::vector<std::int64_t>>;

Jobs finished_jobs(ApiClient& api, std::int64_t campaign) {
  Jobs jobs;
  clients::read_tasks(api, fmt::format("/v1/campaigns/{}/tasks.ndjson?state=done,failed,cancelled", campaign), [&](const Json& task) {
    if (const auto id = task["remote_id"].whole()) jobs[task["cluster_name"].text()].push_back(*id);
  });
  return jobs;
}

void report_counts(terminal::Output& output, std::int64_t campaign, const Jobs& clusters) {
  std::int64_t jobs = 0;
  for (const auto& [cluster, ids] : clusters) jobs += std::ssize(ids);
  output.report(fmt::format("gridclean: campaign {}: {} on {}", campaign, terminal::counted(jobs, "job"),
                            terminal::counted(std::ssize(clusters), "cluster")));
}

}  // namespace

process::Outcome gridclean(const process::Context& context) {
  const auto& arguments = context.arguments;
  const auto campaigns = clients::ids_of(arguments.positional);
  if (campaigns.empty()) throw Error{ExitCode::usage, "the id of a campaign is needed (see --help)"};
  const auto form = clients::form_of(arguments);
  const auto output = terminal::make_output(form);
  ApiClient api{context.config};
  terminal::Answer answer{.table = {{{"campaign", "Campaign"}, {"cluster", "Cluster"}, {"remote_id", "RemoteId"}}, {}}};
  for (const auto campaign : campaigns) {
    const auto clusters = finished_jobs(api, campaign);
    if (arguments.has("verbose")) report_counts(*output, campaign, clusters);
    for (const auto& [cluster, jobs] : clusters) {
      answer.text += terminal::printable(cluster) + ":";
      for (const auto job : jobs) {
        answer.text += fmt::format(" {}", job);
        answer.ids.push_back(fmt::format("{}", job));
        answer.table.rows.push_back({terminal::Cell{campaign}, terminal::Cell{cluster}, terminal::Cell{job}});
      }
      answer.text += "\n";
    }
  }
  if (answer.table.rows.empty() && form == terminal::Form::human) {
    output->report("gridclean: no job of it is over");
    return ExitCode::ok;
  }
  output->show(answer);
  return ExitCode::ok;
}

}  // namespace gleaner::gridclean
