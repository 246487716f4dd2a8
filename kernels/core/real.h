/* real - elementary functions from + - * / and sqrt only, which round identically on every machine,
   while libm and CUDA differ in the last bit. Each polynomial is a Taylor series, cut where the
   rest is below 2^-56 of the result. tests/test_real.c measures the errors. */
#ifndef RD_CORE_REAL_H
#define RD_CORE_REAL_H

#include "kernels/core/portable.h"

#include <math.h>

/* Gives constants as sums of parts (computed with 400 bits). The first part of ln 2 has 37 bits,
   so that its products with exponents are exact. */
#define RD_LN2_HI      0x1.62e42fefap-1
#define RD_LN2_LO      0x1.cf79abc9e3b3ap-40
#define RD_INV_LN2     0x1.71547652b82fep+0
#define RD_INV_LN10_HI 0x1.bcb7b1526e50ep-2
#define RD_INV_LN10_LO 0x1.95355baaafad3p-57
#define RD_HALF_PI_1   0x1.921fb54442d18p+0
#define RD_HALF_PI_2   0x1.1a62633145c07p-54
#define RD_HALF_PI_3   -0x1.f1976b7ed8fbcp-110
#define RD_INV_HALF_PI 0x1.45f306dc9c883p-1

/* Holds a number as the sum hi + lo, where hi is the double nearest to it. */
struct rd_pair {
    double hi, lo;
};

RD_FN uint64_t rd_bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

RD_FN double rd_real_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Returns 2^k for -1022 <= k <= 1023. */
RD_FN double rd_two_to(int32_t k)
{
    return rd_real_of((uint64_t)(k + 1023) << 52);
}

/* Returns a + b without error (Knuth, The Art of Computer Programming 2, 4.2.2). */
RD_FN struct rd_pair rd_exact_sum(double a, double b)
{
    const double hi = a + b;
    const double b_in_hi = hi - a;
    const struct rd_pair sum = {hi, (a - (hi - b_in_hi)) + (b - b_in_hi)};
    return sum;
}

/* Returns a b with an error below 2^-105 |a b|, by halves of 26 and 27 bits (after Dekker 1971). */
RD_FN struct rd_pair rd_exact_product(double a, double b)
{
    const uint64_t upper = ~UINT64_C(0) << 27;
    const double a_hi = rd_real_of(rd_bits_of(a) & upper), a_lo = a - a_hi;
    const double b_hi = rd_real_of(rd_bits_of(b) & upper), b_lo = b - b_hi;
    const double hi = a * b;
    const double lo = ((a_hi * b_hi - hi) + (a_hi * b_lo + a_lo * b_hi)) + a_lo * b_lo;
    const struct rd_pair product = {hi, lo};
    return product;
}

RD_FN bool rd_is_finite(double x)
{
    return (rd_bits_of(x) >> 52 & 0x7ff) != 0x7ff;
}

RD_FN double rd_sqrt(double x)
{
    return sqrt(x);
}

/* Returns the integer nearest to x, for |x| < 2^51: adding 1.5 2^52 leaves no bits of a
   fraction. */
RD_FN double rd_nearest_integer(double x)
{
    const double no_fraction = 0x1.8p52;
    return (x + no_fraction) - no_fraction;
}

/* Returns the largest integer that is not above x; x itself if it is NaN or infinite. */
RD_FN double rd_floor(double x)
{
    const double all_whole = 0x1p52;
    if (!(x > -all_whole && x < all_whole))
        return x;
    const double cut = (double)(int64_t)x;
    if (cut == x)
        return x;
    return cut > x ? cut - 1 : cut;
}

/* Returns the tail of exp(hi + lo) = 1 + tail + r, where r is hi + lo rounded and |r| < 0.36: the
   rounding error and r^2/2! + r^3/3! + ... + r^13/13!. */
