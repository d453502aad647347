#include "runner/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <variant>
#include <vector>

#include "lib/grid/clock.hpp"
#include "lib/grid/input_files.hpp"
#include "lib/inputs/spool.hpp"
#include "lib/oar/outputs.hpp"
#include "lib/process/failpoint.hpp"
#include "lib/process/log.hpp"
#include "lib/store/batch.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/events.hpp"
#include "lib/store/inputs.hpp"
#include "runner/input_turns.hpp"
#include "runner/limits.hpp"

namespace gleaner::runner {
namespace {

using Clock = grid::SteadyClock;

/// The limit of one turn and cluster, so that launches are not delayed by files.
constexpr std::chrono::seconds kPatience{3};
/// Pieces that are sent at once. Each is in memory.
constexpr std::int64_t kAtOnce = 4;
constexpr std::string_view kNotSent = "INPUTS_NOT_SENT";
constexpr std::string_view kNotInSharedHome = "NOT_IN_SHARED_HOME";

/// Why the files of one campaign cannot be brought.
struct Trouble {
  std::string why;
};
/// The cluster did not answer: what it has is unknown.
struct Silent {
  std::string error;
};
/// All that was to be sent is there, and more may be sent.
struct More {};
/// There is no more: all is there, the campaign is over, or its files are to be sent again.
struct Over {};
using Step = std::variant<More, Over, Trouble, Silent>;

bool is_answer(const oar::Failure& error) {
  return std::holds_alternative<oar::Refused>(error) || std::holds_alternative<oar::ServerError>(error);
}

/// The input files of a campaign.
struct Files {
  std::vector<grid::InputFile> all;
  std::int64_t bytes = 0;
};

/// The input files of a campaign, and what is to be done for them on the cluster now.
struct Work {
  const Files& files;
  store::BegunInputs begun;
  grid::InputsThere there;
};

/// A file on its way.
struct Piece {
  std::string name;
  std::string content;
};

class Sender {
 public:
  Sender(fleet::Visit& visit, const grid::Epochs& epochs, Counts& counts)
      : visit_{visit}, epochs_{epochs}, counts_{counts}, spool_{visit.config.input_spool}, client_{visit.client.access(), limits(visit)} {}

  void send_all();

 private:
  static oar::Limits limits(const fleet::Visit& visit) {
    auto limits = fleet::limits_of(visit.config);
    limits.parallel = kAtOnce;
    return limits;
  }
  [[nodiscard]] bool may_go_on() const { return Clock::now() < ends_ && visit_.time_left() > process::Duration{0}; }
  [[nodiscard]] Step send_or_note(store::InputsToSend& inputs);
  [[nodiscard]] Step send(store::InputsToSend& inputs);
  /// Counts pieces that are there already, brought through another cluster that has the same homes.
  [[nodiscard]] Step take_over(store::InputsToSend& inputs, Work& work);
  [[nodiscard]] Step send_pieces(store::InputsToSend& inputs, Work& work);
  [[nodiscard]] Step write(const store::InputsToSend& inputs, const std::vector<Piece>& pieces);
  [[nodiscard]] Step check(const store::InputsToSend& inputs, const std::vector<Piece>& pieces);
  /// The sizes of the files in the campaign's folder of input files.
  [[nodiscard]] oar::Result<std::map<std::string, std::int64_t>> sizes_there(const store::InputsToSend& inputs);
  /// Records that pieces are there; the next step for the campaign.
  [[nodiscard]] Step note_sent(store::InputsToSend& inputs, Work& work, const std::vector<std::int64_t>& pieces, double mb_s);
  void finish(const store::InputsToSend& inputs);
  void note_trouble(grid::CampaignId campaign, const std::string& why);
  void note_silence(grid::CampaignId campaign, const std::string& error);
  void note_not_shared(const store::InputsToSend& inputs);

