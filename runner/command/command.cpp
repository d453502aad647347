#include "runner/command/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "lib/grid/campaign_folder.hpp"
#include "lib/grid/checkpoint.hpp"
#include "lib/grid/exit_status.hpp"
#include "lib/grid/job_identity.hpp"
#include "lib/grid/task_outputs.hpp"
#include "lib/grid/walltime.hpp"
#include "lib/text/words.hpp"
#include "runner/command/base64.hpp"
#include "runner/command/checkpoint_lines.hpp"
#include "runner/command/command_words.hpp"
#include "runner/command/folder_lines.hpp"
#include "runner/command/input_lines.hpp"
#include "runner/command/output_lines.hpp"

namespace gleaner::runner {
namespace {

/// The script of every job, after the facts of its launch and R(), which carries out a command, with `<task> <attempt> <job> <fence>
/// <arguments>` as its own arguments. OAR keeps it in the record of every job and sends it in every list, so its names are short: d the
/// fence's folder (G the campaign's), c the claim, f this job's own file, l its line, p the prefix of its messages, v whether this run made
/// the file; w() writes it, k() claims, h() ends a job whose claim is held by another, q() one that executed nothing; e why no claim could
/// be made, x the exec_file, s its status, z the own file's last name, a the arguments, which b() decodes; y() carries out the claimed task
/// and notes its end; T: a signal came.
///
/// - Only one job can make the hard link, over NFS too. NFS may lose the answer of a link that was made, and report that it exists already:
///   then the own file has two names, and the claim is this job's.
/// - The own file is never overwritten (set -C): OAR can run a job twice under one id, and the first run may hold the claim by that very
///   file.
/// - After any failure, everything is tried a second time, so that the message can state the reason.
/// - The command gets a shell of its own, so that it sees none of these names.
/// - Arguments in base64 are decoded through a pipe: in bash, the status of a process substitution gets lost about once in some thousand
///   times (`wait` returns -1).
/// - The wrapper outlives the signals of OAR (checkpoint, end of walltime), and takes no other task then. Those of a checkpoint reach it
///   alone: it forwards them in a campaign with checkpoints (checkpoint_lines.hpp).
/// - A command may have removed the folder: the end is still noted.
/// - In a pool (Q), the end is an empty file of its own, which needs no process. OAR cannot list a folder in which a file changes its name
///   meanwhile, and in a pool, one always does. A rename, which a full disk allows, comes second.
constexpr std::string_view kWrapper{R"sh(
d=$G/$4;c=$d/$1.$2.claim;f=$d/$1.$2.$3.${OAR_JOB_ID:-0};l="$HOSTNAME $3 ${OAR_JOB_ID:-0}";p="gleaner: task $1, attempt $2:";v=
w(){ printf "%(%s)T %s\n" -1 "$l" >"$f.s";}
k(){ ln "$f.s" "$c"||[ "$(stat -c %h "$f.s")" = 2 ];}
q(){ echo "$p $1">&2
[ "$O" ]&&[ $BASHPID = $$ ]&&j
exit 113;}
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
T=
trap T=1 HUP INT TERM USR1 USR2
shopt -s lastpipe
b(){ a=();case $1 in -);;=)a=("${@:2}");;*)base64 -d <<<"$1"|mapfile -d '' -t a;((!PIPESTATUS));;esac;}
y(){ export CIGRI_NODE_FILE=$OAR_NODEFILE CIGRI_NODEFILE=$OAR_NODEFILE CIGRI_JOB_ID=$3 CIGRI_JOBID=$3 CIGRI_CAMPAIGN_ID=$i CIGRI_CAMPAIGNID=$i CIGRI_JOB_NAME=$a CIGRI_JOBNAME=$a CIGRI_WORKING_DIRECTORY=$CIGRI_WORKDIR CIGRI_ATTEMPT=$2@BEFORE@
R "${a[@]}"
s=$?
trap '' HUP INT TERM USR1 USR2@AFTER@
z=$f.e$s
[ $W ]&&Z
{ [ $Q ]&&:>"$z";} 2>/dev/null||mv "$f.s" "$z" 2>/dev/null||[ -e "$z" ]||{ mkdir -p "$d"&&w&&mv "$f.s" "$z"&&ln "$z" "$c";} 2>/dev/null;}
b "$5"||{ mv "$f.s" "$f.u";q "cannot decode the arguments, nothing was run";}@FOLDER@@POOL@
y "$@")sh"};

static_assert(grid::kRanNothing == 113, "the wrapper says it in its own text");

/// Carries out the command, in a launch whose jobs have one task each. The command gets a shell of its own.
constexpr std::string_view kRunOne{R"sh(
R(){ @COMMAND@;})sh"};

