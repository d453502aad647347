#include "clients/gridget/fetch.hpp"

#include <fmt/format.h>

#include <sys/statvfs.h>

#include <algorithm>
#include <limits>
#include <thread>

#include "lib/process/exit_code.hpp"
#include "lib/terminal/text.hpp"

namespace gleaner::clients::gridget {
namespace {

using process::Error;
using process::ExitCode;

constexpr std::size_t kWorkers = 4;
constexpr int kAttempts = 5;
constexpr int kMostSilent = 3;  ///< failures of a cluster in a row, each of several attempts

void wait_before(int attempt) {
  if (attempt > 0) std::this_thread::sleep_for(std::chrono::milliseconds{250} * (1 << (attempt - 1)));
}

Error too_much(std::int64_t bytes, std::int64_t most) {
  return Error{
      ExitCode::refused,
      fmt::format("the outputs have {} and more, and {} may come (--max-size): a file may be sparse, and takes all of its size here; "
                  "say --max-size, or choose tasks with --task",
                  size_text(bytes), size_text(most))};
}

}  // namespace

/// Facts known about the files before they come.
void Fetcher::check_room(std::span<const RemoteOutput> outputs) const {
  std::int64_t wanted = 0;
  for (const auto& one : outputs) {
    if (!one.size || one.is_missing || tree_.has(one.output, one.size)) continue;
    wanted += std::min(*one.size, std::numeric_limits<std::int64_t>::max() / 2 - wanted);
  }
  if (tally_.bytes + wanted > most_) throw too_much(tally_.bytes + wanted, most_);
  struct statvfs disk {};
  if (::statvfs(tree_.folder().c_str(), &disk) != 0) return;
  const auto free = static_cast<std::int64_t>(disk.f_bavail) * static_cast<std::int64_t>(disk.f_frsize);
  if (wanted > free)
    throw Error{ExitCode::failure, fmt::format("the next outputs have {}, and the disk of {} has room for {}: {}", size_text(wanted),
                                               terminal::printable(tree_.folder().string()), size_text(free), remedies_.room)};
}

void Fetcher::fetch(std::span<const RemoteOutput> outputs) {
  check_room(outputs);
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> workers;
  const auto count = std::min(kWorkers, outputs.size());
  workers.reserve(count);
  for (std::size_t i = 0; i < count; ++i) workers.emplace_back([&] { work(outputs, next); });
  for (auto& worker : workers) worker.join();
  if (failure_) std::rethrow_exception(failure_);
}

void Fetcher::work(std::span<const RemoteOutput> outputs, std::atomic<std::size_t>& next) try {
  ApiClient api{config_};
  for (auto place = next++; place < outputs.size(); place = next++) fetch_one(api, outputs[place]);
} catch (...) {
  next = outputs.size();
  const std::lock_guard lock{mutex_};
  if (!failure_) failure_ = std::current_exception();
}

std::string Fetcher::describe(const RemoteOutput& wanted) const {
  return terminal::printable(local_path(wanted.output).string()) + " of " + terminal::printable(wanted.cluster);
}

void Fetcher::fetch_one(ApiClient& api, const RemoteOutput& wanted) {
  if (wanted.is_missing) return note(wanted, End::gone);
  if (tree_.has(wanted.output, wanted.size)) {
    const std::lock_guard lock{mutex_};
    ++tally_.present;
    return;
  }
  if (is_given_up(wanted.cluster)) return note(wanted, End::failed);
  auto end = End::failed;
  try {
    PartialFile part{tree_, wanted.output};
    end = transfer(api, wanted, part);
    if (end == End::whole) part.finish();
  } catch (const Error& error) {
    {
      const std::lock_guard lock{mutex_};
      if (tally_.bytes > most_) throw;
    }
    if (error.code() == ExitCode::unavailable) {
      // An API that answers reports a cluster that does not.
      (void)api.get("/");
      note_answer(wanted.cluster, false);
    }
    progress_.report(fmt::format("{}: {}", describe(wanted), error.what()));
    end = End::failed;
  }
  note(wanted, end);
}

Fetcher::End Fetcher::transfer(ApiClient& api, const RemoteOutput& wanted, PartialFile& part) {
  const auto& size = wanted.size;
  const auto path = fmt::format("/v1/campaigns/{}/outputs/{}", campaign_, url_encoded(grid::output_name(wanted.output)));
  const auto take = [&](std::string_view bytes) {
    part.append(bytes);
    const std::lock_guard lock{mutex_};
    tally_.bytes += std::ssize(bytes);
    progress_.add_bytes(std::ssize(bytes));
    if (tally_.bytes > most_) throw too_much(tally_.bytes, most_);
  };
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (size && part.size() > *size) part.restart();
    if (size && part.size() == *size) return End::whole;
    wait_before(attempt);
    const auto before = part.size();
    try {
      const bool ended = api.download(fmt::format("{}?offset={}", path, before), take);
      note_answer(wanted.cluster, true);
      if (ended && (!size || part.size() == *size)) return End::whole;
      // It ended at another size: what came before may be of another file.
      if (ended && part.size() == before) part.restart();
    } catch (const Error& error) {
      if (error.code() == ExitCode::not_found) return End::gone;
      if (error.code() != ExitCode::unavailable || attempt + 1 == kAttempts) throw;
    }
  }
  progress_.report(size ? fmt::format("{}: {} of {} bytes came; {}", describe(wanted), part.size(), *size, remedies_.again)
                        : fmt::format("{}: the transfer broke off; {}", describe(wanted), remedies_.again));
  return End::failed;
}

bool Fetcher::is_given_up(const std::string& cluster) {
  const std::lock_guard lock{mutex_};
  return silent_[cluster] >= kMostSilent;
}

void Fetcher::note_answer(const std::string& cluster, bool answered) {
  const std::lock_guard lock{mutex_};
  auto& silent = silent_[cluster];
  silent = answered ? 0 : silent + 1;
  if (silent != kMostSilent) return;
  has_given_up_ = true;
  progress_.report(fmt::format("{} does not answer: the rest of its outputs is left for another run", terminal::printable(cluster)));
}

void Fetcher::note(const RemoteOutput& wanted, End end) {
  {
    const std::lock_guard lock{mutex_};
    if (end == End::whole) ++tally_.fetched;
    if (end == End::gone) ++tally_.missing;
    if (end == End::failed) ++tally_.failed;
  }
  if (end == End::whole) progress_.add_file();
  if (end == End::gone) progress_.report(describe(wanted) + " is not there");
}

}  // namespace gleaner::clients::gridget
