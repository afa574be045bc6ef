#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <mirab/model/placement.hpp>
#include <mirab/model/result.hpp>

namespace mirab {

/// What `taint_text` writes, and `key:NoSchedule`. Errors have a message only.
Result<Taint> parse_taint(std::string_view text);

/// Can the text of the taint be read back? Errors have a message only.
Check check_taint(const Taint& taint);

/// Can the text of the toleration be read back? Errors have a message only.
Check check_toleration(const Toleration& toleration);

/// What `toleration_text` writes. Errors have a message only.
Result<Toleration> parse_toleration(std::string_view text);

/// Is it an effect of a taint?
Check check_effect(std::string_view effect);

/// Of 63 bits; nothing where the text is no whole number.
std::optional<std::int64_t> whole_number(std::string_view text);

}  // namespace mirab
