#include "lib/process/run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>

#include <unistd.h>

#include "lib/grid/unavailable.hpp"
#include "lib/process/command_line.hpp"
#include "lib/process/failpoint.hpp"
#include "lib/process/log.hpp"
#include "lib/process/options.hpp"
#include "lib/process/stop.hpp"

namespace gleaner::process {
namespace {

Error usage_error(const Complaints& complaints) {
  return Error{ExitCode::usage, fmt::format("{}", fmt::join(complaints, "\n"))};
}

template <class T>
T value_or_throw(tl::expected<T, Complaints> result) {
  if (!result) throw usage_error(result.error());
  return std::move(*result);
}

std::optional<std::int64_t> read_term() {
  const char* text = std::getenv("GLEANER_TERM");
  if (text == nullptr || *text == '\0') return std::nullopt;
  const std::string_view whole{text};
  std::int64_t term = 0;
  const auto [end, error] = std::from_chars(whole.data(), whole.data() + whole.size(), term);
  if (error != std::errc{} || end != whole.data() + whole.size()) {
    throw Error{ExitCode::usage, fmt::format("GLEANER_TERM: '{}' is not the number of a lease's term", whole)};
  }
  return term;
}

/// A command line is seen by everybody on the machine.
void refuse_password(const CommandLine& line) {
  const auto database = line.given.find("database");
  if (database != line.given.end() && holds_password(database->second.value)) {
    throw Error{ExitCode::usage, "--database: a password on the command line can be read by others; put it in ~/.pgpass or in the configuration file"};
  }
}

/// The programs that this one starts read the same configuration.
void hand_down(const GivenOptions& given, const std::optional<std::filesystem::path>& file) {
  for (const auto& [key, option] : given) {
    std::string name{"GLEANER_"};
    std::ranges::transform(key, std::back_inserter(name), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    setenv(name.c_str(), option.value.c_str(), 1);
  }
  if (file) setenv("GLEANER_CONFIG", std::filesystem::absolute(*file).c_str(), 1);
}

Context make_context(const Program& program, CommandLine line) {
  refuse_password(line);
  std::vector sources{line.given};
  if (program.configuration == Program::Configuration::used) {
    sources.push_back(value_or_throw(read_environment(environ)));
    const auto file = value_or_throw(find_config_file(line.config_file));
    if (file) sources.push_back(value_or_throw(read_file(*file)));
    hand_down(line.given, file);
  }
  auto config = value_or_throw(build_config(sources, program.keys));
  return Context{std::move(config), std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now()), read_term(),
                 std::move(line.arguments)};
}

std::string all_failpoints() {
  std::string text;
  for (const auto name : kFailpoints) text += fmt::format("{}\n", name);
  return text;
}

int print(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  return static_cast<int>(written ? ExitCode::ok : ExitCode::failure);
}

void say(const Program& program, std::string_view message) { fmt::print(stderr, "{}: {}\n", program.name, message); }

int run_body(const Program& program, CommandLine line, const Body& body) {
  const auto context = make_context(program, std::move(line));
  log::set_up(program.name, context.config.log_level, context.config.log_file.string());
  if (program.interruption == Interruption::requests_stop) catch_stop_signals();
  const auto outcome = body(context);
  if (outcome.code != ExitCode::ok) {
    if (!outcome.message.empty()) say(program, outcome.message);
  } else if (!outcome.message.empty()) {
    log::info("done", {{"summary", outcome.message}});
  }
  return static_cast<int>(outcome.code);
}

int run_line(const Program& program, int argc, char** argv, const Body& body) {
  auto line = value_or_throw(read_command_line(program, argc, argv));
  switch (line.wish) {
    case CommandLine::Wish::help: return print(help_text(program));
    case CommandLine::Wish::version: return print(fmt::format("{} (gleaner) {}\n", program.name, GLEANER_VERSION));
    case CommandLine::Wish::failpoints: return print(all_failpoints());
    case CommandLine::Wish::run: break;
  }
  return run_body(program, std::move(line), body);
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
  try {
    return run_line(program, argc, argv, body);
  } catch (const Error& error) {
    say(program, error.what());
    return static_cast<int>(error.code());
  } catch (const grid::Unavailable& error) {
    say(program, error.what());
    return static_cast<int>(ExitCode::unavailable);
  } catch (const std::exception& error) {
    say(program, fmt::format("unexpected error: {}", error.what()));
    return static_cast<int>(ExitCode::failure);
  }
}

}  // namespace gleaner::process
