#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "lib/http/file_descriptor.hpp"
#include "tests/bench/measure.hpp"
#include "tests/db/event_stream_reader.hpp"
#include "tests/db/listener_statements.hpp"
#include "tests/unit/certificates.hpp"

// The stream of changes, read by a thousand pages at once over sockets of a gridapi of its own.
namespace gleaner::tests {
namespace {

constexpr int kViewers = 1000;
constexpr int kStalled = 10;
constexpr int kChanges = 40;
constexpr int kRequests = 1500;
constexpr auto kPause = std::chrono::milliseconds{200};  // between two changes; a cycle has a few, every 5 s

/// Processor time of this thread, in seconds.
double thread_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

double percentile(std::vector<double> times, double part) {
  std::ranges::sort(times);
  return times[static_cast<std::size_t>(part * static_cast<double>(times.size() - 1))];
}

GridUnderTest::Wish for_many_viewers() {
  auto wish = default_configuration(GridUnderTest::Backend::minioar);
  wish.configuration["api_streams"] = wish.configuration["api_streams_of_user"] = std::to_string(2 * kViewers);
  return wish;
}

/// As many descriptors as the system gives, also to the processes that are started later. @return how many
rlim_t raise_descriptors() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

/// Where a gridapi listens, and as whom a viewer asks there.
struct Endpoint {
  std::string address{};
  std::map<std::string, std::string> headers{};
  EventStreamReader::Transport transport = EventStreamReader::Transport::plain;
};

class Viewers : public ::testing::Test {
 protected:
  struct Cost {
    double processor = 0.0;   ///< of gridapi, seconds for each change
    double statements = 0.0;  ///< of its streams, for each change
    std::size_t bytes = 0;    ///< of a change, as a viewer gets it
  };

  explicit Viewers(GridUnderTest::Wish wish = for_many_viewers()) : descriptors{raise_descriptors()}, grid{std::move(wish)} {
    grid.execute("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET log_statement = ''all''', current_database()); END $$");
    id = grid.submit({.tasks = 100, .exec_file = "true"}).value();
    grid.start_api();
    endpoint.address = socket();
  }
  [[nodiscard]] std::string socket() const { return (grid.folder() / "api.socket").string(); }
  [[nodiscard]] std::unique_ptr<EventStreamReader> viewer() const {
    return std::make_unique<EventStreamReader>(endpoint.address, ApiRequest{.target = "/v1/events?after=now", .headers = endpoint.headers},
                                               endpoint.transport);
  }
  void change() {
    grid.execute(fmt::format(
        "UPDATE campaigns SET state = CASE state WHEN 'paused' THEN 'in_treatment' ELSE 'paused' END::campaign_state WHERE id = {}", id));
  }
  /// Changes the campaign, and waits until each of them has seen it. @return the bytes that one of them got
  std::size_t seen_change() {
    change();
    std::size_t bytes = 0;
    for (auto& one : readers) {
      const auto message = one->next("campaign");
      if (!message) throw std::runtime_error{"a viewer saw no change"};
      bytes = message->data.size() + message->event.size() + message->id.size() + std::string_view{"id: \nevent: \ndata: \n\n"}.size();
    }
    return bytes;
  }
  [[nodiscard]] int statements() { return statements_of_listener(log_of_postgres(grid.value("SHOW data_directory"))); }
  /// The cost of a change that so many viewers see. Viewers of earlier calls stay.
  Cost cost_for(int viewers) {
    while (readers.size() < static_cast<std::size_t>(viewers)) readers.push_back(viewer());
    Cost cost{.bytes = seen_change()};
    const double processor = processor_seconds(grid.api().pid());
    const int asked = statements();
    for (int i = 0; i < kChanges; ++i) seen_change();
    cost.processor = (processor_seconds(grid.api().pid()) - processor) / kChanges;
    cost.statements = static_cast<double>(statements() - asked) / kChanges;
    return cost;
  }
  /// Viewers that take nothing, with more on its way to them than their sockets hold.
  void stall(int viewers) {
    for (int i = 0; i < viewers; ++i) {
      stalled.push_back(viewer());
      ASSERT_TRUE(stalled.back()->begins());
    }
    constexpr int kEvents = 150;
    grid.execute(
        fmt::format("INSERT INTO events (code, campaign_id, opened_at, last_at, message) SELECT 'TEST' || n, {}, now(), now(), "
                    "repeat('x', 4000) FROM generate_series(1, {}) n",
                    id, kEvents));
    for (auto& one : readers) {
      for (int i = 0; i < kEvents; ++i) ASSERT_TRUE(one->next("event")) << i;
    }
  }
  /// The times of requests for one campaign, as gridstat asks, in seconds.
  [[nodiscard]] std::vector<double> request_times() const {
    std::vector<double> times;
    for (int i = 0; i < kRequests; ++i)
      times.push_back(seconds_of([&] { EXPECT_EQ(ask(socket(), {.target = fmt::format("/v1/campaigns/{}", id)}).status, 200); }));
    return times;
  }