RD_FN double rd_exp_tail(double r, double lo)
{
    const double r2 = r * r, r4 = r2 * r2;
    const double low = (1.0 / 2 + r * (1.0 / 6)) + r2 * (1.0 / 24 + r * (1.0 / 120));
    const double middle = (1.0 / 720 + r * (1.0 / 5040)) + r2 * (1.0 / 40320 + r * (1.0 / 362880));
    const double high =
        (1.0 / 3628800 + r * (1.0 / 39916800)) + r2 * (1.0 / 479001600 + r * (1.0 / 6227020800.0));
    return lo + r2 * (low + r4 * (middle + r4 * high));
}

/* Returns hi + lo - k ln 2 for the integer k nearest to hi / ln 2. */
RD_FN struct rd_pair rd_exp_reduce(double hi, double lo, int32_t *k)
{
    const double n = rd_nearest_integer(hi * RD_INV_LN2);
    const double main = hi - n * RD_LN2_HI;
    const double rest = lo - n * RD_LN2_LO;
    const struct rd_pair r = {main + rest, rest - ((main + rest) - main)};
    *k = (int32_t)n;
    return r;
}

/* Returns exp(hi + lo) for |lo| much smaller than |hi|. */
RD_FN double rd_exp_of_pair(double hi, double lo)
{
    if (hi > 710)
        return INFINITY;
    if (hi < -746)
        return 0;
    if (hi != hi)
        return hi;
    int32_t k;
    const struct rd_pair r = rd_exp_reduce(hi, lo, &k);
    const double fraction = 1 + (r.hi + rd_exp_tail(r.hi, r.lo));
    /* Two factors, since 2^k itself may be out of range. */
    return fraction * rd_two_to(k / 2) * rd_two_to(k - k / 2);
}

RD_FN double rd_exp(double x)
{
    return rd_exp_of_pair(x, 0);
}

/* Returns exp(x) - 1, accurate near 0. */
RD_FN double rd_expm1(double x)
{
    if (x > -0.34 && x < 0.34)
        return x + rd_exp_tail(x, 0);
    if (!(x > -40 && x < 40))
        return rd_exp(x) - 1;
    int32_t k;
    const struct rd_pair r = rd_exp_reduce(x, 0, &k);
    const double scale = rd_two_to(k);
    return (scale - 1) + scale * (r.hi + rd_exp_tail(r.hi, r.lo));
}

/* Returns (2 atanh s - 2 s) / s = 2 z/3 + 2 z^2/5 + ... + 2 z^10/21 for z = s^2 <= 0.0295. */
RD_FN double rd_atanh_tail(double z)
{
    const double z2 = z * z, z4 = z2 * z2;
    const double low = (2.0 / 3 + z * (2.0 / 5)) + z2 * (2.0 / 7 + z * (2.0 / 9));
    const double middle = (2.0 / 11 + z * (2.0 / 13)) + z2 * (2.0 / 15 + z * (2.0 / 17));
    const double high = 2.0 / 19 + z * (2.0 / 21);
    return z * (low + z4 * (middle + z4 * high));
}

/* Returns f - log(1 + f) for sqrt(1/2) <= 1 + f <= sqrt(2): log(1 + f) = 2 atanh s with s = f / (2
   + f), and 2 s = f - s f. */
RD_FN double rd_log_tail(double f)
{
    const double s = f / (2 + f);
    return s * (f - rd_atanh_tail(s * s));
}

/* Splits x = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2), for x > 0 and finite; returns f. */
RD_FN double rd_log_reduce(double x, int32_t *k)
{
    const bool tiny = x < 0x1p-1022;
    const uint64_t sqrt_half = UINT64_C(0x3fe6a09e667f3bcd);
    const uint64_t bits = rd_bits_of(tiny ? x * 0x1p54 : x);
    /* The biased exponent counts from sqrt(1/2), not from 1. */
    const uint64_t biased = (bits - sqrt_half + (UINT64_C(1023) << 52)) >> 52;
    *k = (int32_t)biased - 1023 - (tiny ? 54 : 0);
    return rd_real_of(bits - ((biased - 1023) << 52)) - 1;
}

