/* samples - small configurations that together use every feature: for twins. */
#ifndef RD_SAMPLES_H
#define RD_SAMPLES_H

struct sample {
    const char *name, *text;
};

/* Ends with a NULL name. */
extern const struct sample samples[];

#endif