  rlim_t descriptors;
  GridUnderTest grid;
  Endpoint endpoint;
  std::int64_t id = 0;
  std::vector<std::unique_ptr<EventStreamReader>> readers, stalled;
};

/// Sending so many bytes to so many sockets, which are emptied meanwhile, and nothing else: seconds of a processor.
double floor_for(int viewers, std::size_t bytes) {
  std::vector<std::pair<http::FileDescriptor, http::FileDescriptor>> pairs;
  for (int i = 0; i < viewers; ++i) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) throw std::runtime_error{"no more sockets"};
    pairs.emplace_back(http::FileDescriptor{ends[0]}, http::FileDescriptor{ends[1]});
  }
  const std::string message(bytes, 'x');
  std::string taken(bytes, ' ');
  double sum = 0;
  for (int i = 0; i < kChanges; ++i) {
    const double begin = thread_seconds();
    for (const auto& [from, to] : pairs) EXPECT_GT(::send(from.get(), message.data(), message.size(), MSG_NOSIGNAL), 0);
    sum += thread_seconds() - begin;
    for (const auto& [from, to] : pairs) EXPECT_GT(::recv(to.get(), taken.data(), taken.size(), 0), 0);
  }
  return sum / kChanges;
}

TEST_F(Viewers, AThousandOfThem_TenOfWhichTakeNothing_CostTheQueriesOfOne_AndAFewTimesTheSending) {
  if (descriptors < 4 * kViewers) GTEST_SKIP() << "too few descriptors: " << descriptors;
  static_cast<void>(request_times());  // the first requests open connections to the database
  const auto of_one = cost_for(1);
  const auto alone = request_times();
  const double memory_of_one = peak_megabytes(grid.api().pid());

  const auto before = readers.size();
  ASSERT_EQ(before, 1U);
  stall(kStalled);
  const auto of_all = cost_for(kViewers - kStalled);
  const double floor = floor_for(kViewers - kStalled, of_all.bytes);

  std::atomic<bool> is_over{false};
  std::thread changes{[&] {
    for (; !is_over; std::this_thread::sleep_for(kPause)) seen_change();
  }};
  const auto beside = request_times();
  is_over = true;
  changes.join();
  const double memory = peak_megabytes(grid.api().pid());

  const double sent = of_all.processor - of_one.processor;
  report("1 000 viewers of the stream, 10 of which take nothing, for each change",
         fmt::format("{:.2f} ms of a processor ({:.2f} ms for one viewer), {:.2f} ms to send {} bytes to as many sockets: ratio {:.2f}; "
                     "{:.2f} statements, {:.2f} for one; memory {:.0f} MB, {:.0f} MB with one",
                     of_all.processor * 1e3, of_one.processor * 1e3, floor * 1e3, of_all.bytes, sent / floor, of_all.statements,
                     of_one.statements, memory, memory_of_one));
  report("a request for a campaign beside 1 000 viewers and five changes a second, against none",
         fmt::format("median {:.2f} ms, {:.2f} ms: ratio {:.2f}; p99 {:.2f} ms, {:.2f} ms: ratio {:.2f}", percentile(beside, 0.5) * 1e3,
                     percentile(alone, 0.5) * 1e3, percentile(beside, 0.5) / percentile(alone, 0.5), percentile(beside, 0.99) * 1e3,
                     percentile(alone, 0.99) * 1e3, percentile(beside, 0.99) / percentile(alone, 0.99)));
  EXPECT_GE(of_one.statements, 1) << "the statements of a change are in the log";
  EXPECT_LE(of_all.statements, 2 * of_one.statements) << "a change may come while the last one is still read";
  EXPECT_LE(sent, 5 * floor);
  EXPECT_LE(memory, 64);
}

/// Viewers that read all that comes, in a thread, for as long as it lives: of the stream of a whole grid.
class Crowd {
 public:
  explicit Crowd(const std::string& socket) {
    for (int i = 0; i < kViewers; ++i) {
      const auto request = text_of({.target = "/v1/events?after=now"});
      const auto& fd = viewers_.emplace_back(connect_to(socket));
      if (::send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL) < 0) throw std::runtime_error{"no viewer"};
      items_.push_back({fd.get(), POLLIN, 0});
    }
    reader_ = std::thread{[this] {
      // Not woken for each message: viewers are on other machines, and their reading is not to be measured.
      for (std::array<char, 65536> buffer{}; !is_over_; std::this_thread::sleep_for(kPause)) {
        ::poll(items_.data(), items_.size(), 0);
        for (const auto& item : items_)
          if ((item.revents & POLLIN) != 0) bytes_ += ::recv(item.fd, buffer.data(), buffer.size(), 0);
      }
    }};
  }
  ~Crowd() {
    is_over_ = true;
    reader_.join();
  }
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

 private:
  std::vector<http::FileDescriptor> viewers_;
  std::vector<pollfd> items_;
  std::atomic<bool> is_over_{false};
  std::atomic<std::int64_t> bytes_ = 0;
  std::thread reader_;
};

