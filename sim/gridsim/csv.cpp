#include "sim/gridsim/csv.hpp"

#include <fmt/format.h>

#include <fstream>

#include "lib/process/exit_code.hpp"

namespace gleaner::gridsim {
namespace {

namespace fs = std::filesystem;

std::string_view name_of(const Job& job) {
  if (job.state == JobState::pooled) return "pooled";
  if (job.state != JobState::ended) return job.state == JobState::running ? "running" : "waiting";
  if (job.superseded) return "superseded";
  return job.end ? grid::name_of(*job.end) : "";
}

std::string quoted(const std::string& text) {
  if (text.find_first_of("\",\r\n") == std::string::npos) return text;
  std::string result{"\""};
  for (const char c : text) result += c == '"' ? std::string{"\"\""} : std::string{c};
  return result + '"';
}

std::string time(std::optional<grid::Instant> instant) { return instant ? fmt::format("{:.3f}", seconds_of(*instant)) : ""; }

std::string jobs_of(const Variant& variant) {
  std::string text{"job,campaign,task,attempt,cluster,resources,planned,queued,allocated,started,ended,end,carrier\n"};
  const auto& scenario = variant.scenario;
  std::size_t number = 0;
  for (const auto& job : variant.outcome.jobs) {
    const bool queued = job.state != JobState::submitting && !job.pooled;
    const bool ended = job.state == JobState::ended;
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", ++number,
                        quoted(scenario.campaigns[static_cast<std::size_t>(job.campaign)].name), job.task, job.attempt,
                        quoted(scenario.clusters[static_cast<std::size_t>(job.cluster)].name), job.width, time(job.planned),
                        queued ? time(job.queued) : "", time(job.held), time(job.started), ended ? time(job.ended) : "", name_of(job),
                        job.carrier == kNone ? "" : fmt::format("{}", job.carrier + 1));
  }
  return text;
}

std::string cycles_of(const Variant& variant) {
  std::string text{"time,campaign,cluster,job_ratio,free_resources,running_jobs,waiting_jobs,wiped_jobs,submitted_jobs\n"};
  const auto& scenario = variant.scenario;
  for (const auto& row : variant.outcome.cycles) {
    text += fmt::format("{},{},{},{:.6g},{},{},{},{},{}\n", time(row.time),
                        quoted(scenario.campaigns[static_cast<std::size_t>(row.campaign)].name),
                        quoted(scenario.clusters[static_cast<std::size_t>(row.cluster)].name), row.job_ratio, row.free, row.running,
                        row.waiting, row.wiped, row.submitted);
  }
  return text;
}

void write(const fs::path& file, const std::string& text) {
  std::ofstream output{file, std::ios::binary};
  output << text;
  output.close();
  if (!output) throw process::Error{process::ExitCode::failure, fmt::format("{}: it cannot be written", file.string())};
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw process::Error{process::ExitCode::failure, fmt::format("{}: the folder cannot be made: {}", folder.string(), error.message())};
}

/// A variant's name as a folder name.
std::string folder_name(const std::string& name) {
  std::string result;
  for (const char c : name) result += c == '/' || c == '\0' ? '_' : c;
  return result == "." || result == ".." ? "_" : result;
}

}  // namespace

void write_csv(const fs::path& folder, const std::vector<Variant>& variants) {
  for (const auto& variant : variants) {
    const auto place = variant.name.empty() ? folder : folder / folder_name(variant.name);
    make_folder(place);
    write(place / "jobs.csv", jobs_of(variant));
    write(place / "cycles.csv", cycles_of(variant));
  }
}

}  // namespace gleaner::gridsim
