#include "runner/command/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "lib/grid/exit_status.hpp"
#include "lib/grid/walltime.hpp"
#include "lib/grid/words.hpp"
#include "runner/command/base64.hpp"

namespace gleaner::runner {
namespace {

/// What every job runs, after the facts of its launch, with `<task> <attempt> <job> <arguments>`
/// as its own arguments. OAR keeps it in the record of every job and sends it in every list, so
/// its names are short: d the campaign's folder, c the claim, o this job's words in the journal,
/// n() notes, m() claims, e why mkdir failed, x the exec_file, s its status, a the arguments.
/// It forks for mkdir, base64 and the command, and for nothing else.
///
/// - The first job of a campaign makes the folder, the others need one mkdir.
/// - The command gets a shell of its own, so that it sees none of these names.
/// - The arguments are decoded through a pipe: the status of a process substitution gets lost in bash,
///   once in some thousand times (`wait` then says -1).
/// - Signals of OAR (checkpoint, end of walltime) are the command's: the wrapper only outlives it.
constexpr std::string_view kWrapper{R"(
d=$HOME/.gleaner/$g/$i;c=$d/claims/$1.$2;o="$1 $2 $3 ${OAR_JOB_ID:-0}"
n(){ printf "%(%s)T $1 $o $2\n" -1 >>"$d/journal.$t";}
m(){ e=$(mkdir "$c" 2>&1);}
m||{ [ ! -d "$c" ]&&mkdir -p "$d/claims"&&m;}||{
if [ -d "$c" ];then n duplicate;echo "gleaner: task $1, attempt $2: claimed by another job, nothing to run"
else n unclaimed;echo "gleaner: task $1, attempt $2: cannot be claimed, nothing was run: $e";fi >&2
exit 113;}
n start
trap : HUP INT TERM USR1 USR2
a=()
shopt -s lastpipe
[ "$4" = - ]||{ base64 -d <<<"$4"|mapfile -d '' -t a;((PIPESTATUS))&&{ n end 113;echo "gleaner: cannot decode the arguments">&2;exit 113;};}
export CIGRI_NODE_FILE=$OAR_NODEFILE CIGRI_NODEFILE=$OAR_NODEFILE CIGRI_JOB_ID=$3 CIGRI_JOBID=$3 CIGRI_CAMPAIGN_ID=$i CIGRI_CAMPAIGNID=$i CIGRI_JOB_NAME=$a CIGRI_JOBNAME=$a CIGRI_WORKING_DIRECTORY=$CIGRI_WORKDIR CIGRI_ATTEMPT=$2
bash -c "$x \"\$@\"" "$0" "${a[@]}"
s=$?
n end $s
exit $s)"};
static_assert(grid::kRanNothing == 113, "the wrapper says it in its own text");

constexpr std::string_view kNamePrefix{"gleaner."};

bool is_name(std::string_view text, std::string_view more) {
  return !text.empty() && std::ranges::all_of(text, [&](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
           more.find(letter) != std::string_view::npos;
  });
}

bool has_nul(std::string_view text) { return text.find('\0') != std::string_view::npos; }

std::optional<std::string> wrong_facts(const LaunchFacts& facts) {
  if (!is_name(facts.grid, "-_")) {
    return fmt::format("the grid's name '{}' must be letters, digits, - and _", facts.grid);
  }
  if (!is_name(facts.tag, "-_.")) {
    return fmt::format("the launch's tag '{}' must be letters, digits, -, _ and .", facts.tag);
  }
  if (facts.exec_file.empty()) {
    return "exec_file is empty";
  }
  for (const std::string* text : {&facts.exec_file, &facts.cluster, &facts.user, &facts.workdir, &facts.resources, &facts.walltime}) {
    if (has_nul(*text)) {
      return "a shell takes no text with a NUL in it";
    }
  }
  return std::nullopt;
}

/// The facts as assignments, exported where the command is to see them.
std::string assignments(const LaunchFacts& facts) {
  const auto walltime = grid::parse_walltime(facts.walltime);
  return fmt::format(
      "g={} i={} t={} x={}\nexport CIGRI_CLUSTER={} CIGRI_USER={} CIGRI_WORKDIR={} CIGRI_RESOURCES={} CIGRI_WALLTIME={} "
      "CIGRI_WALLTIME_SECONDS={}",
      facts.grid, facts.campaign.value(), facts.tag, grid::quote(facts.exec_file), grid::quote(facts.cluster), grid::quote(facts.user),
      grid::quote(facts.workdir), grid::quote(facts.resources), grid::quote(facts.walltime), walltime ? walltime->count() : -1);
}

/// The last `count` words of the text, the first of them first.
std::vector<std::string_view> last_words(std::string_view text, std::size_t count) {
  std::vector<std::string_view> words;
  while (words.size() < count) {
    const auto end = text.find_last_not_of(" \n");
    if (end == std::string_view::npos) {
      break;
    }
    const auto before = text.find_last_of(" \n", end);
    const auto start = before == std::string_view::npos ? 0 : before + 1;
    words.insert(words.begin(), text.substr(start, end + 1 - start));
    text = text.substr(0, start);
  }
  return words;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && stop == text.data() + text.size() && value >= 0 ? std::optional{value} : std::nullopt;
}

}  // namespace

tl::expected<JobCommand, std::string> JobCommand::create(const LaunchFacts& facts) {
  if (auto wrong = wrong_facts(facts)) {
    return tl::unexpected(std::move(*wrong));
  }
  // OAR's API gives the command to a shell at submission, and spoils letters out of ASCII: base64
  // passes both, and `\$` is what becomes a `$` of the job's shell.
  const auto script = base64(assignments(facts) + std::string{kWrapper});
  return JobCommand{fmt::format("bash -c \"\\$(echo {}|base64 -d)\" {}{}", script, kNamePrefix, facts.campaign.value())};
}

tl::expected<std::string, std::string> parameter_line(const TaskFacts& task) {
  std::string bytes;
  for (const auto& argument : task.arguments) {
    if (has_nul(argument)) {
      return tl::unexpected(fmt::format("an argument of task {} holds a NUL, which no program can be given", task.task.value()));
    }
    bytes.append(argument).push_back('\0');
  }
  auto line = fmt::format("{} {} {} {}", task.task.value(), task.attempt, task.job.value(), bytes.empty() ? "-" : base64(bytes));
  if (line.size() > kLongestLine) {
    return tl::unexpected(fmt::format("the arguments of task {} take {} bytes, more than the {} that a job can be given", task.task.value(),
                                      line.size(), kLongestLine));
  }
  return line;
}

std::optional<CommandIdentity> read_command(std::string_view command) {
  const auto words = last_words(command, 5);
  if (words.size() != 5 || !words[0].starts_with(kNamePrefix)) {
    return std::nullopt;
  }
  const auto campaign = whole_number(words[0].substr(kNamePrefix.size()));
  const auto task = whole_number(words[1]);
  const auto attempt = whole_number(words[2]);
  const auto job = whole_number(words[3]);
  constexpr std::int64_t kMostAttempts = 1'000'000'000;
  if (!campaign || !task || !attempt || *attempt > kMostAttempts || !job) {
    return std::nullopt;
  }
  return CommandIdentity{grid::CampaignId{*campaign}, grid::TaskNumber{*task}, static_cast<int>(*attempt), grid::JobId{*job}};
}

std::string campaign_folder(std::string_view grid, grid::CampaignId campaign) {
  return fmt::format("~/.gleaner/{}/{}", grid, campaign.value());
}

std::string journal_path(std::string_view grid, grid::CampaignId campaign, std::string_view tag) {
  return fmt::format("{}/journal.{}", campaign_folder(grid, campaign), tag);
}

}  // namespace gleaner::runner
