#include "runner/command/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "lib/grid/exit_status.hpp"
#include "lib/grid/job_identity.hpp"
#include "lib/grid/walltime.hpp"
#include "lib/text/words.hpp"
#include "runner/command/base64.hpp"

namespace gleaner::runner {
namespace {

/// The script of every job, after the facts of its launch, with `<task> <attempt> <job> <fence> <arguments>` as its own arguments. OAR
/// keeps it in the record of every job and sends it in every list, so its names are short: d the fence's folder, c the claim, f this job's
/// own file, l its line, p the prefix of its messages, v whether this run made the file; w() writes it, k() claims, h() ends a job whose
/// claim is held by another, q() one that executed nothing; e why no claim could be made, x the exec_file, s its status, z the own file's
/// last name, a the arguments.
///
/// - Only one job can make the hard link, over NFS too. NFS may lose the answer of a link that was made, and report that it exists already:
///   then the own file has two names, and the claim is this job's.
/// - The own file is never overwritten (set -C): OAR can run a job twice under one id, and the first run may hold the claim by that very
///   file.
/// - After any failure, everything is tried a second time, so that the message can state the reason.
/// - The command gets a shell of its own, so that it sees none of these names.
/// - The arguments are decoded through a pipe: in bash, the status of a process substitution gets lost about once in some thousand times
///   (`wait` returns -1).
/// - Signals of OAR (checkpoint, end of walltime) are for the command: the wrapper only outlives it.
/// - A command may have removed the folder: the end is still noted.
constexpr std::string_view kWrapper{R"sh(
d=$HOME/.gleaner/$g/$i/$4;c=$d/$1.$2.claim;f=$d/$1.$2.$3.${OAR_JOB_ID:-0};l="$HOSTNAME $3 ${OAR_JOB_ID:-0}";p="gleaner: task $1, attempt $2:";v=
w(){ printf "%(%s)T %s\n" -1 "$l" >"$f.s";}
k(){ ln "$f.s" "$c"||[ "$(stat -c %h "$f.s")" = 2 ];}
q(){ echo "$p $1">&2;exit 113;}
h(){ [ -e "$c" ]||return 0
{ read -r _ h j n _<"$c";[ $v ]&&mv "$f.s" "$f.d.${j:-0}";} 2>/dev/null
q "claimed by job ${j:-?} (OAR job ${n:-?} on host ${h:-?}), nothing to run";}
set -C
{ w||{ [ ! -d "$d" ]&&mkdir -p "$d"&&w;};} 2>/dev/null&&v=1&&k 2>/dev/null||{
h
[ ! $v ]&&[ -s "$f.s" ]&&q "begun before by this very job, nothing to run"
v=1
set +C
e=$({ mkdir -p "$d"&&w&&k;} 2>&1)||{ h
{ mv "$f.s" "$f.u"||:>"$f.u";} 2>/dev/null
q "cannot be claimed, nothing was run: $e";};}
set +C
trap : HUP INT TERM USR1 USR2
a=()
shopt -s lastpipe
[ "$5" = - ]||{ base64 -d <<<"$5"|mapfile -d '' -t a;((PIPESTATUS))&&{ mv "$f.s" "$f.u";q "cannot decode the arguments, nothing was run";};}
export CIGRI_NODE_FILE=$OAR_NODEFILE CIGRI_NODEFILE=$OAR_NODEFILE CIGRI_JOB_ID=$3 CIGRI_JOBID=$3 CIGRI_CAMPAIGN_ID=$i CIGRI_CAMPAIGNID=$i CIGRI_JOB_NAME=$a CIGRI_JOBNAME=$a CIGRI_WORKING_DIRECTORY=$CIGRI_WORKDIR CIGRI_ATTEMPT=$2
bash -c "$x \"\$@\"" "$0" "${a[@]}"
s=$?
trap '' HUP INT TERM USR1 USR2
z=$f.e$s
mv "$f.s" "$z" 2>/dev/null||[ -e "$z" ]||{ mkdir -p "$d"&&w&&mv "$f.s" "$z"&&ln "$z" "$c";} 2>/dev/null
exit $s)sh"};
static_assert(grid::kRanNothing == 113, "the wrapper says it in its own text");

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [&](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') || letter == '-' ||
           letter == '_';
  });
}

