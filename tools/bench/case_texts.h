/* case_texts - the configurations of the cases. The bench sets voxels, load, the steps in each
   repeat and the number of repeats (rounds). */
#ifndef RD_BENCH_CASE_TEXTS_H
#define RD_BENCH_CASE_TEXTS_H

extern const char rd_text_peer[], rd_text_movement[], rd_text_equilibrium[], rd_text_regions[],
    rd_text_expressions[], rd_text_walkers[], rd_text_turnover[], rd_text_expression[];

#endif
