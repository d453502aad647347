#include "sim/gridsim/engine/swf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "lib/jdl/problem.hpp"
#include "lib/process/values.hpp"
#include "lib/text/line_ends.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::gridsim {
namespace {

constexpr std::size_t kFields = 18;
/// The most errors that are reported for one file.
constexpr std::size_t kMostErrors = 20;
enum Field : std::size_t { submit = 1, wait = 2, run = 3, allocated = 4, requested = 7 };

using Fields = std::array<double, kFields>;

tl::expected<Fields, std::string> read_fields(const std::string& line) {
  std::istringstream words{line};
  Fields fields{};
  std::size_t count = 0;
  for (std::string word; words >> word; ++count) {
    if (count == kFields) return tl::unexpected{fmt::format("there are more than the {} fields of a job", kFields)};
    const auto number = text::real_number(word);
    if (!number) return tl::unexpected{fmt::format("field {}, '{}', is not a number", count + 1, jdl::excerpt(word))};
    fields[count] = *number;
  }
  if (count < kFields)
    return tl::unexpected{fmt::format("there are {} fields, and a job has {} (-1 where nothing is known)", count, kFields)};
  return fields;
}

/// Empty: the job did not run.
tl::expected<std::optional<LocalJob>, std::string> job_of(const Fields& fields, const TraceFit& fit) {
  const double processors = fields[allocated] > 0 ? fields[allocated] : fields[requested];
  if (fields[run] <= 0 || processors <= 0) return std::nullopt;
  if (fields[submit] < 0) return tl::unexpected{fmt::format("field 2, the submit time {:g}, is negative", fields[submit])};
  const double resources = std::ceil(processors * fit.scale - 1e-9);
  if (resources > fit.resources)
    return tl::unexpected{fmt::format(
        "the job takes {:g} resources, and the cluster has {}; write a smaller \"scale\", or a bigger cluster", resources, fit.resources)};
  const double at = fields[submit] + std::max(0.0, fields[wait]) - fit.from;
  if (at < 0) return std::nullopt;
  return LocalJob{.at = at, .duration = fields[run], .resources = std::max(1, static_cast<int>(resources))};
}

}  // namespace

tl::expected<std::vector<LocalJob>, std::vector<std::string>> read_swf(std::istream& input, const std::string& file, const TraceFit& fit) {
  std::vector<LocalJob> jobs;
  std::vector<std::string> errors;
  std::size_t number = 0;
  for (std::string line; std::getline(input, line);) {
    ++number;
    const auto words = process::trim(line);
    if (text::lone_return(line) != std::string::npos)
      return tl::unexpected{std::vector{fmt::format("{}:{}: {}", file, number, text::kLoneReturn)}};
    if (words.empty() || words.front() == ';') continue;
    const auto job = read_fields(line).and_then([&](const Fields& fields) { return job_of(fields, fit); });
    if (!job) errors.push_back(fmt::format("{}:{}: {}", file, number, job.error()));
    else if (*job) jobs.push_back(**job);
    if (errors.size() == kMostErrors) {
      errors.push_back(fmt::format("{}:{}: and perhaps more from here on", file, number));
      break;
    }
  }
  if (errors.empty() && jobs.empty()) errors.push_back(fmt::format("{}: no job of it ran (from the given time on)", file));
  if (!errors.empty()) return tl::unexpected{std::move(errors)};
  return jobs;
}

}  // namespace gleaner::gridsim
