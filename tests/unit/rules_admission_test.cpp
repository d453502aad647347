// Changes that rules may make to a campaign, and actions that the sandbox stops.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/rules_builders.hpp"

namespace gleaner::tests {
namespace {

using rules::Effect;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const rules::Step& only(const rules::Admission& admission) { return admission.steps.at(0); }

TEST(Rules, ARuleThatDoesNothing_LeavesTheCampaignAsItWas) {
  const auto admission = admit({"", "# only a comment", "x = jdl[\"name\"] + user"});
  EXPECT_EQ(admission.steps.size(), 3u);
  EXPECT_FALSE(admission.is_changed());
  EXPECT_EQ(admission.obstacle(), nullptr);
  EXPECT_EQ(admission.file, jdl::parse(kTwoClusters).value());
}

TEST(Rules, AChange_IsMade_AndReported) {
  const auto admission = admit({R"(jdl["clusters"]["alpha"]["walltime"] = "2:0:0")"});
  EXPECT_EQ(admission.file.clusters.at(0).walltime, grid::Seconds{7200});
  EXPECT_THAT(changes_of(admission), ElementsAre(R"(clusters.alpha.walltime: "12:00:00" -> "2:00:00")"));
  EXPECT_THAT(rules::sentences(only(admission)),
              ElementsAre(R"(the admission rule 'rule-1' changed clusters.alpha.walltime: "12:00:00" -> "2:00:00")"));
}

TEST(Rules, AClusterTakenAway_AFieldAdded_AndANewName_AreReported) {
  const auto admission = admit({R"(jdl["clusters"].delete("alpha"); jdl["clusters"]["beta"]["max_jobs"] = 7; jdl["name"] = "élan")"});
  EXPECT_EQ(admission.file.clusters.size(), 1u);
  EXPECT_EQ(admission.file.name, "élan");
  EXPECT_THAT(changes_of(admission),
              testing::UnorderedElementsAre(R"(name: "essai" -> "élan")", "clusters.alpha: taken away", "clusters.beta.max_jobs: 7"));
}

TEST(Rules, TheVariableItself_MayBeGivenANewHash) {
  const auto admission = admit({R"(jdl = jdl.merge("name" => "other"))"});
  EXPECT_EQ(admission.file.name, "other");
}

TEST(Rules, Defaults_AreStated_WhereTheFileSetsNone) {
  const auto admission = admit(
      {R"(warn [jdl["clusters"]["beta"]["walltime"], jdl["clusters"]["alpha"]["type"], jdl["clusters"]["beta"]["cluster_job_type"], jdl["test_mode"]].join(" "))"});
  EXPECT_THAT(only(admission).notes, ElementsAre("1:00:00 best-effort devel,night false"));
}

/// Rules as CiGri's administrators wrote them.
TEST(Rules, OfCigri_RaiseItsError_CountTheParameters_AndMatchPatterns) {
  const auto refused = admit({R"(jdl["clusters"].each do |name, cluster|
  if cluster["type"] != "best-effort"
    raise Cigri::Error, "You are not authorized to launch non best-effort jobs on cluster #{name}!"
  end
end)"});
  EXPECT_EQ(only(refused).effect, Effect::refused);
  EXPECT_EQ(only(refused).message, "You are not authorized to launch non best-effort jobs on cluster beta!");

  const std::string few = R"(raise Cigri::Error.new("too many: #{jdl["params"].length}") if jdl["params"].length > 100)";
  EXPECT_EQ(only(admit({few}, {.tasks = 101})).message, "too many: 101");
  EXPECT_EQ(only(admit({few}, {.tasks = 100})).effect, Effect::unchanged);
  EXPECT_EQ(only(admit({"refuse jdl['nb_jobs'].to_s if jdl['nb_jobs'] == 7 && jdl['params'].size == 7"}, {.tasks = 7})).message, "7");
  EXPECT_EQ(only(admit({"refuse 'no' if jdl['unknown']"})).effect, Effect::unchanged);

  const auto matched = admit({R"(jdl["clusters"].each do |name, cluster|
  if cluster["walltime"] =~ /\A(\d+):/ && $1.to_i > 10
    cluster["walltime"] = cluster["walltime"].sub(/^\d+/, "10")
  end
end)"});
  EXPECT_THAT(changes_of(matched), ElementsAre(R"(clusters.alpha.walltime: "12:00:00" -> "10:00:00")"));
}

TEST(Rules, RegularExpressions_AreThoseOfTheirLanguage) {
  const auto value = [](const std::string& expression) {
    const auto admission = admit({"refuse((" + expression + ").inspect)"});
    return only(admission).message;
  };
  EXPECT_EQ(value(R"("alpha12" =~ /\d/)"), "5");
  EXPECT_EQ(value(R"("alpha" =~ /\d/)"), "nil");
  EXPECT_EQ(value(R"("alpha" !~ /\d/)"), "true");
  EXPECT_EQ(value(R"(/ALPHA/i.match?("xalpha"))"), "true");
  EXPECT_EQ(value(R"("node-7.alpha".match(/(?<node>\w+)-(\d+)/).captures)"), R"(["node", "7"])");
  EXPECT_EQ(value(R"("a1b22".scan(/\d+/))"), R"(["1", "22"])");
  EXPECT_EQ(value(R"("a1b22".gsub(/(\d+)/, "<\\1>"))"), R"("a<1>b<22>")");
  EXPECT_EQ(value(R"("abc".gsub(/b*/) { |found| "[" + found + "]" })"), R"("[]a[b][]c[]")");
  EXPECT_EQ(value(R"("a.b".gsub(".", "-"))"), R"("a-b")") << "texts are replaced as before";
  EXPECT_EQ(value(R"((case "beta" when /^al/ then 1 when /^be/ then 2 end))"), "2");
  EXPECT_EQ(value(R"("x=1; y".match(/=(\d)/).post_match)"), R"("; y")");
  EXPECT_EQ(value(R"("A" =~ /\h\z/)"), "0");
  const auto wrong = admit({"refuse 'x' if 'a' =~ /(/"});
  EXPECT_EQ(only(wrong).effect, Effect::failed);
  EXPECT_THAT(only(wrong).message, HasSubstr("RegexpError"));
}

TEST(Rules, TheyRunInOrder_EachOnWhatTheOneBeforeMade) {
  const auto admission = admit(
      {R"(jdl["name"] = jdl["name"] + "-1")", R"(jdl["name"] = jdl["name"] + "-2")", R"(refuse jdl["name"])", R"(jdl["name"] = "never")"});
  ASSERT_EQ(admission.steps.size(), 3u);
  EXPECT_EQ(admission.steps[2].effect, Effect::refused);
  EXPECT_EQ(admission.steps[2].message, "essai-1-2");
}

TEST(Rules, OneRule_LeavesNothingBehindForTheNext) {
  const auto admission = admit({"class String; def length; 0; end; end; $x = 1; def helper; 2; end",
                                R"(refuse "left" if "abc".length == 0 || $x || respond_to?(:helper))"});
  EXPECT_EQ(admission.obstacle(), nullptr);
}

TEST(Rules, ADisabledRule_IsNotRun) {
  auto setting = a_setting({R"(refuse "no")"});
  setting.rules[0].enabled = false;
  rules::Sandbox sandbox{"/nonexistent/admission"};
  const auto file = jdl::parse(kTwoClusters).value();
  EXPECT_EQ(rules::admit(sandbox, setting, {file, "jane", 1, {}}).value().steps.size(), 0u);
}

TEST(Rules, Refuse_EndsTheCampaign_WithItsMessage) {
  const auto admission = admit({R"(refuse "pas ici, #{user}: é😀")"});
  ASSERT_NE(admission.obstacle(), nullptr);
  EXPECT_EQ(only(admission).effect, Effect::refused);
  EXPECT_EQ(only(admission).message, "pas ici, jane: é😀");
}

TEST(Rules, RaiseWithAMessage_RefusesToo_AsInCigri3) {
  EXPECT_EQ(only(admit({R"(raise "no such luck")"})).effect, Effect::refused);
  EXPECT_EQ(only(admit({R"(begin; raise "x"; rescue => e; raise "again: #{e.message}"; end)"})).message, "again: x");
  EXPECT_EQ(only(admit({R"(begin; raise "x"; rescue => e; end)"})).effect, Effect::unchanged);
  EXPECT_EQ(only(admit({R"(begin; refuse "x"; rescue => e; end)"})).effect, Effect::refused);
}

TEST(Rules, Warn_ReachesTheUser) {
  const auto admission = admit({R"(warn "be quick"; warn 3)"});
  EXPECT_EQ(only(admission).effect, Effect::unchanged);
  EXPECT_THAT(rules::sentences(only(admission)),
              ElementsAre("the admission rule 'rule-1' says: be quick", "the admission rule 'rule-1' says: 3"));
}

TEST(Rules, UserTasksAndClusters_AreSeen) {
  const auto admission = admit(
      {R"(refuse "#{user} #{tasks} #{clusters.keys.join(",")} #{clusters["beta"]["max_resources"]} #{clusters["alpha"]["power"]} #{clusters["beta"]["normal_users"]} #{clusters["gamma"]["enabled"]}")"});
  EXPECT_EQ(only(admission).message, R"(jane 10 alpha,beta,gamma 64 1.5 ["jane"] false)");
}

TEST(Rules, AnException_IsAnErrorOfTheRule_WithItsLine) {
  const auto admission = admit({"x = 1\njdl[\"clusters\"].each do |name, cluster|\n  cluster.foo\nend"});
  ASSERT_NE(admission.obstacle(), nullptr);
  EXPECT_EQ(only(admission).effect, Effect::failed);
  EXPECT_THAT(rules::failure_text(only(admission)), AllOf(HasSubstr("line 3: NoMethodError"), HasSubstr("foo")));
  EXPECT_THAT(rules::failure_text(only(admit({"\nraise ArgumentError, \"é\""}))), "line 2: ArgumentError: é");
  EXPECT_EQ(only(admit({"exit"})).effect, Effect::failed);
}

TEST(Rules, ASyntaxError_IsReported_WithItsLine) {
  rules::Sandbox sandbox{admission_program()};
  const auto wrong = sandbox.check("x = 1\nif x\n  y = {\nend").value();
  ASSERT_TRUE(wrong);
  EXPECT_GE(wrong->line, 3);
  EXPECT_THAT(wrong->message, HasSubstr("syntax error"));
  EXPECT_FALSE(sandbox.check("refuse \"é\" if tasks > 3").value());
  EXPECT_EQ(only(admit({"x = ("})).effect, Effect::failed);
}

TEST(Rules, AnEndlessLoop_IsStopped_AndItsPlaceReported) {
  for (const auto* text : {"x = 1\n\nwhile true\n x += 1\nend", "loop do\nend", "def f(x)\n  1_000_000_000_000.times { |i| i }\nend\nf(1)",
                           "begin; loop {}; rescue Exception; end"}) {
    const auto admission = admit({text, "refuse \"later\""}, {}, {.time = std::chrono::milliseconds{200}});
    ASSERT_EQ(admission.steps.size(), 1u);
    EXPECT_EQ(only(admission).effect, Effect::failed);
    EXPECT_THAT(only(admission).message, HasSubstr("ran for more than 0.2 s"));
  }
}

/// Either limit may stop such a rule, whichever it reaches first; with all the time that it takes, that of memory does. mruby 3.3 has
/// limits of its own for the length of arrays and texts, and their errors can be rescued.
TEST(Rules, EndlessAllocation_IsStopped_ByTheLimitOfMemory) {
  for (const auto* text :
       {"a = []\nloop { a << \"x\" * 100000 }", "\"x\" * 10**12", "s = \"x\"\nloop { s = s + s }",
        "h = {}\ni = 0\nloop { h[i += 1] = i.to_s }", "begin\n a = nil\n loop { a = [a, \"x\" * 1000] }\nrescue Exception\nend"}) {
    const auto admission = admit({text});
    EXPECT_EQ(only(admission).effect, Effect::failed) << text;
    EXPECT_THAT(only(admission).message, testing::AnyOf(HasSubstr("more than 64 MiB"), HasSubstr("Error"))) << text;
  }
}

TEST(Rules, EndlessAllocation_ThatIsSlow_IsStoppedByTheLimitOfTime) {
  const auto admission = admit({"a = []\nloop { 100000.times {}; a << 1 }"}, {}, {.time = std::chrono::milliseconds{200}});
  EXPECT_EQ(only(admission).effect, Effect::failed);
  EXPECT_THAT(only(admission).message, HasSubstr("ran for more than 0.2 s"));
}

TEST(Rules, DeepRecursion_IsAnErrorOfTheRule) {
  EXPECT_THAT(only(admit({"def f(x)\n  f(x + 1)\nend\nf(0)"})).message, HasSubstr("SystemStackError"));
  const auto nested = std::string(20000, '[') + std::string(20000, ']');
  EXPECT_EQ(only(admit({"x = " + nested})).effect, Effect::failed);
}

TEST(Rules, WhatIsNoCampaign_IsAnErrorOfTheRule) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"jdl = 3", "jdl has become a Integer"},
      {"jdl = nil", "must stay a Hash"},
      {R"(jdl["name"] = :symbol)", R"(jdl["name"]: it is a Symbol)"},
      {R"(jdl["clusters"]["alpha"][:walltime] = "1:0:0")", "a key is a Symbol"},
      {R"(jdl["name"] = 0.0 / 0.0)", "Infinity or NaN"},
      {R"(jdl["name"] = "é".byteslice(0, 1))", "is not UTF-8"},
      {R"(jdl["name"] = jdl)", "holds itself"},
      {R"(jdl["clusters"]["alpha"]["walltime"] = "soon")", "clusters.alpha.walltime"},
      {R"(jdl["clusters"]["delta"] = {"exec_file" => "x"})", "there is no cluster 'delta'"},
      {R"(jdl["clusters"].clear)", "at least one cluster"},
      {R"(jdl["walltime"] = "1:00:00")", R"(change jdl["clusters"][NAME]["walltime"])"},
      {R"(jdl["params"] = ["1"])", "a rule cannot change the parameters"},
      {R"(jdl["test_mode"] = "true")", "test_mode"},
  };
  for (const auto& [text, message] : cases) {
    const auto admission = admit({text});
    EXPECT_EQ(only(admission).effect, Effect::failed) << text;
    EXPECT_THAT(only(admission).message, HasSubstr(message)) << text;
  }
}

TEST(Rules, ACampaignOfManyBrackets_IsAnErrorOfTheRule) {
  EXPECT_THAT(only(admit({R"(a = []; 200000.times { a = [a] }; jdl["name"] = a)"})).message, HasSubstr("it is nested too deeply"));
  EXPECT_THAT(only(admit({R"(a = {}; 200000.times { a = {"a" => a} }; jdl["clusters"]["alpha"] = a)"})).message,
              HasSubstr("it is nested too deeply"));
}

TEST(Rules, NothingOutside_CanBeReached) {
  for (const auto* text : {R"(File.open("/etc/passwd"))", R"(IO.popen("id"))", "`id`", R"(TCPSocket.new("127.0.0.1", 22))",
                           R"(open("/etc/passwd"))", R"(puts "x")", "$stdout.puts 1", "ObjectSpace.each_object(Class) { |c| c }",
                           "STDERR.print 1", R"(sleep 100)", R"(system "id")", R"(require "socket")"}) {
    EXPECT_EQ(only(admit({text})).effect, Effect::failed) << text;
  }
}

TEST(Rules, AProgramThatIsNotThere_IsReportedAsThat) {
  rules::Sandbox sandbox{"/nonexistent/admission"};
  const auto answer = sandbox.run({"x"}, {R"({})", "jane", 1, "{}"});
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error(), HasSubstr("/nonexistent/admission"));
}

TEST(Rules, TheParameters_OfTheCampaign_Stay) {
  const auto admission =
      admit({R"(jdl["name"] = "n")"}, {.jdl = R"({"name": "a", "params": ["1", "2"], "clusters": {"alpha": {"exec_file": "x"}}})"});
  EXPECT_EQ(std::get<jdl::Params>(admission.file.parameters).values.size(), 2u);
}

TEST(Rules, KeysWithoutEffectBesideOthers_AreNoErrorOfTheRule_AndItsOwnAreReported) {
  const std::string paired = R"({"name": "n", "exec_file": "a", "replicas": "allowed", "temporal_grouping": true, "retries": 3,
    "clusters": {"alpha": {}}})";
  const auto shortened = admit({R"(jdl["clusters"]["alpha"]["walltime"] = "0:10:00")"}, {.jdl = paired});
  EXPECT_EQ(only(shortened).effect, Effect::changed) << only(shortened).message;
  EXPECT_THAT(only(shortened).notes, IsEmpty());
  const auto once = admit({R"(jdl["max_attempts"] = 1)"}, {.jdl = paired});
  EXPECT_EQ(only(once).effect, Effect::changed) << only(once).message;
  EXPECT_THAT(only(once).notes, ElementsAre(HasSubstr("max_attempts: with max_attempts 1 a task has 1 job in all")));
}

TEST(Rules, AForcedProject_IsTheCampaignsOwnToo) {
  const auto admission = admit({R"(jdl["clusters"].each_value { |c| c["project"] = "grid" })"});
  EXPECT_EQ(admission.file.project, "grid");
  EXPECT_EQ(admission.file.clusters.at(1).project, "grid");
}

}  // namespace
}  // namespace gleaner::tests
