// Linked with all chapters.
#include "common/harness/programs.h"

int main(int argc, char** argv) { return harness::compare_program(argc, argv); }
