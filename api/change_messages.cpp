#include "api/change_messages.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "api/campaign_json.hpp"
#include "api/cluster_json.hpp"
#include "api/event_json.hpp"
#include "lib/store/clusters.hpp"
#include "lib/store/views.hpp"
#include "lib/store/views_grid.hpp"
#include "lib/text/json_writer.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::api {
namespace {

namespace views = store::views;

/// Changes of a page. Its messages take 3 MB at most: that of an event has at most 4 kB, and as much of stderr.
constexpr std::int64_t kPage = 200;

/// The present state of the subjects of one page's changes.
class Subjects {
 public:
  Subjects(store::Transaction& transaction, const std::vector<store::FeedChange>& changes) : transaction_{transaction} {
    views::CampaignFilter filter;
    auto& ids = filter.ids.emplace();
    bool has_clusters = false;
    for (const auto& change : changes) {
      if (change.campaign) ids.push_back(change.campaign->value());
      has_clusters = has_clusters || change.kind == "cluster";
    }
    if (!ids.empty()) {
      for (auto& campaign : views::campaigns(transaction, filter, {.limit = kPage}).items)
        campaigns_.emplace(campaign.id.value(), campaign);
    }
    if (has_clusters) clusters_ = store::clusters(transaction);
  }

  /// Null: it is gone.
  [[nodiscard]] const views::Campaign* campaign(std::optional<grid::CampaignId> id) const {
    const auto found = id ? campaigns_.find(id->value()) : campaigns_.end();
    return found == campaigns_.end() ? nullptr : &found->second;
  }

  /// The data of a change's message; empty: its subject is gone. `of_others`: empty, unless it is another one.
  struct Data {
    std::string data;
    std::string of_others;
  };
  [[nodiscard]] Data data_of(const store::FeedChange& change) const {
    text::JsonWriter json;
    if (change.kind == "event") return event_data(change);
    if (change.kind == "cluster") return {cluster_data(json, change), {}};
    return {campaign_data(json, change), {}};
  }

 private:
  [[nodiscard]] std::string campaign_data(text::JsonWriter& json, const store::FeedChange& change) const {
    const auto* known = campaign(change.campaign);
    if (known == nullptr) return {};
    auto shown = *known;
    if (change.kind == "campaign") shown.state = grid::campaign_state(change.change).value_or(shown.state);
    if (shown.state == grid::CampaignState::in_treatment || shown.state == grid::CampaignState::paused) shown.ended_at.reset();
    json.object([&] { write_progress(json, shown); });
    return json.text();
  }

  [[nodiscard]] Data event_data(const store::FeedChange& change) const {
    auto event = views::event(transaction_, change.id);
    if (!event) return {};
    if (change.change != "closed") {
      event->state = "open";
      event->closed_at.reset();
    }
    const auto written = [&](Audience audience) {
      text::JsonWriter json;
      write_event(json, *event, audience);
      return json.text();
    };
    return {written(Audience::owner), event->output.empty() ? std::string{} : written(Audience::others)};
  }

  [[nodiscard]] std::string cluster_data(text::JsonWriter& json, const store::FeedChange& change) const {
    const auto is_it = [&](const store::Cluster& cluster) { return cluster.id.value() == change.id; };
    const auto found = std::ranges::find_if(clusters_, is_it);
    if (found == clusters_.end()) return {};
    json.object([&] { write_availability(json, *found); });
    return json.text();
  }

  store::Transaction& transaction_;
  std::map<std::int64_t, views::Campaign> campaigns_;
  std::vector<store::Cluster> clusters_;
};

}  // namespace

std::string text_of(store::FeedPlace place) { return fmt::format("{}-{}", place.transaction, place.change); }

std::optional<store::FeedPlace> place_of(std::string_view written) {
  const auto dash = written.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto transaction = text::whole_number(written.substr(0, dash), std::int64_t{0});
  const auto change = text::whole_number(written.substr(dash + 1), std::int64_t{0});
  if (!transaction || !change) return std::nullopt;
  return store::FeedPlace{.transaction = *transaction, .change = *change};
}

std::string no_longer_kept(store::FeedPlace place) {
  return fmt::format("changes after {} are no longer kept: read the lists, and begin again with after=now", text_of(place));
}

ChangePage messages_after(store::Transaction& transaction, store::FeedPlace after, store::FeedPlace end) {
  const auto changes = store::changes_after(transaction, after, end, kPage);
  const Subjects subjects{transaction, changes};
  ChangePage page;
  page.is_last = std::ssize(changes) < kPage;
  for (const auto& change : changes) {
    ChangeMessage message{.place = change.place, .campaign = change.campaign, .user = {}, .project = {}, .text = {}, .text_of_others = {}};
    if (const auto* campaign = subjects.campaign(change.campaign)) {
      message.user = campaign->user;
      message.project = campaign->project;
    }
    const auto written = [&](const std::string& data) {
      return data.empty() ? std::string{} : fmt::format("id: {}\nevent: {}\ndata: {}\n\n", text_of(change.place), change.kind, data);
    };
    const auto data = subjects.data_of(change);
    message.text = written(data.data);
    message.text_of_others = written(data.of_others);
    page.messages.push_back(std::move(message));
  }
  return page;
}

}  // namespace gleaner::api
