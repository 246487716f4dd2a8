/* bodies - every pass; only the back ends read it. */
#ifndef RD_BODIES_H
#define RD_BODIES_H

#include "enter.h"
#include "hop.h"
#include "land.h"
#include "react.h"

#endif
