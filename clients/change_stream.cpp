#include "clients/change_stream.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <utility>

#include "clients/asked.hpp"
#include "lib/process/stop.hpp"

namespace gleaner::clients {
namespace {

/// The API takes no more ids, and sends a heartbeat every 15 s.
constexpr std::size_t kMostCampaigns = 1000;
constexpr std::chrono::seconds kSilence{45};
constexpr std::size_t kLongestLine = 1 << 20;

constexpr std::chrono::seconds kAfterAnEnd{1};
constexpr std::chrono::seconds kNotNow{30};
constexpr std::chrono::minutes kThereIsNone{5};

constexpr long kGone = 410;
constexpr long kTooManyRequests = 429;
constexpr long kServerError = 500;

/// A restart of the API ends many streams at the same time.
std::chrono::milliseconds spread(std::chrono::milliseconds time) {
  static std::minstd_rand random{std::random_device{}()};
  return time + std::chrono::milliseconds{std::uniform_int_distribution<std::int64_t>{0, time.count() / 2}(random)};
}

bool is_stream(CURL* easy) {
  long status = 0;
  const char* type = nullptr;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &type);
  return status == 200 && type != nullptr && std::string_view{type}.starts_with("text/event-stream");
}

}  // namespace

std::chrono::seconds until_next_stream(StreamEnd end) {
  if (end.was_open || end.status == 0 || end.status == kGone) return kAfterAnEnd;
  // None is free, or a proxy waits for an API that restarts (502, 504).
  if (end.status == kTooManyRequests || end.status >= kServerError) return kNotNow;
  return kThereIsNone;
}

struct ChangeStream::Transfer {
  Transfer() : multi{curl_multi_init()}, easy{curl_easy_init()} {
    if (multi == nullptr || easy == nullptr) throw std::runtime_error{"libcurl cannot be initialised"};
    headers = curl_slist_append(nullptr, "Accept: text/event-stream");
  }
  ~Transfer() {
    if (is_running) curl_multi_remove_handle(multi, easy);
    curl_slist_free_all(headers);
    curl_easy_cleanup(easy);
    curl_multi_cleanup(multi);
  }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  CURLM* multi;
  CURL* easy;
  curl_slist* headers = nullptr;
  bool is_running = false;
};

ChangeStream::ChangeStream(const ApiClient& api, std::vector<std::int64_t> campaigns) : api_{api}, campaigns_{std::move(campaigns)} {}
ChangeStream::~ChangeStream() = default;

bool ChangeStream::is_of_named_campaigns() const { return !campaigns_.empty() && campaigns_.size() <= kMostCampaigns; }

std::string ChangeStream::path() const {
  auto path = fmt::format("/v1/events?after={}", last_id_.empty() ? std::string{"now"} : url_encoded(last_id_));
  if (is_of_named_campaigns()) path += "&campaign=" + joined(campaigns_);
  return path;
}

std::size_t ChangeStream::take(char* data, std::size_t size, std::size_t count, void* self) {
  auto& stream = *static_cast<ChangeStream*>(self);
  if (!is_stream(stream.transfer_->easy)) return 0;
  stream.heard_at_ = Clock::now();
  // Changes between the last read and the beginning of the stream are not sent.
  if (!std::exchange(stream.is_open_, true) && stream.last_id_.empty()) stream.is_urgent_ = true;
  return stream.feed({data, size * count}) ? size * count : 0;
}

bool ChangeStream::feed(std::string_view bytes) {
  line_ += bytes;
  std::size_t begin = 0;
  for (auto end = line_.find('\n'); end != std::string::npos; end = line_.find('\n', begin)) {
    auto line = std::string_view{line_}.substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    take_line(line);
    begin = end + 1;
  }
  line_.erase(0, begin);
  return line_.size() <= kLongestLine;
}

void ChangeStream::take_line(std::string_view line) {
  if (line.starts_with("id: ")) last_id_ = line.substr(4);
  if (line.starts_with("event: ")) event_ = line.substr(7);
  if (line.starts_with("data:")) has_data_ = true;
  if (!line.empty()) return;
  const auto event = std::exchange(event_, {});
  if (!std::exchange(has_data_, false)) return;
  has_changed_ = true;
  if (event == "campaign" && is_of_named_campaigns()) is_urgent_ = true;
}

void ChangeStream::begin() {
  if (!transfer_) transfer_ = std::make_unique<Transfer>();
  auto* const easy = transfer_->easy;
  line_.clear();
  event_.clear();
  has_data_ = false;
  curl_easy_reset(easy);
  api_.prepare(easy, path());
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transfer_->headers);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
  curl_multi_add_handle(transfer_->multi, easy);
  transfer_->is_running = true;
  heard_at_ = Clock::now();
}

void ChangeStream::end(Clock::duration until_again) {
  curl_multi_remove_handle(transfer_->multi, transfer_->easy);
  transfer_->is_running = false;
  is_open_ = false;
  again_at_ = Clock::now() + spread(std::chrono::ceil<std::chrono::milliseconds>(until_again));
}

/// Decides what follows from the end of a transfer.
void ChangeStream::conclude() {
  long status = 0;
  curl_easy_getinfo(transfer_->easy, CURLINFO_RESPONSE_CODE, &status);
  if (status == kGone) last_id_.clear();
  end(until_next_stream({.was_open = is_open_, .status = status}));
}

void ChangeStream::go_on() {
  const auto now = Clock::now();
  if (!transfer_ || !transfer_->is_running) {
    if (now >= again_at_) begin();
    else return;
  }
  int running = 0;
  curl_multi_perform(transfer_->multi, &running);
  int left = 0;
  while (const auto* message = curl_multi_info_read(transfer_->multi, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    conclude();
    return;
  }
  if (now - heard_at_ > kSilence) end(kAfterAnEnd);
}

void ChangeStream::wait(Pause pause) {
  const auto begun = Clock::now();
  while (!process::stop_requested()) {
    go_on();
    const auto now = Clock::now();
    const auto until = begun + (is_open_ && !has_changed_ ? std::max(pause.least, pause.most) : pause.least);
    if (is_urgent_ || now >= until) break;
    const bool is_running = transfer_ && transfer_->is_running;
    const auto next = std::min(until, is_running ? heard_at_ + kSilence + std::chrono::seconds{1} : again_at_);
    const auto left = std::max(std::chrono::ceil<std::chrono::milliseconds>(next - now), std::chrono::milliseconds{1});
    curl_waitfd stop{process::stop_descriptor(), CURL_WAIT_POLLIN, 0};
    // The transfer exists: either it runs, or its end has set the time of the next one.
    curl_multi_poll(transfer_->multi, &stop, 1, static_cast<int>(left.count()), nullptr);
  }
  has_changed_ = is_urgent_ = false;
}

}  // namespace gleaner::clients
