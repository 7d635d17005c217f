// The originals of products.rs.

extern "C" __global__ void gemm(const float* a, const float* b, float* c, float alpha, float beta, int ni, int nj, int nk) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < ni && j < nj) {
        c[i * nj + j] *= beta;
        for (int k = 0; k < nk; k++) {
            c[i * nj + j] += alpha * a[i * nk + k] * b[k * nj + j];
        }
    }
}

extern "C" __global__ void syrk(const float* a, float* c, float alpha, float beta, int n, int m) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) {
        float sum = 0.0f;
        for (int k = 0; k < m; k++) {
            sum += a[i * m + k] * a[j * m + k];
        }
        c[i * n + j] = alpha * sum + beta * c[i * n + j];
    }
}

extern "C" __global__ void doitgen(int nr, int nq, int np, const double* a, const double* c4, double* sum) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    int q = blockIdx.y * blockDim.y + threadIdx.y;
    int r = blockIdx.z;
    if (p < np && q < nq && r < nr) {
        double total = 0.0;
        for (int s = 0; s < np; s++) {
            total += a[(r * nq + q) * np + s] * c4[s * np + p];
        }
        sum[(r * nq + q) * np + p] = total;
    }
}

extern "C" __global__ void mvt(int n, const float* a, float* x1, const float* y1) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        for (int j = 0; j < n; j++) {
            x1[i] += a[i * n + j] * y1[j];
        }
    }
}

extern "C" __global__ void bicg(int nx, int ny, const float* a, const float* r, float* s) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < ny) {
        s[j] = 0.0f;
        for (int i = 0; i < nx; i++) {
            s[j] += r[i] * a[i * ny + j];
        }
    }
}

extern "C" __global__ void gesummv(int n, float alpha, float beta, const float* a, const float* b, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float by_a = 0.0f;
        float by_b = 0.0f;
        for (int j = 0; j < n; j++) {
            by_a += a[i * n + j] * x[j];
            by_b += b[i * n + j] * x[j];
        }
        y[i] = alpha * by_a + beta * by_b;
    }
}

extern "C" __global__ void trmm(const float* a, const float* b, float* out, int n, int m) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < m) {
        float sum = 0.0f;
        for (int k = 0; k <= i; k++) {
            sum += a[i * n + k] * b[k * m + j];
        }
        out[i * m + j] = sum;
    }
}

extern "C" __global__ void covariance(const float* data, const float* mean, float* cov, int n, int m) {
    int j1 = blockIdx.x * blockDim.x + threadIdx.x;
    if (j1 < m) {
        for (int j2 = j1; j2 < m; j2++) {
            float sum = 0.0f;
            for (int i = 0; i < n; i++) {
                sum += (data[i * m + j1] - mean[j1]) * (data[i * m + j2] - mean[j2]);
            }
            cov[j1 * m + j2] = sum / (n - 1.0f);
            cov[j2 * m + j1] = cov[j1 * m + j2];
        }
    }
}
