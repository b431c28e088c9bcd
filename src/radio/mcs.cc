// This file has the tables of modulation and coding schemes, and reads those of users.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "airlot/radio.h"
#include "base/csv.h"
#include "base/text.h"

namespace airlot {
namespace {

// The efficiencies are those of the CQI indices 1 to 15 of 3GPP TS 36.213, Table 7.2.3-1. The SNRs
// are not in the standard: they are the ones that simulations of a link without fading give for a
// block error rate of 10 %, in the numbers that go round (docs/radios.md).
constexpr std::array<McsRow, 15> kCqi{{{-6.7, 0.1523},
                                       {-4.7, 0.2344},
                                       {-2.3, 0.3770},
                                       {0.2, 0.6016},
                                       {2.4, 0.8770},
                                       {4.3, 1.1758},
                                       {5.9, 1.4766},
                                       {8.1, 1.9141},
                                       {10.3, 2.4063},
                                       {11.7, 2.7305},
                                       {14.1, 3.3223},
                                       {16.3, 3.9023},
                                       {18.7, 4.5234},
                                       {21.0, 5.1152},
                                       {22.7, 5.5547}}};

constexpr std::array kTables{
    McsTableEntry{"cqi", "LTE's 15 CQI indices, QPSK to 64-QAM, at 10 % block errors.", kCqi}};

constexpr std::array<std::string_view, 2> kColumns{"snr_db", "bit_per_s_per_hz"};

Result<McsRow> ReadMcsRow(const base::CsvReader& csv, const McsRow* previous) {
  double numbers[2] = {};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string_view text = csv.fields()[i];
    const auto error = [&](std::string_view bound) {
      return Error{
          fmt::format("{}: {} = {}: {}", csv.Where(), kColumns[i], base::Quoted(text), bound)};
    };
    const auto number = base::ParseNumber(text);
    if (!number || !std::isfinite(*number)) return error("must be a number");
    if (i == 0 && std::abs(*number) > kMostMcsSnrDb) {
      return error(fmt::format("must be {} to {}", -kMostMcsSnrDb, kMostMcsSnrDb));
    }
    if (i == 1 && !(*number > 0 && *number <= kMostMcsEfficiency)) {
      return error(fmt::format("must be > 0 and <= {}", kMostMcsEfficiency));
    }
    if (previous != nullptr) {
      const double before = i == 0 ? previous->snr_db : previous->bit_per_s_per_hz;
      if (*number <= before) {
        return error(fmt::format("must be more than {} of the row before: both columns rise",
                                 base::FormatNumber(before)));
      }
    }
    numbers[i] = *number;
  }
  return McsRow{numbers[0], numbers[1]};
}

}  // namespace

std::span<const McsTableEntry> McsTables() { return kTables; }

Result<std::vector<McsRow>> ReadMcsRows(const std::string& path) {
  auto csv = base::CsvReader::Open(path);
  if (!csv) return csv.error();
  if (!std::ranges::equal(csv->header(), kColumns)) {
    return Error{fmt::format("{}: columns {}: an MCS table has snr_db,bit_per_s_per_hz",
                             csv->Where(), fmt::join(csv->header(), ","))};
  }
  std::vector<McsRow> rows;
  while (true) {
    const auto more = csv->Next();
    if (!more) return more.error();
    if (!*more) break;
    if (rows.size() == kMostRateRows) {
      return Error{
          fmt::format("{}: an MCS table has at most {} rows", csv->Where(), kMostRateRows)};
    }
    const auto row = ReadMcsRow(*csv, rows.empty() ? nullptr : &rows.back());
    if (!row) return row.error();
    rows.push_back(*row);
  }
  if (rows.empty()) return Error{fmt::format("{}: has a header but no rows", path)};
  return rows;
}

Status Validate(const McsTable& table) {
  const auto& rows = table.rows;
  if (rows.size() > kMostRateRows) {
    return FieldError("mcs", fmt::format("{} rows", rows.size()),
                      fmt::format("must have at most {}", kMostRateRows));
  }
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double snr_db = rows[k].snr_db;
    const double rate = rows[k].bit_per_s_per_hz;
    const auto error = [&](std::string_view bound) {
      return FieldError(
          "mcs", fmt::format("[{}, {}]", base::FormatNumber(snr_db), base::FormatNumber(rate)),
          fmt::format("row {}: {}", k + 1, bound));
    };
    if (!(std::abs(snr_db) <= kMostMcsSnrDb)) {
      return error(fmt::format("the SNR must be {} to {} dB", -kMostMcsSnrDb, kMostMcsSnrDb));
    }
    if (!(rate > 0 && rate <= kMostMcsEfficiency)) {
      return error(fmt::format("the rate must be > 0 and <= {} bit/s/Hz", kMostMcsEfficiency));
    }
    if (k > 0 && (snr_db <= rows[k - 1].snr_db || rate <= rows[k - 1].bit_per_s_per_hz)) {
      return error(fmt::format("SNR and rate must rise, and row {} is [{}, {}]", k,
                               base::FormatNumber(rows[k - 1].snr_db),
                               base::FormatNumber(rows[k - 1].bit_per_s_per_hz)));
    }
  }
  return {};
}

RadioSteps StepsOf(const Radio& radio) {
  RadioSteps steps{.min_power_w = radio.power.min_power_w,
                   .power_step = FromDecibel(radio.power.step_db),
                   .power_levels_w = radio.power.levels_w};
  for (const auto& [snr_db, rate] : radio.coding.mcs.rows) {
    steps.rates.push_back({FromDecibel(snr_db), rate});
  }
  return steps;
}

}  // namespace airlot