/* Returns log(x) for the x that have no finite one: 0, below 0, infinite, NaN. */
RD_FN double rd_log_of_odd(double x)
{
    if (x == 0)
        return -INFINITY;
    return x < 0 ? NAN : x;
}

/* Returns log(x) + extra, for x > 0 and finite. */
RD_FN double rd_log_and(double x, double extra)
{
    int32_t k;
    const double f = rd_log_reduce(x, &k);
    return k * RD_LN2_HI + (f - (rd_log_tail(f) - (k * RD_LN2_LO + extra)));
}

RD_FN double rd_log(double x)
{
    return x > 0 && x < INFINITY ? rd_log_and(x, 0) : rd_log_of_odd(x);
}

/* Returns log(1 + x), accurate near 0. */
RD_FN double rd_log1p(double x)
{
    if (x > -0.29 && x < 0.41)
        return x - rd_log_tail(x);
    if (!(x > -1 && x < INFINITY))
        return rd_log_of_odd(x + 1);
    const struct rd_pair sum = rd_exact_sum(1, x);
    return rd_log_and(sum.hi, sum.lo / sum.hi);
}

/* Returns log(x) with an error below 2^-59 of it, for x > 0 and finite. */
RD_FN struct rd_pair rd_log_pair(double x)
{
    int32_t k;
    const double f = rd_log_reduce(x, &k);
    const struct rd_pair below = rd_exact_sum(2, f);
    const double s = f / below.hi;
    const struct rd_pair back = rd_exact_product(s, below.hi);
    const double s_lo = ((f - back.hi) - back.lo - s * below.lo) / below.hi;
    const struct rd_pair sum = rd_exact_sum(k * RD_LN2_HI, 2 * s);
    const double rest = sum.lo + (2 * s_lo + s * rd_atanh_tail(s * s) + k * RD_LN2_LO);
    return rd_exact_sum(sum.hi, rest);
}

/* Returns log10(x), exact at powers of ten. */
RD_FN double rd_log10(double x)
{
    if (!(x > 0 && x < INFINITY))
        return rd_log_of_odd(x);
    const struct rd_pair l = rd_log_pair(x);
    const struct rd_pair main = rd_exact_product(l.hi, RD_INV_LN10_HI);
    return main.hi + (main.lo + (l.hi * RD_INV_LN10_LO + l.lo * RD_INV_LN10_HI));
}

/* Returns a^n by squaring: exact if the result is a double. */
RD_FN double rd_power_by_squaring(double a, uint32_t n)
{
    double power = 1;
    for (; n > 0; n >>= 1) {
        if (n & 1)
            power *= a;
        a *= a;
    }
    return power;
}

/* Returns a^y for a >= 0, neither of them NaN, y not 0. */
RD_FN double rd_pow_of_size(double a, double y)
{
    if (a == 1)
        return 1;
    if (a == 0 || a == INFINITY)
        return (a == 0) == (y < 0) ? INFINITY : 0;
    const double most = 64, size = y < 0 ? -y : y;
    if (size <= most && rd_floor(size) == size) {
        const double power = rd_power_by_squaring(a, (uint32_t)size);
        if (power > 0x1p-1000 && power < 0x1p1000)
            return y < 0 ? 1 / power : power;
    }
    /* Beyond 2^64 every power of a double but 1 is 0 or infinite. */
    const double limit = 0x1p64, bounded = y > limit ? limit : y < -limit ? -limit : y;
    const struct rd_pair l = rd_log_pair(a);
    const struct rd_pair p = rd_exact_product(bounded, l.hi);
    return rd_exp_of_pair(p.hi, p.lo + bounded * l.lo);
}

