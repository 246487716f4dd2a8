/* philox_simd - computes many calls of the random generator side by side. */
#include "kernels/cpu/philox_simd.h"

RD_WIDE void rd_bunch_call(struct rd_bunch *c, const uint32_t key[2])
{
    for (int k = 0; k < RD_BUNCH; k++) {
        uint32_t c0 = c->w[0][k], c1 = c->w[1][k], c2 = c->w[2][k], c3 = c->w[3][k];
        uint32_t k0 = key[0], k1 = key[1];
        for (int round = 0; round < RD_PHILOX_ROUNDS; round++)
            rd_philox_round(&c0, &c1, &c2, &c3, &k0, &k1);
        c->w[0][k] = c0;
        c->w[1][k] = c1;
        c->w[2][k] = c2;
        c->w[3][k] = c3;
    }
}
