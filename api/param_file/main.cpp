// Reads a parameter file as its user. systemd starts it for each connection to its socket, which is stdin and stdout: gridapi asks there
// for the file that a submission to CiGri's routes names.
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "api/param_file/read_file.hpp"
#include "lib/process/log.hpp"
#include "lib/process/run.hpp"

namespace {

using namespace gleaner;

/// A file system that hangs is left to the kernel's own end of this process; gridapi waits no longer than its own limit.
constexpr unsigned kSeconds = 60;

/// The question, up to the end of what is sent.
std::string received() {
  constexpr std::size_t kLongest = 8192;
  std::string text;
  std::array<char, 4096> buffer{};
  while (text.size() <= kLongest) {
    const auto count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return text;
}

void send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto count = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw process::Error{process::ExitCode::not_written, std::strerror(errno)};
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

process::Outcome answer(const process::Context& context) {
  ::alarm(kSeconds);
  const auto locks = context.arguments.value("locks");
  if (!locks) throw process::Error{process::ExitCode::usage, "--locks DIRECTORY is needed"};
  const auto question = param_file::parse(received());
  if (!question) throw process::Error{process::ExitCode::usage, question.error()};
  const auto bytes = param_file::read_as(*question, {.folders = context.config.api_cigri_param_files, .locks = *locks});
  if (!bytes) {
    send(bytes.error() + "\n");
    return {process::ExitCode::refused, fmt::format("not read for the user {}: {}", question->user, bytes.error())};
  }
  send(param_file::head_of(bytes->size()));
  send(*bytes);
  return process::ExitCode::ok;
}

}  // namespace

int main(int argc, char** argv) {
  const process::Program program{
      .name = "param-file",
      .purpose = "reads one parameter file as its user, for gridapi: the question is on stdin, the answer on stdout",
      .keys = {"api_cigri_param_files"},
      .options = {{"locks", "DIRECTORY", "a folder of its own, where each user has a lock"}},
      .interruption = process::Interruption::ends_program,
      .section = 8};
  return process::run(program, argc, argv, answer);
}
