#include "runner/command/checkpoint_lines.hpp"

#include <fmt/format.h>

namespace gleaner::runner {
namespace {

/// B is the command's process. A shell beside this one starts it, and reports its process and its status through a pipe: a signal that
/// comes while the shell waits for the command could lose its status (bash 5.2 forgets it if the command ends at that moment), and one that
/// comes while it reads a pipe loses nothing. The signals reach this shell alone. The command has the files of this shell.
constexpr std::string_view kRunForwarding{R"sh(
R(){ B= s=
trap T=1 HUP INT TERM USR1 USR2
trap 'T=1;kill -)sh"};
constexpr std::string_view kRunAfterSignal{R"sh( $B 2>/dev/null' )sh"};
constexpr std::string_view kRunAfterTrap{R"sh(
exec 7<&0 8>&1
exec 9< <(trap : HUP INT TERM USR1 USR2
)sh"};
constexpr std::string_view kRunAfterCommand{R"sh( <&7 >&8 7<&- 8>&-&
echo $!
wait $!
echo $?)
read -r B <&9
read -r s <&9
exec 7<&- 8>&- 9<&-
return ${s:-137};})sh"};

constexpr std::string_view kMakeFolder{R"sh(
export CIGRI_CHECKPOINT=$G/checkpoints/$1
e=$(mkdir -p "$CIGRI_CHECKPOINT" 2>&1)||{ mv "$f.s" "$f.u";q "its checkpoint folder cannot be made, nothing was run: $e";})sh"};

constexpr std::string_view kRemoveFolder{R"sh(
[ "$s" = 0 ]&&rm -rf -- "$CIGRI_CHECKPOINT")sh"};

}  // namespace

std::string run_with_checkpoints(std::string_view signal, std::string_view command) {
  return fmt::format("{}{}{}{}{}{}{}", kRunForwarding, signal, kRunAfterSignal, signal, kRunAfterTrap, command, kRunAfterCommand);
}

std::string checkpoint_lines_before_command(std::string_view signal) { return signal.empty() ? std::string{} : std::string{kMakeFolder}; }

std::string checkpoint_lines_after_end(std::string_view signal) { return signal.empty() ? std::string{} : std::string{kRemoveFolder}; }

}  // namespace gleaner::runner
