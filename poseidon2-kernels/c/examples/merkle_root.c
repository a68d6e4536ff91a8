/* The Merkle root of a matrix over Goldilocks: rows are hashed, nodes are compressed two to one. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "poseidon2_kernels.h"

#define WIDTH POSEIDON2_PLONKY3_GOLDILOCKS_W8_WIDTH
#define DIGEST POSEIDON2_PLONKY3_GOLDILOCKS_W8_DIGEST

enum { ROWS = 1024, COLUMNS = 10 };

static void check(int status)
{
    if (status != POSEIDON2_OK) {
        fprintf(stderr, "poseidon2: status %d\n", status);
        exit(EXIT_FAILURE);
    }
}

static uint64_t *words(size_t count)
{
    uint64_t *words = calloc(count, sizeof *words);
    if (words == NULL) {
        fputs("out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return words;
}

static void print(const char *what, const uint64_t *words, size_t count)
{
    printf("%s", what);
    for (size_t i = 0; i < count; i++)
        printf(" %016" PRIx64, words[i]);
    putchar('\n');
}

int main(void)
{
    printf("%s\n", poseidon2_selected());

    uint64_t state[WIDTH];
    for (size_t i = 0; i < WIDTH; i++)
        state[i] = i;
    check(poseidon2_plonky3_goldilocks_w8_permute(state, 1));
    print("image", state, WIDTH);

    uint64_t *matrix = words(ROWS * COLUMNS);
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        matrix[i] = i;
    uint64_t *layer = words(ROWS * DIGEST);
    check(poseidon2_plonky3_goldilocks_w8_hash(matrix, COLUMNS, ROWS, layer));
    free(matrix);
    /* The next layer cannot be in the place of the one that it is made of. */
    uint64_t *next = words(ROWS / 2 * DIGEST);
    for (size_t nodes = ROWS; nodes > 1; nodes /= 2) {
        check(poseidon2_plonky3_goldilocks_w8_compress(layer, nodes / 2, next));
        uint64_t *swapped = layer;
        layer = next;
        next = swapped;
    }
    print("root", layer, DIGEST);
    free(layer);
    free(next);
}
