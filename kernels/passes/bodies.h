/* bodies - the plain bodies of all passes; its own file because both back ends include it. */
#ifndef RD_PASSES_BODIES_H
#define RD_PASSES_BODIES_H

#include "kernels/passes/lists/capacity.h"
#include "kernels/passes/lists/maintain.h"
#include "kernels/passes/lists/rollback.h"
#include "kernels/passes/lists/update_lists.h"
#include "kernels/passes/movement/hop_rows.h"
#include "kernels/passes/movement/move.h"
#include "kernels/passes/movement/reservoir.h"
#include "kernels/passes/movement/substep_hop.h"
#include "kernels/passes/movement/walk.h"
#include "kernels/passes/reactions/exchange.h"
#include "kernels/passes/reactions/field_rate.h"
#include "kernels/passes/reactions/mix.h"
#include "kernels/passes/reactions/react_rows.h"
#include "kernels/passes/totals/random_words.h"
#include "kernels/passes/totals/totals.h"

#endif
