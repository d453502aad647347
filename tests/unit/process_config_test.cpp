#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <regex>

#include <unistd.h>

#include "lib/process/command_line.hpp"
#include "lib/process/options.hpp"
#include "lib/process/values.hpp"

namespace gleaner::process {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ConfigFile : public testing::Test {
 protected:
  ConfigFile() { std::filesystem::create_directories(directory_); }
  ~ConfigFile() override { std::filesystem::remove_all(directory_); }

  [[nodiscard]] std::filesystem::path holding(std::string_view text) const {
    const auto file = directory_ / "gleaner.conf";
    std::ofstream{file} << text;
    ::chmod(file.c_str(), 0644);
    return file;
  }

 private:
  std::filesystem::path directory_ = std::filesystem::temp_directory_path() / ("process_config_" + std::to_string(::getpid()));
};

Config defaults() { return build_config({}, {}).value(); }

Complaints complaints_in(const std::filesystem::path& file) {
  Complaints complaints;
  static_cast<void>(read_file(file, complaints));
  return complaints;
}

Complaints complaints_of(std::string_view key, std::string_view value) {
  const std::array sources{GivenOptions{{std::string{key}, Given{std::string{value}, "here:1"}}}};
  const auto built = build_config(sources, {});
  return built ? Complaints{} : built.error();
}

CommandLine command_line(const Program& program, std::vector<std::string> words) {
  words.insert(words.begin(), std::string{program.name});
  std::vector<char*> raw;
  for (auto& word : words) raw.push_back(word.data());
  auto read = read_command_line(program, static_cast<int>(raw.size()), raw.data());
  if (!read) throw Error{ExitCode::usage, read.error().front()};
  return *read;
}

std::string refusal(const Program& program, std::vector<std::string> words) {
  try {
    command_line(program, std::move(words));
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(Duration, IsReadWithItsUnit_SecondsWhenItHasNone) {
  EXPECT_EQ(parse_size("4096"), 4096U);
  EXPECT_EQ(parse_size("4K"), 4096U);
  EXPECT_EQ(parse_size("64M"), std::uint64_t{64} << 20U);
  EXPECT_EQ(parse_size("4G"), std::uint64_t{4} << 30U);
  for (const auto* wrong : {"", "K", "-1", "4k", "4KB", "1.5G", "99999999999G"}) EXPECT_FALSE(parse_size(wrong)) << wrong;
  EXPECT_EQ(format_size(std::uint64_t{64} << 20U), "64M");
  EXPECT_EQ(format_size(1000), "1000");
  EXPECT_EQ(format_size(0), "0");
  EXPECT_EQ(parse_duration("5"), std::chrono::seconds{5});
  EXPECT_EQ(parse_duration("5s"), std::chrono::seconds{5});
  EXPECT_EQ(parse_duration("2m"), std::chrono::minutes{2});
  EXPECT_EQ(parse_duration("1h"), std::chrono::hours{1});
  EXPECT_EQ(parse_duration("90d"), std::chrono::hours{24 * 90});
  EXPECT_EQ(parse_duration("200ms"), std::chrono::milliseconds{200});
}

TEST(Duration, OfAnythingElse_IsRefused) {
  for (const auto* text : {"", "s", "-5", "5x", "5 s", "1.5h", "99999999999999999999", "9999999999d", "5sec", "+5"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(Duration, IsWrittenInTheBiggestUnitThatFits) {
  for (const auto* text : {"0s", "200ms", "90s", "2m", "1h", "90d"}) EXPECT_EQ(format_duration(*parse_duration(text)), text);
}

TEST(Options, EachHasAKeyInSnakeCaseAndAHelpAndAValidDefault) {
  const std::regex snake{"[a-z][a-z0-9]*(_[a-z0-9]+)*"};
  for (const auto& option : options()) {
    EXPECT_TRUE(std::regex_match(std::string{option.key}, snake)) << option.key;
    EXPECT_FALSE(option.help.empty()) << option.key;
    Config config;
    EXPECT_EQ(option.value.read(option.fallback, config), std::nullopt) << option.key;
  }
}

TEST(Options, AreWrittenAsTheyAreRead) {
  for (const auto& option : options()) {
    Config config, again;
    ASSERT_EQ(option.value.read(option.fallback, config), std::nullopt) << option.key;
    const auto written = option.value.write(config);
    ASSERT_EQ(option.value.read(written, again), std::nullopt) << option.key << " = " << written;
    EXPECT_EQ(option.value.write(again), written) << option.key;
  }
}

TEST(Options, HaveTheirDefaultsWhenNothingIsGiven) {
  const auto config = defaults();
  EXPECT_EQ(config.cycle_period, std::chrono::seconds{5});
  EXPECT_EQ(config.flood, 0.5);
  EXPECT_EQ(config.default_walltime, std::chrono::hours{1});
  EXPECT_EQ(config.array_size, 500);
  EXPECT_THAT(config.api_listen, IsEmpty());
}

TEST(Options, GivenInSeveralSources_TheFirstWins) {
  const std::array sources{GivenOptions{{"flood", {"0.1", "--flood"}}},
                           GivenOptions{{"flood", {"0.2", "GLEANER_FLOOD"}}, {"array_size", {"20", "GLEANER_ARRAY_SIZE"}}},
                           GivenOptions{{"flood", {"0.3", "f:1"}}, {"array_size", {"30", "f:2"}}, {"void_looks", {"7", "f:3"}}}};
  const auto config = build_config(sources, {}).value();
  EXPECT_EQ(config.flood, 0.1);
  EXPECT_EQ(config.array_size, 20);
  EXPECT_EQ(config.void_looks, 7);
}

TEST(Options, WithABadValue_AreRefusedWithTheirOriginAndWhatIsRight) {
  EXPECT_THAT(complaints_of("cycle_period", "soon"),
              ElementsAre("here:1: cycle_period = 'soon' is wrong: it must be a time such as 30s, 5m, 2h, 1d or 200ms"));
  EXPECT_THAT(complaints_of("cycle_period", "0"), ElementsAre(HasSubstr("longer than 0")));
  EXPECT_THAT(complaints_of("array_size", "0"), ElementsAre(HasSubstr("from 1 to 100000")));
  EXPECT_THAT(complaints_of("flood", "-1"), ElementsAre(HasSubstr("from 0 to 100")));
  EXPECT_THAT(complaints_of("flood", "nan"), ElementsAre(HasSubstr("from 0 to 100")));
  EXPECT_THAT(complaints_of("availability", "dedicate"), ElementsAre(AllOf(HasSubstr("dedicated, utilized or combined"),
                                                                           HasSubstr("did you mean 'dedicated'?"), HasSubstr("here:1"))));
  EXPECT_THAT(complaints_of("load_property", "load; --"), ElementsAre(HasSubstr("the name of a property of OAR's resources")));
  EXPECT_THAT(complaints_of("load_property", ""), IsEmpty());
  EXPECT_THAT(complaints_of("log_level", "inof"), ElementsAre(HasSubstr("did you mean 'info'?")));
  EXPECT_THAT(complaints_of("default_walltime", "1:2:3:4"), ElementsAre(HasSubstr("1:00:00")));
  EXPECT_THAT(complaints_of("default_resources", "nonsense="), ElementsAre(HasSubstr("/core=1")));
  EXPECT_THAT(complaints_of("api", "localhost"), ElementsAre(HasSubstr("unix:/path")));
  EXPECT_THAT(complaints_of("api_metrics_addresses", "10.0.0.7,lan"), ElementsAre(HasSubstr("'lan' is neither")));
  EXPECT_THAT(complaints_of("api_frame_ancestors", "https://portal.example.org, http://localhost:8080,self"), IsEmpty());
  for (const std::string wrong : {"*", "https://*.example.org", "https://a.org/", "https://a.org/path", "https://a.org; script-src *",
                                  "a.org", "'none'", "https://", "https://u:p@a.org", "https://a.org?x", "data:", "javascript:alert(1)"})
    EXPECT_THAT(complaints_of("api_frame_ancestors", wrong), ElementsAre(HasSubstr("origins such as"))) << wrong;
  EXPECT_THAT(complaints_of("api_metrics_addresses", "10.1.2.0/16"), ElementsAre(HasSubstr("10.1.0.0/16")));
  EXPECT_THAT(complaints_of("database_size_max", "100"), ElementsAre(HasSubstr("from 1K")));
  EXPECT_THAT(complaints_of("api_listen", "127.0.0.1"), ElementsAre(HasSubstr("127.0.0.1:8443")));
  EXPECT_THAT(complaints_of("log_file", "here.log"), ElementsAre(HasSubstr("absolute")));
}

TEST(Options, WithSeveralBadValues_AreAllComplainedAboutAtOnce) {
  const std::array sources{GivenOptions{{"flood", {"x", "f:1"}}, {"array_size", {"y", "f:2"}}}};
  EXPECT_EQ(build_config(sources, {}).error().size(), 2U);
}

TEST(Options, NamingAPolicyThatTheProgramDoesNotKnow_AreRefusedWithTheClosestName) {
  const std::array sources{GivenOptions{{"campaign_order", {"fito", "f:1"}}}};
  const std::array uses{Use{"campaign_order", {"fifo", "fairshare"}}};
  EXPECT_THAT(build_config(sources, uses).error(),
              ElementsAre("f:1: campaign_order = 'fito' is wrong: it must be one of fifo, fairshare (did you mean 'fifo'?)"));
}

TEST_F(ConfigFile, IsReadWithItsCommentsAndBlanks) {
  Complaints complaints;
  const auto given = read_file(holding("# all\n\n  flood = 0.25   # a quarter\ndatabase=postgresql:///x?a=b#c\n"), complaints);
  EXPECT_THAT(complaints, IsEmpty());
  EXPECT_EQ(given.at("flood").value, "0.25");
  EXPECT_EQ(given.at("database").value, "postgresql:///x?a=b#c");
  EXPECT_THAT(given.at("flood").origin, HasSubstr("gleaner.conf:3"));
}

TEST_F(ConfigFile, WithAnUnknownKey_IsRefusedWithItsLineAndTheClosestKey) {
  const auto file = holding("flood = 0.5\ncycle_perid = 5s\n");
  EXPECT_THAT(complaints_in(file), ElementsAre(file.string() + ":2: unknown option 'cycle_perid' (did you mean 'cycle_period'?)"));
}

TEST_F(ConfigFile, WithAKeyTwiceOrALineThatIsNone_IsRefused) {
  EXPECT_THAT(complaints_in(holding("flood = 1\nflood = 2\n[part]\n")),
              ElementsAre(HasSubstr("given already at"), HasSubstr("key = value")));
}

TEST_F(ConfigFile, WithAPasswordThatOthersCanRead_IsRefused) {
  const auto file = holding("database = postgresql://grid:secret@db/gleaner\n");
  EXPECT_THAT(complaints_in(file), ElementsAre(HasSubstr("chmod 600")));
  ::chmod(file.c_str(), 0600);
  EXPECT_THAT(complaints_in(file), IsEmpty());
}

TEST(Environment, GivesOptionsByTheirUpperCaseName_AndLeavesOtherVariablesAlone) {
  std::array<char*, 5> entries{const_cast<char*>("GLEANER_FLOOD=0.75"), const_cast<char*>("GLEANER_TURNS=1"),
                               const_cast<char*>("PATH=/bin"), const_cast<char*>("GLEANER_API="), nullptr};
  Complaints complaints;
  const auto given = read_environment(entries.data(), complaints);
  EXPECT_THAT(complaints, IsEmpty());
  EXPECT_EQ(given.size(), 1U);
  EXPECT_EQ(given.at("flood").value, "0.75");
  EXPECT_EQ(given.at("flood").origin, "GLEANER_FLOOD");
}

TEST(Environment, WithAnUnknownOption_IsRefusedWithTheClosestOne) {
  std::array<char*, 2> entries{const_cast<char*>("GLEANER_FLOD=1"), nullptr};
  Complaints complaints;
  EXPECT_TRUE(read_environment(entries.data(), complaints).empty());
  EXPECT_THAT(complaints, ElementsAre("GLEANER_FLOD: unknown option 'flod' (did you mean 'flood'?)"));
}

const Program kProgram{.name = "tester",
                       .purpose = "Tests.",
                       .keys = {"flood", "cycle_period"},
                       .options = {{"once", "", "one cycle"}, {"file,f", "FILE", "a file"}, {"watch", "TIME", "again and again", "2s"}},
                       .positional = "ID..."};

TEST(CommandLine, GivesKeysOptionsAndWords) {
  const auto line = command_line(kProgram, {"--once", "3", "-f", "a.json", "--flood=0.9", "--cycle-period", "2s", "4", "--", "--5"});
  EXPECT_TRUE(line.arguments.has("once"));
  EXPECT_EQ(line.arguments.value("file"), "a.json");
  EXPECT_EQ(line.given.at("flood").value, "0.9");
  EXPECT_EQ(line.given.at("cycle_period").value, "2s");
  EXPECT_THAT(line.arguments.positional, ElementsAre("3", "4", "--5"));
}

TEST(CommandLine, OptionWithAnImpliedValue_TakesItOrItsOwn) {
  EXPECT_EQ(command_line(kProgram, {"--watch"}).arguments.value("watch"), "2s");
  EXPECT_EQ(command_line(kProgram, {"--watch=5s"}).arguments.value("watch"), "5s");
}

TEST(CommandLine, UnknownOption_IsRefusedWithTheClosestOne) {
  EXPECT_EQ(refusal(kProgram, {"--onec"}), "unknown option '--onec' (did you mean 'once'?)");
}

TEST(CommandLine, LongOption_MayBeShortened_AsLongAsItIsTheOnlyOneThatBeginsSo) {
  const auto line = command_line(kProgram, {"--onc", "--fi", "a.json", "--cycle-p=2s", "--wa=5s"});
  EXPECT_TRUE(line.arguments.has("once"));
  EXPECT_EQ(line.arguments.value("file"), "a.json");
  EXPECT_EQ(line.given.at("cycle_period").value, "2s");
  EXPECT_EQ(line.arguments.value("watch"), "5s");
  EXPECT_EQ(refusal(kProgram, {"--log"}), "option '--log' is ambiguous: it may be --log_file, --log_level");
  EXPECT_EQ(refusal(kProgram, {"--f", "x"}), "option '--f' is ambiguous: it may be --file, --flood");
}

TEST(CommandLine, WordsAfterTwoDashes_AreNoOptions_HoweverTheyBegin) {
  EXPECT_THAT(command_line(kProgram, {"--", "--onc"}).arguments.positional, ElementsAre("--onc"));
}

TEST(CommandLine, Help_HasAShortForm) {
  EXPECT_EQ(command_line(kProgram, {"-h"}).action, CommandLine::Action::help);
  EXPECT_THAT(help_text(kProgram), HasSubstr("  -h, --help "));
}

TEST(CommandLine, KeyOfAnotherProgram_IsRefusedAsSuch) {
  EXPECT_EQ(refusal(kProgram, {"--array_size=3"}), "tester does not use the option '--array_size'");
}

TEST(CommandLine, WordsForAProgramThatTakesNone_AreRefused) {
  EXPECT_EQ(refusal(Program{.name = "p", .purpose = "", .keys = {}}, {"word"}), "unexpected argument 'word'");
}

TEST(Help, ListsTheKeysOfTheProgramAlone) {
  const auto text = help_text(kProgram);
  EXPECT_THAT(text, HasSubstr("--cycle_period DURATION"));
  EXPECT_THAT(text, HasSubstr("-f, --file FILE"));
  EXPECT_THAT(text, HasSubstr("--watch[=TIME]"));
  EXPECT_THAT(text, testing::Not(HasSubstr("array_size")));
}

/// The example must name every option, commented out, at its default, in the order of the table.
TEST(Example, OfTheConfiguration_DocumentsEveryOptionAtItsDefault) {
  std::ifstream example{std::string{std::getenv("GLEANER_SOURCE_DIR")} + "/packaging/gleaner.conf"};
  ASSERT_TRUE(example);
  std::vector<std::string> found;
  const std::regex setting{"# ?([a-z_]+) = ?(.*)"};
  for (std::string line; std::getline(example, line);) {
    std::smatch match;
    if (std::regex_match(line, match, setting)) found.push_back(match[1].str() + " = " + match[2].str());
  }
  std::vector<std::string> expected;
  for (const auto& option : options()) expected.push_back(std::string{option.key} + " = " + std::string{option.fallback});
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace gleaner::process
