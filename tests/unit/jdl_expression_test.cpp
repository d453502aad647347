#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <regex>

#include <fmt/format.h>

#include "lib/grid/walltime.hpp"
#include "lib/jdl/given.hpp"
#include "lib/jdl/inputs.hpp"
#include "lib/jdl/named_words.hpp"
#include "lib/jdl/parse.hpp"
#include "lib/jdl/requests.hpp"

namespace gleaner::jdl {
namespace {

using testing::HasSubstr;
using testing::Not;

CampaignFile campaign(const std::string& keys) {
  auto file = parse(fmt::format(R"k({{"name": "t", "exec_file": "run", {}, "clusters": {{"alpha": {{}}, "beta": {{}}}}}})k", keys));
  if (!file) throw std::runtime_error{render(file.error(), "c")};
  return *file;
}

std::string problem_of(const std::string& keys) {
  const auto file = parse(fmt::format(R"k({{"name": "t", "exec_file": "run", {}, "clusters": {{"alpha": {{}}}}}})k", keys));
  return file ? std::string{} : render(file.error(), "c");
}

Requests requests_of(const CampaignFile& file, ClusterLimits alpha = {"alpha", 16, true, 32000},
                     ClusterLimits beta = {"beta", 64, true, 8000}) {
  auto made = Requests::of(file, {alpha, beta});
  if (!made) throw std::runtime_error{made.error().message};
  return std::move(made->value());
}

/// The request to the first cluster that can hold the only task.
TaskRequest asked(const CampaignFile& file, const Parameter& parameter) {
  auto requests = requests_of(file);
  const auto number = requests.request_of(0, parameter);
  if (!number) throw std::runtime_error{number.error()};
  return requests.different().at(0);
}

std::string wrong(const CampaignFile& file, const Parameter& parameter) {
  auto requests = requests_of(file);
  const auto number = requests.request_of(7, parameter);
  return number ? std::string{} : number.error();
}

TEST(Expressions, OfTheParametersWords_AreWorkedOutForEachTask) {
  const auto file = campaign(R"k("walltime": "10*minute + p2", "resources": "/nodes=1/core=2*p3", "memory_mb": "p2 * 1.5")k");
  const auto request = asked(file, std::string{"name 600 3"});
  EXPECT_EQ(request.resources, "/nodes=1/core=6");
  EXPECT_EQ(request.resources_per_job, 6);
  EXPECT_EQ(request.walltime, grid::Seconds{1200});
  EXPECT_EQ(request.memory_mb, 900);
  EXPECT_EQ(asked(file, Arguments{"a name", "600", "1"}).resources, "/nodes=1/core=2") << "and of the arguments of an array";
}

TEST(Expressions, UseTheNamesThatTheFileGivesToTheWords_AndTheInput) {
  const auto file = campaign(R"k("parameter_names": ["file", "size"], "input_mb": "size / 2", "walltime": "max(60, 6 * input_mb)")k");
  auto requests = requests_of(file);
  ASSERT_TRUE(requests.request_of(0, std::string{"a.dat 100"}));
  ASSERT_TRUE(requests.request_of(1, std::string{"b.dat 300"}));
  EXPECT_EQ(requests.different().at(0).walltime, grid::Seconds{300});
  EXPECT_EQ(requests.mean_input_mb(), 100);
}

TEST(Expressions, WithoutAStatedInput_UseTheSizesOfEachTasksInputFiles) {
  const auto file = campaign(R"k("input_files": ["common", "{1}", "common"], "memory_mb": "2 * input_mb", "walltime": "1:0:0")k");
  auto requests = requests_of(file);
  EXPECT_TRUE(requests.lacks_inputs());
  const KnownInputs inputs{std::vector<grid::InputFile>{{.path = "common", .sha256 = {}, .bytes = 500'000'000},
                                                        {.path = "a", .sha256 = {}, .bytes = 1'000'000'000},
                                                        {.path = "b", .sha256 = {}, .bytes = 2'500'000'000}}};
  requests.know_inputs(inputs);
  EXPECT_FALSE(requests.lacks_inputs());
  ASSERT_TRUE(requests.request_of(0, std::string{"a"}));
  ASSERT_TRUE(requests.request_of(1, std::string{"b"}));
  EXPECT_EQ(requests.different().at(0).memory_mb, 3000);
  EXPECT_EQ(requests.different().at(2).memory_mb, 6000);
  EXPECT_EQ(requests.mean_input_mb(), std::nullopt) << "the files are brought once, and not with each task";
}

TEST(Expressions, OfAStatedInput_DoNotUseTheSizesOfFiles) {
  const auto file = campaign(R"k("input_files": ["{1}"], "input_mb": 7, "memory_mb": "input_mb * 100")k");
  auto requests = requests_of(file);
  EXPECT_FALSE(requests.lacks_inputs());
  const KnownInputs inputs{std::vector<grid::InputFile>{{.path = "a", .sha256 = {}, .bytes = 1'000'000'000}}};
  requests.know_inputs(inputs);
  ASSERT_TRUE(requests.request_of(0, std::string{"a"}));
  EXPECT_EQ(requests.different().at(0).memory_mb, 700);
  EXPECT_THAT(problem_of(R"k("memory_mb": "2 * input_mb")k"), HasSubstr("input_mb"));
}

TEST(Document000, ExpressionsUseWhatOthersGave_AndTheFilesOwnNumberWhereTheyGaveNone) {
  const auto file = campaign(
      R"k("after_each": 3, "given": {"cells": 1000, "cores": 2}, "memory_mb": "2 * cells", "resources": "/core=cores", "walltime": "p1 * minute")k");
  auto requests = requests_of(file);
  EXPECT_EQ(requests.request_of(0, std::string{"10"}), 1);
  EXPECT_EQ(requests.request_of(1, std::string{"10"}, {{"cells", 1000}, {"other", 7}}), 1) << "as the file has it";
  EXPECT_EQ(requests.request_of(2, std::string{"10"}, {{"cells", 4000}}), 2);
  EXPECT_EQ(requests.request_of(3, std::string{"10"}, {{"cells", 4000}, {"cores", 8}}), 3);
  const auto& different = requests.different();
  ASSERT_EQ(different.size(), 6U) << "on two clusters";
  EXPECT_EQ(different.at(0).memory_mb, 2000);
  EXPECT_EQ(different.at(2).memory_mb, 8000);
  EXPECT_EQ(different.at(2).resources, "/core=2");
  EXPECT_EQ(different.at(4).resources, "/core=8");
}

TEST(Document000, WhatWasGivenWrongly_IsWrongForItsTaskAlone_AndNamesTheExpression) {
  const auto file = campaign(R"k("after_each": 3, "given": {"cells": 1000}, "memory_mb": "2 * cells", "walltime": "1:0:0")k");
  auto requests = requests_of(file);
  EXPECT_THAT(requests.request_of(7, std::string{"x"}, {{"cells", -5}}).error(),
              HasSubstr("task 7, parameter 'x': memory_mb '2 * cells': it gives -10, and must give more than 0"));
  EXPECT_THAT(requests.request_of(7, std::string{"x"}, {{"cells", 1e300}}).error(), HasSubstr("and the most is 1e+09"));
  EXPECT_THAT(requests.request_of(7, std::string{"x"}, {{"cells", 20000}}).error(), HasSubstr("the nodes of alpha have 32000 MB"));
  EXPECT_EQ(requests.request_of(8, std::string{"x"}), 1);
}

TEST(Document000, StoredRequestsKeepTheirNumbers_AndNewOnesFollow) {
  const auto file = campaign(R"k("after_each": 3, "given": {"cells": 1000}, "memory_mb": "2 * cells", "walltime": "1:0:0")k");
  auto first = requests_of(file);
  EXPECT_EQ(first.request_of(0, std::string{"x"}), 1);
  EXPECT_EQ(first.request_of(1, std::string{"x"}, {{"cells", 5000}}), 2) << "beta cannot hold it";
  auto later = requests_of(file);
  later.resume(first.different());
  EXPECT_EQ(later.request_of(2, std::string{"x"}, {{"cells", 5000}}), 2);
  EXPECT_EQ(later.request_of(3, std::string{"x"}), 1);
  EXPECT_TRUE(later.different().empty());
  EXPECT_EQ(later.request_of(4, std::string{"x"}, {{"cells", 3000}}), 3);
}

TEST(Document000, KeysOfWhatIsGiven_AreChecked) {
  EXPECT_THAT(problem_of(R"k("given": {"cells": 1}, "memory_mb": "cells")k"),
              HasSubstr("no task gives numbers to its tasks: write \"after_each\""));
  EXPECT_THAT(problem_of(R"k("after_each": 3, "given": {"cells": 1}, "memory_mb": "cels")k"),
              HasSubstr("there is no 'cels' (did you mean 'cells'?)"));
  EXPECT_THAT(problem_of(R"k("after_each": 3, "given": {"cells": "many"})k"), HasSubstr("'many' is not a number"));
  EXPECT_THAT(problem_of(R"k("after_each": 3, "given": {"max": 1})k"), HasSubstr("'max' cannot be a name of a number"));
  EXPECT_THAT(problem_of(R"k("after_each": 3, "given": ["cells"])k"), HasSubstr("write for each number its name"));
  EXPECT_THAT(problem_of(R"k("after_each": 3, "given": {"n": 1}, "parameter_names": ["n"])k"),
              HasSubstr("is a word of the parameter, too"));
  EXPECT_THAT(problem_of(R"k("gives": "cells")k"), HasSubstr("write the names of the numbers"));
  EXPECT_THAT(problem_of(R"k("gives": ["a", "a"])k"), HasSubstr("'a' is there twice"));
  EXPECT_THAT(problem_of(R"k("gives": ["a", "b", "c", "d", "e", "f", "g", "h", "i"])k"), HasSubstr("there are 9 names; there may be 8"));
  const auto file = campaign(R"k("after_each": 3, "gives": ["size"], "given": {"cells": 0.5, "n": 1e6}, "memory_mb": "cells * n")k");
  EXPECT_EQ(from_json(to_json(file)).value(), file);
  EXPECT_EQ(parse(to_jdl(file)).value(), file);
}

TEST(Document000, ANumberThatNobodyGives_IsNamed_WithTheOneThatIsMeant) {
  const auto file = campaign(R"k("after_each": 3, "given": {"cells": 1}, "memory_mb": "cells")k");
  EXPECT_EQ(not_given(file, {{grid::CampaignId{3}, {"size", "cells"}}}), std::nullopt);
  EXPECT_EQ(not_given(file, {{grid::CampaignId{3}, {"size", "cell"}}}), "no campaign of after_each gives 'cells' (did you mean 'cell'?)");
  EXPECT_EQ(not_given(file, {{grid::CampaignId{3}, {}}}), "no campaign of after_each gives 'cells': write \"gives\": [\"cells\"] there");
  EXPECT_THAT(not_given(file, {{grid::CampaignId{3}, {"cells"}}, {grid::CampaignId{4}, {"cells"}}}).value(),
              HasSubstr("campaigns 3 and 4 both give 'cells'"));
}

TEST(Document000, MemoryThatNoNodeHas_IsAnError_ByWhatTheNodesThemselvesState) {
  ClusterLimits alpha{"alpha", 16, true, {}};
  alpha.memory.add(8, 16);
  alpha.memory.add(16, 64);
  alpha.memory_unit_mb = 1024;
  auto beta = alpha;
  beta.name = "beta";
  auto requests = requests_of(campaign(R"k("memory_mb": "p1 * 1024")k"), alpha, beta);
  EXPECT_EQ(requests.request_of(0, std::string{"64"}), 1);
  EXPECT_THAT(requests.request_of(1, std::string{"64.1"}).error(), HasSubstr("the nodes of alpha have 65536 MB"));
  alpha.memory_max_mb = beta.memory_max_mb = 32'000;
  auto stated = requests_of(campaign(R"k("memory_mb": "p1 * 1024")k"), alpha, beta);
  EXPECT_THAT(stated.request_of(0, std::string{"64"}).error(), HasSubstr("have 32000 MB")) << "an administrator's word counts";
  auto unknown = requests_of(campaign(R"k("memory_mb": "p1 * 1024")k"), {"alpha", 16, true, {}}, {"beta", 16, true, {}});
  EXPECT_EQ(unknown.request_of(0, std::string{"9999"}), 1) << "nothing is known";
}

TEST(Expressions, OfAFileWithoutAny_AreNoRequests) {
  EXPECT_FALSE(Requests::of(campaign(R"k("walltime": "1:00:00", "input_mb": 20)k"), {{}, {}})->has_value());
  EXPECT_EQ(constant_input_mb(campaign(R"k("input_mb": 20)k")), 20);
}

TEST(Expressions, ThatAreWrong_AreProblemsOfTheFile_WithTheirPlace) {
  EXPECT_THAT(problem_of(R"k("walltime": "60 * p")k"), HasSubstr("there is no 'p'"));
  EXPECT_THAT(problem_of(R"k("walltime": "60 * inputmb", "input_mb": 3)k"), HasSubstr("there is no 'inputmb' (did you mean 'input_mb'?)"));
  EXPECT_THAT(problem_of(R"k("walltime": "60 * (p1")k"), HasSubstr("is not a walltime"));
  EXPECT_THAT(problem_of(R"k("walltime": "60 * input_mb")k"), HasSubstr("there is no 'input_mb'"));
  EXPECT_THAT(problem_of(R"k("memory_mb": "p1, p2")k"), HasSubstr("','"));
  EXPECT_THAT(problem_of(R"k("memory_mb": "p1 = 3")k"), HasSubstr("lone '='"));
  EXPECT_THAT(problem_of(R"k("resources": "/core=p1*")k"), HasSubstr("is not a resource request"));
  EXPECT_THAT(problem_of(R"k("walltime": "soon")k"), HasSubstr("write h:m:s"));
  EXPECT_THAT(problem_of(R"k("parameter_names": ["p1", "max", "a b", "x", "x"])k"), HasSubstr("'x' is there twice"));
  EXPECT_THAT(problem_of(R"k("parameter_names": ["max"])k"), HasSubstr("cannot be a name of a word"));
  EXPECT_THAT(problem_of(R"k("walltime": "2:00:00", "max_walltime": "1:00:00")k"), HasSubstr("shorter than the walltime"));
}

std::string counts(int number) {
  std::string text;
  for (int i = 0; i < number; ++i) text += "/core=p1";
  return text;
}

TEST(Expressions, OfWhichARequestHasTooMany_OrThatAreTooLong_AreRefused) {
  const auto resources = [](const std::string& text) { return problem_of(fmt::format(R"k("resources": "{}")k", text)); };
  EXPECT_THAT(resources(counts(33)),
              HasSubstr("is not a resource request: 33 of its counts are expressions, and 32 may be: write numbers for the others"));
  EXPECT_THAT(resources(counts(32)), Not(HasSubstr("expressions"))) << "as many as there may be";
  EXPECT_THAT(resources(counts(1'000'000)), HasSubstr("is not a resource request: it is 8000000 bytes long, and may have 8000"));
  const auto stored = to_json(campaign(R"k("resources": "/core=p1")k"));
  const auto with = [&](const std::string& text) { return std::regex_replace(stored, std::regex{"/core=p1"}, text); };
  EXPECT_TRUE(from_json(with("/core=p1")));
  EXPECT_THAT(from_json(with(counts(33))).error(), HasSubstr("33 of its counts"));
  EXPECT_THAT(from_json(with("/core=p1" + std::string(8'000, ' '))).error(), HasSubstr("8008 bytes long"));
}

TEST(Expressions, OfAllClustersTogether_HaveABound) {
  std::string clusters;
  for (int i = 0; i < 1'000; ++i) clusters += fmt::format("{}\"c{}\": {{}}", i == 0 ? "" : ", ", i);
  const auto of = [&](const std::string& more) {
    return parse(fmt::format(R"k({{"name": "n", "exec_file": "x", {}, "clusters": {{{}}}}})k", more, clusters));
  };
  EXPECT_TRUE(of(R"k("walltime": "60 * p1", "resources": "/core=p1")k"));
  const auto refused = of(R"k("walltime": "60 * p1", "resources": "/nodes=p2/core=p1")k");
  ASSERT_FALSE(refused);
  EXPECT_THAT(render(refused.error(), "c"), HasSubstr("clusters: its clusters have 3000 expressions together, and may have 2000"));
}

TEST(Expressions, WrongForATask_NameTheTask_ItsParameterAndTheExpression) {
  EXPECT_EQ(wrong(campaign(R"k("walltime": "60 * p2")k"), std::string{"a b"}),
            "task 7, parameter 'a b': walltime '60 * p2': its p2 is 'b', not a number");
  EXPECT_THAT(wrong(campaign(R"k("walltime": "60 * p3")k"), std::string{"1 2"}), HasSubstr("it has no p3: it has 2 words"));
  EXPECT_THAT(wrong(campaign(R"k("walltime": "60 * (p1 - 1)")k"), std::string{"1"}), HasSubstr("it gives 0, and must give more than 0"));
  EXPECT_THAT(wrong(campaign(R"k("resources": "/core=(p1/0)")k"), std::string{"1"}), HasSubstr("it gives no number"));
  EXPECT_THAT(wrong(campaign(R"k("resources": "/core=p1")k"), std::string{"1e12"}), HasSubstr("the most is"));
}

TEST(Expressions, TooBigForEachCluster_AreWrong_AndForOne_AreLeftOutThere) {
  const auto file = campaign(R"k("resources": "/core=p1")k");
  EXPECT_THAT(wrong(file, std::string{"65"}), testing::AllOf(HasSubstr("task 7"), HasSubstr("alpha has 16"), HasSubstr("beta has 64")));
  auto requests = requests_of(file);
  ASSERT_TRUE(requests.request_of(0, std::string{"32"}));
  ASSERT_EQ(requests.different().size(), 1U);
  EXPECT_EQ(requests.different()[0].cluster, 1U) << "beta";
  EXPECT_THAT(wrong(campaign(R"k("memory_mb": "p1 * 1000")k"), std::string{"33"}), HasSubstr("32000 MB"));
  EXPECT_THAT(wrong(campaign(R"k("walltime": "p1 * hour", "max_walltime": "2:00:00")k"), std::string{"3"}),
              HasSubstr("max_walltime is 2:00:00"));
}

TEST(Expressions, OfMemory_NeedAClusterThatReportsIt) {
  const auto made = Requests::of(campaign(R"k("memory_mb": 4096)k"), {{"alpha", 16, true, {}}, {"beta", 64, false, {}}});
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, HasSubstr("'beta' does not report the memory"));
}

TEST(Requests, ThatDifferInTheirWalltimeAlone_HaveOneShape) {
  auto requests = requests_of(campaign(R"k("walltime": "p1 * hour", "resources": "/core=p2")k"));
  const auto first = *requests.request_of(0, std::string{"1 2"});
  const auto second = *requests.request_of(1, std::string{"2 2"});
  const auto third = *requests.request_of(2, std::string{"1 4"});
  EXPECT_EQ(*requests.request_of(3, std::string{"1 2"}), first);
  const auto shape = [&](int number) { return std::ranges::find(requests.different(), number, &TaskRequest::request)->shape; };
  EXPECT_EQ(shape(first), shape(second));
  EXPECT_NE(shape(first), shape(third));
}

TEST(Requests, OfTooManyKinds_AreRefused) {
  auto requests = requests_of(campaign(R"k("memory_mb": "p1")k"));
  for (int i = 1; i <= Requests::kMost; ++i) ASSERT_TRUE(requests.request_of(i, std::to_string(i)));
  EXPECT_THAT(requests.request_of(0, std::to_string(Requests::kMost + 1)).error(), HasSubstr("more than 1000 different requests"));
  EXPECT_TRUE(requests.request_of(0, std::string{"5"}));
}

TEST(Requests, OfAStoredCampaign_AreThoseOfItsFile) {
  const auto file = campaign(
      R"k("parameter_names": ["n"], "input_mb": "n", "walltime": "n * 60", "resources": "/core=(n+1)", "memory_mb": "2*input_mb", "max_walltime": "9:00:00")k");
  const auto read = from_json(to_json(file));
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(*read, file);
}

RC_GTEST_PROP(Walltimes, RoundedUp_AreNotShorter_AndAtMostAnEighthLonger, ()) {
  const auto seconds = *rc::gen::inRange<std::int64_t>(1, 1'000'000);
  const auto rounded = grid::round_up_walltime(grid::Seconds{seconds}).count();
  RC_ASSERT(rounded >= seconds);
  RC_ASSERT(rounded - seconds <= seconds / 8);
  RC_ASSERT(grid::round_up_walltime(grid::Seconds{rounded}).count() == rounded);
}

RC_GTEST_PROP(Expressions, Linear_GiveWhatArithmeticGives, ()) {
  const auto factor = *rc::gen::inRange(1, 50);
  const auto plus = *rc::gen::inRange(0, 1000);
  const auto word = *rc::gen::inRange(1, 100);
  const auto file = campaign(fmt::format(R"k("walltime": "{} * p1 + {}")k", factor, plus));
  const grid::Seconds exact{std::int64_t{factor} * word + plus};
  RC_ASSERT(asked(file, std::to_string(word)).walltime == grid::round_up_walltime(exact));
}

RC_GTEST_PROP(Expressions, OfAnyText_AreReadOrRefused_AndNeverMore, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("p1", "p2", "input_mb", "(", ")", "+", "-", "*", "/", "^", ",", "?", ":", "=", "==", "<", "!", "\"",
                                    "max", "sqrt", "1", "0", ".5", "1e9", " ", "x", "&&", "[", "é"));
  std::string text;
  for (const auto& piece : pieces) text += piece;
  auto compiled = Expression::compile(text, expression_names({}, false));
  if (!compiled) {
    RC_ASSERT(!compiled.error().empty());
    return;
  }
  const std::vector<double> values(compiled->names().size(), *rc::gen::inRange(-10, 10));
  const auto result = compiled->evaluate(values);
  if (result) RC_ASSERT(std::isfinite(*result));
}

RC_GTEST_PROP(Expressions, AnyParameter_GetsARequestOrASentenceThatNamesItsTask, ()) {
  const auto words = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("1", "-3", "0", "4.5", "abc", "nan", "1e400", "0x10", "7x", ""));
  auto requests = requests_of(campaign(R"k("walltime": "60 * p1", "resources": "/core=max(1,p2)")k"));
  const auto number = requests.request_of(3, Arguments{words});
  if (number) RC_ASSERT(*number == 1);
  else RC_ASSERT(number.error().starts_with("task 3, parameter "));
}

}  // namespace
}  // namespace gleaner::jdl
