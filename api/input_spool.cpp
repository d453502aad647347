#include "api/input_spool.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "lib/process/values.hpp"

namespace gleaner::api {
namespace {

/// An upload of unknown length takes so much room at a time.
constexpr std::uint64_t kStepOfUpload = std::uint64_t{4} << 20U;
/// Contents that nobody uses, and those of campaigns that are over, stay so long.
constexpr std::chrono::hours kKept{24 * 7};
/// The same where the spool is full.
constexpr std::chrono::hours kKeptWhenFull{1};
constexpr std::int64_t kTidiedAtOnce = 1000;
constexpr int kMostTidiedForRoom = 20;  // times as many

std::uint64_t room_beside(std::uint64_t most, std::int64_t stored) {
  const auto taken = static_cast<std::uint64_t>(std::max<std::int64_t>(stored, 0));
  return most > taken ? most - taken : 0;
}

std::string full_for_all(std::uint64_t most) { return fmt::format("input_spool_max is {}", process::format_size(most)); }
std::string full_for_user(const std::string& user, std::uint64_t most) {
  return fmt::format("{} may have {} of it, input_spool_share", user, process::format_size(most));
}

/// The rows first, the files before the end of the transaction: whoever uploads one of them meanwhile waits for the lock.
bool forget_some(store::Transaction& transaction, const inputs::Spool& files, grid::Instant before, grid::Instant now) {
  const auto forgotten = store::forget_inputs(transaction, before, kTidiedAtOnce, now);
  for (const auto& content : forgotten.contents) files.remove(content);
  return forgotten.is_all;
}

}  // namespace

InputSpool::InputSpool(const process::Config& config)
    : files_{config.input_spool},
      most_{config.input_spool_max},
      most_of_user_{static_cast<std::uint64_t>(config.input_spool_share * static_cast<double>(config.input_spool_max))},
      arriving_{config.input_spool, config.input_spool_max},
      walk_{files_} {}

Spool::Grown InputSpool::grow(const Call& call, const std::string& user, std::uint64_t bytes) {
  const auto stored = call.connections.read([&](store::Transaction& transaction) { return store::bytes_of_inputs(transaction, user); });
  return arriving_.grow(user, bytes, room_beside(most_of_user_, stored.of_user), room_beside(most_, stored.of_all));
}

tl::expected<void, std::string> InputSpool::Part::hold(const Call& call, std::uint64_t bytes, Length length) {
  if (bytes <= bytes_) return {};
  const auto more = length == Length::known ? bytes - bytes_ : std::max(bytes - bytes_, kStepOfUpload);
  auto grown = spool_.grow(call, user_, more);
  if (grown != Spool::Grown::yes) {
    spool_.make_room(call);
    grown = spool_.grow(call, user_, more);
  }
  if (grown == Spool::Grown::too_much_of_user) return tl::unexpected{full_for_user(user_, spool_.most_of_user_)};
  if (grown == Spool::Grown::too_much) return tl::unexpected{full_for_all(spool_.most_)};
  bytes_ += more;
  return {};
}

std::optional<std::string> InputSpool::obstacle(const Call& call, store::Transaction& transaction, std::int64_t bytes,
                                                Content content) const {
  const auto stored = store::bytes_of_inputs(transaction, call.caller.user);
  if (content == Content::another && static_cast<std::uint64_t>(bytes) > room_beside(most_, stored.of_all)) return full_for_all(most_);
  if (static_cast<std::uint64_t>(bytes) > room_beside(most_of_user_, stored.of_user)) return full_for_user(call.caller.user, most_of_user_);
  return std::nullopt;
}

/// A part at a time, so that nobody waits long for the lock.
void InputSpool::make_room(const Call& call) {
  for (int i = 0; i < kMostTidiedForRoom; ++i) {
    const bool is_all = call.connections.write([&](store::Transaction& transaction) {
      store::lock_inputs(transaction);
      return forget_some(transaction, files_, call.now - kKeptWhenFull, call.now);
    });
    if (is_all) return;
  }
}

void InputSpool::tidy(const Call& call) {
  const std::unique_lock mine{tidying_, std::try_to_lock};
  if (!mine) return;
  call.connections.write([&](store::Transaction& transaction) {
    if (store::try_lock_inputs(transaction)) forget_some(transaction, files_, call.now - kKept, call.now);
    return true;
  });
  tidy_strays(call);
}

void InputSpool::tidy_strays(const Call& call) {
  const auto old = walk_.next(static_cast<int>(kTidiedAtOnce));
  if (old.empty()) return;
  call.connections.write([&](store::Transaction& transaction) {
    if (!store::try_lock_inputs(transaction)) return false;
    const auto known = store::known_inputs(transaction, old);
    for (const auto& name : old) {
      if (!known.contains(name)) files_.remove(name);
    }
    return true;
  });
}

}  // namespace gleaner::api