/// The time that the processes which this shell has waited for had of the processors, in U, and the time since the node's start, in Y, both
/// in hundredths of a second; empty without /proc. The clock of the day may be set meanwhile.
constexpr std::string_view kTimes{R"sh(
u(){ U= Y=;{ read -ra U </proc/self/stat&&U=$((U[15]+U[16]));read -r Y _ </proc/uptime;} 2>/dev/null;Y=${Y/.};})sh"};

/// As kRunOne, where the job shows what a start costs and what its task takes: Z() names the file of the end, with the milliseconds that
/// the command took, those that it had of the processors, and the KiB of memory that it took at most (K), where the node can tell them. W:
/// Z() is to be called.
///
/// - OAR may give the job a memory cgroup of its own, `/oar/USER_JOB`: its peak is that of all processes.
/// - Else GNU time, if it is there, tells the peak of the greatest process. A signal of OAR's ends time, but not the command: so time
/// ignores
///   them, and the command, which would inherit that, does not (env, coreutils 8.31). The first call shows whether all of this works.
constexpr std::string_view kRunMeasured{R"sh(
W=1
m(){ K=;{ while IFS=: read -r _ j h;do
[[ $h =~ /[^/]+_$OAR_JOB_ID(/|$) ]]||continue
case $j in '')read -r K </sys/fs/cgroup$h/memory.peak;;*memory*)read -r K </sys/fs/cgroup/memory$h/memory.max_usage_in_bytes;;esac
done </proc/self/cgroup;} 2>/dev/null
[[ $K =~ ^[0-9]+$ ]]&&K=$((K/1024))||K=;}
t=(env --default-signal=HUP,INT,TERM,USR1,USR2)
X(){ (trap '' HUP INT TERM USR1 USR2;exec time -f%M -o"$f.m" "${t[@]}" "$@");}
R(){ m
M=()
[ "$K" ]||{ X true&&M=(X);} 2>/dev/null
u
V=$U A=$Y
"${M[@]}" @COMMAND@;}
Z(){ u
m
[ "$M" ]&&{ while read -r j;do K=$j;done <"$f.m"
rm -f "$f.m";} 2>/dev/null
[[ $K =~ ^[0-9]+$ ]]||K=
z=$f.e$s${A:+.$(((Y-A)*10))${U:+.c$(((U-V)*10))}${K:+.m$K}};})sh"};

/// The same in a pool, where the wrapper applies the task's walltime: OAR's is that of the pool. Z() names the file of the end: with the
/// milliseconds that the task took and had of the processors, where the node can tell them, and `.w` instead of the status if the walltime
/// ended it.
constexpr std::string_view kRunInPool{R"sh(
R(){ u
V=$U A=$Y M=$SECONDS
timeout -k 30 $W @COMMAND@;}
Z(){ u
z=e$s
((s==124||s==137))&&((SECONDS-M>=W))&&z=w s=113
z=$f.$z${A:+.$(((Y-A)*10))${U:+.c$(((U-V)*10))}};})sh"};

/// What a carrier does before its own task. It reads the lines L of the pool, each like this job's own arguments, of which there are N, and
/// defines g(), which takes pooled tasks until none is left, the pool's time is over, a signal came, or three tasks in a row failed. Where
/// tasks run side by side (E), the carrier has P workers, as many as it has cores on its first node. One is this shell; the others (O)
/// begin here. Each begins at its own share of the lines (B), so that they seldom contend for one. X counts failures in a row, H is the own
/// job.
///
/// - The claim is made by creating the file: one creator wins, over NFS too. If the answer is lost, nobody runs the attempt, and it comes
///   back when the carriers are over.
/// - A task whose stdout and stderr cannot be opened is not run.
/// - A list without its last line, a dot, was not written to its end, and is not used.
/// - Who removed the folder removed the claims too: then nothing else is taken.
/// - j() makes the other workers end after their tasks, and waits for them: a job does not end before its workers. A worker that notes an
///   end ignores signals, as its programs must not be killed then. So it gets another one each second.
constexpr std::string_view kBeginPool{R"sh(
H=$3
{ mapfile -t L <"$G/$Q/pool";} 2>/dev/null
N=${#L[@]};((N))&&[ "${L[N-1]}" = . ]&&((--N))||N=0
P=
[ $E ]&&{ mapfile -t O <"$OAR_NODEFILE";for I in "${O[@]}";do [ "$I" = "$O" ]&&((++P));done;} 2>/dev/null
((P))||P=1
O=()
j(){ while O=$(jobs -rp);[ "$O" ];do kill $O 2>/dev/null;sleep 1;done;}
g(){ trap T=1 HUP INT TERM USR1 USR2
X=$2 B=$((N?((H-F)*P+$1)*N/J/P%N:0))
for((K=0;K<N&&X<3&&SECONDS<D;K++));do
[ $T ]||[ ! -e "$G/$Q/pool" ]&&break
set -- ${L[(B+K)%N]}
d=$G/$4;c=$d/$1.$2.claim;f=$d/$1.$2.$3.${OAR_JOB_ID:-0};l="$HOSTNAME $3 ${OAR_JOB_ID:-0}" p="gleaner: task $1, attempt $2:"
[ -e "$c" ]&&continue
b "${@:5}"||continue
set -C
{ printf "%(%s)T %s\n" -1 "$l" >"$c";} 2>/dev/null||{ set +C;continue;}
set +C
w 2>/dev/null||break
z=
y "$@"@STREAMS@
trap T=1 HUP INT TERM USR1 USR2
[ "$z" ]||{ mv "$f.s" "$f.u";break;}
((s))&&((++X))||X=0
done;}
for((I=1;I<P;I++));do g $I 0&
O+=($!);done)sh"};

/// What it does after that: it takes pooled tasks itself, and waits for its other workers. S keeps the status of its own task.
constexpr std::string_view kTakePooled{R"sh(
S=$s
g 0 $((s?1:0))
until [ $T ]||wait;do :;done
j
s=$S)sh"};

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [&](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') || letter == '-' ||
           letter == '_';
  });
}

