#pragma once

namespace mirab {

/// In what a file is written.
enum class Syntax { yaml, json };

}  // namespace mirab
