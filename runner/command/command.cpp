#include "runner/command/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "lib/grid/campaign_folder.hpp"
#include "lib/grid/checkpoint.hpp"
#include "lib/grid/exit_status.hpp"
#include "lib/grid/input_files.hpp"
#include "lib/grid/job_identity.hpp"
#include "lib/grid/program_file.hpp"
#include "lib/grid/task_outputs.hpp"
#include "lib/grid/walltime.hpp"
#include "lib/inputs/sha256.hpp"
#include "lib/text/words.hpp"
#include "runner/command/base64.hpp"
#include "runner/command/command_words.hpp"
#include "runner/command/folder_word.hpp"
#include "runner/command/input_words.hpp"
#include "runner/command/output_words.hpp"
#include "runner/wrapper/wrapper.hpp"

namespace gleaner::runner {
namespace {

static_assert(grid::kRanNothing == 113 && grid::kProgramDamaged == 114, "the program has these numbers (runner/wrapper)");

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

/// The facts that each program needs.
std::string common_facts(const LaunchFacts& facts, const WrapperNames& name) {
  const auto words = command_words(facts, name);
  const auto walltime = grid::parse_walltime(facts.walltime);
  return fmt::format(
      "{}={} {}={} {}={}\nexport CIGRI_CLUSTER={} CIGRI_USER={} CIGRI_WORKDIR={} CIGRI_RESOURCES={} CIGRI_WALLTIME={} "
      "CIGRI_WALLTIME_SECONDS={}\n{}(){{ {}=({});}}\n",
      name.campaign_folder, facts.folder.empty() ? grid::campaign_folder(facts.grid, facts.campaign) : text::quote(facts.folder),
      name.campaign_number, facts.campaign.value(), name.exec_file, text::quote(words.text), text::quote(facts.cluster),
      text::quote(facts.user), folder_word(facts.workdir), text::quote(facts.resources), text::quote(facts.walltime),
      walltime ? walltime->count() : -1, name.set_command, name.command_words, words.run);
}

std::string pool_facts(const PoolFacts& pool, const WrapperNames& name) {
  return fmt::format("{}={} {}={} {}={} {}={} {}={} {}={}\n", name.pool_folder, pool.folder, name.pool_duration, pool.duration.count(),
                     name.task_walltime, pool.task_walltime.count(), name.first_carrier, pool.first_job.value(), name.carrier_count,
                     std::max(pool.jobs, 1), name.side_by_side, pool.side_by_side ? "1" : "");
}

std::string input_facts(std::string_view patterns, const WrapperNames& name) {
  return fmt::format("{}={}\n{}(){{ {}=({});}}\n", name.input_piece, grid::kInputPiece, name.set_input_names, name.input_names,
                     input_words(patterns, name));
}

std::string output_facts(const LaunchFacts& facts, const WrapperNames& name) {
  auto text = fmt::format("{}={}\n", name.output_directory, folder_word(facts.output_directory));
  if (!facts.output_files.empty())
    text += fmt::format("{}(){{ {}=({});}}\n", name.set_output_paths, name.output_paths, output_words(facts.output_files, name));
  return text;
}

WrapperParts parts_of(const LaunchFacts& facts) {
  return {.checkpoints = !facts.checkpoint_signal.empty(),
          .folder = !grid::is_home(facts.workdir),
          .gives = facts.gives,
          .inputs = !facts.input_files.empty(),
          .measured = facts.measured && !facts.pool,
          .noted = facts.noted,
          .output_directory = !facts.output_directory.empty(),
          .output_files = !facts.output_directory.empty() && !facts.output_files.empty(),
          .pool = facts.pool.has_value(),
          .streams = facts.streams_in_workdir};
}

/// As runner/wrapper/facts.bash has them. The shell expands the `~` of the campaign's folder.
std::string facts_of(const LaunchFacts& facts, const WrapperParts& parts, const WrapperNames& name) {
  auto text = common_facts(facts, name);
  if (facts.pool) text += pool_facts(*facts.pool, name);
  if (parts.checkpoints) text += fmt::format("{}={}\n", name.checkpoint_signal, facts.checkpoint_signal);
  if (parts.inputs) text += input_facts(facts.input_files, name);
  if (parts.output_directory) text += output_facts(facts, name);
  return text;
}

/// The facts of a launch and the short form of the program.
std::string script_of(const LaunchFacts& facts) {
  const auto parts = parts_of(facts);
  auto text = facts_of(facts, parts, kShortNames) + wrapper_program(parts);
  text.pop_back();  // the last newline
  return text;
}

/// As one word of a shell, which file.bash reads.
std::string encoded_word(std::string_view text) {
  constexpr std::string_view kPlain{"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,=-"};
  std::string word;
  for (const char c : text) {
    if (kPlain.find(c) != std::string_view::npos) word += c;
    else word += fmt::format("+{:02X}", static_cast<unsigned char>(c));
  }
  return word;
}

ProgramFile program_file(WrapperParts parts) {
  parts.file = true;
  auto content = fmt::format(
      "#!/bin/bash\n"
      "# The program of jobs of a grid (Gleaner), which the grid puts here. Its name is its SHA-256; jobs that wait need it. Its source,\n"
      "# with comments, is runner/wrapper.\n"
      "{{\n{}}}\n",
      long_wrapper_program(parts));
  auto sum = inputs::sha256_of_text(content);
  return {.sha256 = std::move(sum), .content = std::move(content)};
}

/// bash takes quadratic time for the facts, in some versions.
constexpr std::size_t kLongestFacts = 16'000;

}  // namespace

tl::expected<JobCommand, std::string> JobCommand::create(const LaunchFacts& facts) {
  if (auto wrong = wrong_facts(facts)) {
    return tl::unexpected(std::move(*wrong));
  }
  return JobCommand{facts, grid::command_mark(facts.epoch.empty() ? facts.grid : facts.epoch, facts.campaign)};
}

// OAR's API passes the command to a shell at submission, and corrupts letters outside ASCII: base64 survives both, and `\$` becomes a `$`
// of the job's shell.
JobCommand::JobCommand(const LaunchFacts& facts, std::string mark)
    : script_{script_of(facts)},
      mark_{std::move(mark)},
      text_{fmt::format("bash -c \"\\$(echo {}|base64 -d)\" {}", base64(script_), mark_)} {
  const auto parts = parts_of(facts);
  const auto word = encoded_word(facts_of(facts, parts, kLongNames));
  if (word.size() > kLongestFacts) return;
  auto program = program_file(parts);
  call_ = fmt::format("{} {} {}", grid::program_call(program.sha256), word, mark_);
  if (call_.size() < text_.size()) program_ = std::move(program);
  else call_.clear();
}

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
