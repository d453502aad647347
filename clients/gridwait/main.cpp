#include <fmt/format.h>

#include "clients/api_client.hpp"
#include "clients/asked.hpp"
#include "clients/follow.hpp"
#include "lib/process/run.hpp"
#include "lib/process/values.hpp"
#include "lib/terminal/text.hpp"

namespace {

using namespace gleaner;
using process::Error;
using process::ExitCode;

process::Duration duration(const process::Arguments& arguments, std::string_view option) {
  const auto given = arguments.value(option).value_or("");
  const auto read = process::parse_duration(given);
  if (!read) throw Error{ExitCode::usage, fmt::format("--{}={}: must be a time such as 30s, 5m or 2h", option, given)};
  return *read;
}

void report_ends(const std::vector<clients::Json>& campaigns, terminal::Output& output) {
  for (const auto& campaign : campaigns) {
    output.report(fmt::format("gridwait: campaign {} is {}: {} of {} done", campaign["id"].integer(),
                              terminal::printable(campaign["state"].text()), campaign["tasks"]["done"].integer(),
                              terminal::counted(campaign["total_tasks"].integer(), "task")));
  }
}

process::Outcome gridwait(const process::Context& context) {
  const auto& arguments = context.arguments;
  const auto output = terminal::make_output(clients::form_of(arguments));
  clients::Following following{.ids = clients::ids_of(arguments.positional)};
  if (following.ids.empty()) throw Error{ExitCode::usage, "the id of a campaign is needed (see --help)"};
  if (arguments.has("timeout")) following.time_limit = duration(arguments, "timeout");
  if (arguments.has("period"))
    following.period = std::max<process::Duration>(duration(arguments, "period"), std::chrono::milliseconds{100});
  std::vector<clients::Json> last;
  following.show = [&](const std::vector<clients::Json>& campaigns) { last = campaigns; };
  clients::ApiClient api{context.config};
  const auto code = clients::follow(api, *output, following);
  report_ends(last, *output);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  const process::Program program{
      .name = "gridwait",
      .purpose =
          "Waits until campaigns have ended: exit status 0 when all their tasks are done, 1 when some are not, 4 when they cannot end.",
      .keys = clients::api_keys(),
      .options = {{"timeout", "DURATION", "wait no longer, such as 2h: exit status 75"},
                  {"period", "DURATION", "least time between two looks (1s)"},
                  {"quiet,q", "", "say nothing"}},
      .positional = "ID...",
      .interruption = process::Interruption::ends_program,
      .notes =
          "An API that goes away in the meantime is waited for. A campaign cannot end if max_fails paused it, if what it waits for\n"
          "was cancelled, deleted, has failed tasks or cannot end, or if no cluster takes its tasks or runs its epilogue: a line\n"
          "says so, with what to do."};
  return process::run(program, argc, argv, gridwait);
}
