// The planner's decisions: those that changed are written, as most stay as they are from one cycle to the next.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_map>
#include <utility>

#include "lib/store/batch.hpp"
#include "lib/store/detail.hpp"
#include "lib/store/events.hpp"
#include "lib/store/planning.hpp"
#include "lib/text/digest.hpp"

namespace gleaner::store {
namespace {

using detail::Array;
using detail::exec;
using detail::exec_prepared;

using DecisionKey = std::pair<std::int64_t, std::int64_t>;  // campaign, and cluster or 0

DecisionKey key_of(const StoredDecision& decision) { return {decision.campaign.value(), decision.cluster ? decision.cluster->value() : 0}; }

std::int64_t digest_of(const StoredDecision& decision) {
  return static_cast<std::int64_t>(
      text::Digest{}.add(decision.stage).add(decision.reason).add(decision.subject).add(decision.figures).add(decision.jobs).value());
}

void write_some_decisions(Transaction& transaction, std::span<const StoredDecision> decisions, grid::Instant now) {
  std::vector<sql::changed_decision> rows;
  for (const auto& decision : decisions) {
    const auto [campaign, cluster] = key_of(decision);
    rows.push_back({
        .campaign_id = campaign,
        .cluster_id = cluster,
        .stage = decision.stage,
        .reason = decision.reason,
        .figures = decision.figures,
        .jobs = decision.jobs,
        .digest = digest_of(decision),
        .subject = decision.subject,
    });
  }
  exec_prepared(transaction, sql::decisions_write{.decisions = rows, .now = now});
}

/// Upserts the changed decisions of these campaigns, and deletes the obsolete ones.
void replace_decisions(Transaction& transaction, const Array& of, std::vector<StoredDecision> decisions, grid::Instant now) {
  std::map<DecisionKey, std::int64_t> gone;
  for (const auto& row : exec_prepared(transaction, sql::decisions_stored{.campaigns = of}))
    gone.emplace(DecisionKey{row.campaign_id.as<std::int64_t>(), row.cluster_id.as<std::int64_t>()}, row.digest.as<std::int64_t>());
  std::vector<StoredDecision> changed;
  for (auto& decision : decisions) {
    const auto written = gone.extract(key_of(decision));
    if (written.empty() || written.mapped() != digest_of(decision)) changed.push_back(std::move(decision));
  }
  write_batch(
      transaction, changed, [&](std::span<const StoredDecision> part) { write_some_decisions(transaction, part, now); },
      [&](const StoredDecision& decision, const std::string& why) {
        note_refused(transaction, {.campaign = decision.campaign, .cluster = decision.cluster},
                     fmt::format("the decision {}/{}", decision.stage, decision.reason), why, now);
      });
  if (gone.empty()) return;
  Array old_campaigns, old_clusters;
  for (const auto& [key, digest] : gone) {
    old_campaigns.add(key.first);
    old_clusters.add(key.second);
  }
  write_or_note(transaction, {}, "the end of decisions that are made no longer", now,
                [&] { exec(transaction, sql::decisions_remove{.campaigns = old_campaigns, .clusters = old_clusters, .now = now}); });
}

void write_digests(Transaction& transaction, std::span<const CampaignDigest> digests, grid::Instant now) {
  write_batch(
      transaction, digests,
      [&](std::span<const CampaignDigest> part) {
        Array campaigns, values;
        for (const auto& [campaign, digest] : part) {
          campaigns.add(campaign.value());
          values.add(digest);
        }
        exec_prepared(transaction, sql::decisions_note_decided{.campaigns = campaigns, .digests = values});
      },
      [&](const CampaignDigest& one, const std::string& why) {
        note_refused(transaction, {.campaign = one.campaign, .cluster = {}}, "the digest of its decisions", why, now);
      });
}

constexpr std::int64_t kOrder = 0;  // decisions.decided: the campaign whose digest is that of the order

void write_order(Transaction& transaction, const StoredOrder& order, std::optional<std::int64_t> written, grid::Instant now) {
  const auto digest = static_cast<std::int64_t>(text::Digest{}.add(order).value());
  if (written == digest) return;
  write_or_note(transaction, {}, "the order of the campaigns", now, [&] {
    exec(transaction, sql::decisions_write_order{
                          .campaign_order = order.campaign_order,
                          .classes = order.classes,
                          .campaigns = detail::number_array(std::span<const std::int64_t>{order.campaigns}),
                          .campaign_classes = detail::number_array(std::span<const std::int64_t>{order.class_numbers}),
                          .places = order.places,
                          .digest = digest,
                          .now = now,
                      });
  });
}

}  // namespace

void write_decisions(Transaction& transaction, std::span<const CampaignDigest> digests, const DecisionsOf& decisions_of,
                     const StoredOrder* order, grid::Instant now) {
  std::unordered_map<std::int64_t, std::int64_t> written;
  for (const auto& row : exec_prepared(transaction, sql::decisions_decided{}))
    written.emplace(row.campaign_id.as<std::int64_t>(), row.digest.as<std::int64_t>());
  const auto written_order = written.extract(kOrder);
  if (order != nullptr) write_order(transaction, *order, written_order.empty() ? std::nullopt : std::optional{written_order.mapped()}, now);
  Array changed;
  std::vector<CampaignDigest> changed_digests;
  std::vector<StoredDecision> decisions;
  for (const auto& [campaign, digest] : digests) {
    const auto before = written.extract(campaign.value());
    if (!before.empty() && before.mapped() == digest) continue;
    changed.add(campaign.value());
    changed_digests.push_back({campaign, digest});
    std::ranges::move(decisions_of(campaign), std::back_inserter(decisions));
  }
  if (!changed.empty()) {
    replace_decisions(transaction, changed, std::move(decisions), now);
    write_digests(transaction, changed_digests, now);
  }
  if (written.empty()) return;
  Array over;
  for (const auto& [campaign, digest] : written) over.add(campaign);
  write_or_note(transaction, {}, "the end of decisions about campaigns that are over", now,
                [&] { exec(transaction, sql::decisions_forget{.campaigns = over, .now = now}); });
}

}  // namespace gleaner::store
