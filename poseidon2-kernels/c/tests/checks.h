/* What the tests of all permutations share. */

#define _DEFAULT_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "poseidon2_kernels.h"

static size_t checks;

#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "%s, line %d: %s: not so: %s\n", __FILE__,         \
                    __LINE__, __func__, #condition);                           \
            exit(EXIT_FAILURE);                                                \
        }                                                                      \
        checks++;                                                              \
    } while (0)

enum { BYTES = 1 << 16 };

/* Memory that ends before a page which nobody may read or write. */
static unsigned char *guarded(void)
{
    unsigned char *bytes = mmap(NULL, 2 * BYTES, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK((void *)bytes != MAP_FAILED);
    CHECK(mprotect(bytes + BYTES, BYTES, PROT_NONE) == 0);
    return bytes;
}

static unsigned char *inputs, *outputs;

/* The last bytes of some memory. All of it has a pattern, so that it shows what was written. */
static void *last(unsigned char *memory, size_t bytes)
{
    CHECK(bytes <= BYTES);
    memset(memory, 0xa5, BYTES);
    return memory + BYTES - bytes;
}

static int untouched(const unsigned char *memory, size_t but_the_last)
{
    for (size_t i = 0; i < BYTES - but_the_last; i++)
        if (memory[i] != 0xa5)
            return 0;
    return 1;
}

/* Numbers of states that each kernel serves: whole, with lanes left empty, with some left over. */
static const size_t counts[] = {0, 1, 2, 3, 4, 5, 8, 13, 31, 32, 33, 40};

/* Does what no caller may, to show that it would be noticed. */
static void overrun(void)
{
    uint64_t *states = last(outputs, 8 * sizeof *states);
    poseidon2_plonky3_goldilocks_w8_permute(states, 2);
}

static void begin(int given)
{
    puts(poseidon2_selected());
    inputs = guarded();
    outputs = guarded();
    if (given > 1)
        overrun();
}

static int end(void)
{
    printf("%zu checks passed\n", checks);
    return EXIT_SUCCESS;
}