/// Whether a cycle of a grid at work takes longer beside them. Both are on this machine, with the readers and the clusters: an upper bound.
class CycleBesideViewers : public ::testing::Test {
 protected:
  CycleBesideViewers() : descriptors{raise_descriptors()}, grid{at_work()} {
    for (int i = 0; i < 10; ++i) static_cast<void>(grid.submit({.tasks = 2000, .exec_file = "sleep 2 #"}));
    grid.start_api();
    grid.almighty().start();
    EXPECT_TRUE(grid.becomes("SELECT count(*) > 5 FROM jobs WHERE state = 'terminated'", "t"));
  }
  static GridUnderTest::Wish at_work() {
    auto wish = for_many_viewers();
    wish.configuration["cycle_period"] = "1s";
    return wish;
  }
  /// Times of the next cycles, in seconds.
  [[nodiscard]] std::vector<double> cycles() {
    const auto last = grid.value("SELECT max(id) FROM cycles");
    const auto next = fmt::format("FROM cycles WHERE ended_at IS NOT NULL AND id > {} + 1", last);
    EXPECT_TRUE(grid.becomes(fmt::format("SELECT count(*) >= {} {}", kCycles, next), "t"));
    std::istringstream times{grid.value(fmt::format("SELECT string_agg(extract(epoch FROM ended_at - started_at)::text, ' ') {}", next))};
    return {std::istream_iterator<double>{times}, {}};
  }
  static constexpr int kCycles = 30, kRounds = 4;

  rlim_t descriptors;
  GridUnderTest grid;
};

TEST_F(CycleBesideViewers, OfAThousand_TakesHardlyLonger) {
  if (std::getenv("GLEANER_TEST_LONG") == nullptr) GTEST_SKIP() << "six minutes: with --long";
  if (descriptors < 4 * kViewers) GTEST_SKIP() << "too few descriptors: " << descriptors;
  std::vector<double> alone, beside;
  std::int64_t bytes = 0;
  double processor = 0.0;
  for (int round = 0; round < kRounds; ++round) {
    std::ranges::copy(cycles(), std::back_inserter(alone));
    const Crowd crowd{(grid.folder() / "api.socket").string()};
    const double before = processor_seconds(grid.api().pid());
    std::ranges::copy(cycles(), std::back_inserter(beside));
    processor += processor_seconds(grid.api().pid()) - before;
    bytes += crowd.bytes();
  }
  const double ratio = percentile(beside, 0.5) / percentile(alone, 0.5);
  report(
      "a cycle beside 1 000 viewers, against none",
      fmt::format("median of {} and of {} cycles: {:.1f} ms and {:.1f} ms, ratio {:.3f}; {:.1f} MB were read meanwhile, for {:.1f} ms of "
                  "gridapi's processor time a cycle",
                  beside.size(), alone.size(), percentile(beside, 0.5) * 1e3, percentile(alone, 0.5) * 1e3, ratio,
                  static_cast<double>(bytes) / 1e6, processor / static_cast<double>(beside.size()) * 1e3));
  EXPECT_GT(bytes, 1'000'000) << "the viewers have something to read";
  EXPECT_LE(ratio, 1.25);
}

class ViewersOverTls : public Viewers {
 protected:
  ViewersOverTls() : Viewers{over_tls()} {
    const auto log = tail_of(grid.api().log(), 1000);
    std::smatch found;
    if (!std::regex_search(log, found, std::regex{R"(https://127\.0\.0\.1:(\d+))"})) throw std::runtime_error{"no port: " + log};
    endpoint = {found[1], {{"Authorization", "Bearer " + std::string{kToken}}}, EventStreamReader::Transport::tls};
  }

 private:
  static constexpr auto* kToken = "a-token-of-a-viewer-0123456789";
  static GridUnderTest::Wish over_tls() {
    const auto& certificates = Certificates::get();
    auto wish = for_many_viewers();
    wish.configuration["api_listen"] = "127.0.0.1:0";
    wish.configuration["api_certificate"] = certificates.file("server.pem");
    wish.configuration["api_key"] = certificates.file("server.key");
    const auto tokens = wish.configuration["api_tokens_file"] = certificates.file("tokens");
    std::ofstream{tokens} << kToken << " viewer admin\n";
    std::filesystem::permissions(tokens, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    return wish;
  }
};

TEST_F(ViewersOverTls, AThousandOfThem_TenOfWhichTakeNothing_TakeTheMemoryThatIsAsked) {
  if (descriptors < 4 * kViewers) GTEST_SKIP() << "too few descriptors: " << descriptors;
  const auto of_one = cost_for(1);
  const double memory_of_one = peak_megabytes(grid.api().pid());
  stall(kStalled);
  const auto of_all = cost_for(kViewers - kStalled);
  const double memory = peak_megabytes(grid.api().pid());
  report("1 000 viewers over TLS, 10 of which take nothing, for each change",
         fmt::format("{:.2f} ms of a processor ({:.2f} ms for one viewer); {:.2f} statements, {:.2f} for one; memory {:.0f} MB, {:.0f} MB "
                     "with one",
                     of_all.processor * 1e3, of_one.processor * 1e3, of_all.statements, of_one.statements, memory, memory_of_one));
  EXPECT_LE(of_all.statements, 2 * of_one.statements);
  EXPECT_LE(memory, 64);
}

}  // namespace
}  // namespace gleaner::tests
