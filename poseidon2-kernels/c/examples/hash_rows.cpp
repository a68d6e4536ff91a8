// Rows of KoalaBear elements to digests, with errors as exceptions.

#include <array>
#include <cstdint>
#include <exception>
#include <iomanip>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "poseidon2_kernels.h"

namespace {

using State = std::array<std::uint32_t, POSEIDON2_PLONKY3_KOALA_BEAR_W16_WIDTH>;
using Digest = std::array<std::uint32_t, POSEIDON2_PLONKY3_KOALA_BEAR_W24_DIGEST>;

void check(int status)
{
    if (status != POSEIDON2_OK)
        throw std::runtime_error("poseidon2: status " + std::to_string(status));
}

std::vector<Digest> hash_rows(const std::vector<std::uint32_t> &matrix, std::size_t columns)
{
    std::vector<Digest> digests(matrix.size() / columns);
    auto *words = reinterpret_cast<std::uint32_t *>(digests.data());
    check(poseidon2_plonky3_koala_bear_w24_hash(matrix.data(), columns, digests.size(), words));
    return digests;
}

template <class Words> void print(const char *what, const Words &words)
{
    std::cout << what << std::hex << std::setfill('0');
    for (auto word : words)
        std::cout << ' ' << std::setw(8) << word;
    std::cout << '\n';
}

} // namespace

int main()
try {
    std::cout << poseidon2_selected() << '\n';

    State state;
    for (std::size_t i = 0; i < state.size(); i++)
        state[i] = static_cast<std::uint32_t>(i);
    check(poseidon2_plonky3_koala_bear_w16_permute(state.data(), 1));
    print("image", state);

    std::vector<std::uint32_t> matrix(100 * 30);
    for (std::size_t i = 0; i < matrix.size(); i++)
        matrix[i] = static_cast<std::uint32_t>(i);
    print("digest", hash_rows(matrix, 30).back());

    try {
        check(poseidon2_plonky3_koala_bear_w16_permute(nullptr, 1));
    } catch (const std::runtime_error &error) {
        std::cout << "a null pointer is refused: " << error.what() << '\n';
    }
} catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
}
