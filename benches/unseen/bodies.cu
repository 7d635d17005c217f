// The originals of bodies.rs.

extern "C" __global__ void gravity(const float (*positions)[3], const float* masses, float* potentials, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (int j = 0; j < n; j++) {
            float r2 = 0.01f;
            for (int d = 0; d < 3; d++) {
                float off = positions[j][d] - positions[i][d];
                r2 += off * off;
            }
            sum += masses[j] / sqrtf(r2);
        }
        potentials[i] = sum;
    }
}

extern "C" __global__ void lennard_jones(const float4* __restrict__ atoms, const int* __restrict__ neighbours, float4* __restrict__ forces,
                                         int n, int most, float cutoff) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 me = atoms[i];
        float4 force = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        for (int k = 0; k < most; k++) {
            float4 other = atoms[neighbours[k * n + i]];
            float dx = me.x - other.x;
            float dy = me.y - other.y;
            float dz = me.z - other.z;
            float r2 = dx * dx + dy * dy + dz * dz;
            if (r2 < cutoff) {
                float inverse = 1.0f / r2;
                float r6 = inverse * inverse * inverse;
                float f = inverse * r6 * (1.5f * r6 - 2.0f);
                force.x += dx * f;
                force.y += dy * f;
                force.z += dz * f;
            }
        }
        forces[i] = force;
    }
}

struct Particle {
    float position[3];
    float velocity[3];
    unsigned bounces;
};

extern "C" __global__ void move_particles(const Particle* particles, Particle* moved, float dt, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Particle p = particles[i];
        for (int d = 0; d < 3; d++) {
            p.position[d] += p.velocity[d] * dt;
            if (p.position[d] > 1.0f || p.position[d] < -1.0f) {
                p.velocity[d] = -p.velocity[d];
                p.bounces++;
            }
        }
        moved[i] = p;
    }
}

struct Sphere {
    float center[3];
    float radius;
};

extern "C" __global__ void ray_spheres(const Sphere* spheres, float* glass, unsigned width, unsigned height, unsigned count) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        float origin[3] = {0.0f, 0.0f, -3.0f};
        float direction[3] = {(float)(2 * x) / width - 1.0f, (float)(2 * y) / height - 1.0f, 2.0f};
        float length = 0.0f;
        for (int d = 0; d < 3; d++) length += direction[d] * direction[d];
        length = sqrtf(length);
        for (int d = 0; d < 3; d++) direction[d] /= length;
        float total = 0.0f;
        for (unsigned s = 0; s < count; s++) {
            float b = 0.0f;
            float c = -spheres[s].radius * spheres[s].radius;
            for (int d = 0; d < 3; d++) {
                float off = origin[d] - spheres[s].center[d];
                b += off * direction[d];
                c += off * off;
            }
            float under = b * b - c;
            if (under > 0.0f) total += 2.0f * sqrtf(under);
        }
        glass[y * width + x] = total;
    }
}
