// The originals of fields.rs.

extern "C" __global__ void mri_q(const float* x, const float* y, const float* z, const float4* samples, float* real, float* imaginary,
                                 unsigned n, unsigned count) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float re = 0.0f, im = 0.0f;
        for (unsigned k = 0; k < count; k++) {
            float4 sample = samples[k];
            float phase = 2.0f * 3.14159265f * (sample.x * x[i] + sample.y * y[i] + sample.z * z[i]);
            re += sample.w * cosf(phase);
            im += sample.w * sinf(phase);
        }
        real[i] = re;
        imaginary[i] = im;
    }
}

struct Charge {
    float at[3];
    float charge;
};

extern "C" __global__ void coulomb_grid(const Charge* charges, float* grid, unsigned count, unsigned side, float spacing, float height) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < side && y < side) {
        float px = x * spacing, py = y * spacing;
        float potential = 0.0f;
        for (unsigned k = 0; k < count; k++) {
            float dx = px - charges[k].at[0];
            float dy = py - charges[k].at[1];
            float dz = height - charges[k].at[2];
            potential += charges[k].charge / sqrtf(dx * dx + dy * dy + dz * dz);
        }
        grid[y * side + x] += potential;
    }
}

extern "C" __global__ void pair_histogram(const float (*points)[3], const float* edges, unsigned* counts, int n) {
    __shared__ unsigned own[32];
    __shared__ float limits[32];
    int t = threadIdx.x;
    if (t < 32) {
        own[t] = 0;
        limits[t] = edges[t];
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + t;
    if (i < n) {
        for (int j = i + 1; j < n; j++) {
            float distance = 0.0f;
            for (int d = 0; d < 3; d++) {
                float off = points[i][d] - points[j][d];
                distance += off * off;
            }
            int low = 0, high = 31;
            while (low < high) {
                int middle = (low + high) / 2;
                if (limits[middle] <= distance)
                    low = middle + 1;
                else
                    high = middle;
            }
            atomicAdd(&own[low], 1u);
        }
    }
    __syncthreads();
    if (t < 32) atomicAdd(&counts[t], own[t]);
}

extern "C" __global__ void ising(const signed char* spins, const float* chances, signed char* next, int color, int width, int height, float beta) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int at = y * width + x;
        signed char spin = spins[at];
        next[at] = spin;
        if ((x + y) % 2 == color) {
            signed char left = spins[y * width + (x + width - 1) % width];
            signed char right = spins[y * width + (x + 1) % width];
            signed char up = spins[(y + height - 1) % height * width + x];
            signed char down = spins[(y + 1) % height * width + x];
            int sum = left + right + up + down;
            float likely = expf(-2.0f * beta * (sum * spin));
            if (chances[at] < likely) next[at] = -spin;
        }
    }
}

extern "C" __global__ void pi_walk(unsigned* inside, unsigned n, unsigned tries, unsigned seed) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned state = (i ^ seed) * 747796405u + 2891336453u;
        unsigned hits = 0;
        for (unsigned k = 0; k < tries; k++) {
            state = state * 1664525u + 1013904223u;
            unsigned x = state >> 17;
            state = state * 1664525u + 1013904223u;
            unsigned y = state >> 17;
            if (x * x + y * y < 1u << 30) hits++;
        }
        inside[i] = hits;
    }
}

extern "C" __global__ void bezier(const float4* control, float4* surface, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        float u = (float)x / (width - 1);
        float v = (float)y / (height - 1);
        float bu[5], bv[5];
        float choose[5] = {1.0f, 4.0f, 6.0f, 4.0f, 1.0f};
        for (int k = 0; k < 5; k++) {
            float pu = choose[k], pv = choose[k];
            for (int i = 0; i < k; i++) {
                pu *= u;
                pv *= v;
            }
            for (int i = k; i < 4; i++) {
                pu *= 1.0f - u;
                pv *= 1.0f - v;
            }
            bu[k] = pu;
            bv[k] = pv;
        }
        float4 point = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        for (int i = 0; i < 5; i++) {
            for (int j = 0; j < 5; j++) {
                float weight = bv[i] * bu[j];
                float4 c = control[5 * i + j];
                point.x += c.x * weight;
                point.y += c.y * weight;
                point.z += c.z * weight;
                point.w += c.w * weight;
            }
        }
        surface[y * width + x] = point;
    }
}
