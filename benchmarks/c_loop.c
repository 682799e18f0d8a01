/* The algorithms of the paper as a C program would have them, on its problem f(x) = |x|^2 + b.x over a ball.

   Written for speed and for nothing else: no checks, one learner, one loss, one set, one list of delays that are known
   to be short. Feedback under way lies in a ring of `mask + 1` places, a power of two and at least the longest delay:
   what arrives at the end of round t is in place t & mask. A function plays the rounds of one chunk of losses and is
   called again for the next; `progress` has the rounds played and the feedbacks received so far.

   The inverse rate after round t, with N feedbacks received, is h = constant + per_round t + per_feedback N.

   Sums over entries have four interleaved parts, as those of the library have: one sum would wait for itself. */

#include <math.h>
#include <stdint.h>

typedef struct {
    double constant, per_round, per_feedback;
    double radius;
    double probe_radius;
} learner;

static inline double value(int64_t n, const double *b, const double *x) {
    double part[4] = {0.0, 0.0, 0.0, 0.0};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int j = 0; j < 4; j++) part[j] += (x[i + j] + b[i + j]) * x[i + j];
    for (; i < n; i++) part[0] += (x[i] + b[i]) * x[i];
    return (part[0] + part[1]) + (part[2] + part[3]);
}

/* The value, and the gradient added to a sum. */
static inline double value_and_gradient(int64_t n, const double *b, const double *x, double *sum) {
    double part[4] = {0.0, 0.0, 0.0, 0.0};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int j = 0; j < 4; j++) {
            part[j] += (x[i + j] + b[i + j]) * x[i + j];
            sum[i + j] += 2.0 * x[i + j] + b[i + j];
        }
    for (; i < n; i++) {
        part[0] += (x[i] + b[i]) * x[i];
        sum[i] += 2.0 * x[i] + b[i];
    }
    return (part[0] + part[1]) + (part[2] + part[3]);
}

static inline void step(int64_t n, double *x, const double *gradient, double rate, double radius) {
    double part[4] = {0.0, 0.0, 0.0, 0.0};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int j = 0; j < 4; j++) {
            x[i + j] -= rate * gradient[i + j];
            part[j] += x[i + j] * x[i + j];
        }
    for (; i < n; i++) {
        x[i] -= rate * gradient[i];
        part[0] += x[i] * x[i];
    }
    double length = sqrt((part[0] + part[1]) + (part[2] + part[3]));
    if (length > radius) {
        double factor = radius / length;
        for (i = 0; i < n; i++) x[i] *= factor;
    }
}

static inline double inverse_rate(const learner *who, int64_t t, int64_t received) {
    return who->constant + who->per_round * (double)t + who->per_feedback * (double)received;
}

/* The mean value at x and at x + delta e_i; writes the estimate of the gradient. The loss is known by its values only,
   so each of the n + 1 is computed in full. */
static inline double estimate(int64_t n, const double *b, const double *x, double delta, double *point, double *out) {
    double at_x = value(n, b, x), total = at_x;
    for (int64_t i = 0; i < n; i++) point[i] = x[i];
    for (int64_t i = 0; i < n; i++) {
        point[i] = x[i] + delta;
        double there = value(n, b, point);
        point[i] = x[i];
        total += there;
        out[i] = (there - at_x) / delta;
    }
    return total / (double)(n + 1);
}

/* The sum of all b, of which the best fixed decision is a function: regret needs it. */
void add_up(int64_t n, int64_t rounds, const double *rows, double *sums) {
    for (int64_t k = 0; k < rounds; k++)
        for (int64_t i = 0; i < n; i++) sums[i] += rows[k * n + i];
}

/* OGD-SC, DOGD, DOGD-SC: gradients that arrive together are added up, which may as well be done when they are sent. */
double with_gradients(const learner *who, int64_t n, int64_t rounds, const double *rows, const int64_t *delays,
                      int64_t mask, double *x, double *sums, int64_t *counts, int64_t *progress) {
    double loss = 0.0;
    int64_t t = progress[0], received = progress[1];
    for (int64_t k = 0; k < rounds; k++) {
        const double *b = rows + k * n;
        t++;
        int64_t there = (t + delays[k] - 1) & mask, here = t & mask;
        loss += value_and_gradient(n, b, x, sums + there * n);
        counts[there]++;
        if (counts[here] > 0) {
            double *arrived = sums + here * n;
            received += counts[here];
            counts[here] = 0;
            step(n, x, arrived, 1.0 / inverse_rate(who, t, received), who->radius);
            for (int64_t i = 0; i < n; i++) arrived[i] = 0.0;
        }
    }
    progress[0] = t;
    progress[1] = received;
    return loss;
}

/* BDOGD-SC: the same with estimates. `scratch` has room for 2 n numbers. */
double with_values(const learner *who, int64_t n, int64_t rounds, const double *rows, const int64_t *delays,
                   int64_t mask, double *x, double *sums, int64_t *counts, int64_t *progress, double *scratch) {
    double loss = 0.0, *gradient = scratch + n;
    int64_t t = progress[0], received = progress[1];
    for (int64_t k = 0; k < rounds; k++) {
        t++;
        int64_t there = (t + delays[k] - 1) & mask, here = t & mask;
        double *sum = sums + there * n;
        loss += estimate(n, rows + k * n, x, who->probe_radius, scratch, gradient);
        for (int64_t i = 0; i < n; i++) sum[i] += gradient[i];
        counts[there]++;
        if (counts[here] > 0) {
            double *arrived = sums + here * n;
            received += counts[here];
            counts[here] = 0;
            step(n, x, arrived, 1.0 / inverse_rate(who, t, received), who->radius);
            for (int64_t i = 0; i < n; i++) arrived[i] = 0.0;
        }
    }
    progress[0] = t;
    progress[1] = received;
    return loss;
}

/* DBGD: a step for each feedback in order of play. A place of the ring has room for mask + 1 estimates. */
double one_by_one(const learner *who, int64_t n, int64_t rounds, const double *rows, const int64_t *delays,
                  int64_t mask, double *x, double *estimates, int64_t *counts, int64_t *progress, double *scratch) {
    double loss = 0.0;
    int64_t t = progress[0], received = progress[1];
    for (int64_t k = 0; k < rounds; k++) {
        t++;
        int64_t there = (t + delays[k] - 1) & mask, here = t & mask;
        double *out = estimates + (there * (mask + 1) + counts[there]) * n;
        loss += estimate(n, rows + k * n, x, who->probe_radius, scratch, out);
        counts[there]++;
        received += counts[here];
        double rate = 1.0 / inverse_rate(who, t, received);
        for (int64_t j = 0; j < counts[here]; j++)
            step(n, x, estimates + (here * (mask + 1) + j) * n, rate, who->radius);
        counts[here] = 0;
    }
    progress[0] = t;
    progress[1] = received;
    return loss;
}
