#include "api/open_stream.hpp"

#include <algorithm>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "api/answers.hpp"

namespace gleaner::api {
namespace {

constexpr std::size_t kMostBuffered = 64 * 1024;

/// After so many ms a client whose stream broke off comes again. Drawn, so that those of an API that was restarted do not come all at once.
int drawn_delay() {
  std::random_device source;
  return std::uniform_int_distribution{1'000, 10'000}(source);
}

}  // namespace

OpenStream::OpenStream(std::unique_ptr<http::Outlet> outlet, std::shared_ptr<void> place, ChangeFilter filter, store::FeedPlace after,
                       Clock::time_point now)
    : outlet_{std::move(outlet)},
      place_{std::move(place)},
      filter_{std::move(filter)},
      position_{after},
      // A message without data is no event: it sets the client's place in the stream, and its delay before it reconnects.
      buffer_{fmt::format("retry: {}\nid: {}\n\n", drawn_delay(), text_of(after))},
      begun_{now},
      last_sent_{now} {}

bool OpenStream::shows(const ChangeMessage& message) const {
  if (message.text.empty()) return false;
  if (message.campaign && !filter_.readership.may_read(message.user, message.project)) return false;
  if (filter_.user && *filter_.user != message.user) return false;
  if (filter_.campaigns.empty()) return true;
  return message.campaign && std::ranges::binary_search(filter_.campaigns, message.campaign->value());
}

bool OpenStream::take(const ChangeMessage& message) {
  if (message.place <= position_) return true;
  if (shows(message)) {
    if (buffer_.size() >= kMostBuffered) return false;
    const bool is_shortened = !message.text_of_others.empty() && !filter_.readership.may_read_output(message.user);
    buffer_ += is_shortened ? message.text_of_others : message.text;
  }
  position_ = message.place;
  return true;
}

bool OpenStream::send(Clock::time_point now) {
  while (!buffer_.empty()) {
    const auto taken = outlet_->write(buffer_);
    if (!taken) return false;
    if (*taken == 0) return true;
    buffer_.erase(0, *taken);
    last_sent_ = now;
  }
  return true;
}

bool OpenStream::serve(const StreamTimes& times, Clock::time_point now) {
  if (now - begun_ >= times.longest && is_drained()) return false;
  if (is_drained() && now - last_sent_ >= times.heartbeat) buffer_ = fmt::format(": heartbeat\nid: {}\n\n", text_of(position_));
  if (!send(now)) return false;
  return is_drained() || now - last_sent_ < times.patience;
}

void OpenStream::explain_end(Code code, std::string_view why) {
  buffer_ += fmt::format("event: end\ndata: {}\n\n", error(code, why).body);
  [[maybe_unused]] const bool is_there = send(Clock::now());
}

OpenStream::Clock::time_point OpenStream::next_deadline(const StreamTimes& times) const {
  if (!is_drained()) return last_sent_ + times.patience;
  return std::min(last_sent_ + times.heartbeat, begun_ + times.longest);
}

}  // namespace gleaner::api
