#pragma once
#include <mruby.h>

namespace gleaner::rules::ruby {

/// Defines Regexp, MatchData and the methods of String that take a Regexp, so that a rule may have `/alpha|beta/ =~ name`. Patterns are
/// those of ECMAScript, with Ruby's \A, \z, \Z, \h and named groups, which count by their numbers. `^` and `$` are the ends of the whole
/// text, and a text is its bytes. A wrong pattern raises RegexpError.
void define_regexp(mrb_state* mrb);

}  // namespace gleaner::rules::ruby
