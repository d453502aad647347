#include "clients/gridsub/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <variant>

#include "clients/gridsub/problems.hpp"
#include "lib/grid/input_files.hpp"
#include "lib/inputs/sha256.hpp"
#include "lib/jdl/input_from.hpp"
#include "lib/jdl/inputs.hpp"
#include "lib/jdl/parameter_reader.hpp"
#include "lib/process/exit_code.hpp"
#include "lib/terminal/text.hpp"
#include "lib/text/json_writer.hpp"

namespace gleaner::gridsub {
namespace {

namespace fs = std::filesystem;
using process::Error;
using process::ExitCode;

Error nothing_submitted(const Campaign& campaign, std::string_view why) {
  return {ExitCode::usage, fmt::format("{}: {}: {}", kNothingSubmitted, campaign.source, why)};
}

/// Why a path is no file that can be read; empty: it is one.
std::optional<std::string> why_not(const fs::path& path) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (!fs::exists(status)) return std::string{"there is no such file"};
  if (!fs::is_regular_file(status)) return std::string{"it is no file"};
  if (!std::ifstream{path}) return std::string{std::strerror(errno)};
  return std::nullopt;
}

void add_task(Campaign& campaign, std::int64_t task, const jdl::Parameter& parameter) {
  const auto paths = jdl::input_paths(campaign.file, task, parameter);
  if (!paths) throw nothing_submitted(campaign, paths.error());
  for (const auto& path : *paths) {
    if (campaign.inputs.contains(path)) continue;
    const bool is_output = jdl::output_path(campaign.file, path).has_value();
    const auto file = campaign.folder / path;
    if (const auto why = is_output ? std::nullopt : why_not(file))
      throw nothing_submitted(campaign, fmt::format("task {}, parameter {}: its input file {} cannot be read: {}", task,
                                                    jdl::quoted_parameter(parameter), file.string(), *why));
    campaign.inputs.insert(path);
    if (is_output) campaign.readers.emplace(path, task);
    if (campaign.inputs.size() > grid::kMostInputFiles)
      throw nothing_submitted(
          campaign, fmt::format("its tasks need more than {} input files: pack them, or fetch them in a prologue", grid::kMostInputFiles));
  }
}

/// A file as it is sent.
class FileBody final : public clients::BodySource {
 public:
  explicit FileBody(fs::path path) : path_{std::move(path)} {}
  void rewind() override { file_ = std::ifstream{path_, std::ios::binary}; }
  [[nodiscard]] std::size_t read(std::span<char> buffer) override {
    file_.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    return static_cast<std::size_t>(file_.gcount());
  }

 private:
  fs::path path_;
  std::ifstream file_;
};

/// A text as it is sent.
class ListBody final : public clients::BodySource {
 public:
  explicit ListBody(std::string text) : text_{std::move(text)} {}
  void rewind() override { given_ = 0; }
  [[nodiscard]] std::size_t read(std::span<char> buffer) override {
    const auto size = text_.copy(buffer.data(), buffer.size(), given_);
    given_ += size;
    return size;
  }

 private:
  std::string text_;
  std::size_t given_ = 0;
};

/// Where an input file is on this machine.
fs::path file_of(const Campaign& campaign, const std::string& path) {
  const auto output = campaign.outputs.find(path);
  return output == campaign.outputs.end() ? campaign.folder / path : output->second.file;
}

/// The permissions of a file on the clusters.
int mode_on_clusters(const fs::path& file) {
  std::error_code ignored;
  return grid::input_mode(static_cast<int>(fs::status(file, ignored).permissions() & fs::perms::all));
}

std::vector<grid::InputFile> summed(const Campaign& campaign) {
  auto files = sizes_of_inputs(campaign);
  for (auto& file : files) {
    const auto path = file_of(campaign, file.path);
    const auto sum = inputs::sha256_of(path);
    if (!sum) throw nothing_submitted(campaign, fmt::format("its input file {} cannot be read: {}", path.string(), sum.error()));
    file.sha256 = *sum;
    file.mode = mode_on_clusters(path);
  }
  return files;
}

std::set<std::string> missing_of(clients::ApiClient& api, const std::vector<grid::InputFile>& files) {
  text::JsonWriter json;
  json.begin_array();
  for (const auto& file : files) json.value(file.sha256);
  json.end_array();
  std::set<std::string> missing;
  const auto reply = api.ask("/v1/inputs/missing", json.text());
  for (const auto& sum : reply.json["missing"].items()) missing.insert(sum.text());
  return missing;
}

}  // namespace

