/* Poseidon2 permutations, hashing and compression. The instructions are chosen when the program runs.
 *
 * Written by `UPDATE_EXPECT=1 cargo test -p poseidon2-kernels-c`; do not edit.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef POSEIDON2_KERNELS_H
#define POSEIDON2_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What functions return. Where it is not POSEIDON2_OK or POSEIDON2_DEFECT, nothing was written. */
enum poseidon2_status {
    /* All was done. */
    POSEIDON2_OK = 0,
    /* A pointer to words is null. */
    POSEIDON2_NULL = 1,
    /* A pointer is not aligned as its type asks. */
    POSEIDON2_MISALIGNED = 2,
    /* So many words cannot be there: they have more than PTRDIFF_MAX bytes, or go beyond the last
     * address. */
    POSEIDON2_TOO_LARGE = 3,
    /* What is written would overlap what is read. */
    POSEIDON2_OVERLAP = 4,
    /* A defect of this library: a panic, told on the standard error and stopped here. */
    POSEIDON2_DEFECT = 5
};

/* The instruction set in use and why that one: "avx2: the widest with kernels that this CPU has".
 * It is found out by the first call of any function. The environment variable POSEIDON2_KERNEL,
 * read at that time, overrules it; no thread may change the environment meanwhile. The text stays as
 * long as the program runs. */
const char *poseidon2_selected(void);

/* What functions do, by how their names end; permute_montgomery is there for fields of 31 bits.
 *
 * permute
 *    Permutes each of count states in its place. A state has WIDTH words; states lie back to
 *    back.
 *
 * hash
 *    Hashes each of count rows of row_length words to a digest of DIGEST words. Rows lie back
 *    to back, and so do digests; they must not overlap. The state begins as zeros. Each block
 *    of RATE words (the last may be shorter) overwrites the front of the state, which is then
 *    permuted. The digest is the front of the last state. This is Plonky3's PaddingFreeSponge.
 *    There is no padding: rows of different lengths can have the same digest, so the protocol
 *    must fix the length.
 *
 * compress
 *    Compresses each of count pairs of nodes to a node. A node has DIGEST words; nodes lie back
 *    to back; what is read and what is written must not overlap. The two nodes and zeros up
 *    to WIDTH are permuted, and the front is the new node. It is Plonky3's
 *    TruncatedPermutation.
 *
 * permute_montgomery
 *    As permute, on words x*2^32 mod p in place of residues x: kernels compute on these, so
 *    two conversions are saved. Any words; those given back are below p.
 *
 * Words are residues: any word stands for its residue mod p, and those given back are below p. Counts
 * and lengths are of states, rows, pairs and words, never of bytes. Words are in the CPU's byte order,
 * and aligned as their type asks. A pointer to no words is not looked at, so it may be null.
 *
 * The caller sees to it that the words are there, and that no other thread uses what is written until
 * the function returns. Any number of threads may call at the same time. */

/* BabyBear, p = 2^31 - 2^27 + 1, width 16:
 * S-box x^7, 8 external and 13 internal rounds; parameter set plonky3. */
#define POSEIDON2_PLONKY3_BABY_BEAR_W16_WIDTH 16
#define POSEIDON2_PLONKY3_BABY_BEAR_W16_RATE 8
#define POSEIDON2_PLONKY3_BABY_BEAR_W16_DIGEST 8
int poseidon2_plonky3_baby_bear_w16_permute(uint32_t *states, size_t count);
int poseidon2_plonky3_baby_bear_w16_hash(const uint32_t *rows, size_t row_length, size_t count, uint32_t *digests);
int poseidon2_plonky3_baby_bear_w16_compress(const uint32_t *pairs, size_t count, uint32_t *nodes);
int poseidon2_plonky3_baby_bear_w16_permute_montgomery(uint32_t *states, size_t count);

/* BabyBear, p = 2^31 - 2^27 + 1, width 24:
 * S-box x^7, 8 external and 21 internal rounds; parameter set plonky3. */
#define POSEIDON2_PLONKY3_BABY_BEAR_W24_WIDTH 24
#define POSEIDON2_PLONKY3_BABY_BEAR_W24_RATE 16
#define POSEIDON2_PLONKY3_BABY_BEAR_W24_DIGEST 8
int poseidon2_plonky3_baby_bear_w24_permute(uint32_t *states, size_t count);
int poseidon2_plonky3_baby_bear_w24_hash(const uint32_t *rows, size_t row_length, size_t count, uint32_t *digests);
int poseidon2_plonky3_baby_bear_w24_compress(const uint32_t *pairs, size_t count, uint32_t *nodes);
int poseidon2_plonky3_baby_bear_w24_permute_montgomery(uint32_t *states, size_t count);

