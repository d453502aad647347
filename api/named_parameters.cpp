#include "api/named_parameters.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/param_file/read_file.hpp"
#include "api/param_files.hpp"
#include "lib/jdl/parameter.hpp"

namespace gleaner::api {
namespace {

/// The first problems of its lines.
std::vector<jdl::Problem> problems_of(const std::string& text) {
  constexpr std::size_t kMost = 20;
  std::istringstream stream{text};
  jdl::ParameterReader reader{stream};
  std::vector<jdl::Problem> problems;
  while (problems.size() < kMost) {
    auto next = reader.next();
    if (!next) problems.push_back(std::move(next.error()));
    else if (!*next) break;
  }
  return problems;
}

}  // namespace

NamedParameters::NamedParameters(std::string text, Memory memory) : memory_{std::move(memory)}, text_{std::move(text)} {}

Asked<std::unique_ptr<NamedParameters>> NamedParameters::read(const Call& call, const std::string& path) {
  auto memory = take_memory(call, 2 * param_file::kMostBytes);  // as received, and as a text
  if (!memory) return tl::unexpected{memory.error()};
  auto text = call.param_files->read(call.request.peer, path);
  if (!text) return tl::unexpected{text.error()};
  if (const auto problems = problems_of(*text); !problems.empty())
    return tl::unexpected{error(
        fmt::format("param_file {}, line {}: {}", jdl::excerpt(path), problems.front().place.line, problems.front().message), problems)};
  return std::unique_ptr<NamedParameters>{new NamedParameters{std::move(*text), std::move(*memory)}};
}

tl::expected<std::size_t, http::BodyError> NamedParameters::read(std::span<char> into) {
  constexpr std::size_t kPiece = 65536;
  if (given_ == pending_.size()) {
    pending_.clear();
    given_ = 0;
    while (pending_.size() < kPiece) {
      const auto next = reader_.next();
      if (!next || !*next) break;
      jdl::append_ndjson_line(pending_, **next);
    }
  }
  const auto count = std::min(into.size(), pending_.size() - given_);
  std::copy_n(pending_.data() + given_, count, into.data());
  given_ += count;
  return count;
}

}  // namespace gleaner::api
