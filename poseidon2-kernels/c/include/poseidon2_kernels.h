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

/* What functions return. Unless it is one of the first and the last, nothing was written. */
enum poseidon2_status {
    /* All was done. */
    POSEIDON2_OK = 0,
    /* A pointer to some words is null. */
    POSEIDON2_NULL = 1,
    /* A pointer is not aligned as its words must be. */
    POSEIDON2_MISALIGNED = 2,
    /* There cannot be so many words: they would take more than PTRDIFF_MAX bytes, or end behind
     * the last address. */
    POSEIDON2_TOO_LARGE = 3,
    /* What is to be written overlaps what is to be read. */
    POSEIDON2_OVERLAP = 4,
    /* A defect of the library, which has told more on the standard error. Something may have
     * been written. */
    POSEIDON2_DEFECT = 5
};

/* The instruction set in use and why that one, as "avx2: the widest with kernels that this CPU has".
 * The text is there for as long as the program. */
const char *poseidon2_selected(void);

/* Each permutation has these functions
 *
 * permute
 *    Permutes count states of WIDTH words, which lie back to back, each in its place.
 *
 * hash
 *    Hashes count rows of row_length words, which lie back to back, to as many digests of
 *    DIGEST words. The state begins as zeros. RATE words of the row overwrite its front, the
 *    last ones may be fewer, and it is permuted, until the row is used up. The digest is
 *    its front. There is no padding: rows of different lengths can have the same digest, so
 *    something else has to fix their length. (Plonky3's PaddingFreeSponge.)
 *
 * compress
 *    Compresses count pairs of nodes, each pair to one node; a node has DIGEST words, and all
 *    lie back to back. The two nodes, and zeros up to WIDTH, are permuted, and the front of
 *    the state is the new node. (Plonky3's TruncatedPermutation.)
 *
 * permute_montgomery
 *    Permutes states as permute does, but of words x·2^32 mod p in place of residues x:
 *    the form in which kernels compute, so that nothing is converted.
*
 * Words are residues: any word is taken for its residue mod p, and residues given back are below p.
 * Words are in the CPU's own byte order, pointers are aligned as their type wants it, and counts and
 * lengths are of states, rows, pairs and words, never of bytes. Where there are no words to read or
 * write, any pointer will do, a null one too.
 *
 * That as many words are there as counts say, and that no other thread writes them meanwhile, is for
 * the caller to see to. Functions may be called from any thread, many at a time; they keep no state, and
 * allocate no memory. */

/* BabyBear, p = 2^31 - 2^27 + 1, width 16: x^7, 8 external and 13 internal rounds, by the parameter set plonky3. */
#define POSEIDON2_PLONKY3_BABY_BEAR_W16_WIDTH 16
#define POSEIDON2_PLONKY3_BABY_BEAR_W16_RATE 8
#define POSEIDON2_PLONKY3_BABY_BEAR_W16_DIGEST 8
int poseidon2_plonky3_baby_bear_w16_permute(uint32_t *states, size_t count);
int poseidon2_plonky3_baby_bear_w16_hash(const uint32_t *rows, size_t row_length, size_t count, uint32_t *digests);
int poseidon2_plonky3_baby_bear_w16_compress(const uint32_t *pairs, size_t count, uint32_t *nodes);
int poseidon2_plonky3_baby_bear_w16_permute_montgomery(uint32_t *states, size_t count);

/* BabyBear, p = 2^31 - 2^27 + 1, width 24: x^7, 8 external and 21 internal rounds, by the parameter set plonky3. */
#define POSEIDON2_PLONKY3_BABY_BEAR_W24_WIDTH 24
#define POSEIDON2_PLONKY3_BABY_BEAR_W24_RATE 16
#define POSEIDON2_PLONKY3_BABY_BEAR_W24_DIGEST 8
int poseidon2_plonky3_baby_bear_w24_permute(uint32_t *states, size_t count);
int poseidon2_plonky3_baby_bear_w24_hash(const uint32_t *rows, size_t row_length, size_t count, uint32_t *digests);
int poseidon2_plonky3_baby_bear_w24_compress(const uint32_t *pairs, size_t count, uint32_t *nodes);
int poseidon2_plonky3_baby_bear_w24_permute_montgomery(uint32_t *states, size_t count);

