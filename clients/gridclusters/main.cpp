#include "clients/api_client.hpp"
#include "clients/gridclusters/gridclusters.hpp"
#include "lib/process/run.hpp"

int main(int argc, char** argv) {
  using namespace gleaner;
  const process::Program program{
      .name = "gridclusters",
      .purpose = "Shows the clusters: whether jobs go there, and if not, why; their resources, and those that the grid uses.",
      .keys = clients::styled_keys(),
      .options = {{"usage,u", "", "how much of each is used, and how much by the grid"},
                  {"infos,i", "", "a line for each: its host, its stress factor, and whether it is blacklisted or under stress"},
                  {"more-infos,I", "", "all that the grid knows of each, a line for each field"},
                  {"bars,b", "", "the resources of each as a bar: used by the grid, used by others, free, unavailable"},
                  {"since,s", "AGE", "who held the resources of each from so long ago until now, in time slices: 1h, 24h, 8d at most"},
                  {"json", "", "print JSON"},
                  {"csv", "", "print CSV"},
                  {"quiet,q", "", "print names alone"},
                  {"headerless,H", "", "leave out the head of the table"}},
      .interruption = process::Interruption::ends_program};
  return process::run(program, argc, argv, gridclusters::gridclusters);
}
