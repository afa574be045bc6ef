// The whole public interface of Mirab, for users of the library.
#pragma once

#include <mirab/audit/audit.hpp>
#include <mirab/audit/difference.hpp>
#include <mirab/audit/explanation.hpp>
#include <mirab/audit/group_metrics.hpp>
#include <mirab/audit/level_form.hpp>
#include <mirab/audit/metrics.hpp>
#include <mirab/audit/properties.hpp>
#include <mirab/audit/verdict.hpp>
#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/allocation.hpp>
#include <mirab/model/assert.hpp>
#include <mirab/model/choice.hpp>
#include <mirab/model/classes.hpp>
#include <mirab/model/cluster_file.hpp>
#include <mirab/model/problem.hpp>
#include <mirab/model/quantity.hpp>
#include <mirab/model/random.hpp>
#include <mirab/model/result.hpp>
#include <mirab/model/syntax.hpp>
#include <mirab/scheduling/fill.hpp>
#include <mirab/traces/google2011.hpp>
#include <mirab/traces/openb.hpp>
