// Acts of the users of a covering array's campaigns.
#include <fmt/format.h>

#include <algorithm>

#include "lib/grid/input_files.hpp"
#include "lib/inputs/sha256.hpp"
#include "sim/world/array.hpp"
#include "sim/world/users.hpp"

namespace gleaner::world {

void Users::plan_row(int place) {
  auto& random = random_.emplace_back(settings_.seed, fmt::format("user {}", place));
  const auto at = [&](double part) {
    return VirtualClock::begin() + std::chrono::microseconds{static_cast<std::int64_t>(part * settings_.hours * 3600e6)};
  };
  const double begin = 0.5 * random.fraction();
  const double when = std::min(begin + random.exponential(0.1), 1.0);
  add({at(begin), 0, Action::Kind::submit, place});
  const auto row = row_of(settings_.seed, place);
  const auto& action = row.find(combinations::kAction)->second;
  if (action == "append") add({at(when), 0, Action::Kind::append, place});
  if (action == "hold") {
    add({at(when), 0, Action::Kind::hold, place});
    add({at(std::min(when + random.exponential(0.1), 1.0)), 0, Action::Kind::resume, place});
  }
  if (action == "hold_some") {
    add({at(when), 0, Action::Kind::hold_tasks, place});
    add({at(std::min(when + random.exponential(0.1), 1.0)), 0, Action::Kind::release_tasks, place});
  }
  if (action == "cancel") add({at(when), 0, Action::Kind::cancel, place});
  if (action == "cancel_some") add({at(when), 0, Action::Kind::cancel_task, place});
  if (action == "edit") add({at(when), 0, Action::Kind::edit, place});
  if (action == "retry") add({at(random.chance(0.5) ? 1.0 : when), 0, Action::Kind::retry, place});
  if (random.chance(0.3) && settings_.features.contains(Feature::asking)) add({at(when), 0, Action::Kind::inquire, place});
}

/// Uploads the input files, and submits the campaign that comes before, and the row's own.
Users::Answer Users::submit_row(int place, Jdl& jdl) {
  constexpr unsigned kRefused = 400;
  const auto row = row_of(settings_.seed, place);
  const auto before = campaign_before(settings_, place, clusters_);
  std::string manifest;
  if (!row.at("input_files").empty()) {
    std::vector<grid::InputFile> files;
    for (int task = 0; task < combinations::kTasks; ++task)
      files.push_back({.path = fmt::format("data/{}.bin", task), .sha256 = inputs::sha256_of_text(input_of(task))});
    const auto list = grid::manifest_of(files);
    manifest = inputs::sha256_of_text(list);
    for (int task = 0; task < combinations::kTasks; ++task) {
      auto answer = ask(before.user, "PUT", "/v1/inputs/" + inputs::sha256_of_text(input_of(task)), input_of(task), {});
      if (answer.status >= kRefused) return answer;
    }
    auto answer = ask(before.user, "PUT", "/v1/inputs/" + manifest, list, {});
    if (answer.status >= kRefused) return answer;
  }
  std::optional<std::int64_t> id;
  if (!row.at("after").empty()) {
    auto answer = ask(before.user, "POST", "/v1/campaigns", before.text, fmt::format("before-{}", place));
    id = id_in(answer);
    if (!id) return answer;
  }
  jdl = campaign_of(settings_, place, row, clusters_, id.value_or(0));
  const auto query = manifest.empty() ? std::string{} : "?input_manifest=" + manifest;
  auto answer = ask(jdl.user, "POST", "/v1/campaigns" + query, jdl.text, fmt::format("campaign-{}", place));
  if (answer.status >= kRefused && answer.status < 500 && row.at("grid cluster").empty())
    find_(fmt::format("a campaign of the array was refused: {} {}", answer.body, jdl.text));
  return answer;
}

}  // namespace gleaner::world
