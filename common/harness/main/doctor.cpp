// Linked with all chapters.
#include "common/harness/programs.h"

int main(int argc, char** argv) { return harness::doctor_program(argc, argv); }
