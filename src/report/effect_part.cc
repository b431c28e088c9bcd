#include <fmt/format.h>

#include <cctype>

#include "report/parts.h"

namespace airlot::report {

Part EffectPart(const std::string& prefix, std::span<const EffectTable> tables) {
  Part part{.id = prefix + "effects",
            .title = "Effects between strategies",
            .text =
                "Runs with the same seed have the same fleet, channel and data, so that strategies "
                "are compared pair by pair, over complete runs. A difference counts where the p "
                "value, corrected for the number of comparisons in its table, is below 0.05."};
  for (const EffectTable& table : tables) {
    std::string subject = SubjectOf(table);
    subject[0] = char(std::toupper(static_cast<unsigned char>(subject[0])));
    Table shown{.caption = fmt::format("{}: {}", subject, NoteOf(table)),
                .rows = EffectRows(table, {.utf8 = true})};
    shown.rows[0][0] = "strategies";
    shown.id = fmt::format("effects-{}", part.tables.size() + 1);
    part.tables.push_back(std::move(shown));
  }
  return part;
}

}  // namespace airlot::report
