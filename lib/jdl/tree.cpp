#include "lib/jdl/tree.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/jdl/text.hpp"

namespace gleaner::jdl {
namespace {

constexpr std::size_t kMostProblems = 1000;
constexpr std::size_t kLongestPath = 300;

/// A path in its stored form, cut between two characters: keys may be long, and many.
std::string shortened(std::string path) {
  if (path.size() <= kLongestPath) return path;
  auto end = kLongestPath;
  while (end > 0 && (static_cast<unsigned char>(path[end]) & 0xC0U) == 0x80U) --end;
  return path.substr(0, end) + "…";
}

}  // namespace

Form form_of(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    i = text.find_first_not_of(" \t\r\n\v\f", i);
    if (i == std::string_view::npos) break;
    if (text.substr(i).starts_with("/*")) {
      const auto end = text.find("*/", i + 2);
      i = end == std::string_view::npos ? text.size() : end + 2;
      continue;
    }
    if (text[i] != '#' && !text.substr(i).starts_with("//"))
      return std::string_view{"{[\""}.find(text[i]) != std::string_view::npos ? Form::json : Form::classic;
    i = std::min(text.find('\n', i), text.size());
  }
  return Form::classic;
}

void Findings::keep(std::vector<Finding>& found, std::size_t& left_out, Finding finding) {
  // The problems of one pass are in the order of the text, so the first thousand of all are among these.
  constexpr std::size_t kMostKept = 5 * kMostProblems;
  if (found.size() == kMostKept) ++left_out;
  else found.push_back(std::move(finding));
}

void Findings::add(std::size_t offset, std::string path, std::string_view value, std::string message) {
  keep(found_, left_out_, {offset, Problem{{}, shortened(std::move(path)), excerpt(value), std::move(message)}});
}

void Findings::doubt(std::size_t offset, std::string path, std::string_view value, std::string message, std::string_view consequence) {
  if (doubts_ != Doubts::reported) return add(offset, std::move(path), value, std::move(message));
  message += consequence;
  keep_doubt(offset, std::move(path), value, std::move(message));
}

void Findings::doubt_pair(std::size_t offset, std::string path, std::string_view value, std::string message) {
  if (doubts_ == Doubts::refused) return add(offset, std::move(path), value, std::move(message));
  keep_doubt(offset, std::move(path), value, std::move(message));
}

void Findings::keep_doubt(std::size_t offset, std::string path, std::string_view value, std::string message) {
  std::size_t left_out = 0;
  keep(doubtful_, left_out, {offset, Problem{{}, shortened(std::move(path)), excerpt(value), std::move(message)}});
}

bool Findings::is_full() const { return count() > kMostProblems; }

std::vector<Problem> Findings::placed(const std::vector<Finding>& found, std::size_t left_out, std::string_view text) {
  auto sorted = found;
  std::ranges::stable_sort(sorted, {}, &Finding::offset);
  const auto told = std::min(sorted.size(), kMostProblems);
  std::vector<Problem> problems;
  problems.reserve(told + 1);
  Places places{text};
  for (auto& [offset, problem] : std::span{sorted}.first(told)) {
    problem.place = places.at(offset);
    problems.push_back(std::move(problem));
  }
  if (sorted.size() > told)
    problems.push_back(
        {places.at(sorted[told].offset), "", "", fmt::format("and {} more problems from here on", sorted.size() + left_out - told)});
  return problems;
}

std::string campaign_path(Form form, std::string_view spelling) {
  return form == Form::classic ? fmt::format("DEFAULT.{}", spelling) : std::string{spelling};
}

std::string cluster_path(Form form, std::string_view cluster, std::string_view spelling) {
  const std::string_view prefix = form == Form::classic ? "" : "clusters.";
  return spelling.empty() ? fmt::format("{}{}", prefix, cluster) : fmt::format("{}{}.{}", prefix, cluster, spelling);
}

}  // namespace gleaner::jdl
