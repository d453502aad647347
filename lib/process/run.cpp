#include "lib/process/run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iterator>

#include <unistd.h>

#include "lib/grid/clock.hpp"
#include "lib/grid/unavailable.hpp"
#include "lib/process/command_line.hpp"
#include "lib/process/description.hpp"
#include "lib/process/log.hpp"
#include "lib/process/options.hpp"
#include "lib/process/standard_streams.hpp"
#include "lib/process/stop.hpp"
#include "lib/process/turns.hpp"

namespace gleaner::process {
namespace {

Error usage_error(const Complaints& complaints) { return Error{ExitCode::usage, fmt::format("{}", fmt::join(complaints, "\n"))}; }

template <class T>
T value_or_throw(tl::expected<T, Complaints> result) {
  if (!result) throw usage_error(result.error());
  return std::move(*result);
}

/// Every user of the machine can read a command line.
void refuse_password(const CommandLine& line) {
  const auto database = line.given.find("database");
  if (database != line.given.end() && holds_password(database->second.value)) {
    throw Error{ExitCode::usage,
                "--database: a password on the command line can be read by others; put it in ~/.pgpass or in the configuration file"};
  }
}

/// Passes the configuration on to the programs that this one starts.
void hand_down(const GivenOptions& given, const std::optional<std::filesystem::path>& file) {
  for (const auto& [key, option] : given) {
    std::string name{"GLEANER_"};
    std::ranges::transform(key, std::back_inserter(name), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    setenv(name.c_str(), option.value.c_str(), 1);
  }
  if (file) setenv("GLEANER_CONFIG", std::filesystem::absolute(*file).c_str(), 1);
}

Context make_context(const Program& program, const CommandLine& line, std::optional<std::int64_t> term) {
  refuse_password(line);
  std::vector sources{line.given};
  Complaints complaints;
  if (program.configuration == Program::Configuration::used) {
    sources.push_back(read_environment(environ, complaints));
    const auto file = value_or_throw(find_config_file(line.config_file));
    if (file) sources.push_back(read_file(*file, complaints));
    hand_down(line.given, file);
  }
  auto config = build_config(sources, program.keys);
  if (!config) complaints.insert(complaints.end(), config.error().begin(), config.error().end());
  if (!complaints.empty()) throw usage_error(complaints);
  return Context{std::move(*config), grid::now(), term, line.arguments};
}

int print(const std::string& text) { return static_cast<int>(write_to_stdout(text) == 0 ? ExitCode::ok : ExitCode::not_written); }

void print_message(const Program& program, std::string_view message) {
  if (!message.empty()) write_to_stderr(fmt::format("{}: {}\n", program.name, message));
}

int run_body(const Program& program, const CommandLine& line, const Body& body, std::optional<std::int64_t> term = {}) {
  const auto context = make_context(program, line, term);
  log::set_up(program.name, context.config.log_level, context.config.log_file.string());
  if (program.interruption == Interruption::requests_stop) catch_stop_signals();
  const auto outcome = body(context);
  if (outcome.code != ExitCode::ok) {
    print_message(program, outcome.message);
  } else if (!outcome.message.empty()) {
    if (outcome.is_idle) log::debug("done", {{"summary", outcome.message}});
    else log::info("done", {{"summary", outcome.message}});
  }
  return static_cast<int>(outcome.code);
}

int run_turns(const Program& program, const CommandLine& line, const Body& body) {
  catch_stop_signals();
  keep_freed_memory();
  while (const auto term = next_turn()) {
    if (const int code = run_body(program, line, body, term); code != static_cast<int>(ExitCode::ok)) return code;
    end_turn();
  }
  return static_cast<int>(ExitCode::ok);
}

int run_line(const Program& program, int argc, char** argv, const Body& body) {
  const auto line = value_or_throw(read_command_line(program, argc, argv));
  switch (line.action) {
    case CommandLine::Action::help: return print(help_text(program));
    case CommandLine::Action::version: return print(fmt::format("{} (gleaner) {}\n", program.name, GLEANER_VERSION));
    case CommandLine::Action::describe: return print(value_or_throw(description(program, line.form)));
    case CommandLine::Action::run: break;
  }
  return program.takes_turns && std::getenv(kTurnsVariable) != nullptr ? run_turns(program, line, body) : run_body(program, line, body);
}

}  // namespace

std::optional<std::string> Arguments::value(std::string_view name) const {
  const auto found = options.find(name);
  return found == options.end() || found->second.empty() ? std::nullopt : std::optional{found->second.back()};
}

std::vector<std::string> Arguments::all(std::string_view name) const {
  const auto found = options.find(name);
  return found == options.end() ? std::vector<std::string>{} : found->second;
}

int run(const Program& program, int argc, char** argv, const Body& body) {
  std::signal(SIGPIPE, SIG_IGN);
  occupy_standard_streams();
  try {
    return run_line(program, argc, argv, body);
  } catch (const Error& error) {
    print_message(program, error.what());
    return static_cast<int>(error.code());
  } catch (const grid::Unavailable& error) {
    print_message(program, error.what());
    return static_cast<int>(ExitCode::unavailable);
  } catch (const std::exception& error) {
    print_message(program, fmt::format("unexpected error: {}", error.what()));
    return static_cast<int>(ExitCode::failure);
  }
}

}  // namespace gleaner::process
