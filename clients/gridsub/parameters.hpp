#pragma once
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "clients/api_client.hpp"
#include "lib/jdl/parameter_reader.hpp"
#include "lib/jdl/problem.hpp"

namespace gleaner::gridsub {

/// A parameter file that can be read repeatedly: a file, or a copy of standard input on disk.
class ParameterFile {
 public:
  /// `-` is standard input. Throws process::Error if it cannot be read.
  explicit ParameterFile(const std::string& path);
  /// A file on disk of the bytes that `write` puts into it, lines of a parameter file. It is deleted with its last use.
  using Put = std::function<void(std::string_view bytes)>;
  [[nodiscard]] static std::unique_ptr<ParameterFile> of(std::string name, const std::function<void(const Put& put)>& write);

  /// The name for messages.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::istream& stream() { return file_; }
  /// Returns to the first byte.
  void rewind();

 private:
  ParameterFile(std::string name, std::ifstream file) : name_{std::move(name)}, file_{std::move(file)} {}
  void copy_standard_input();
  std::string name_;
  std::ifstream file_;
};

/// The number of parameters. Error: the first problems found.
[[nodiscard]] tl::expected<std::int64_t, std::vector<jdl::Problem>> check_parameters(ParameterFile& file);

/// A body of parameters, after a head of one line if there is one.
class SubmissionBody final : public clients::BodySource {
 public:
  SubmissionBody(std::optional<std::string> head, ParameterFile* parameters) : head_{std::move(head)}, parameters_{parameters} {}
  void rewind() override;
  [[nodiscard]] std::size_t read(std::span<char> buffer) override;

 private:
  void fill();
  std::optional<std::string> head_;
  ParameterFile* parameters_;
  std::optional<jdl::ParameterReader> reader_{};
  std::string pending_{};
  std::size_t given_ = 0;
};

/// A body of parameters alone.
class ParameterLines final : public clients::BodySource {
 public:
  explicit ParameterLines(std::unique_ptr<ParameterFile> file) : file_{std::move(file)}, body_{std::nullopt, file_.get()} {}
  void rewind() override { body_.rewind(); }
  [[nodiscard]] std::size_t read(std::span<char> buffer) override { return body_.read(buffer); }

 private:
  std::unique_ptr<ParameterFile> file_;
  SubmissionBody body_;
};

/// A body of the parameters of a JSON array (CiGri's form), kept on disk as NDJSON.
class ParameterArray final : public clients::BodySource {
 public:
  /// Reads the array in constant memory. Error: the first problem, or no parameter in it. Throws process::Error if the disk is full.
  [[nodiscard]] static tl::expected<ParameterArray, jdl::Problem> read(std::istream& text);
  void rewind() override;
  [[nodiscard]] std::size_t read(std::span<char> buffer) override;

 private:
  explicit ParameterArray(std::ifstream file) : file_{std::move(file)} {}
  std::ifstream file_;
};

/// The file of a JSON array; `-` is standard input. Throws process::Error if it cannot be read.
[[nodiscard]] std::unique_ptr<std::istream> open_array(const std::string& path);

class NoBody final : public clients::BodySource {
 public:
  void rewind() override {}
  [[nodiscard]] std::size_t read(std::span<char> /*buffer*/) override { return 0; }
};

}  // namespace gleaner::gridsub
