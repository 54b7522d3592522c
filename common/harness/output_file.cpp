#include "common/harness/output_file.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <system_error>

#include "common/harness/refusal.h"

namespace harness {
namespace {

std::string last_error() { return std::generic_category().message(errno); }

[[noreturn]] void refuse(const std::string& option, const std::string& path, const std::string& reason) {
  throw Refusal(option + " " + path + " cannot be written (" + reason +
                "): give a file in a directory that exists and may be written, or - for stdout");
}

}  // namespace

OutputFile::OutputFile(const std::string& option, const std::string& path) : option_(option), path_(path) {
  if (!wanted() || is_stdout()) return;
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status)) refuse(option, path, "it is a directory");
  if (std::filesystem::exists(status)) {
    if (access(path.c_str(), W_OK) != 0) refuse(option, path, last_error());
    if (!std::filesystem::is_regular_file(status)) return;
    path_ = std::filesystem::canonical(path).string();  // a link stays, and its target is replaced
  }
  temporary_ = path_ + "." + std::to_string(getpid()) + ".partial";
  errno = 0;
  if (!std::ofstream(temporary_)) {
    const std::string reason = errno != 0 ? last_error() : "it cannot be opened";
    temporary_.clear();
    refuse(option, path, reason);
  }
}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void OutputFile::write(const std::string& text) {
  if (!wanted()) return;
  if (is_stdout()) {
    std::cout << text << std::flush;
    return;
  }
  std::ofstream file(temporary_.empty() ? path_ : temporary_);
  file << text << std::flush;
  if (!file) refuse(option_, path_, "the disk is full, or the file went away");
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) refuse(option_, path_, last_error());
  temporary_.clear();
}

}  // namespace harness
