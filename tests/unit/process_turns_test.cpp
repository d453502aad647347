#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "lib/process/child.hpp"
#include "lib/process/run.hpp"
#include "lib/process/turns.hpp"

namespace gleaner::process {
namespace {

constexpr Duration kLong = std::chrono::minutes{1};

/// `dd` reads one message of stdin's socket.
Command listener(const std::string& then) {
  return {.arguments = {"sh", "-c", "heard=$(dd bs=256 count=1 2>/dev/null); " + then}, .conversation = true};
}

TEST(Conversation, GoesBothWays_MessageByMessage) {
  auto child = Child::start(listener(R"(printf "heard $heard" >&0; printf more >&0; dd bs=256 count=1 2>/dev/null >/dev/null)"));
  ASSERT_TRUE(child);
  EXPECT_EQ(child->receive(Duration{0}), std::nullopt);
  ASSERT_TRUE(child->send("42"));
  EXPECT_EQ(child->receive(kLong), "heard 42");
  EXPECT_EQ(child->receive(kLong), "more");
  EXPECT_EQ(child->wait(Duration{0}), std::nullopt);
}

TEST(Conversation, EndsWithTheChild_WhoseLastWordIsStillReceived) {
  auto child = Child::start(listener("printf bye >&0; exit 3"));
  ASSERT_TRUE(child && child->send("42"));
  EXPECT_EQ(child->receive(kLong), "bye");
  EXPECT_EQ(child->receive(kLong), std::nullopt);
  EXPECT_EQ(child->wait(Duration{0})->exit_status, 3);
  EXPECT_FALSE(child->send("43"));
}

TEST(Conversation, OfAChildThatClosesItsStdin_EndsWhenTheChildDoes) {
  auto child = Child::start({.arguments = {"sh", "-c", "exec </dev/null; sleep 0.2; exit 3"}, .conversation = true});
  ASSERT_TRUE(child);
  EXPECT_EQ(child->receive(kLong), std::nullopt);
  EXPECT_EQ(child->wait(Duration{0})->exit_status, 3);
}

/// The conductor's end of a module's stdin. The whole is done in a process of its own: see EXPECT_EXIT.
class Conductor {
 public:
  Conductor() {
    std::array<int, 2> pair{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair.data()) != 0 || ::dup2(pair[1], STDIN_FILENO) < 0) std::abort();
    ::close(pair[1]);
    ours_ = pair[0];
    ::setenv(kTurnsVariable, "1", 1);
  }
  void send(const std::string& message) const { ::send(ours_, message.data(), message.size(), 0); }
  void leave() const { ::shutdown(ours_, SHUT_WR); }
  [[nodiscard]] int answers() const {
    int count = 0;
    std::array<char, kMessageBytes> message{};
    while (::recv(ours_, message.data(), message.size(), MSG_DONTWAIT) > 0) ++count;
    return count;
  }

 private:
  int ours_ = -1;
};

int run_module(const Body& body, std::vector<std::string> words = {}) {
  const Program program{.name = "module", .purpose = "Takes turns.", .keys = {"flood"}, .takes_turns = true};
  words.insert(words.begin(), "module");
  std::vector<char*> raw;
  for (auto& word : words) raw.push_back(word.data());
  return run(program, static_cast<int>(raw.size()), raw.data(), body);
}

/// In a death test's process: 0 when it is as it should be, and the place where it is not otherwise.
void expect_all(const std::vector<bool>& expectations) {
  for (std::size_t place = 0; place < expectations.size(); ++place) {
    if (!expectations[place]) std::_Exit(100 + static_cast<int>(place));
  }
  std::_Exit(0);
}

TEST(Turns, EachRunsTheBodyWithItsTerm_AndIsAnswered_UntilTheConductorLeaves) {
  EXPECT_EXIT(
      {
        const Conductor conductor;
        conductor.send("7");
        conductor.send("8");
        conductor.leave();
        std::vector<std::int64_t> terms;
        const int code = run_module([&](const Context& context) {
          terms.push_back(context.term.value());
          return Outcome{"well"};
        });
        expect_all({code == 0, terms == std::vector<std::int64_t>{7, 8}, conductor.answers() == 2});
      },
      testing::ExitedWithCode(0), "");
}

TEST(Turns, OneThatGoesWrong_EndsTheModule_Unanswered) {
  EXPECT_EXIT(
      {
        const Conductor conductor;
        conductor.send("7");
        conductor.send("8");
        conductor.leave();
        int turns = 0;
        const int code = run_module([&](const Context&) {
          ++turns;
          return Outcome{ExitCode::unavailable, "no database"};
        });
        expect_all({code == static_cast<int>(ExitCode::unavailable), turns == 1, conductor.answers() == 0});
      },
      testing::ExitedWithCode(0), "no database");
}

TEST(Turns, AStop_EndsTheModuleAfterItsTurn) {
  EXPECT_EXIT(
      {
        const Conductor conductor;
        conductor.send("7");
        conductor.send("8");
        int turns = 0;
        const int code = run_module([&](const Context&) {
          ++turns;
          std::raise(SIGTERM);
          return Outcome{"stopped"};
        });
        expect_all({code == 0, turns == 1, conductor.answers() == 1});
      },
      testing::ExitedWithCode(0), "");
}

TEST(Turns, EachReadsTheConfigurationAnew) {
  const auto file = std::filesystem::temp_directory_path() / ("process_turns_" + std::to_string(::getpid()));
  std::ofstream{file} << "flood = 1.5\n";
  EXPECT_EXIT(
      {
        const Conductor conductor;
        conductor.send("7");
        conductor.send("7");
        conductor.leave();
        std::vector<double> floods;
        const int code = run_module(
            [&](const Context& context) {
              floods.push_back(context.config.flood);
              std::ofstream{file} << "flood = 2.5\n";
              return Outcome{"well"};
            },
            {"--config=" + file.string()});
        expect_all({code == 0, floods == std::vector{1.5, 2.5}});
      },
      testing::ExitedWithCode(0), "");
  std::filesystem::remove(file);
}

TEST(Turns, AnythingElseThanATerm_IsRefused) {
  EXPECT_EXIT(
      {
        const Conductor conductor;
        conductor.send("4x");
        std::_Exit(run_module([](const Context&) { return Outcome{"reached"}; }));
      },
      testing::ExitedWithCode(2), "'4x' is not the number of a lease's term");
  EXPECT_EXIT(
      {
        ::setenv(kTurnsVariable, "1", 1);
        ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
        std::_Exit(run_module([](const Context&) { return Outcome{"reached"}; }));
      },
      testing::ExitedWithCode(2), "not the conductor's socket");
}

TEST(Turns, WithoutAConductor_ThereIsOneRunAndNoTerm) {
  int turns = 0;
  EXPECT_EQ(run_module([&](const Context& context) {
              ++turns;
              return Outcome{context.term ? ExitCode::failure : ExitCode::ok};
            }),
            0);
  EXPECT_EQ(turns, 1);
}

}  // namespace
}  // namespace gleaner::process