void find_inputs(Campaign& campaign) {
  if (campaign.file.input_files.empty()) return;
  if (campaign.parameters) {
    campaign.parameters->rewind();
    jdl::ParameterReader reader{campaign.parameters->stream()};
    for (std::int64_t task = 0;; ++task) {
      const auto next = reader.next();
      if (!next || !*next) break;
      add_task(campaign, task, std::string{**next});
    }
    campaign.parameters->rewind();
  } else if (const auto* params = std::get_if<jdl::Params>(&campaign.file.parameters)) {
    for (std::int64_t task = 0; task < campaign.tasks; ++task) add_task(campaign, task, params->values[static_cast<std::size_t>(task)]);
  } else {
    for (std::int64_t task = 0; task < campaign.tasks; ++task) add_task(campaign, task, std::to_string(task));
  }
}

void upload_inputs(clients::ApiClient& api, Campaign& campaign, terminal::Output& output) {
  if (campaign.inputs.empty()) return;
  const auto files = summed(campaign);
  auto missing = missing_of(api, files);
  std::int64_t bytes = 0;
  std::int64_t wanted = 0;
  for (const auto& file : files) {
    if (!missing.contains(file.sha256)) continue;
    bytes += file.bytes;
    ++wanted;
  }
  if (wanted > 0)
    output.report(fmt::format("gridsub: sending {} of {} ({:.1f} MB)", wanted, terminal::counted(std::ssize(files), "input file"),
                              static_cast<double>(bytes) / 1e6));
  for (const auto& file : files) {
    if (missing.erase(file.sha256) == 0) continue;
    const auto path = file_of(campaign, file.path);
    FileBody body{path};
    try {
      api.put_bytes("/v1/inputs/" + file.sha256, body);
    } catch (const Error& error) {
      throw Error{error.code(),
                  fmt::format("{}: {}: its input file {}: {}", kNothingSubmitted, campaign.source, path.string(), error.what())};
    }
  }
  const auto list = grid::manifest_of(files);
  campaign.input_manifest = inputs::sha256_of_text(list);
  ListBody body{list};
  api.put_bytes("/v1/inputs/" + campaign.input_manifest, body);
}

std::vector<grid::InputFile> sizes_of_inputs(const Campaign& campaign) {
  std::vector<grid::InputFile> files;
  for (const auto& path : campaign.inputs) {
    std::error_code ignored;
    const auto size = fs::file_size(file_of(campaign, path), ignored);
    files.push_back({.path = path, .sha256 = {}, .bytes = ignored ? 0 : static_cast<std::int64_t>(size)});
  }
  return files;
}

void lay_inputs(const Campaign& campaign, std::int64_t task, const jdl::Parameter& parameter, const fs::path& folder) {
  const auto paths = jdl::input_paths(campaign.file, task, parameter);
  if (!paths) throw Error{ExitCode::usage, fmt::format("nothing was run: {}", paths.error())};
  for (const auto& path : *paths) {
    const auto source = file_of(campaign, path);
    const auto copy = folder / path;
    std::error_code error;
    fs::create_directories(copy.parent_path(), error);
    // Two patterns may name one file.
    if (!error) fs::copy_file(source, copy, fs::copy_options::skip_existing, error);
    if (!error) fs::permissions(copy, static_cast<fs::perms>(mode_on_clusters(source)), error);
    if (error)
      throw Error{ExitCode::usage,
                  fmt::format("nothing was run: the input file {} cannot be copied to {}: {} (TMPDIR names another folder)",
                              source.string(), copy.string(), error.message())};
  }
}

}  // namespace gleaner::gridsub
