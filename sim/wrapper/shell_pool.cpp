#include <algorithm>

#include <fmt/format.h>

#include "lib/text/numbers.hpp"
#include "sim/wrapper/files.hpp"
#include "sim/wrapper/shell.hpp"

/// A carrier's work beside its own task.
namespace gleaner::wrapper {

/// Reads the list, and starts the other workers.
void Shell::begin_pool() {
  const auto list = content_of(campaign_folder() + "/" + script_.pool->folder + "/pool").value_or("");
  for (std::size_t at = 0; at < list.size();) {
    const auto end = std::min(list.find('\n', at), list.size());
    pool_.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  if (pool_.empty() || pool_.back() != ".") {
    pool_.clear();
  } else {
    pool_.pop_back();
  }
  if (script_.pool->side_by_side && job_.cores_of_first_node() > 1) job_.start_workers(job_.cores_of_first_node() - 1);
}

/// work_in_pool()
Course Shell::take_pooled(int failures) {
  constexpr int kMostFailures = 3;
  const auto& pool = *script_.pool;
  const auto count = static_cast<std::int64_t>(pool_.size());
  const auto own_job = text::whole_number<std::int64_t>(job_words_[2]).value_or(0);
  const std::int64_t workers = job_.started_workers() + 1;
  const auto begin = count == 0 ? 0 : ((own_job - pool.first_job) * workers + worker_) * count / pool.jobs / workers % count;
  phase_ = Phase::trapping;
  for (std::int64_t taken = 0; taken < count && failures < kMostFailures && job_.seconds() < pool.duration; ++taken) {
    if (signalled_ || !exists(campaign_folder() + "/" + pool.folder + "/pool")) break;
    auto words = split_at_blanks(pool_[static_cast<std::size_t>((begin + taken) % count)]);
    constexpr std::size_t kLeastWords = 5;
    if (words.size() < kLeastWords) continue;
    int outcome = kPassedBy;
    auto one = take_one(std::move(words), outcome);
    co_await one;
    if (outcome == kStops) break;
    if (outcome == kPassedBy) continue;
    failures = outcome == 0 ? 0 : failures + 1;
  }
}

Course Shell::take_one(std::vector<std::string> words, int& outcome) {
  take_words(std::move(words));
  outcome = kPassedBy;
  if (exists(claim_)) co_return;
  auto arguments = arguments_of(words_);
  if (!arguments) co_return;
  arguments_ = std::move(*arguments);
  bool works = co_await before(Step::pool_claim);
  works = works && write_file(claim_, own_line(), Create::new_only);
  if (!works) co_return;
  outcome = kStops;
  works = co_await before(Step::start_file);
  works = works && write_own(false);
  if (!works) co_return;
  const auto out = out_;
  const auto err = err_;
  if (script_.output_word.empty()) {
    const auto base = fmt::format("{}/OAR.cigri.{}.{}.{}", folder_, script_.campaign, job_.variable("OAR_JOB_ID"), words_[0]);
    works = co_await before(Step::streams);
    works = works && write_file(base + ".stdout", {}, Create::any) && write_file(base + ".stderr", {}, Create::any);
    if (!works) {
      const bool noted = co_await before(Step::note_loss);
      if (noted) (void)rename_file(own_ + ".s", own_ + ".u");
      co_return;
    }
    out_ = base + ".stdout";
    err_ = base + ".stderr";
  }
  auto task = carry_out_task();
  co_await task;
  if (script_.output_word.empty()) {
    out_ = out;
    err_ = err;
  }
  phase_ = Phase::trapping;
  outcome = status_;
}

/// After its own task, whose status is the job's.
Course Shell::end_pool() {
  const int own_status = status_;
  auto pooled = take_pooled(own_status == 0 ? 0 : 1);
  co_await pooled;
  waits_for_workers_ = true;
  while (!signalled_ && job_.has_workers()) co_await Sleep{*this, std::nullopt};
  waits_for_workers_ = false;
  auto joining = join_workers();
  co_await joining;
  status_ = own_status;
}

/// end_other_workers()
Course Shell::join_workers() {
  constexpr std::chrono::seconds kPause{1};
  while (job_.has_workers()) {
    job_.signal_workers(SIGTERM);
    const auto until = now() + kPause;
    do {
      co_await Sleep{*this, until};
    } while (now() < until);
  }
}

}  // namespace gleaner::wrapper
