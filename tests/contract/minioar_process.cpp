#include "tests/contract/minioar_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <rapidjson/document.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace gleaner::contract {
namespace {

std::string new_folder() {
  auto pattern = (std::filesystem::temp_directory_path() / "gleaner-contract-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    throw std::runtime_error("no folder could be made for the state of minioar");
  }
  return pattern;
}

}  // namespace

MiniOarProcess::MiniOarProcess(const std::string& program, const std::string& version, const std::vector<std::string>& users,
                               const std::vector<std::string>& more)
    : folder_{new_folder()} {
  if (access(program.c_str(), X_OK) != 0) {
    throw std::runtime_error(fmt::format("minioar is asked for, and '{}' is not there: build it (target minioar)", program));
  }
  const auto secret_file = folder_ + "/secret";
  std::ofstream{secret_file} << secret_ << '\n';
  std::filesystem::permissions(secret_file, std::filesystem::perms::owner_read);
  std::vector<std::string> words{program,
                                 "--oar",
                                 version,
                                 "--state",
                                 folder_ + "/state",
                                 "--login",
                                 login_,
                                 "--password-file",
                                 secret_file,
                                 "--kill-jobs-on-exit",
                                 "--kill-grace-ms",
                                 "200",
                                 "--allow-faults",
                                 "--exterminate-after-ms",
                                 "1500"};
  for (const auto& user : users) {
    words.insert(words.end(), {"--user", user});
  }
  words.insert(words.end(), more.begin(), more.end());
  std::array<int, 2> pipe_ends{};
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error("no pipe");
  }
  pid_ = fork();
  if (pid_ == 0) {
    dup2(pipe_ends[1], STDOUT_FILENO);
    std::vector<char*> arguments;
    for (auto& word : words) {
      arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    execv(program.c_str(), arguments.data());
    _exit(127);
  }
  close(pipe_ends[1]);
  const auto line = read_first_line(pipe_ends[0]);
  close(pipe_ends[0]);
  rapidjson::Document document;
  document.Parse(line.c_str());
  if (document.HasParseError() || !document.IsObject() || !document.HasMember("url") || !document["url"].IsString()) {
    throw std::runtime_error(fmt::format("minioar did not say where it listens, but '{}'", line));
  }
  url_ = document["url"].GetString();
}

std::string MiniOarProcess::read_first_line(int pipe) const {
  constexpr int kPatienceMilliseconds = 20'000;
  std::string line;
  while (line.find('\n') == std::string::npos) {
    pollfd waited{pipe, POLLIN, 0};
    std::array<char, 512> buffer{};
    if (poll(&waited, 1, kPatienceMilliseconds) <= 0) {
      break;
    }
    const ssize_t got = read(pipe, buffer.data(), buffer.size());
    if (got <= 0) {
      break;
    }
    line.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return line.substr(0, line.find('\n'));
}

MiniOarProcess::~MiniOarProcess() {
  if (pid_ > 0) {
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace gleaner::contract