/* Returns x^y with the special cases of IEEE 754. */
RD_FN double rd_pow(double x, double y)
{
    if (y == 0 || x == 1)
        return 1;
    if (x != x || y != y)
        return x + y;
    const bool negative = rd_bits_of(x) >> 63;
    const double power = rd_pow_of_size(negative ? -x : x, y);
    if (!negative)
        return power;
    if (rd_floor(y) != y)
        return x < 0 && x > -INFINITY ? NAN : power;
    const bool odd = rd_floor(y / 2) != y / 2;
    return odd ? -power : power;
}

RD_FN double rd_tanh(double x)
{
    const double size = x < 0 ? -x : x;
    const double t = rd_expm1(2 * size);
    const double tanh_size = size > 20 ? 1 : t / (t + 2);
    return x < 0 ? -tanh_size : tanh_size;
}

/* Gives the limit beyond which sin and cos return NaN: neighbouring doubles are then 0.0002 apart,
   and the result would have no meaning. */
#define RD_ANGLE_MOST 0x1p40

/* Returns x - n pi/2 for the integer n nearest to x / (pi/2); sets *quadrant to n mod 4. */
RD_FN struct rd_pair rd_angle_reduce(double x, uint32_t *quadrant)
{
    const double n = rd_nearest_integer(x * RD_INV_HALF_PI);
    const struct rd_pair first = rd_exact_product(n, RD_HALF_PI_1);
    const struct rd_pair second = rd_exact_product(n, RD_HALF_PI_2);
    const struct rd_pair a = rd_exact_sum(x - first.hi, -first.lo);
    const struct rd_pair b = rd_exact_sum(a.hi, -second.hi);
    *quadrant = (uint32_t)((int64_t)n & 3);
    return rd_exact_sum(b.hi, (a.lo + b.lo) - (second.lo + n * RD_HALF_PI_3));
}

/* Returns sin(r.hi + r.lo) for |r| < 0.8: r - r^3/3! + ... + r^17/17!. */
RD_FN double rd_sin_near(struct rd_pair r)
{
    const double z = r.hi * r.hi, z4 = (z * z) * (z * z);
    const double low = (-1.0 / 6 + z * (1.0 / 120)) + z * z * (-1.0 / 5040 + z * (1.0 / 362880));
    const double high = (-1.0 / 39916800 + z * (1.0 / 6227020800.0)) +
                        z * z * (-1.0 / 1307674368000.0 + z * (1.0 / 355687428096000.0));
    return r.hi + (r.lo * (1 - z / 2) + r.hi * (z * (low + z4 * high)));
}

/* Returns cos(r.hi + r.lo) for |r| < 0.8: 1 - r^2/2! + ... + r^16/16!. */
RD_FN double rd_cos_near(struct rd_pair r)
{
    const double z = r.hi * r.hi, z4 = (z * z) * (z * z);
    const double low = (1.0 / 24 + z * (-1.0 / 720)) + z * z * (1.0 / 40320 + z * (-1.0 / 3628800));
    const double high =
        (1.0 / 479001600 + z * (-1.0 / 87178291200.0)) + z * z * (1.0 / 20922789888000.0);
    const double main = 1 - z / 2;
    const double lost = (1 - main) - z / 2;
    return main + (lost + (z * (z * (low + z4 * high)) - r.hi * r.lo));
}

/* Returns sin(x + quarters pi/2). */
RD_FN double rd_sin_shifted(double x, uint32_t quarters)
{
    if (!(x >= -RD_ANGLE_MOST && x <= RD_ANGLE_MOST))
        return NAN;
    uint32_t quadrant;
    const struct rd_pair r = rd_angle_reduce(x, &quadrant);
    quadrant += quarters;
    const double size = quadrant & 1 ? rd_cos_near(r) : rd_sin_near(r);
    return quadrant & 2 ? -size : size;
}

RD_FN double rd_sin(double x)
{
    return rd_sin_shifted(x, 0);
}

RD_FN double rd_cos(double x)
{
    return rd_sin_shifted(x, 1);
}

#endif
