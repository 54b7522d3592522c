// Files that appear whole or not at all.
#pragma once

#include <string>

namespace harness {

// A file that is opened before a run, so that a path that cannot be written is refused in time, and gets its name only
// when its text is there: until then it is a temporary file beside it, which goes when the object goes.
class OutputFile {
 public:
  // `option`, for the message: "--json". "-" is stdout, an empty path nothing at all; devices and pipes are written
  // directly. Throws Refusal.
  OutputFile(const std::string& option, const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  bool wanted() const { return !path_.empty(); }
  bool is_stdout() const { return path_ == "-"; }

  // Writes and names the file. Throws Refusal if the disk does not take it.
  void write(const std::string& text);

 private:
  std::string option_;
  std::string path_;
  std::string temporary_;  // empty: written directly
};

}  // namespace harness
