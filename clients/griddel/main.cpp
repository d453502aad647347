#include <fmt/format.h>

#include "clients/act.hpp"
#include "clients/api_client.hpp"
#include "clients/asked.hpp"
#include "lib/process/run.hpp"

namespace {

using namespace gleaner;

process::Outcome griddel(const process::Context& context) {
  const auto& arguments = context.arguments;
  clients::Action action{"", clients::Verb::remove, "", "cancelled"};
  if (arguments.has("pause") && arguments.has("resume"))
    throw process::Error{process::ExitCode::usage, "--pause and --resume exclude each other"};
  if (arguments.has("pause")) action = {"pause", clients::Verb::post, "/hold", "paused"};
  if (arguments.has("resume")) action = {"resume", clients::Verb::post, "/resume", "resumed"};
  const auto output = terminal::make_output(clients::form_of(arguments));
  const auto ids = clients::ids_of(arguments.positional);
  const auto tasks = clients::task_lists(arguments, ids);
  if (!tasks.empty()) {
    if (!action.option.empty())
      throw process::Error{process::ExitCode::usage, fmt::format("--{} is for whole campaigns: it does not go with --task", action.option)};
    action.path = "/jobs";
  }
  clients::ApiClient api{context.config};
  return clients::act_on(api, *output, action, ids, tasks);
}

}  // namespace

int main(int argc, char** argv) {
  const process::Program program{
      .name = "griddel",
      .purpose = "Cancels campaigns, or some tasks of one: waiting tasks at once, jobs are killed. Or pauses and resumes campaigns.",
      .keys = clients::api_keys(),
      .options = {{"task", "LIST", "cancel only these tasks of the campaign: 7,9-12, 100-*"},
                  {"pause,p", "", "pause them instead: nothing more is submitted, their jobs continue"},
                  {"resume,r", "", "resume them instead, and lift their brakes"},
                  {"json", "", "print JSON"},
                  {"csv", "", "print CSV"},
                  {"quiet,q", "", "print the ids alone of those that it was done to"}},
      .positional = "ID...",
      .interruption = process::Interruption::ends_program,
      .notes = "Several ids: griddel 3 4, or griddel 3,4. One that is refused does not stop the others."};
  return process::run(program, argc, argv, griddel);
}
