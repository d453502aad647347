#include "clients/api_client.hpp"
#include "clients/gridnotify/gridnotify.hpp"
#include "lib/process/run.hpp"

int main(int argc, char** argv) {
  using namespace gleaner;
  const process::Program program{
      .name = "gridnotify",
      .purpose = "Says what the grid tells me by itself, and where: by mail, or posted to a web address. Without options, shows it.",
      .keys = clients::styled_keys(),
      .options = {{"list,l", "", "show my subscriptions, and whether messages arrive"},
                  {"mail,m", "ADDRESS", "tell me by mail"},
                  {"webhook,w", "URL", "post it to this address (https), as JSON that is signed"},
                  {"chat", "", "--webhook: post {\"text\": …}, as Slack, Mattermost and hookshot for Matrix take it"},
                  {"jabber,j", "ID", "CiGri's; this grid sends none: use --mail or --webhook"},
                  {"severity,s", "SEVERITY",
                   "what: high (ends, first failures, pauses), medium (brakes and other trouble too) or low (all)"},
                  {"global,g", "", "what concerns the whole grid, instead of my campaigns (administrators)"},
                  {"quiet-hours", "HOURS", "nothing in these hours, such as 22:00-07:00; it comes afterwards"},
                  {"zone", "ZONE", "--quiet-hours: their time zone, such as Europe/Paris (that of this machine, $TZ)"},
                  {"unsubscribe,u", "", "with -m or -w: end this subscription"},
                  {"test,t", "", "send a test message to each of my subscriptions, or to that of -m or -w, and see whether it is taken"},
                  {"verbose,v", "", "say what was done, which is only left out with the style cigri"},
                  {"json", "", "print JSON"},
                  {"csv", "", "print CSV"}},
      .interruption = process::Interruption::ends_program,
      .notes =
          "What happens to one campaign within some minutes is one message. A campaign's key 'notify' (low, medium, high, end or none)\n"
          "goes before the severity that is asked for here."};
  return process::run(program, argc, argv, gridnotify::gridnotify);
}