  fleet::Visit& visit_;
  const grid::Epochs& epochs_;
  Counts& counts_;
  inputs::Spool spool_;
  oar::Client client_;
  std::map<grid::CampaignId, Files> files_;  ///< of campaigns that have more to send in this turn
  Clock::time_point ends_ = Clock::now() + kPatience;
};

Step Sender::write(const store::InputsToSend& inputs, const std::vector<Piece>& pieces) {
  std::vector<oar::FileOf> files;
  const auto folder = grid::inputs_folder(epochs_, inputs.campaign);
  for (const auto& piece : pieces) files.push_back({{inputs.login, fmt::format("{}/{}", folder, piece.name)}, piece.content});
  for (const auto& answer : client_.write_files(files)) {
    if (answer) continue;
    const auto error = oar::describe(answer.error());
    if (!is_answer(answer.error())) return Silent{error};
    return Trouble{fmt::format("{} does not take them: {}", visit_.cluster.name, error)};
  }
  return check(inputs, pieces);
}

oar::Result<std::map<std::string, std::int64_t>> Sender::sizes_there(const store::InputsToSend& inputs) {
  auto listed = oar::list_files(visit_.client.access(), limits(visit_), inputs.login, grid::inputs_folder(epochs_, inputs.campaign));
  if (!listed) return tl::unexpected{std::move(listed.error())};
  std::map<std::string, std::int64_t> sizes;
  for (const auto& file : *listed) sizes.emplace(file.name, file.size.value_or(0));
  return sizes;
}

/// OAR answers success also where the disk is full.
Step Sender::check(const store::InputsToSend& inputs, const std::vector<Piece>& pieces) {
  const auto folder = grid::inputs_folder(epochs_, inputs.campaign);
  const auto sizes = sizes_there(inputs);
  if (!sizes && !is_answer(sizes.error())) return Silent{oar::describe(sizes.error())};
  if (!sizes) return Trouble{fmt::format("the folder {} cannot be listed: {}", folder, oar::describe(sizes.error()))};
  for (const auto& piece : pieces) {
    const auto found = sizes->find(piece.name);
    const auto there = found == sizes->end() ? 0 : found->second;
    if (there == std::ssize(piece.content)) continue;
    return Trouble{fmt::format("only {} of {} bytes of {}/{} were written: is the home of {} on {} full?", there, piece.content.size(),
                               folder, piece.name, inputs.login, visit_.cluster.name)};
  }
  return More{};
}

/// The pieces that are to be brought, those for the tasks that go there next before all others.
std::vector<std::int64_t> wanted_pieces(const Work& work) {
  auto pieces = work.there.missing_for(work.begun.next);
  return pieces.empty() && work.begun.for_all ? work.there.missing() : pieces;
}

Step Sender::note_sent(store::InputsToSend& inputs, Work& work, const std::vector<std::int64_t>& pieces, double mb_s) {
  for (const auto piece : pieces) work.there.add(piece);
  const auto left = wanted_pieces(work);
  const store::SentInputs sent{.pieces = grid::ranges_of(pieces),
                               .lacking = work.there.lacking(),
                               .missing = work.there.bytes_of(left),
                               .wanted = !left.empty(),
                               .ahead = work.begun.ahead};
  bool noted = false;
  visit_.database.transact([&](store::Transaction& transaction) {
    noted = store::note_inputs_sent(transaction, visit_.cluster.id, inputs, sent, store::now(transaction));
    if (noted && mb_s > 0.0) store::note_input_rate(transaction, visit_.cluster.id, mb_s);
  });
  if (!noted) return Over{};
  inputs.sent += std::ssize(pieces);
  if (work.there.is_complete()) {
    finish(inputs);
    return Over{};
  }
  if (left.empty()) return Over{};
  return More{};
}

/// The size of a piece on a cluster. A last line follows all files: OAR writes nothing of a file that is the one character 0.
std::int64_t size_of(std::int64_t piece, const Files& files) {
  const bool is_last = piece + 1 == grid::input_pieces(files.bytes);
  return std::min(files.bytes - piece * grid::kInputPiece, grid::kInputPiece) + (is_last ? 1 : 0);
}

/// The row of the other cluster proves nothing: the declaration may be wrong, and the files may have been removed since.
Step Sender::take_over(store::InputsToSend& inputs, Work& work) {
  const auto sizes = sizes_there(inputs);
  if (!sizes && !is_answer(sizes.error())) return Silent{oar::describe(sizes.error())};
  const auto is_there = [&](const std::string& name, std::int64_t size) {
    if (!sizes) return false;
    const auto found = sizes->find(name);
    return found != sizes->end() && found->second == size;
  };
  const bool has_index = is_there("index", std::ssize(grid::input_index(work.files.all)));
  const auto all = grid::input_pieces(work.files.bytes);
  std::vector<std::int64_t> found;
  bool is_whole = has_index;
  for (const auto& range : work.begun.shared) {
    for (auto piece = range.first; piece < std::min(range.past, all); ++piece) {
      const bool is_proven = has_index && is_there(std::to_string(piece), size_of(piece, work.files));
      is_whole = is_whole && is_proven;
      if (is_proven && !work.there.has(piece)) found.push_back(piece);
    }
  }
  inputs.shares = false;
  if (!found.empty() || (has_index && all == 0)) {
    if (auto step = note_sent(inputs, work, found, 0.0); !std::holds_alternative<More>(step)) return step;
  }
  // Whoever of them is next to send is decided by what is noted now.
  if (is_whole) return Over{};
  note_not_shared(inputs);
  return More{};
}

void Sender::note_not_shared(const store::InputsToSend& inputs) {
  const auto& name = visit_.cluster.name;
  visit_.database.transact([&](store::Transaction& transaction) {
    store::open_event(transaction,
                      {.code = kNotInSharedHome,
                       .target = {.campaign = inputs.campaign, .cluster = visit_.cluster.id},
                       .job = {},
                       .message = fmt::format(
                           "its input files were brought to another cluster with the shared home '{0}', and are not in the home of {1} on "
                           "{2}: they are brought there, too. Were they removed, or does {2} have homes of its own? 'gridctl check' looks",
                           visit_.cluster.shared_home.value_or(""), inputs.login, name)},
                      store::now(transaction));
  });
}

/// Sends the index, then the next pieces: those first that the next tasks lack.
Step Sender::send_pieces(store::InputsToSend& inputs, Work& work) {
  const auto& files = work.files;
  if (inputs.sent == 0) {
    const std::vector<Piece> index{{"index", grid::input_index(files.all)}};
    if (auto step = write(inputs, index); !std::holds_alternative<More>(step)) return step;
    process::failpoint("runner.after_index");
  }
  auto numbers = wanted_pieces(work);
  if (std::ssize(numbers) > kAtOnce) numbers.resize(kAtOnce);
  std::vector<Piece> pieces;
  std::int64_t size = 0;
  for (const auto number : numbers) {
    auto content = spool_.read(files.all, number * grid::kInputPiece, std::min(files.bytes, (number + 1) * grid::kInputPiece));
    if (!content)
      return Trouble{fmt::format("the grid cannot read {} in its input_spool any more: submit the campaign again", content.error())};
    size += std::ssize(*content);
    if (std::ssize(*content) < size_of(number, files)) *content += '\n';
    pieces.push_back({std::to_string(number), std::move(*content)});
  }
  if (pieces.empty()) return note_sent(inputs, work, {}, 0.0);
  const auto start = Clock::now();
  if (auto step = write(inputs, pieces); !std::holds_alternative<More>(step)) return step;
  const std::chrono::duration<double> time = Clock::now() - start;
  constexpr double kMegabyte = 1e6;
  // The time of a small piece is mostly that of its request.
  const double mb_s = size >= grid::kInputPiece / 4 ? static_cast<double>(size) / kMegabyte / std::max(time.count(), 1e-3) : 0.0;
  counts_.inputs += static_cast<int>(std::ssize(pieces));
  process::failpoint("runner.after_pieces");
  return note_sent(inputs, work, numbers, mb_s);
}

void Sender::finish(const store::InputsToSend& inputs) {
  bool complete = false;
  visit_.database.transact([&](store::Transaction& transaction) {
    const auto now = store::now(transaction);
    complete = store::note_inputs_complete(transaction, visit_.cluster.id, inputs, now);
    if (complete) store::close_event(transaction, kNotSent, {.campaign = inputs.campaign, .cluster = visit_.cluster.id}, now);
  });
  if (complete)
    process::log::info("input files complete", {{"cluster", visit_.cluster.name}, {"campaign", inputs.campaign}, {"pieces", inputs.sent}});
}

void Sender::note_trouble(grid::CampaignId campaign, const std::string& why) {
  process::log::warning("input files not sent", {{"cluster", visit_.cluster.name}, {"campaign", campaign}, {"error", why}});
  const store::Target pair{.campaign = campaign, .cluster = visit_.cluster.id};
  visit_.database.transact([&](store::Transaction& transaction) {
    const auto now = store::now(transaction);
    store::open_event(transaction, {.code = kNotSent, .target = pair, .job = {}, .message = fmt::format("its input files: {}", why)}, now);
    store::write_or_note(transaction, pair, "its brake", now, [&] {
      store::set_brake(transaction, pair, fmt::format("its input files cannot be brought there: {}", why), brake_of(visit_.config), now);
    });
  });
}

/// The brake lets other campaigns go first in the next turns.
void Sender::note_silence(grid::CampaignId campaign, const std::string& error) {
  process::log::warning("no answer about input files", {{"cluster", visit_.cluster.name}, {"campaign", campaign}, {"error", error}});
  visit_.database.transact([&](store::Transaction& transaction) {
    store::set_brake(transaction, {.campaign = campaign, .cluster = visit_.cluster.id},
                     fmt::format("{} did not answer when it was sent the campaign's input files: {}", visit_.cluster.name, error),
                     brake_of(visit_.config), store::now(transaction));
  });
}

/// A campaign's rows that the database refuses do not delay the files of other campaigns.
Step Sender::send_or_note(store::InputsToSend& inputs) {
  try {
    return send(inputs);
  } catch (const store::Refused& refused) {
    return Trouble{fmt::format("the database refused what was to be noted of them: {}", refused.what())};
  }
}

/// One turn of a campaign.
Step Sender::send(store::InputsToSend& inputs) {
  std::optional<store::BegunInputs> begun;
  const auto known = files_.find(inputs.campaign);
  Files files;
  visit_.database.transact([&](store::Transaction& transaction) {
    begun = store::begin_inputs(transaction, visit_.cluster.id, inputs);
    if (begun && known == files_.end()) files.all = store::inputs_of(transaction, inputs.campaign);
  });
  if (!begun) return Over{};
  process::failpoint("runner.before_inputs");
  inputs.sent = begun->sent;
  for (const auto& file : files.all) files.bytes += file.bytes;
  const auto& own = known == files_.end() ? files_.emplace(inputs.campaign, std::move(files)).first->second : known->second;
  grid::InputsThere there{own.all, begun->tasks, begun->there};
  Work work{own, std::move(*begun), std::move(there)};
  return inputs.shares ? take_over(inputs, work) : send_pieces(inputs, work);
}

void Sender::send_all() {
  std::vector<store::InputsToSend> wanted;
  visit_.database.transact(
      [&](store::Transaction& transaction) { wanted = store::inputs_to_send(transaction, visit_.cluster.id, store::now(transaction)); });
  InputTurns turns{std::move(wanted)};
  while (may_go_on()) {
    auto inputs = turns.next();
    if (!inputs) return;
    const auto step = send_or_note(*inputs);
    if (const auto* silent = std::get_if<Silent>(&step)) return note_silence(inputs->campaign, silent->error);
    if (const auto* trouble = std::get_if<Trouble>(&step)) note_trouble(inputs->campaign, trouble->why);
    if (std::holds_alternative<More>(step)) turns.put_back(std::move(*inputs));
    else files_.erase(inputs->campaign);
  }
}

}  // namespace

void send_inputs(fleet::Visit& visit, const grid::Epochs& epochs, Counts& counts) { Sender{visit, epochs, counts}.send_all(); }

}  // namespace gleaner::runner