bool has_nul(std::string_view text) { return text.find('\0') != std::string_view::npos; }

std::optional<std::string> wrong_facts(const LaunchFacts& facts) {
  if (!is_name(facts.grid)) {
    return fmt::format("the grid's name '{}' must be letters, digits, - and _", facts.grid);
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

struct Variable {
  std::string_view name;
  std::size_t length;  ///< characters in the text
};

/// The variable at the beginning of a text, `$HOME` or `${HOME}`, if OAR's shell replaces it in a folder (grid::wrong_directory).
std::optional<Variable> variable_at(std::string_view text) {
  for (const std::string_view name : {"HOME", "USER", "LOGNAME"}) {
    if (text.starts_with(fmt::format("${{{}}}", name))) {
      return Variable{name, name.size() + 3};
    }
    if (!text.starts_with(fmt::format("${}", name))) {
      continue;
    }
    const auto rest = text.substr(name.size() + 1);
    const bool is_longer_name = !rest.starts_with('-') && is_name(rest.substr(0, 1));
    if (!is_longer_name) {
      return Variable{name, name.size() + 1};
    }
  }
  return std::nullopt;
}

/// A folder as a word of the job's shell: variables are expanded with the job's values, and the rest is literal.
std::string folder_word(std::string_view folder) {
  std::string word;
  std::size_t plain = 0;  // where the literal text begins
  const auto quote_until = [&](std::size_t end) {
    if (end > plain) {
      word += text::quote(folder.substr(plain, end - plain));
    }
  };
  for (auto at = folder.find('$'); at != std::string_view::npos; at = folder.find('$', at)) {
    const auto variable = variable_at(folder.substr(at));
    if (!variable) {
      ++at;
      continue;
    }
    quote_until(at);
    word += fmt::format("\"${}\"", variable->name);
    plain = at += variable->length;
  }
  quote_until(folder.size());
  return word;
}

/// The facts as shell assignments, exported if the command needs them.
std::string assignments(const LaunchFacts& facts) {
  const auto walltime = grid::parse_walltime(facts.walltime);
  return fmt::format(
      "g={} i={} x={}\nexport CIGRI_CLUSTER={} CIGRI_USER={} CIGRI_WORKDIR={} CIGRI_RESOURCES={} CIGRI_WALLTIME={} "
      "CIGRI_WALLTIME_SECONDS={}",
      facts.grid, facts.campaign.value(), text::quote(facts.exec_file), text::quote(facts.cluster), text::quote(facts.user),
      folder_word(facts.workdir), text::quote(facts.resources), text::quote(facts.walltime), walltime ? walltime->count() : -1);
}

}  // namespace

tl::expected<JobCommand, std::string> JobCommand::create(const LaunchFacts& facts) {
  if (auto wrong = wrong_facts(facts)) {
    return tl::unexpected(std::move(*wrong));
  }
  // OAR's API passes the command to a shell at submission, and corrupts letters outside ASCII: base64 survives both, and `\$` becomes a `$`
  // of the job's shell.
  const auto script = base64(assignments(facts) + std::string{kWrapper});
  return JobCommand{fmt::format("bash -c \"\\$(echo {}|base64 -d)\" {}{}", script, grid::kCommandMark, facts.campaign.value())};
}

tl::expected<std::string, std::string> parameter_line(const TaskFacts& task) {
  std::string bytes;
  for (const auto& argument : task.arguments) {
    if (has_nul(argument)) {
      return tl::unexpected(fmt::format("an argument of task {} holds a NUL, which no program can be given", task.task.value()));
    }
    bytes.append(argument).push_back('\0');
  }
  auto line = fmt::format("{} {} {} {} {}", task.task.value(), task.attempt, task.job.value(), task.fence.value(),
                          bytes.empty() ? "-" : base64(bytes));
  if (line.size() > kLongestLine) {
    return tl::unexpected(fmt::format("the arguments of task {} take {} bytes, more than the {} that a job can be given", task.task.value(),
                                      line.size(), kLongestLine));
  }
  return line;
}

}  // namespace gleaner::runner