/* Goldilocks, p = 2^64 - 2^32 + 1, width 8:
 * S-box x^7, 8 external and 22 internal rounds; parameter set plonky3. */
#define POSEIDON2_PLONKY3_GOLDILOCKS_W8_WIDTH 8
#define POSEIDON2_PLONKY3_GOLDILOCKS_W8_RATE 4
#define POSEIDON2_PLONKY3_GOLDILOCKS_W8_DIGEST 4
int poseidon2_plonky3_goldilocks_w8_permute(uint64_t *states, size_t count);
int poseidon2_plonky3_goldilocks_w8_hash(const uint64_t *rows, size_t row_length, size_t count, uint64_t *digests);
int poseidon2_plonky3_goldilocks_w8_compress(const uint64_t *pairs, size_t count, uint64_t *nodes);

/* Goldilocks, p = 2^64 - 2^32 + 1, width 12:
 * S-box x^7, 8 external and 22 internal rounds; parameter set plonky3. */
#define POSEIDON2_PLONKY3_GOLDILOCKS_W12_WIDTH 12
#define POSEIDON2_PLONKY3_GOLDILOCKS_W12_RATE 8
#define POSEIDON2_PLONKY3_GOLDILOCKS_W12_DIGEST 4
int poseidon2_plonky3_goldilocks_w12_permute(uint64_t *states, size_t count);
int poseidon2_plonky3_goldilocks_w12_hash(const uint64_t *rows, size_t row_length, size_t count, uint64_t *digests);
int poseidon2_plonky3_goldilocks_w12_compress(const uint64_t *pairs, size_t count, uint64_t *nodes);

/* Goldilocks, p = 2^64 - 2^32 + 1, width 16:
 * S-box x^7, 8 external and 22 internal rounds; parameter set plonky3. */
#define POSEIDON2_PLONKY3_GOLDILOCKS_W16_WIDTH 16
#define POSEIDON2_PLONKY3_GOLDILOCKS_W16_RATE 12
#define POSEIDON2_PLONKY3_GOLDILOCKS_W16_DIGEST 4
int poseidon2_plonky3_goldilocks_w16_permute(uint64_t *states, size_t count);
int poseidon2_plonky3_goldilocks_w16_hash(const uint64_t *rows, size_t row_length, size_t count, uint64_t *digests);
int poseidon2_plonky3_goldilocks_w16_compress(const uint64_t *pairs, size_t count, uint64_t *nodes);

/* KoalaBear, p = 2^31 - 2^24 + 1, width 16:
 * S-box x^3, 8 external and 20 internal rounds; parameter set plonky3. */
#define POSEIDON2_PLONKY3_KOALA_BEAR_W16_WIDTH 16
#define POSEIDON2_PLONKY3_KOALA_BEAR_W16_RATE 8
#define POSEIDON2_PLONKY3_KOALA_BEAR_W16_DIGEST 8
int poseidon2_plonky3_koala_bear_w16_permute(uint32_t *states, size_t count);
int poseidon2_plonky3_koala_bear_w16_hash(const uint32_t *rows, size_t row_length, size_t count, uint32_t *digests);
int poseidon2_plonky3_koala_bear_w16_compress(const uint32_t *pairs, size_t count, uint32_t *nodes);
int poseidon2_plonky3_koala_bear_w16_permute_montgomery(uint32_t *states, size_t count);

/* KoalaBear, p = 2^31 - 2^24 + 1, width 24:
 * S-box x^3, 8 external and 23 internal rounds; parameter set plonky3. */
#define POSEIDON2_PLONKY3_KOALA_BEAR_W24_WIDTH 24
#define POSEIDON2_PLONKY3_KOALA_BEAR_W24_RATE 16
#define POSEIDON2_PLONKY3_KOALA_BEAR_W24_DIGEST 8
int poseidon2_plonky3_koala_bear_w24_permute(uint32_t *states, size_t count);
int poseidon2_plonky3_koala_bear_w24_hash(const uint32_t *rows, size_t row_length, size_t count, uint32_t *digests);
int poseidon2_plonky3_koala_bear_w24_compress(const uint32_t *pairs, size_t count, uint32_t *nodes);
int poseidon2_plonky3_koala_bear_w24_permute_montgomery(uint32_t *states, size_t count);

#ifdef __cplusplus
}
#endif

#endif
