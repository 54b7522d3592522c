// Linked once a chapter, as chapterN, with that chapter alone.
#include "common/harness/programs.h"

int main(int argc, char** argv) { return harness::chapter_program(argc, argv); }
