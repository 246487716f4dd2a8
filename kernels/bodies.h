/* bodies - every pass; only the back ends read it. */
#ifndef RD_BODIES_H
#define RD_BODIES_H

#include "average.h"
#include "cease.h"
#include "enter.h"
#include "flow.h"
#include "grant.h"
#include "hop.h"
#include "index.h"
#include "land.h"
#include "maintain.h"
#include "move.h"
#include "recall.h"
#include "reduce.h"
#include "refill.h"
#include "roam.h"
#include "survey.h"
#include "words.h"

#endif