bool has_nul(std::string_view text) { return text.find('\0') != std::string_view::npos; }

/// A word that the shell neither splits nor expands where it expands a variable.
bool is_one_plain_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char letter) {
    return is_name({&letter, 1}) || std::string_view{"./:,+@%="}.find(letter) != std::string_view::npos;
  });
}

/// `<task> <attempt> <job> <fence> <arguments>`
tl::expected<std::string, std::string> line_of(const TaskFacts& task, std::string_view arguments) {
  if (std::ranges::any_of(task.arguments, has_nul)) {
    return tl::unexpected(fmt::format("an argument of task {} holds a NUL, which no program can be given", task.task.value()));
  }
  auto line = fmt::format("{} {} {} {} {}", task.task.value(), task.attempt, task.job.value(), task.fence, arguments);
  if (line.size() > kLongestLine) {
    return tl::unexpected(fmt::format("the arguments of task {} take {} bytes, more than the {} that a job can be given", task.task.value(),
                                      line.size(), kLongestLine));
  }
  return line;
}

std::optional<std::string> wrong_facts(const LaunchFacts& facts) {
  for (const auto& token : {facts.grid, facts.epoch.empty() ? facts.grid : facts.epoch}) {
    if (!is_name(token)) return fmt::format("the grid's name '{}' must be letters, digits, - and _", token);
  }
  if (facts.exec_file.empty()) {
    return "exec_file is empty";
  }
  if (facts.streams_in_workdir && (grid::is_home(facts.workdir) || !facts.output_directory.empty())) {
    return "stdout and stderr have another place: OAR's files in the home, or the output_directory";
  }
  if (!facts.checkpoint_signal.empty() && (facts.pool || !grid::checkpoint_signal(facts.checkpoint_signal))) {
    return fmt::format("checkpoints with the signal '{}' cannot be taken", facts.checkpoint_signal);
  }
  for (const std::string* text : {&facts.exec_file, &facts.cluster, &facts.user, &facts.workdir, &facts.resources, &facts.walltime,
                                  &facts.output_directory, &facts.output_files, &facts.input_files}) {
    if (has_nul(*text)) {
      return "a shell takes no text with a NUL in it";
    }
  }
  return std::nullopt;
}

/// What the wrapper of a carrier knows of its pool.
std::string pool_assignments(const PoolFacts& pool) {
  return fmt::format("Q={} D={} W={} F={} J={} E={}\n", pool.folder, pool.duration.count(), pool.task_walltime.count(),
                     pool.first_job.value(), std::max(pool.jobs, 1), pool.side_by_side ? "1" : "");
}

/// The facts as shell assignments, exported if the command needs them. The shell expands the `~` of the campaign's folder.
std::string assignments(const LaunchFacts& facts) {
  const auto walltime = grid::parse_walltime(facts.walltime);
  return fmt::format(
      "W= Q= O= G={} i={} x={}\nexport CIGRI_CLUSTER={} CIGRI_USER={} CIGRI_WORKDIR={} CIGRI_RESOURCES={} CIGRI_WALLTIME={} "
      "CIGRI_WALLTIME_SECONDS={}",
      facts.folder.empty() ? grid::campaign_folder(facts.grid, facts.campaign) : text::quote(facts.folder), facts.campaign.value(),
      text::quote(command_words(facts).text), text::quote(facts.cluster), text::quote(facts.user), folder_word(facts.workdir),
      text::quote(facts.resources), text::quote(facts.walltime), walltime ? walltime->count() : -1);
}

