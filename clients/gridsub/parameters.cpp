#include "clients/gridsub/parameters.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "lib/jdl/parameter.hpp"
#include "lib/jdl/parameter_array.hpp"
#include "lib/process/exit_code.hpp"
#include "lib/process/values.hpp"

namespace gleaner::gridsub {
namespace {

using process::Error;
using process::ExitCode;

constexpr std::size_t kMostProblems = 20;
constexpr std::size_t kPiece = 256 * 1024;

/// Creates an unnamed file, which is freed with its last descriptor.
int open_unnamed(std::string_view what) {
  std::string path = std::filesystem::temp_directory_path() / "gridsub-XXXXXX";
  const int descriptor = ::mkostemp(path.data(), O_CLOEXEC);
  if (descriptor < 0) throw Error{ExitCode::failure, fmt::format("{} cannot be kept in {}: {}", what, path, std::strerror(errno))};
  ::unlink(path.c_str());
  return descriptor;
}

void write_all(int descriptor, std::span<const char> data) {
  while (!data.empty()) {
    const auto written = ::write(descriptor, data.data(), data.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw Error{ExitCode::failure, fmt::format("the parameters cannot be kept on disk: {}", std::strerror(errno))};
    data = data.subspan(static_cast<std::size_t>(written));
  }
}

/// A stream of the file, from its beginning; the descriptor is closed.
std::ifstream reopened(int descriptor) {
  std::ifstream file{fmt::format("/proc/self/fd/{}", descriptor), std::ios::binary};
  ::close(descriptor);
  if (!file) throw Error{ExitCode::failure, "the copy of the parameters cannot be read"};
  return file;
}

}  // namespace

ParameterFile::ParameterFile(const std::string& path) : name_{path == "-" ? "standard input" : path} {
  if (path == "-") {
    copy_standard_input();
    return;
  }
  if (std::error_code error; std::filesystem::is_directory(path, error))
    throw Error{ExitCode::not_found, fmt::format("{} is a folder, and not a parameter file", path)};
  file_.open(path, std::ios::binary);
  if (!file_) throw Error{ExitCode::not_found, fmt::format("the parameter file {} cannot be read: {}", path, std::strerror(errno))};
  file_.seekg(0, std::ios::end);
  const bool can_go_back = static_cast<bool>(file_);
  file_.clear();
  if (!can_go_back)
    throw Error{ExitCode::usage, fmt::format("{} is no file that can be read twice: give it as standard input (-p -)", path)};
  rewind();
}

std::unique_ptr<ParameterFile> ParameterFile::of(std::string name, const std::function<void(const Put& put)>& write) {
  const int copy = open_unnamed(name);
  std::string pending;
  const auto flush = [&] {
    write_all(copy, pending);
    pending.clear();
  };
  try {
    write([&](std::string_view bytes) {
      pending += bytes;
      if (pending.size() >= kPiece) flush();
    });
    flush();
  } catch (...) {
    ::close(copy);
    throw;
  }
  return std::unique_ptr<ParameterFile>{new ParameterFile{std::move(name), reopened(copy)}};
}

void ParameterFile::copy_standard_input() {
  const int copy = open_unnamed("standard input");
  std::vector<char> buffer(kPiece);
  while (true) {
    const auto size = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) throw Error{ExitCode::failure, fmt::format("standard input cannot be read: {}", std::strerror(errno))};
    if (size == 0) break;
    write_all(copy, std::span{buffer}.first(static_cast<std::size_t>(size)));
  }
  file_ = reopened(copy);
}

void ParameterFile::rewind() {
  file_.clear();
  file_.seekg(0);
  if (!file_) throw Error{ExitCode::failure, fmt::format("{} cannot be read again", name_)};
}

tl::expected<std::int64_t, std::vector<jdl::Problem>> check_parameters(ParameterFile& file) {
  file.rewind();
  jdl::ParameterReader reader{file.stream()};
  std::vector<jdl::Problem> problems;
  std::int64_t parameters = 0;
  while (problems.size() < kMostProblems) {
    auto next = reader.next();
    if (!next) {
      problems.push_back(std::move(next.error()));
    } else if (!*next) {
      break;
    } else {
      ++parameters;
    }
  }
  if (problems.empty() && parameters == 0)
    problems.push_back({{}, {}, {}, "there is no parameter in it: blank lines and lines that begin with # are none"});
  if (!problems.empty()) return tl::unexpected{std::move(problems)};
  return parameters;
}

void SubmissionBody::rewind() {
  pending_ = head_ ? *head_ + "\n" : std::string{};
  given_ = 0;
  reader_.reset();
  if (parameters_ == nullptr) return;
  parameters_->rewind();
  reader_.emplace(parameters_->stream());
}

void SubmissionBody::fill() {
  pending_.clear();
  given_ = 0;
  while (reader_ && pending_.size() < kPiece) {
    const auto next = reader_->next();
    if (!next)
      throw Error{ExitCode::failure, fmt::format("{} has changed while it was read: {}", parameters_->name(), next.error().message)};
    if (!*next) {
      reader_.reset();
    } else {
      jdl::append_ndjson_line(pending_, **next);
    }
  }
}

std::size_t SubmissionBody::read(std::span<char> buffer) {
  if (given_ == pending_.size()) fill();
  const auto size = std::min(buffer.size(), pending_.size() - given_);
  std::memcpy(buffer.data(), pending_.data() + given_, size);
  given_ += size;
  return size;
}

tl::expected<ParameterArray, jdl::Problem> ParameterArray::read(std::istream& text) {
  const int copy = open_unnamed("the array of parameters");
  std::vector<char> buffer(kPiece);
  std::string lines;
  std::int64_t parameters = 0;
  const auto next = [&] {
    text.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    return std::string_view{buffer.data(), static_cast<std::size_t>(text.gcount())};
  };
  const auto read = jdl::read_parameter_array(next, [&](const jdl::Parameter& parameter) {
    jdl::append_ndjson(lines, parameter);
    ++parameters;
    if (lines.size() >= kPiece) write_all(copy, std::exchange(lines, {}));
    return true;
  });
  write_all(copy, lines);
  auto file = reopened(copy);
  if (!read) return tl::unexpected{read.error()};
  if (text.bad()) return tl::unexpected{jdl::Problem{{}, {}, {}, "it cannot be read to its end"}};
  if (parameters == 0) return tl::unexpected{jdl::Problem{{}, {}, {}, "it is empty: there is no task to append"}};
  return ParameterArray{std::move(file)};
}

void ParameterArray::rewind() {
  file_.clear();
  file_.seekg(0);
}

std::size_t ParameterArray::read(std::span<char> buffer) {
  file_.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
  return static_cast<std::size_t>(file_.gcount());
}

std::unique_ptr<std::istream> open_array(const std::string& path) {
  if (path == "-") return std::make_unique<std::istream>(std::cin.rdbuf());
  const auto file_path = process::expand_home(path);
  if (std::error_code error; std::filesystem::is_directory(file_path, error))
    throw Error{ExitCode::not_found, fmt::format("{} is a folder, and not a file of parameters", path)};
  auto file = std::make_unique<std::ifstream>(file_path, std::ios::binary);
  if (!*file) throw Error{ExitCode::not_found, fmt::format("the file of parameters {} cannot be read: {}", path, std::strerror(errno))};
  return file;
}

}  // namespace gleaner::gridsub
