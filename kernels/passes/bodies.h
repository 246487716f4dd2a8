/* bodies - includes the plain bodies of all passes; only the back ends include it. */
#ifndef RD_PASSES_BODIES_H
#define RD_PASSES_BODIES_H

#include "kernels/passes/lists/capacity.h"
#include "kernels/passes/lists/index.h"
#include "kernels/passes/lists/maintain.h"
#include "kernels/passes/lists/reduce.h"
#include "kernels/passes/lists/refill.h"
#include "kernels/passes/lists/rollback.h"
#include "kernels/passes/movement/hop.h"
#include "kernels/passes/movement/land.h"
#include "kernels/passes/movement/move.h"
#include "kernels/passes/movement/reservoir.h"
#include "kernels/passes/movement/substep_hop.h"
#include "kernels/passes/reactions/field_rate.h"
#include "kernels/passes/totals/first_moments.h"
#include "kernels/passes/totals/random_words.h"
#include "kernels/passes/totals/site_sums.h"
#include "kernels/passes/totals/stop_runs.h"

#endif
