#include "clients/gridsub/local.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "clients/asked.hpp"
#include "clients/gridsub/campaign.hpp"
#include "clients/gridsub/input_from.hpp"
#include "clients/gridsub/inputs.hpp"
#include "clients/gridsub/local_task.hpp"
#include "clients/gridsub/problems.hpp"
#include "lib/grid/exit_status.hpp"
#include "lib/grid/walltime.hpp"
#include "lib/jdl/parse.hpp"
#include "lib/jdl/placement.hpp"
#include "lib/process/child.hpp"
#include "lib/process/exit_code.hpp"
#include "lib/terminal/text.hpp"
#include "lib/terminal/times.hpp"

namespace gleaner::gridsub {
namespace {

using process::Error;
using process::ExitCode;
using std::chrono::steady_clock;

/// From SIGTERM to SIGKILL.
constexpr std::chrono::seconds kPatience{10};

/// A folder of our own, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = std::filesystem::temp_directory_path() / "gridsub-local-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr)
      throw Error{ExitCode::failure, fmt::format("the folder {} cannot be made: {}", name, std::strerror(errno))};
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The signals that would end this program are read, so that the task's processes end with it.
class EndingSignals {
 public:
  EndingSignals() {
    ::sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::sigaddset(&signals_, signal);
    ::sigprocmask(SIG_BLOCK, &signals_, &before_);
    descriptor_ = ::signalfd(-1, &signals_, SFD_CLOEXEC | SFD_NONBLOCK);
    if (descriptor_ < 0) throw Error{ExitCode::failure, fmt::format("signalfd: {}", std::strerror(errno))};
  }
  ~EndingSignals() {
    ::close(descriptor_);
    ::sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  EndingSignals(const EndingSignals&) = delete;
  EndingSignals& operator=(const EndingSignals&) = delete;
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// The one that came; empty: none.
  [[nodiscard]] std::optional<int> next() const {
    signalfd_siginfo info{};
    if (::read(descriptor_, &info, sizeof info) != static_cast<ssize_t>(sizeof info)) return std::nullopt;
    return static_cast<int>(info.ssi_signo);
  }

 private:
  sigset_t signals_{};
  sigset_t before_{};
  int descriptor_ = -1;
};

struct Ending {
  int status = 0;    ///< for our own exit
  std::string text;  ///< for people
};

Ending ending_of(const process::ChildEnd& end) { return {end.signal == 0 ? end.exit_status : grid::kSignalled + end.signal, end.text()}; }

/// Waits for the task; its walltime, or a signal for us, ends it.
Ending await(process::Child& child, grid::Seconds walltime, const EndingSignals& signals) {
  const auto deadline = steady_clock::now() + walltime;
  while (true) {
    if (const auto end = child.wait(process::Duration{0})) return ending_of(*end);
    if (const auto signal = signals.next()) {
      child.signal_group(*signal);
      static_cast<void>(child.stop(kPatience));
      return {grid::kSignalled + *signal, fmt::format("ended by signal {}", *signal)};
    }
    const auto left = std::chrono::ceil<process::Duration>(deadline - steady_clock::now());
    if (left.count() <= 0) {
      static_cast<void>(child.stop(kPatience));
      return {kWalltimeOver, fmt::format("ended at its walltime, {}: a cluster would do the same", grid::format_walltime(walltime))};
    }
    std::array<pollfd, 2> watched{pollfd{child.descriptor(), POLLIN, 0}, pollfd{signals.descriptor(), POLLIN, 0}};
    ::poll(watched.data(), watched.size(), static_cast<int>(std::min<std::int64_t>(left.count(), 1 << 30)));
  }
}

void check_options(const process::Arguments& arguments) {
  for (const auto& [option, values] : arguments.options) {
    constexpr std::array<std::string_view, 7> kTaken{"local", "cluster", "file", "json", "nb-jobs", "param-file", "strict"};
    if (std::ranges::find(kTaken, option) == kTaken.end())
      throw Error{ExitCode::usage,
                  fmt::format("--local and --{} exclude each other: --local submits nothing, and prints what the task prints", option)};
  }
  if (!arguments.positional.empty())
    throw Error{ExitCode::usage, fmt::format("unexpected argument '{}': a campaign file is given by -f", arguments.positional[0])};
  if (arguments.all("file").size() + arguments.all("json").size() > 1)
    throw Error{ExitCode::usage, "--local runs one task of one campaign file: give one -f, or one -j"};
}

/// Doubts about the file, as the grid would report them at the submission.
void report_doubts(const Campaign& campaign, terminal::Output& output) {
  const auto parsed = jdl::parse_with_warnings(campaign.text);
  if (!parsed) return;
  for (const auto& problem : parsed->warnings) {
    auto line = jdl::render(std::array{problem}, campaign.source);
    if (line.ends_with('\n')) line.pop_back();
    output.report(fmt::format("gridsub: note: {}", terminal::printable(line)));
  }
  if (const auto escaped = jdl::escaped_dollar(campaign.file))
    output.report(fmt::format("gridsub: note: {}", terminal::printable(*escaped)));
}

std::string home_of(std::string_view user) {
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') throw Error{ExitCode::failure, fmt::format("HOME of {} is not set", user)};
  return home;
}

void write_node_file(const LocalTask& task, const LocalPlace& place) {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  std::ofstream file{node_file(place)};
  for (int i = 0; i < task.cores; ++i) file << host.data() << '\n';
}

void check_directory(const std::string& directory) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(directory, ignored))
    throw Error{ExitCode::usage, fmt::format("nothing was run: exec_directory: there is no folder {} on this machine: make it, or choose "
                                             "another cluster by --cluster",
                                             directory)};
}

Ending carry_out(const Campaign& campaign, const LocalTask& task, const LocalPlace& place) {
  process::Command command{.arguments = job_words(campaign, task, place)};
  command.directory = place.home;
  write_node_file(task, place);
  lay_inputs(campaign, task.number, task.parameter, inputs_folder(place));
  const EndingSignals signals;
  auto child = process::Child::start(command);
  if (!child) throw Error{ExitCode::failure, child.error()};
  return await(*child, task.walltime, signals);
}

}  // namespace

