// The originals of small.rs.

extern "C" __global__ void invert4(const float* __restrict__ a, float* __restrict__ inverse, int count) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= count) return;
    float m[4][8];
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            m[i][j] = a[id * 16 + i * 4 + j];
            m[i][4 + j] = i == j ? 1.0f : 0.0f;
        }
    }
    for (int col = 0; col < 4; col++) {
        float pivot = 1.0f / m[col][col];
        for (int j = 0; j < 8; j++) m[col][j] *= pivot;
        for (int row = 0; row < 4; row++) {
            if (row != col) {
                float factor = m[row][col];
                for (int j = 0; j < 8; j++) m[row][j] -= factor * m[col][j];
            }
        }
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) inverse[id * 16 + i * 4 + j] = m[i][4 + j];
}

extern "C" __global__ void cholesky6(const double* a, double* l, int count) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < count) {
        double m[36];
        for (int k = 0; k < 36; k++) m[k] = a[id * 36 + k];
        for (int j = 0; j < 6; j++) {
            for (int k = 0; k < j; k++)
                for (int i = j; i < 6; i++) m[i * 6 + j] -= m[i * 6 + k] * m[j * 6 + k];
            double root = sqrt(m[j * 6 + j]);
            for (int i = j; i < 6; i++) m[i * 6 + j] /= root;
        }
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++) l[id * 36 + i * 6 + j] = j <= i ? m[i * 6 + j] : 0.0;
    }
}

extern "C" __global__ void solve5(const float* a, const float* b, float* x, int n) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;
    float m[5][6];
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < 5; j++) m[i][j] = a[id * 25 + i * 5 + j];
        m[i][5] = b[id * 5 + i];
    }
    for (int col = 0; col < 5; col++) {
        int best = col;
        for (int row = col + 1; row < 5; row++)
            if (fabsf(m[row][col]) > fabsf(m[best][col])) best = row;
        for (int j = 0; j < 6; j++) {
            float kept = m[col][j];
            m[col][j] = m[best][j];
            m[best][j] = kept;
        }
        for (int row = col + 1; row < 5; row++) {
            float factor = m[row][col] / m[col][col];
            for (int j = col; j < 6; j++) m[row][j] -= factor * m[col][j];
        }
    }
    float solution[5];
    for (int i = 4; i >= 0; i--) {
        float sum = m[i][5];
        for (int j = i + 1; j < 5; j++) sum -= m[i][j] * solution[j];
        solution[i] = sum / m[i][i];
    }
    for (int i = 0; i < 5; i++) x[id * 5 + i] = solution[i];
}

extern "C" __global__ void eigen3(const float* __restrict__ a, float* __restrict__ values, int n) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < n) {
        float m[3][3];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) m[i][j] = a[id * 9 + i * 3 + j];
        for (int sweep = 0; sweep < 6; sweep++) {
            for (int p = 0; p < 2; p++) {
                for (int q = p + 1; q < 3; q++) {
                    if (fabsf(m[p][q]) > 1e-9f) {
                        float theta = (m[q][q] - m[p][p]) / (2.0f * m[p][q]);
                        float sign = theta >= 0.0f ? 1.0f : -1.0f;
                        float t = sign / (fabsf(theta) + sqrtf(theta * theta + 1.0f));
                        float c = 1.0f / sqrtf(t * t + 1.0f);
                        float s = t * c;
                        for (int k = 0; k < 3; k++) {
                            float left = m[k][p], right = m[k][q];
                            m[k][p] = c * left - s * right;
                            m[k][q] = s * left + c * right;
                        }
                        for (int k = 0; k < 3; k++) {
                            float upper = m[p][k], lower = m[q][k];
                            m[p][k] = c * upper - s * lower;
                            m[q][k] = s * upper + c * lower;
                        }
                    }
                }
            }
        }
        float sorted[3] = {m[0][0], m[1][1], m[2][2]};
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2 - i; j++)
                if (sorted[j] > sorted[j + 1]) {
                    float kept = sorted[j];
                    sorted[j] = sorted[j + 1];
                    sorted[j + 1] = kept;
                }
        for (int i = 0; i < 3; i++) values[id * 3 + i] = sorted[i];
    }
}

struct Track {
    float state[4];
    float covariance[4][4];
};

extern "C" __global__ void kalman4(const Track* tracks, const float (*measured)[2], float (*states)[4], int n, float dt, float noise) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < n) {
        Track track = tracks[id];
        float f[4][4] = {{1, 0, dt, 0}, {0, 1, 0, dt}, {0, 0, 1, 0}, {0, 0, 0, 1}};
        float x[4] = {}, fp[4][4] = {}, p[4][4] = {};
        for (int i = 0; i < 4; i++) {
            for (int k = 0; k < 4; k++) {
                x[i] += f[i][k] * track.state[k];
                for (int j = 0; j < 4; j++) fp[i][j] += f[i][k] * track.covariance[k][j];
            }
        }
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 4; j++)
                for (int k = 0; k < 4; k++) p[i][j] += fp[i][k] * f[j][k];
            p[i][i] += noise;
        }
        float s00 = p[0][0] + 1.0f, s01 = p[0][1], s11 = p[1][1] + 1.0f;
        float det = 1.0f / (s00 * s11 - s01 * s01);
        float y[2] = {measured[id][0] - x[0], measured[id][1] - x[1]};
        for (int i = 0; i < 4; i++) {
            float g0 = (p[i][0] * s11 - p[i][1] * s01) * det;
            float g1 = (p[i][1] * s00 - p[i][0] * s01) * det;
            states[id][i] = x[i] + g0 * y[0] + g1 * y[1];
        }
    }
}
