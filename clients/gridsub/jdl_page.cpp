#include "clients/gridsub/jdl_page.hpp"

#include "lib/jdl/described_keys.hpp"
#include "lib/process/manual_page.hpp"

namespace gleaner::gridsub {
namespace {

void add_keys(process::ManualPage& page, jdl::DescribedKey::Level level) {
  for (const auto& key : jdl::described_keys()) {
    if (key.level == level) page.add_item(key.name, key.value, key.meaning);
  }
}

}  // namespace

std::string jdl_page() {
  process::ManualPage page{"gleaner-jdl", 5, "campaign files of Gleaner"};
  page.begin_section("DESCRIPTION");
  page.add_text(
      "A campaign file (JDL) is a JSON object. It may have comments: // or # to the end of the line, and /* ... */. CiGri's classic form is "
      "read too. gridsub(1) submits it; gridsub --dry-run checks it, and submits nothing.");
  page.add_text(
      "{ \"name\": \"pi\", \"nb_jobs\": 200, \"exec_file\": \"$HOME/pi.sh\",\n  \"clusters\": { \"alpha\": {}, \"beta\": { \"walltime\": "
      "\"3:00:00\" } } }");
  page.add_text(
      "In the classic form, DEFAULT has the campaign's keys, and each cluster has a section of its own. A key is written as here or with "
      "capitals (maxJobs), and also execDir for exec_directory; an array or an object is written as in JSON:");
  page.add_text("DEFAULT { name = pi ; nbJobs = 200 ; retry_on = [1, 137] ; }\nalpha { execFile = $HOME/pi.sh ; maxJobs = 20 ; }");
  page.begin_section("KEYS OF THE CAMPAIGN");
  add_keys(page, jdl::DescribedKey::Level::campaign);
  page.begin_section("KEYS OF A CLUSTER");
  page.add_text("On the top level they hold for every cluster that does not have them itself.");
  add_keys(page, jdl::DescribedKey::Level::cluster);
  return page.text();
}

}  // namespace gleaner::gridsub
