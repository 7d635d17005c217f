// The seed programs written by hand, for nvcc: what benches/seeds is measured beside. An argument, as `transposes`, runs that part alone.
// nvcc -O3 -gencode=arch=compute_90a,code=sm_90a -o seeds_peer seeds.cu
#include <string>

#include "peer/lines.cuh"
#include "peer/persistence.cuh"
#include "peer/reductions.cuh"
#include "peer/transposes.cuh"

int main(int count, char** arguments) {
    const struct {
        const char* name;
        void (*run)();
    } parts[] = {
        {"reductions", run_reductions}, {"transposes", run_transposes},   {"stencils", run_stencils},
        {"sums", run_sums},             {"persistence", run_persistence},
    };
    for (auto part : parts)
        if (count < 2 || std::string(arguments[1]) == part.name) part.run();
    return 0;
}
