// The rules of docs/admission-rules.md, as they stand there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "tests/unit/rules_builders.hpp"

namespace gleaner::tests {
namespace {

using rules::Effect;
using testing::ElementsAre;
using testing::HasSubstr;

/// The ruby below each `### name`.
std::map<std::string, std::string> documented_rules() {
  const char* root = std::getenv("GLEANER_SOURCE_DIR");
  std::ifstream file{std::filesystem::path{root != nullptr ? root : "."} / "docs/admission-rules.md"};
  std::map<std::string, std::string> rules;
  std::string name;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("### ")) name = line.substr(4);
    else if (line == "```ruby") inside = true;
    else if (line.starts_with("```")) inside = false;
    else if (inside) rules[name] += line + "\n";
  }
  return rules;
}

class DocumentedRules : public testing::Test {
 protected:
  [[nodiscard]] rules::Admission admit_by(const std::string& name, const Asked& asked = {}) const {
    return admit({rules_.at(name)}, asked);
  }
  std::map<std::string, std::string> rules_ = documented_rules();
};

TEST_F(DocumentedRules, AreFive) { EXPECT_EQ(rules_.size(), 5u); }

TEST_F(DocumentedRules, CapWalltime_LowersWhatIsLonger) {
  EXPECT_THAT(changes_of(admit_by("cap-walltime")), ElementsAre(R"(clusters.alpha.walltime: "12:00:00" -> "2:00:00")"));
}

TEST_F(DocumentedRules, ForceProject_GivesTheUsersOwn_OrRefuses) {
  EXPECT_EQ(admit_by("force-project").file.clusters.at(1).project, "climate");
  EXPECT_THAT(admit_by("force-project", {.user = "bob"}).steps.at(0).message, HasSubstr("bob is in no project"));
}

TEST_F(DocumentedRules, NoBeta_TakesItAway_OrRefusesWhatHasNothingElse) {
  EXPECT_FALSE(admit_by("no-beta").is_changed());
  const auto without = admit_by("no-beta", {.user = "emathi"});
  EXPECT_THAT(changes_of(without), ElementsAre("clusters.beta: taken away"));
  EXPECT_THAT(without.steps.at(0).notes, ElementsAre("beta is not for emathi: the campaign runs on alpha"));
  const Asked only_beta{.jdl = R"({"name": "n", "exec_file": "x", "clusters": {"beta": {}}})", .user = "guest"};
  EXPECT_EQ(admit_by("no-beta", only_beta).steps.at(0).effect, Effect::refused);
}

TEST_F(DocumentedRules, DefaultProperties_FillWhatIsEmpty) {
  EXPECT_THAT(changes_of(admit_by("default-properties")), ElementsAre(R"(clusters.alpha.properties: "" -> "local = 'NO'")"));
}

TEST_F(DocumentedRules, FewTasks_RefusesMany_ButNotJanes) {
  EXPECT_EQ(admit_by("few-tasks", {.user = "bob", .tasks = 10'000}).obstacle(), nullptr);
  EXPECT_EQ(admit_by("few-tasks", {.user = "jane", .tasks = 25'000}).obstacle(), nullptr);
  EXPECT_EQ(admit_by("few-tasks", {.user = "bob", .tasks = 25'000}).steps.at(0).message,
            "bob: at most 10000 tasks in one campaign, and these are 25000");
}

}  // namespace
}  // namespace gleaner::tests
