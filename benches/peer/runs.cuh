// Inputs, checks against the host and timings of the larger kernels, in the shapes of applications/mod.rs.
#pragma once

#include <string>

#include "fields.cuh"
#include "gemm.cuh"
#include "memory.cuh"
#include "pointwise.cuh"
#include "rows.cuh"
#include "scan.cuh"

std::vector<float> between(size_t n, float low, float high) {
    std::vector<float> v = floats(n);
    for (auto& f : v) f = low + (high - low) * 0.5f * (f + 1);
    return v;
}

void run_sgemm(unsigned n) {
    std::vector<float> a = floats((size_t)n * n), b = floats((size_t)n * n);
    Memory<float> da(a), db(b), dc((size_t)n * n);
    auto launch = [&] {
        sgemm<<<dim3(n / 128, n / 128), 256>>>((float4*)da.p, (float4*)db.p, (float4*)dc.p, n, n);
    };
    launch();
    std::vector<float> c = download(dc.p, (size_t)n * n);
    for (size_t i = 0; i < c.size(); i += 10007) {
        double sum = 0;
        for (size_t e = 0; e < n; ++e) sum += (double)a[i / n * n + e] * b[e * n + i % n];
        expect("sgemm", i, c[i], sum, 1e-3);
    }
    time("sgemm", launch);
}

void run_rows(size_t rows, size_t width) {
    std::vector<float> x = floats(rows * width), weight = floats(width);
    Memory<float> dx(x), dw(weight), dy(rows * width);
    auto soft = [&] { softmax<<<rows, 256>>>((float4*)dx.p, (float4*)dy.p, width); };
    soft();
    std::vector<float> y = download(dy.p, rows * width);
    for (size_t row = 0; row < rows; row += 997) {
        double sum = 0;
        for (size_t i = 0; i < width; ++i) sum += exp((double)x[row * width + i]);
        for (size_t i = row * width; i < (row + 1) * width; ++i) expect("softmax", i, y[i], exp((double)x[i]) / sum, 2e-6);
    }
    time("softmax", soft);
    auto norm = [&] { rms_norm<8><<<rows, 256>>>((float4*)dx.p, (float4*)dw.p, (float4*)dy.p, 1e-5f); };
    norm();
    y = download(dy.p, rows * width);
    for (size_t row = 0; row < rows; row += 997) {
        double squares = 0;
        for (size_t i = 0; i < width; ++i) squares += (double)x[row * width + i] * x[row * width + i];
        double scale = 1 / sqrt(squares / width + 1e-5);
        for (size_t i = 0; i < width; ++i) {
            size_t at = row * width + i;
            expect("rms_norm", at, y[at], x[at] * scale * weight[i], 1e-5);
        }
    }
    time("rms_norm", norm);
}

void run_scan(size_t n) {
    std::vector<unsigned> x = words(n);
    Memory<unsigned> dx(x), dy(n), next_tile(1);
    Memory<unsigned long long> sums(n / 4096);
    unsigned launches = 0;
    auto launch = [&] { scan<<<n / 4096, 256>>>((uint4*)dx.p, (uint4*)dy.p, sums.p, next_tile.p, ++launches); };
    launch();
    launch();
    std::vector<unsigned> y = download(dy.p, n);
    unsigned sum = 0;
    for (size_t i = 0; i < n; ++i) expect("scan", i, y[i], sum += x[i], 0);
    time("scan", launch);
}

void run_nbody(unsigned n) {
    const float step = 1e-6f;
    std::vector<float> p = floats(4 * (size_t)n), v = floats(4 * (size_t)n);
    for (size_t i = 3; i < p.size(); i += 4) p[i] = fabsf(p[i]);
    Memory<float> dp(p), dv(v), dm(4 * (size_t)n);
    auto launch = [&] {
        nbody<<<n / 256, 256>>>(Bodies{(float4*)dp.p, (float4*)dv.p}, (float4*)dm.p, n, step);
    };
    launch();
    std::vector<float> speed = download(dv.p, v.size()), moved = download(dm.p, p.size());
    for (size_t i = 0; i < n; i += n / 64 + 1) {
        double pull[3] = {};
        for (size_t j = 0; j < n; ++j) {
            double d[3], squared = 1e-2f;
            for (int c = 0; c < 3; ++c) d[c] = (double)p[4 * j + c] - p[4 * i + c], squared += d[c] * d[c];
            for (int c = 0; c < 3; ++c) pull[c] += d[c] * p[4 * j + 3] * pow(squared, -1.5);
        }
        for (int c = 0; c < 3; ++c) {
            double faster = v[4 * i + c] + pull[c] * step;
            expect("nbody", i, speed[4 * i + c], faster, 1e-5);
            expect("nbody", i, moved[4 * i + c], p[4 * i + c] + faster * step, 1e-6);
        }
    }
    time("nbody", launch);
}

