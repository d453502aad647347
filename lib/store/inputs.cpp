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

void attach_inputs(Transaction& transaction, grid::CampaignId campaign, std::string_view patterns, std::span<const grid::InputFile> files) {
  Array paths, contents, bytes, begins, modes;
  std::int64_t all = 0;
  for (const auto& file : files) {
    paths.add(std::string_view{file.path});
    contents.add(std::string_view{file.sha256});
    bytes.add(file.bytes);
    begins.add(file.begin);
    modes.add(std::int64_t{file.mode});
    all += file.bytes;
  }
  exec(transaction,
       sql::inputs_attach{.campaign = campaign, .paths = paths, .contents = contents, .bytes = bytes, .begins = begins, .modes = modes});
  exec(transaction, sql::inputs_note_campaign{.patterns = patterns, .bytes = all, .campaign = campaign});
}

std::int64_t input_bytes_of_user(Transaction& transaction, std::string_view user) {
  return *exec(transaction, sql::inputs_bytes_of_user{.user = user})[0].bytes;
}

std::vector<grid::InputFile> inputs_of(Transaction& transaction, grid::CampaignId campaign) {
  std::vector<grid::InputFile> files;
  for (const auto& row : exec(transaction, sql::inputs_of{.campaign = campaign}))
    files.push_back({.path = *row.path, .sha256 = *row.sha256, .bytes = *row.bytes, .begin = *row.begin, .mode = *row.mode});
  return files;
}

void want_inputs(Transaction& transaction, std::span<const PairOfInputs> pairs, grid::Instant now) {
  write_batch(
      transaction, pairs,
      [&](std::span<const PairOfInputs> part) {
        Array campaigns, clusters;
        for (const auto& pair : part) {
          campaigns.add(pair.campaign.value());
          clusters.add(pair.cluster.value());
        }
        exec(transaction, sql::inputs_want{.campaigns = campaigns, .clusters = clusters});
      },
      [&](const PairOfInputs& pair, const std::string& why) {
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
                   .there = *row.there});
  return all;
}

std::optional<std::int64_t> begin_inputs(Transaction& transaction, grid::ClusterId cluster, const InputsToSend& inputs) {
  const auto rows = exec(transaction, sql::inputs_begin{.login = inputs.login, .campaign = inputs.campaign, .cluster = cluster});
  return rows.empty() ? std::nullopt : std::optional{rows[0].sent.as<std::int64_t>()};
}

bool note_inputs_sent(Transaction& transaction, grid::ClusterId cluster, const InputsToSend& inputs, std::int64_t sent, grid::Instant now) {
  return !exec(transaction,
               sql::inputs_note_sent{
                   .sent = sent, .now = now, .campaign = inputs.campaign, .cluster = cluster, .login = inputs.login, .before = inputs.sent})
              .empty();
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
