#pragma once

#include <mirab/experiments/experiment.hpp>

namespace mirab::experiments {

// One function an experiment, each in the file of its name; registry.cpp puts them into a table.
Experiment psdsf_bitbrains_row();
Experiment psdsf_fig1_row();
Experiment psdsf_fig2_row();
Experiment psdsf_google_row();
Experiment psdsf_table1_row();
Experiment psdsf_time_row();
Experiment slides_comparison_row();
Experiment slides_properties_row();
Experiment slides_table1_row();
Experiment slides_two_servers_row();

}  // namespace mirab::experiments