void run_stencils(size_t n, size_t side) {
    const double c[9] = {-1. / 560, 8. / 315, -1. / 5, 8. / 5, -205. / 72, 8. / 5, -1. / 5, 8. / 315, -1. / 560};
    std::vector<float> x = floats(n);
    Memory<float> dx(x), dy(n);
    auto line = [&] { stencil<<<n / 256, 256>>>(dx.p, dy.p, n); };
    line();
    std::vector<float> y = download(dy.p, n);
    for (size_t i = 0; i < n; i += i < 512 || i + 512 > n ? 1 : 251) {
        double sum = 0;
        for (size_t k = 0; k < 9; ++k) sum += i + k >= 4 && i + k - 4 < n ? c[k] * x[i + k - 4] : 0;
        expect("stencil", i, y[i], sum, 1e-5);
    }
    time("stencil", line);
    Field field = {(unsigned)side, (unsigned)side, dx.p};
    auto sweep = [&] { jacobi<<<dim3(side / 32, side / 8), dim3(32, 8)>>>(field, dy.p); };
    sweep();
    y = download(dy.p, side * side);
    auto at = [&](size_t row, size_t col) { return (double)x[std::min(row, side - 1) * side + std::min(col, side - 1)]; };
    for (size_t i = 0; i < side * side; i += i < 2 * side ? 1 : 251) {
        size_t row = i / side, col = i % side;
        double sum = at(row ? row - 1 : 0, col) + at(row + 1, col) + at(row, col ? col - 1 : 0) + at(row, col + 1);
        expect("jacobi", i, y[i], 0.25 * sum, 1e-6);
    }
    time("jacobi", sweep);
}

void run_spmv(size_t rows) {
    std::vector<unsigned> starts = {0};
    for (int length : ints(rows, 0, 128)) starts.push_back(starts.back() + length);
    std::vector<unsigned> columns = words(starts.back());
    for (auto& column : columns) column %= rows;
    std::vector<float> values = floats(columns.size()), x = floats(rows);
    Memory<unsigned> ds(starts), dc(columns);
    Memory<float> dv(values), dx(x), dy(rows);
    auto launch = [&] { spmv<<<rows / 8, 256>>>(ds.p, dc.p, dv.p, dx.p, dy.p, rows); };
    launch();
    std::vector<float> y = download(dy.p, rows);
    for (size_t row = 0; row < rows; ++row) {
        double sum = 0;
        for (size_t i = starts[row]; i < starts[row + 1]; ++i) sum += (double)values[i] * x[columns[i]];
        expect("spmv", row, y[row], sum, 1e-4);
    }
    time("spmv", launch);
}

void run_black_scholes(size_t n) {
    const double r = 0.02f, v = 0.3f;
    std::vector<float> s = between(n, 5, 30), x = between(n, 1, 100), t = between(n, 0.25f, 10);
    Memory<float> ds(s), dx(x), dt(t), call(n), put(n);
    auto launch = [&] { black_scholes<<<n / 256, 256>>>(ds.p, dx.p, dt.p, call.p, put.p, 0.02f, 0.3f, n); };
    launch();
    std::vector<float> calls = download(call.p, n), puts = download(put.p, n);
    auto below = [](double d) { return 0.5 * erfc(-d / sqrt(2.)); };
    for (size_t i = 0; i < n; i += 101) {
        double d1 = (log((double)s[i] / x[i]) + (r + 0.5 * v * v) * t[i]) / (v * sqrt((double)t[i]));
        double d2 = d1 - v * sqrt((double)t[i]), discounted = x[i] * exp(-r * t[i]);
        expect("black_scholes", i, calls[i], s[i] * below(d1) - discounted * below(d2), 1e-3);
        expect("black_scholes", i, puts[i], discounted * below(-d2) - s[i] * below(-d1), 1e-3);
    }
    time("black_scholes", launch);
}

void run_mandelbrot(unsigned side) {
    const float pitch = 2.5f / side;
    Memory<unsigned> times((size_t)side * side);
    auto launch = [&] {
        mandelbrot<<<dim3(side / 32, side / 8), dim3(32, 8)>>>(times.p, side, side, float2{-2, -1.25f}, pitch, 1000);
    };
    launch();
    std::vector<unsigned> got = download(times.p, (size_t)side * side);
    size_t wrong = 0, seen = 0;
    for (size_t i = 0; i < got.size(); i += 671, ++seen) {
        float re = -2 + i % side * pitch, im = -1.25f + i / side * pitch, x = 0, y = 0;
        unsigned step = 0;
        for (; step < 1000 && x * x + y * y <= 4; ++step) {
            float next = x * x - y * y + re;
            y = x * y + y * x + im;
            x = next;
        }
        wrong += got[i] != step;
    }
    // At the rim of the set a rounding changes the time.
    expect("mandelbrot", 0, wrong, 0, seen / 50.);
    time("mandelbrot", launch);
}

void run_bitonic_sort(size_t n) {
    std::vector<unsigned> keys = words(n);
    Memory<unsigned> dk(keys), ds(n);
    auto launch = [&] { bitonic_sort<<<n / 1024, 512>>>(dk.p, ds.p); };
    launch();
    std::vector<unsigned> sorted = download(ds.p, n);
    for (size_t start = 0; start < n; start += 1024) std::sort(keys.begin() + start, keys.begin() + start + 1024);
    for (size_t i = 0; i < n; ++i) expect("bitonic_sort", i, sorted[i], keys[i], 0);
    time("bitonic_sort", launch);
}

void run_applications() {
    run_sgemm(4096);
    run_rows(16384, 8192);
    run_scan(1 << 28);
    run_nbody(1 << 17);
    run_stencils(1 << 28, 16384);
    run_spmv(1 << 20);
    run_black_scholes(1 << 26);
    run_mandelbrot(8192);
    run_bitonic_sort(1 << 26);
}
