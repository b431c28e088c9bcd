#include "report/typeset.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/atomic_file.h"
#include "base/atomic_folder.h"
#include "base/input_file.h"
#include "base/processors.h"
#include "base/shards.h"
#include "base/subprocess.h"
#include "base/unfinished_files.h"
#include "base/utf8.h"
#include "report/pgfplots.h"

namespace airlot::report {
namespace {

constexpr std::string_view kPackages = "texlive-latex-recommended texlive-pictures";

// The picture is set into a box, and the page is as wide as the columns, or as the box where that
// is wider. Nothing in the file tells when or where it was made.
std::string DocumentOf(const Picture& picture, const PaperStyle& paper) {
  return fmt::format(
      "\\documentclass{{article}}\n"
      "\\usepackage{{pgfplots}}\n"
      "\\pgfplotsset{{compat=1.16}}\n"
      "\\pdfinfoomitdate=1 \\pdftrailerid{{}}\\pdfsuppressptexinfo=15\n"
      "\\newsavebox\\picturebox\n"
      "\\newdimen\\picturewidth\n"
      "\\begin{{document}}\n"
      "\\sbox\\picturebox{{%\n{}}}\n"
      "\\picturewidth={}\n"
      "\\ifdim\\wd\\picturebox>\\picturewidth \\picturewidth=\\wd\\picturebox \\fi\n"
      "\\pdfhorigin=0pt \\pdfvorigin=1pt \\hoffset=0pt \\voffset=0pt\n"
      "\\pdfpagewidth=\\picturewidth\n"
      "\\pdfpageheight=\\dimexpr\\ht\\picturebox+\\dp\\picturebox+2pt\\relax\n"
      "\\shipout\\hbox to \\picturewidth{{\\hss\\box\\picturebox\\hss}}\n"
      "\\end{{document}}\n",
      picture.latex, ColumnWidth(paper.columns));
}

// Returns the first error that TeX has noted down: "! Undefined control sequence.".
std::string FirstError(std::string_view log) {
  const std::size_t at = log.starts_with("! ") ? 0 : log.find("\n! ");
  if (at == std::string_view::npos) return "its log names no error";
  const std::string_view line = log.substr(at == 0 ? 2 : at + 3);
  return base::SafeForTerminal(line.substr(0, line.find('\n')));
}

Error Missing(std::string_view what) {
  return {
      fmt::format("{} is missing, which PDF figures need: install the Debian packages {}, or "
                  "leave pdf out of the formats",
                  what, kPackages)};
}

Result<std::string> Typeset(const Picture& picture, const PaperStyle& paper,
                            const std::string& folder, std::size_t number) {
  const std::string job = fmt::format("picture-{}", number);
  const std::string path = (std::filesystem::path(folder) / job).string();
  if (auto status = base::WriteWhole(path + ".tex", DocumentOf(picture, paper)); !status) {
    return status.error();
  }
  const auto code =
      base::RunProgram({"pdflatex", "-no-shell-escape", "-interaction=batchmode", "-halt-on-error",
                        "-output-directory=" + folder, "-jobname=" + job, path + ".tex"},
                       path + ".out");
  if (!code) return code.error();
  if (*code == base::kNoSuchProgram) return Missing("pdflatex");
  if (*code == 0) return base::ReadWhole(path + ".pdf", base::kNoLimit);
  const auto log = base::ReadWholeIfThere(path + ".log");
  if (!log) return log.error();
  const std::string error = FirstError(log->value_or(""));
  if (error.find("pgfplots.sty' not found") != std::string::npos) return Missing("pgfplots");
  return Error{fmt::format("{}: pdflatex failed ({}): {}", picture.name, *code, error)};
}

}  // namespace

Result<std::vector<std::string>> TypesetAll(
    std::span<const Picture> pictures, const PaperStyle& paper,
    const std::function<void(std::size_t, std::size_t)>& tell) {
  std::error_code error;
  const auto scratch = std::filesystem::temp_directory_path(error);
  if (error) return Error{"there is no folder for temporary files: " + error.message()};
  // This folder is never put in place: it goes with all that is in it.
  const auto folder = base::AtomicFolder::Create((scratch / "airlot-pictures").string());
  if (!folder) return folder.error();
  std::vector<std::string> pdfs(pictures.size());
  std::optional<Error> failure;
  std::size_t done = 0;
  std::mutex mutex;
  // No more run at a time than an interrupt ends.
  const int threads = std::min(base::UsableProcessors(), base::kMostUnfinishedProcesses);
  base::ForEachTask(pictures.size(), threads, [&](std::size_t task, std::size_t) {
    {
      const std::lock_guard lock(mutex);
      if (failure) return;
    }
    auto pdf = Typeset(pictures[task], paper, folder->path(), task);
    const std::lock_guard lock(mutex);
    if (!pdf) {
      if (!failure) failure = pdf.error();
      return;
    }
    pdfs[task] = std::move(*pdf);
    if (tell) tell(++done, pictures.size());
  });
  if (failure) return *failure;
  return pdfs;
}

}  // namespace airlot::report
