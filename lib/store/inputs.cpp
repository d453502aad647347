#include "lib/store/inputs.hpp"

#include <fmt/format.h>

#include "lib/store/batch.hpp"
#include "lib/store/detail.hpp"
#include "lib/store/events.hpp"

namespace gleaner::store {
namespace {

using detail::Array;
using detail::exec;
using detail::exec_prepared;

template <class Rows>
std::vector<grid::Range> read_ranges(const Rows& rows) {
  std::vector<grid::Range> ranges;
  for (const auto& row : rows) ranges.push_back({*row.first, *row.past});
  return ranges;
}

/// The bounds of ranges, for a query.
struct Bounds {
  explicit Bounds(std::span<const grid::Range> ranges) {
    for (const auto& range : ranges) {
      firsts.add(range.first);
      pasts.add(range.past);
    }
  }
  Array firsts, pasts;
};

}  // namespace

void lock_inputs(Transaction& transaction) { exec(transaction, sql::inputs_lock{}); }

bool try_lock_inputs(Transaction& transaction) { return exec(transaction, sql::inputs_try_lock{})[0].locked.as<bool>(); }

InputBytes bytes_of_inputs(Transaction& transaction, std::string_view user) {
  const auto rows = exec(transaction, sql::inputs_totals{.user = user});
  return {*rows[0].bytes_of_all, *rows[0].bytes_of_user};
}

bool has_input(Transaction& transaction, std::string_view sha256) {
  return exec(transaction, sql::inputs_has{.sha256 = sha256})[0].found.as<bool>();
}

void add_input(Transaction& transaction, const NewInput& input, grid::Instant now) {
  exec(transaction, sql::inputs_add{.user = input.user, .sha256 = input.sha256, .bytes = input.bytes, .now = now});
}

std::map<std::string, std::int64_t> use_inputs(Transaction& transaction, std::string_view user, std::span<const std::string> contents,
                                               grid::Instant now) {
  Array sums;
  for (const auto& sum : contents) sums.add(std::string_view{sum});
  std::map<std::string, std::int64_t> known;
  for (const auto& row : exec(transaction, sql::inputs_use{.now = now, .user = user, .contents = sums}))
    known.emplace(*row.sha256, *row.bytes);
  return known;
}

Forgotten forget_inputs(Transaction& transaction, grid::Instant before, std::int64_t most, grid::Instant now) {
  Forgotten forgotten;
  const auto rows = exec(transaction, sql::inputs_forget{.before = before, .most = most, .now = now});
  for (const auto& row : rows) {
    if (row.gone.as<bool>()) forgotten.contents.push_back(*row.sha256);
  }
  forgotten.is_all = std::ssize(rows) < most;
  return forgotten;
}

std::set<std::string> known_inputs(Transaction& transaction, std::span<const std::string> contents) {
  Array sums;
  for (const auto& sum : contents) sums.add(std::string_view{sum});
  std::set<std::string> known;
  for (const auto& row : exec(transaction, sql::inputs_known{.contents = sums})) known.insert(*row.sha256);
  return known;
}

void attach_inputs(Transaction& transaction, grid::CampaignId campaign, std::string_view patterns, std::span<const grid::InputFile> files,
                   std::int64_t tasks) {
  Array paths, contents, bytes, begins, modes, first_tasks, last_tasks;
  std::int64_t all = 0;
  for (const auto& file : files) {
    paths.add(std::string_view{file.path});
    contents.add(std::string_view{file.sha256});
    bytes.add(file.bytes);
    begins.add(file.begin);
    modes.add(std::int64_t{file.mode});
    first_tasks.add(file.readers.first);
    last_tasks.add(file.readers.last);
    all += file.bytes;
  }
  exec(transaction, sql::inputs_attach{.campaign = campaign,
                                       .paths = paths,
                                       .contents = contents,
                                       .bytes = bytes,
                                       .begins = begins,
                                       .modes = modes,
                                       .first_tasks = first_tasks,
                                       .last_tasks = last_tasks});
  exec(transaction, sql::inputs_note_campaign{.patterns = patterns, .bytes = all, .tasks = tasks, .campaign = campaign});
}

std::int64_t input_bytes_of_user(Transaction& transaction, std::string_view user) {
  return *exec(transaction, sql::inputs_bytes_of_user{.user = user})[0].bytes;
}

std::vector<grid::InputFile> inputs_of(Transaction& transaction, grid::CampaignId campaign) {
  std::vector<grid::InputFile> files;
  for (const auto& row : exec(transaction, sql::inputs_of{.campaign = campaign}))
    files.push_back({.path = *row.path,
                     .sha256 = *row.sha256,
                     .bytes = *row.bytes,
                     .begin = *row.begin,
                     .mode = *row.mode,
                     .readers = {*row.first_task, *row.last_task}});
  return files;
}

void want_inputs(Transaction& transaction, std::span<const WantedInputs> pairs, grid::Instant now) {
  write_batch(
      transaction, pairs,
      [&](std::span<const WantedInputs> part) {
        Array campaigns, clusters, tasks;
        for (const auto& pair : part) {
          campaigns.add(pair.campaign.value());
          clusters.add(pair.cluster.value());
          tasks.add(pair.tasks);
        }
        exec(transaction, sql::inputs_want{.campaigns = campaigns, .clusters = clusters, .tasks = tasks});
      },
      [&](const WantedInputs& pair, const std::string& why) {
        note_refused(transaction, {.campaign = pair.campaign, .cluster = pair.cluster}, "the note that its input files are wanted", why,
                     now);
      });
}

std::vector<InputsToSend> inputs_to_send(Transaction& transaction, grid::ClusterId cluster, grid::Instant now) {
  std::vector<InputsToSend> all;
  if (!*exec_prepared(transaction, sql::inputs_wanted{.cluster = cluster})[0].wanted) return all;
  for (const auto& row : exec_prepared(transaction, sql::inputs_to_send{.cluster = cluster, .now = now}))
    all.push_back({.campaign = *row.campaign_id,
                   .login = *row.login,
                   .sent = *row.sent,
                   .user = *row.user_name,
                   .priority = *row.priority,
                   .shares = *row.shares});
  return all;
}

std::optional<BegunInputs> begin_inputs(Transaction& transaction, grid::ClusterId cluster, const InputsToSend& inputs) {
  const auto rows = exec(transaction, sql::inputs_begin{.login = inputs.login, .campaign = inputs.campaign, .cluster = cluster});
  if (rows.empty()) return std::nullopt;
  BegunInputs begun{.sent = *rows[0].sent,
                    .there = {},
                    .shared = {},
                    .tasks = *rows[0].tasks,
                    .ahead = *rows[0].ahead,
                    .next = {},
                    .for_all = *rows[0].for_all};
  const auto campaign = inputs.campaign;
  begun.there = read_ranges(exec(transaction, sql::inputs_pieces{.campaign = campaign, .cluster = cluster}));
  if (inputs.shares) begun.shared = read_ranges(exec(transaction, sql::inputs_shared_pieces{.campaign = campaign, .cluster = cluster}));
  begun.next = read_ranges(exec(transaction, sql::inputs_next_tasks{.campaign = campaign, .cluster = cluster, .ahead = begun.ahead}));
  return begun;
}

bool note_inputs_sent(Transaction& transaction, grid::ClusterId cluster, const InputsToSend& inputs, const SentInputs& sent,
                      grid::Instant now) {
  const Bounds pieces{sent.pieces};
  const Bounds lacking{sent.lacking};
  const auto rows = exec(transaction, sql::inputs_note_sent{.campaign = inputs.campaign,
                                                            .cluster = cluster,
                                                            .firsts = pieces.firsts,
                                                            .pasts = pieces.pasts,
                                                            .lack_firsts = lacking.firsts,
                                                            .lack_pasts = lacking.pasts,
                                                            .missing = sent.missing,
                                                            .wanted = sent.wanted,
                                                            .ahead = sent.ahead,
                                                            .now = now,
                                                            .login = inputs.login,
                                                            .before = inputs.sent});
  if (rows.empty()) return false;
  if (*rows[0].more) wake_up(transaction);
  return true;
}

bool note_inputs_complete(Transaction& transaction, grid::ClusterId cluster, const InputsToSend& inputs, grid::Instant now) {
  const auto rows = exec(
      transaction,
      sql::inputs_note_complete{.now = now, .campaign = inputs.campaign, .cluster = cluster, .login = inputs.login, .sent = inputs.sent});
  if (rows.empty()) return false;
  wake_up(transaction);
  return true;
}

void send_inputs_again(Transaction& transaction, grid::CampaignId campaign, grid::ClusterId cluster) {
  exec(transaction, sql::inputs_send_again{.campaign = campaign, .cluster = cluster});
}

void note_input_rate(Transaction& transaction, grid::ClusterId cluster, double mb_s) {
  exec(transaction, sql::inputs_note_rate{.mb_s = mb_s, .cluster = cluster});
}

}  // namespace gleaner::store
