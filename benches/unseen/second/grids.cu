// The originals of grids.rs.

extern "C" __global__ void srad(const float* image, const float* coeff, float* out, const int* north, const int* south, const int* west, const int* east, int rows, int cols, float lambda) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < rows * cols) {
        int row = id % rows;
        int col = id / rows;
        float here = image[id];
        float dn = image[north[row] + rows * col] - here;
        float ds = image[south[row] + rows * col] - here;
        float dw = image[row + rows * west[col]] - here;
        float de = image[row + rows * east[col]] - here;
        float cn = coeff[id];
        float cs = coeff[south[row] + rows * col];
        float ce = coeff[row + rows * east[col]];
        out[id] = here + 0.25f * lambda * (cn * dn + cs * ds + cn * dw + ce * de);
    }
}

extern "C" __global__ void hotspot3d(const float* power, const float* tin, float* tout, int nx, int ny, int nz, float ce, float ct, float cc, float step) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    int j = blockDim.y * blockIdx.y + threadIdx.y;
    if (i >= nx || j >= ny) return;
    int c = i + j * nx;
    int xy = nx * ny;
    int w = i == 0 ? c : c - 1;
    int e = i == nx - 1 ? c : c + 1;
    int n = j == 0 ? c : c - nx;
    int s = j == ny - 1 ? c : c + nx;
    float temp1, temp2, temp3;
    temp1 = temp2 = tin[c];
    temp3 = tin[c + xy];
    for (int k = 0; k < nz - 1; k++) {
        tout[c] = cc * temp2 + ce * (tin[w] + tin[e] + tin[s] + tin[n]) + ct * (temp1 + temp3) + step * power[c];
        c += xy;
        w += xy;
        e += xy;
        n += xy;
        s += xy;
        temp1 = temp2;
        temp2 = temp3;
        temp3 = k + 2 < nz ? tin[c + xy] : temp2;
    }
    tout[c] = cc * temp2 + ce * (tin[w] + tin[e] + tin[s] + tin[n]) + ct * (temp1 + temp3) + step * power[c];
}

extern "C" __global__ void pathfinder(const int* wall, const int* source, int* result, int cols, int first, int steps) {
    extern __shared__ int rows[];
    int* previous = rows;
    int* next = rows + blockDim.x;
    int tx = threadIdx.x;
    int inner = blockDim.x - 2 * steps;
    int x = blockIdx.x * inner - steps + tx;
    bool valid = x >= 0 && x < cols;
    previous[tx] = valid ? source[x] : 0x7fffffff;
    __syncthreads();
    for (int i = 0; i < steps; i++) {
        if (tx > i && tx < (int)blockDim.x - 1 - i && valid) {
            int least = min(previous[tx - 1], min(previous[tx], previous[tx + 1]));
            next[tx] = least + wall[(first + i) * cols + x];
        } else {
            next[tx] = 0x7fffffff;
        }
        __syncthreads();
        previous[tx] = next[tx];
        __syncthreads();
    }
    if (tx >= steps && tx < (int)blockDim.x - steps && valid) result[x] = previous[tx];
}

extern "C" __global__ void trilinear(const float* volume, const float* points, float* out, int nx, int ny, int nz, int count) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < count) {
        float px = points[3 * id], py = points[3 * id + 1], pz = points[3 * id + 2];
        int x0 = (int)px, y0 = (int)py, z0 = (int)pz;
        int x1 = min(x0 + 1, nx - 1), y1 = min(y0 + 1, ny - 1), z1 = min(z0 + 1, nz - 1);
        float fx = px - x0, fy = py - y0, fz = pz - z0;
        float c00 = volume[(z0 * ny + y0) * nx + x0] * (1.0f - fx) + volume[(z0 * ny + y0) * nx + x1] * fx;
        float c01 = volume[(z1 * ny + y0) * nx + x0] * (1.0f - fx) + volume[(z1 * ny + y0) * nx + x1] * fx;
        float c10 = volume[(z0 * ny + y1) * nx + x0] * (1.0f - fx) + volume[(z0 * ny + y1) * nx + x1] * fx;
        float c11 = volume[(z1 * ny + y1) * nx + x0] * (1.0f - fx) + volume[(z1 * ny + y1) * nx + x1] * fx;
        float c0 = c00 * (1.0f - fy) + c10 * fy;
        float c1 = c01 * (1.0f - fy) + c11 * fy;
        out[id] = c0 * (1.0f - fz) + c1 * fz;
    }
}

extern "C" __global__ void mandelbrot_fixed(unsigned short* counts, int width, int height, long long left, long long top, long long step, int most) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        long long cr = left + x * step;
        long long ci = top + y * step;
        long long zr = 0, zi = 0;
        int n = 0;
        while (n < most) {
            long long rr = (zr * zr) >> 28;
            long long ii = (zi * zi) >> 28;
            if (rr + ii > (4ll << 28)) break;
            zi = ((zr * zi) >> 27) + ci;
            zr = rr - ii + cr;
            n++;
        }
        counts[y * width + x] = (unsigned short)n;
    }
}

__device__ float bezier_blend(int k, float mu, int n) {
    int nn = n, kn = k, nkn = n - k;
    float blend = 1.0f;
    while (nn >= 1) {
        blend *= nn;
        nn--;
        if (kn > 1) {
            blend /= (float)kn;
            kn--;
        }
        if (nkn > 1) {
            blend /= (float)nkn;
            nkn--;
        }
    }
    if (k > 0) blend *= powf(mu, (float)k);
    if (n - k > 0) blend *= powf(1.0f - mu, (float)(n - k));
    return blend;
}

extern "C" __global__ void bezier_surface(const float3* control, float3* surface, int ni, int nj, int res_i, int res_j) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < res_i && j < res_j) {
        float mui = i / (float)(res_i - 1);
        float muj = j / (float)(res_j - 1);
        float3 out = make_float3(0.0f, 0.0f, 0.0f);
        for (int ki = 0; ki <= ni; ki++) {
            float bi = bezier_blend(ki, mui, ni);
            for (int kj = 0; kj <= nj; kj++) {
                float bj = bezier_blend(kj, muj, nj);
                out.x += control[ki * (nj + 1) + kj].x * bi * bj;
                out.y += control[ki * (nj + 1) + kj].y * bi * bj;
                out.z += control[ki * (nj + 1) + kj].z * bi * bj;
            }
        }
        surface[i * res_j + j] = out;
    }
}

__constant__ float weights[25] = {
    0.01f, 0.02f, 0.03f, 0.02f, 0.01f,
    0.02f, 0.05f, 0.08f, 0.05f, 0.02f,
    0.03f, 0.08f, 0.16f, 0.08f, 0.03f,
    0.02f, 0.05f, 0.08f, 0.05f, 0.02f,
    0.01f, 0.02f, 0.03f, 0.02f, 0.01f,
};

extern "C" __global__ void conv_constant(const float* in, float* out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        float sum = 0.0f;
        for (int dy = -2; dy <= 2; dy++) {
            for (int dx = -2; dx <= 2; dx++) {
                int cx = x + dx < 0 ? 0 : (x + dx >= width ? width - 1 : x + dx);
                int cy = y + dy < 0 ? 0 : (y + dy >= height ? height - 1 : y + dy);
                sum += in[cy * width + cx] * weights[(dy + 2) * 5 + dx + 2];
            }
        }
        out[y * width + x] = sum;
    }
}