/* Goldilocks, p = 2^64 - 2^32 + 1, width 8: x^7, 8 external and 22 internal rounds, by the parameter set plonky3. */
#define POSEIDON2_PLONKY3_GOLDILOCKS_W8_WIDTH 8
#define POSEIDON2_PLONKY3_GOLDILOCKS_W8_RATE 4
#define POSEIDON2_PLONKY3_GOLDILOCKS_W8_DIGEST 4
int poseidon2_plonky3_goldilocks_w8_permute(uint64_t *states, size_t count);
int poseidon2_plonky3_goldilocks_w8_hash(const uint64_t *rows, size_t row_length, size_t count, uint64_t *digests);
int poseidon2_plonky3_goldilocks_w8_compress(const uint64_t *pairs, size_t count, uint64_t *nodes);

/* Goldilocks, p = 2^64 - 2^32 + 1, width 12: x^7, 8 external and 22 internal rounds, by the parameter set plonky3. */
#define POSEIDON2_PLONKY3_GOLDILOCKS_W12_WIDTH 12
#define POSEIDON2_PLONKY3_GOLDILOCKS_W12_RATE 8
#define POSEIDON2_PLONKY3_GOLDILOCKS_W12_DIGEST 4
int poseidon2_plonky3_goldilocks_w12_permute(uint64_t *states, size_t count);
int poseidon2_plonky3_goldilocks_w12_hash(const uint64_t *rows, size_t row_length, size_t count, uint64_t *digests);
int poseidon2_plonky3_goldilocks_w12_compress(const uint64_t *pairs, size_t count, uint64_t *nodes);

/* Goldilocks, p = 2^64 - 2^32 + 1, width 16: x^7, 8 external and 22 internal rounds, by the parameter set plonky3. */
#define POSEIDON2_PLONKY3_GOLDILOCKS_W16_WIDTH 16
#define POSEIDON2_PLONKY3_GOLDILOCKS_W16_RATE 12
#define POSEIDON2_PLONKY3_GOLDILOCKS_W16_DIGEST 4
int poseidon2_plonky3_goldilocks_w16_permute(uint64_t *states, size_t count);
int poseidon2_plonky3_goldilocks_w16_hash(const uint64_t *rows, size_t row_length, size_t count, uint64_t *digests);
int poseidon2_plonky3_goldilocks_w16_compress(const uint64_t *pairs, size_t count, uint64_t *nodes);

/* KoalaBear, p = 2^31 - 2^24 + 1, width 16: x^3, 8 external and 20 internal rounds, by the parameter set plonky3. */
#define POSEIDON2_PLONKY3_KOALA_BEAR_W16_WIDTH 16
#define POSEIDON2_PLONKY3_KOALA_BEAR_W16_RATE 8
#define POSEIDON2_PLONKY3_KOALA_BEAR_W16_DIGEST 8
int poseidon2_plonky3_koala_bear_w16_permute(uint32_t *states, size_t count);
int poseidon2_plonky3_koala_bear_w16_hash(const uint32_t *rows, size_t row_length, size_t count, uint32_t *digests);
int poseidon2_plonky3_koala_bear_w16_compress(const uint32_t *pairs, size_t count, uint32_t *nodes);
int poseidon2_plonky3_koala_bear_w16_permute_montgomery(uint32_t *states, size_t count);

/* KoalaBear, p = 2^31 - 2^24 + 1, width 24: x^3, 8 external and 23 internal rounds, by the parameter set plonky3. */
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
