// What main() of each program calls. They return the exit status: 0 right, 1 wrong result or hazard, 2 bad arguments or
// an impossible request. A refusal is one sentence on stderr, with nothing launched and no file written.
#pragma once

namespace harness {

int chapter_program(int argc, const char* const* argv);  // one chapter, the only one linked
int compare_program(int argc, const char* const* argv);  // all chapters linked
int doctor_program(int argc, const char* const* argv);   // what this machine has

}  // namespace harness