/// The text with a mark replaced.
std::string with(std::string_view text, std::string_view mark, std::string_view lines) {
  std::string whole{text};
  return whole.replace(whole.find(mark), mark.size(), lines);
}

/// The lines of a carrier before its own task; empty: the launch is no pool.
std::string begin_pool(const LaunchFacts& facts) {
  if (!facts.pool) return {};
  constexpr std::string_view kStreams{R"sh( >"OAR.cigri.$i.${OAR_JOB_ID:-0}.$1.stdout" 2>"OAR.cigri.$i.${OAR_JOB_ID:-0}.$1.stderr")sh"};
  return with(kBeginPool, "@STREAMS@", facts.output_directory.empty() ? kStreams : "");
}

/// The lines that send a task's stdout and stderr into files of its folder. Up to there, the wrapper's words are in OAR's file.
std::string streams(const LaunchFacts& facts) {
  if (!facts.streams_in_workdir) return {};
  return open_streams(facts.pool ? Own::one_of_pool : Own::all);
}

/// The wrapper with the lines for its folder, for what tasks leave, and those of a carrier.
std::string wrapper(const LaunchFacts& facts) {
  const auto folder = folder_word(facts.output_directory);
  // The last mark first: a text of the user's may look like a mark.
  auto text = with(kWrapper, "@POOL@", begin_pool(facts));
  text = with(text, "@FOLDER@", enter_folder(facts.workdir));
  text = with(text, "@AFTER@", lines_after_command(folder, facts.output_files));
  return with(text, "@BEFORE@",
              input_lines(facts.input_files) + checkpoint_lines_before_command(facts.checkpoint_signal) + lines_before_command(folder) +
                  streams(facts));
}

/// R(), and what it needs.
std::string run_function(const LaunchFacts& facts) {
  const auto words = command_words(facts).run;
  if (!facts.checkpoint_signal.empty()) return run_with_checkpoints(facts.checkpoint_signal, words);
  if (facts.pool) return std::string{kTimes} + with(kRunInPool, "@COMMAND@", words);
  return facts.measured ? std::string{kTimes} + with(kRunMeasured, "@COMMAND@", words) : with(kRunOne, "@COMMAND@", words);
}

/// The script of the launch's jobs.
std::string script_of(const LaunchFacts& facts) {
  const auto functions = input_functions(facts.input_files) + run_function(facts);
  if (!facts.pool)
    return fmt::format("{}{}{}{}\nexit $s", assignments(facts), functions, wrapper(facts),
                       checkpoint_lines_after_end(facts.checkpoint_signal));
  return fmt::format("{}\n{}{}{}{}\nexit $s", assignments(facts), pool_assignments(*facts.pool), functions, wrapper(facts), kTakePooled);
}

}  // namespace

tl::expected<JobCommand, std::string> JobCommand::create(const LaunchFacts& facts) {
  if (auto wrong = wrong_facts(facts)) {
    return tl::unexpected(std::move(*wrong));
  }
  return JobCommand{script_of(facts), grid::command_mark(facts.epoch.empty() ? facts.grid : facts.epoch, facts.campaign)};
}

// OAR's API passes the command to a shell at submission, and corrupts letters outside ASCII: base64 survives both, and `\$` becomes a `$`
// of the job's shell.
JobCommand::JobCommand(std::string script, std::string mark)
    : script_{std::move(script)},
      mark_{std::move(mark)},
      text_{fmt::format("bash -c \"\\$(echo {}|base64 -d)\" {}", base64(script_), mark_)} {}

tl::expected<std::string, std::string> parameter_line(const TaskFacts& task) {
  std::string bytes;
  for (const auto& argument : task.arguments) bytes.append(argument).push_back('\0');
  return line_of(task, bytes.empty() ? "-" : base64(bytes));
}

tl::expected<std::string, std::string> pool_line(const TaskFacts& task) {
  if (task.arguments.empty() || !std::ranges::all_of(task.arguments, is_one_plain_word)) return parameter_line(task);
  return line_of(task, fmt::format("= {}", fmt::join(task.arguments, " ")));
}

std::string pool_list(std::span<const std::string> lines) {
  std::string list;
  for (const auto& line : lines) list.append(line).push_back('\n');
  return list + ".\n";
}

}  // namespace gleaner::runner
