#pragma once

#include <string_view>

namespace mirab::slurm {

/// Which jobs may start on a node now.
enum class NodeUse {
  open,       ///< any
  set_aside,  ///< those of a reservation, or of the job that has the part of the network around it
  unnamed,    ///< its state is none of the manual: taken for open
  closed,     ///< none
};

/// Of a state as scontrol writes it, `IDLE+CLOUD+POWERED_DOWN`, or sinfo, `drained~`; the words may be in
/// lower case or shortened. The strictest word or suffix counts. An empty state is open.
NodeUse use_of(std::string_view state);

}  // namespace mirab::slurm
