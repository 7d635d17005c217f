// The originals of scenes.rs.

#ifdef UNSEEN_HOST
static int total;
inline int __syncthreads_count(int p) {
    __syncthreads();
    total = 0;
    __syncthreads();
    total += p != 0;
    __syncthreads();
    return total;
}
struct uint2 {
    unsigned x, y;
};
#endif

__device__ unsigned grid_index(unsigned hashmap_size, unsigned resolution, const unsigned corner[3]) {
    unsigned stride = 1, index = 0;
    for (unsigned dim = 0; dim < 3 && stride <= hashmap_size; ++dim) {
        index += corner[dim] * stride;
        stride *= resolution;
    }
    if (hashmap_size < stride) index = corner[0] * 1u ^ corner[1] * 2654435761u ^ corner[2] * 805459861u;
    return index % hashmap_size;
}

extern "C" __global__ void hash_grid(const float2* grid, const unsigned* offset_table, const float* scales, const float* positions,
                                     float2* encoded, unsigned num_elements) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= num_elements) return;
    const unsigned level = blockIdx.y;
    grid += offset_table[level];
    const unsigned hashmap_size = offset_table[level + 1] - offset_table[level];
    const float scale = scales[level];
    const unsigned resolution = (unsigned)ceilf(scale) + 1;
    float pos[3];
    unsigned pos_grid[3];
#pragma unroll
    for (unsigned dim = 0; dim < 3; ++dim) {
        pos[dim] = positions[i * 3 + dim] * scale + 0.5f;
        float tmp = floorf(pos[dim]);
        pos_grid[dim] = (unsigned)(int)tmp;
        pos[dim] -= tmp;
    }
    float2 result = make_float2(0.0f, 0.0f);
#pragma unroll
    for (unsigned idx = 0; idx < 8; ++idx) {
        float weight = 1;
        unsigned corner[3];
#pragma unroll
        for (unsigned dim = 0; dim < 3; ++dim) {
            if ((idx & (1 << dim)) == 0) {
                weight *= 1 - pos[dim];
                corner[dim] = pos_grid[dim];
            } else {
                weight *= pos[dim];
                corner[dim] = pos_grid[dim] + 1;
            }
        }
        float2 value = grid[grid_index(hashmap_size, resolution, corner)];
        result.x += weight * value.x;
        result.y += weight * value.y;
    }
    encoded[level * num_elements + i] = result;
}

struct vec3 {
    float x, y, z;
};
__device__ vec3 operator+(vec3 a, vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
__device__ vec3 operator-(vec3 a, vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
__device__ vec3 operator*(float s, vec3 a) { return {s * a.x, s * a.y, s * a.z}; }
__device__ float dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

extern "C" __global__ void sh_colours(const vec3* centres, const vec3* coefficients, float ex, float ey, float ez, vec3* colours,
                                      int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    vec3 dir = centres[i] - vec3{ex, ey, ez};
    dir = (1.0f / sqrtf(dot(dir, dir))) * dir;
    const vec3* sh = coefficients + 16 * i;
    float x = dir.x, y = dir.y, z = dir.z;
    vec3 result = 0.2820948f * sh[0];
    result = result + (-0.4886025f * y) * sh[1] + (0.4886025f * z) * sh[2] + (-0.4886025f * x) * sh[3];
    float xx = x * x, yy = y * y, zz = z * z;
    float xy = x * y, yz = y * z, xz = x * z;
    result = result + (1.0925484f * xy) * sh[4] + (-1.0925484f * yz) * sh[5] + (0.31539157f * (2.0f * zz - xx - yy)) * sh[6] +
             (-1.0925484f * xz) * sh[7] + (0.5462742f * (xx - yy)) * sh[8];
    result = result + (-0.5900436f * y * (3.0f * xx - yy)) * sh[9] + (2.8906114f * xy * z) * sh[10] +
             (-0.4570458f * y * (4.0f * zz - xx - yy)) * sh[11] + (0.37317634f * z * (2.0f * zz - 3.0f * xx - 3.0f * yy)) * sh[12] +
             (-0.4570458f * x * (4.0f * zz - xx - yy)) * sh[13] + (1.4453057f * z * (xx - yy)) * sh[14] +
             (-0.5900436f * x * (xx - 3.0f * yy)) * sh[15];
    result = result + vec3{0.5f, 0.5f, 0.5f};
    colours[i] = vec3{fmaxf(result.x, 0.0f), fmaxf(result.y, 0.0f), fmaxf(result.z, 0.0f)};
}

#define BLOCK_X 16
#define BLOCK_Y 16
#define BLOCK_SIZE (BLOCK_X * BLOCK_Y)
#define CHANNELS 3

extern "C" __global__ void splat_tiles(const uint2* ranges, const unsigned* point_list, const float2* points_xy, const float* features,
                                       const float4* conic_opacity, float* final_T, float* out_color, int W, int H, float r, float g,
                                       float b) {
    int horizontal_blocks = (W + BLOCK_X - 1) / BLOCK_X;
    int pix_x = blockIdx.x * BLOCK_X + threadIdx.x, pix_y = blockIdx.y * BLOCK_Y + threadIdx.y;
    int pix_id = W * pix_y + pix_x;
    int rank = threadIdx.y * BLOCK_X + threadIdx.x;
    bool inside = pix_x < W && pix_y < H;
    bool done = !inside;
    uint2 range = ranges[blockIdx.y * horizontal_blocks + blockIdx.x];
    const int rounds = ((range.y - range.x + BLOCK_SIZE - 1) / BLOCK_SIZE);
    int toDo = range.y - range.x;
    __shared__ int collected_id[BLOCK_SIZE];
    __shared__ float2 collected_xy[BLOCK_SIZE];
    __shared__ float4 collected_conic[BLOCK_SIZE];
    const float bg_color[CHANNELS] = {r, g, b};
    float T = 1.0f;
    float C[CHANNELS] = {0};
    for (int i = 0; i < rounds; i++, toDo -= BLOCK_SIZE) {
        int num_done = __syncthreads_count(done);
        if (num_done == BLOCK_SIZE) break;
        int progress = i * BLOCK_SIZE + rank;
        if (range.x + progress < range.y) {
            int coll_id = point_list[range.x + progress];
            collected_id[rank] = coll_id;
            collected_xy[rank] = points_xy[coll_id];
            collected_conic[rank] = conic_opacity[coll_id];
        }
        __syncthreads();
        for (int j = 0; !done && j < min(BLOCK_SIZE, toDo); j++) {
            float2 xy = collected_xy[j];
            float dx = xy.x - pix_x, dy = xy.y - pix_y;
            float4 con_o = collected_conic[j];
            float power = -0.5f * (con_o.x * dx * dx + con_o.z * dy * dy) - con_o.y * dx * dy;
            if (power > 0.0f) continue;
            float alpha = min(0.99f, con_o.w * expf(power));
            if (alpha < 1.0f / 255.0f) continue;
            float test_T = T * (1 - alpha);
            if (test_T < 0.0001f) {
                done = true;
                continue;
            }
            for (int ch = 0; ch < CHANNELS; ch++) C[ch] += features[collected_id[j] * CHANNELS + ch] * alpha * T;
            T = test_T;
        }
    }
    if (inside) {
        final_T[pix_id] = T;
        for (int ch = 0; ch < CHANNELS; ch++) out_color[ch * H * W + pix_id] = C[ch] + T * bg_color[ch];
    }
}