process::Outcome run_local(const process::Context& context, terminal::Output& output) {
  const auto& arguments = context.arguments;
  check_options(arguments);
  const auto number = clients::number_of(arguments, "local", 0, 0, jdl::kMostTasks - 1);
  auto campaigns = read_campaigns(arguments, [](const Campaign&) { return std::vector<jdl::Problem>{}; });
  auto& campaign = campaigns.front();
  if (number < campaign.tasks) bring_outputs_of_task(context, campaign, number, parameter_of(campaign, number));
  const auto task = local_task(campaign, number, arguments.value("cluster"));
  const TemporaryFolder folder;
  const auto user = clients::our_name();
  const LocalPlace place{.user = user, .home = home_of(user), .folder = folder.path()};
  const auto directory = directory_of(task, place);
  check_directory(directory);
  report_doubts(campaign, output);
  for (const auto& note : task.notes) output.report(fmt::format("gridsub: note: {}", terminal::printable(note)));
  output.report(fmt::format("gridsub: task {} of {} as on {}, in {}, for {} at most: {}", number, campaign.source, task.section->name,
                            directory, terminal::length(task.walltime),
                            terminal::printable(jdl::command_of_task(campaign.file, *task.section, task.parameter))));
  const auto start = steady_clock::now();
  const auto end = carry_out(campaign, task, place);
  output.report(fmt::format("gridsub: task {}: {}, after {}", number, end.text,
                            terminal::length(std::chrono::round<std::chrono::seconds>(steady_clock::now() - start))));
  return static_cast<ExitCode>(end.status);
}

}  // namespace gleaner::gridsub
