#include "tests/chaos/soak_tasks.hpp"

#include <fmt/format.h>

#include <csignal>
#include <fstream>

namespace gleaner::tests::soak {
namespace {

constexpr int kStatuses = 256;
constexpr int kSignals = 31;
constexpr int kRerunFirst = 66;
constexpr int kRerunLast = 67;
constexpr int kFirstOfSignals = 128;

/// A kill comes before the note, and nothing is done, or after it, and the task ends as it would have: no moment is between.
constexpr std::string_view kHead{R"(#!/bin/bash
n=$1 results={}
k=$((n / {}))
note() {{ trap '' TERM; echo "$n $CIGRI_ATTEMPT" >> $results/$CIGRI_CAMPAIGN_ID; }}
once() {{ mkdir $results/once.$CIGRI_CAMPAIGN_ID.$n 2>/dev/null; }}
sleep 0.$((n * 3 % 5))
case $((n % {})) in
)"};

/// The expected end of a task that exits with each status in turn.
Expected by_status(std::int64_t before) {
  const auto status = static_cast<int>(before % kStatuses);
  if (status == 0 || status == kRerunFirst || status == kRerunLast) return Expected::done;
  return status > kFirstOfSignals ? Expected::any : Expected::failed;
}

/// The same for those that send themselves each signal in turn, and exit with 0 when nothing comes of it.
Expected by_signal(std::int64_t before) {
  const auto signal = static_cast<int>(1 + before % kSignals);
  const bool is_ignored = signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH || signal == SIGCONT;
  return is_ignored ? Expected::done : Expected::any;
}

}  // namespace

const std::array<Behaviour, kKinds> kBehaviours{{
    {"plain", "note", Expected::done},
    {"binary output", "head -c 50000 /dev/urandom | tee /dev/stderr; note", Expected::done},
    {"binary output, then a failure", "head -c 3000 /dev/urandom >&2; note; exit 3", Expected::failed},
    {"Latin-1", R"(printf 'caf\351 \377\376\n' >&2; note; exit 1)", Expected::failed},
    {"escape sequences and NULs", R"sh(printf '\033[2J\033]0;x\007\a\b\r\0\0%s\n' "$(printf '\033[31m%.0s' {1..300})" >&2; note; exit 4)sh",
     Expected::failed},
    {"huge output", "head -c 4000000 /dev/zero | tr '\\0' 'x'; head -c 2000000 /dev/zero | tr '\\0' 'y' >&2; note; exit 5",
     Expected::failed},
    {"endless output", R"(while :; do printf 'again and again \033[5m\r' >&2; sleep 0.01; done)", Expected::expired},
    {"sparse stderr of 2 GB", "truncate -s 2G /proc/self/fd/2; note; exit 6", Expected::failed},
    {"every exit status", "s=$((k % 256)); if [ $s = 66 ] || [ $s = 67 ]; then once && exit $s; s=0; fi; note; exit $s", Expected::any},
    {"every signal", "note; trap - TERM; kill -$((1 + k % 31)) $$; sleep 0.1; exit 0", Expected::any},
    {"kills its wrapper", "note; kill -9 $PPID; sleep 0.2", Expected::any},
    {"daemons left behind", "(setsid sleep 1000 & setsid nohup sleep 1000 > /dev/null 2>&1 < /dev/null &) ; note", Expected::done},
    {"closed descriptors", "exec 0<&- 1>&- 2>&-; note", Expected::done},
    {"odd files among ours",
     R"sh(touch ~/.gleaner/*/$CIGRI_CAMPAIGN_ID/*/"$(printf 'odd\n\351.%s' $n)" ~/.gleaner/*/$CIGRI_CAMPAIGN_ID/$n.0.claim; note)sh",
     Expected::done},
    {"a status that the wrapper has", "note; exit 113", Expected::failed},
    {"plain, longer", "sleep 1; note", Expected::done},
}};

const Behaviour& behaviour_of(std::int64_t task) { return kBehaviours.at(static_cast<std::size_t>(task) % kKinds); }

Expected expected_of(std::int64_t task) {
  const auto before = task / static_cast<std::int64_t>(kKinds);
  const auto& name = behaviour_of(task).name;
  if (name == "every exit status") return by_status(before);
  if (name == "every signal") return by_signal(before);
  return behaviour_of(task).expected;
}

std::string write_program(const std::filesystem::path& results) {
  const auto file = results / "task.sh";
  std::ofstream out{file};
  out << fmt::format(fmt::runtime(kHead), results.string(), kKinds, kKinds);
  for (std::size_t kind = 0; kind < kKinds; ++kind) out << fmt::format("{})\n{}\n;;\n", kind, kBehaviours.at(kind).script);
  out << "esac\n";
  return "bash " + file.string();
}

std::string removes_our_files(const std::filesystem::path& results) {
  return fmt::format(
      R"(bash -c 'sleep 0.2; [ $(($1 % 3)) = 0 ] && rm -rf ~/.gleaner; trap "" TERM; echo "$1 $CIGRI_ATTEMPT" >> {}/$CIGRI_CAMPAIGN_ID' task)",
      results.string());
}

std::string fills_its_home(const std::filesystem::path& results) {
  return fmt::format(
      R"(bash -c 'head -c 2000000 /dev/zero > ~/junk.$1; trap "" TERM; echo "$1 $CIGRI_ATTEMPT" >> {}/$CIGRI_CAMPAIGN_ID; exit 0' task)",
      results.string());
}

}  // namespace gleaner::tests::soak
