#pragma once
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iosfwd>
#include <memory>
#include <optional>
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

  /// The name for messages.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::istream& stream() { return file_; }
  /// Returns to the first byte.
  void rewind();

 private:
  void copy_standard_input();
  std::string name_;
  std::ifstream file_;
};

/// The number of parameters. Error: the first problems found.
[[nodiscard]] tl::expected<std::int64_t, std::vector<jdl::Problem>> check_parameters(ParameterFile& file);

/// The body of a submission: its head as one line, followed by the parameters.
class SubmissionBody final : public clients::BodySource {
 public:
  SubmissionBody(std::string head, ParameterFile* parameters) : head_{std::move(head)}, parameters_{parameters} {}
  void rewind() override;
  [[nodiscard]] std::size_t read(std::span<char> buffer) override;

 private:
  void fill();
  std::string head_;
  ParameterFile* parameters_;
  std::optional<jdl::ParameterReader> reader_{};
  std::string pending_{};
  std::size_t given_ = 0;
};

}  // namespace gleaner::gridsub
