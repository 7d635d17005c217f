// The originals of texts.rs.

typedef unsigned char u8;
typedef unsigned long long u64;

__device__ int base_code(u8 base) {
    switch (base) {
        case 'A': return 0;
        case 'C': return 1;
        case 'G': return 2;
        case 'T': return 3;
        default: return -1;
    }
}

__device__ bool canonical_hash(const u8* bases, int k, u64* hash) {
    u64 forward = 0, backward = 0;
    for (int i = 0; i < k; i++) {
        int code = base_code(bases[i]);
        if (code < 0) return false;
        forward = forward << 2 | (u64)code;
        backward |= (u64)(3 - code) << (2 * i);
    }
    u64 key = forward < backward ? forward : backward;
    key = (key ^ key >> 33) * 0xff51afd7ed558ccdull;
    key = (key ^ key >> 33) * 0xc4ceb9fe1a85ec53ull;
    *hash = key ^ key >> 33;
    return true;
}

extern "C" __global__ void minimizers(const u8* sequence, unsigned* places, int count, int k, int window) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    u64 least = 0;
    unsigned best = 0xffffffffu;
    for (int j = 0; j < window; j++) {
        u64 hash;
        if (canonical_hash(sequence + i + j, k, &hash) && (best == 0xffffffffu || hash < least)) {
            least = hash;
            best = i + j;
        }
    }
    places[i] = best;
}

__device__ bool is_tail(u8 byte) {
    return (byte & 0xC0) == 0x80;
}

__device__ int first_char(const u8* s, int n) {
    u8 a = s[0];
    if (a < 0x80) return 1;
    if (n < 2 || a < 0xC2) return 0;
    if (a <= 0xDF) return is_tail(s[1]) ? 2 : 0;
    if (n < 3) return 0;
    if (a <= 0xEF) {
        u8 low = a == 0xE0 ? 0xA0 : 0x80, high = a == 0xED ? 0x9F : 0xBF;
        return s[1] >= low && s[1] <= high && is_tail(s[2]) ? 3 : 0;
    }
    if (n < 4 || a > 0xF4) return 0;
    u8 low = a == 0xF0 ? 0x90 : 0x80, high = a == 0xF4 ? 0x8F : 0xBF;
    return s[1] >= low && s[1] <= high && is_tail(s[2]) && is_tail(s[3]) ? 4 : 0;
}

extern "C" __global__ void utf8_count(const u8* text, const unsigned* offsets, int* counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned pos = offsets[i], end = offsets[i + 1];
    int chars = 0;
    while (pos < end) {
        int len = first_char(text + pos, end - pos);
        if (len == 0) {
            chars = -1;
            break;
        }
        chars++;
        pos += len;
    }
    counts[i] = chars;
}

extern "C" __global__ void csv_fields(const u8* text, const unsigned* starts, unsigned* fields, unsigned* counts, unsigned lines,
                                      unsigned columns) {
    unsigned line = blockIdx.x * blockDim.x + threadIdx.x;
    if (line >= lines) return;
    unsigned end = starts[line + 1];
    unsigned pos = starts[line];
    unsigned field = 0;
    bool quoted = false;
    fields[line * columns] = pos;
    while (pos < end) {
        u8 c = text[pos];
        if (c == '\n') break;
        pos++;
        if (c == '"') {
            quoted = !quoted;
        } else if (c == ',' && !quoted) {
            field++;
            if (field == columns) break;
            fields[line * columns + field] = pos;
        }
    }
    counts[line] = field < columns ? field + 1 : columns;
}

__device__ bool is_digit(u8 c) {
    return c >= '0' && c <= '9';
}

__device__ double power_of_ten(int n) {
    double result = 1.0, base = 10.0;
    for (; n > 0; n >>= 1, base *= base)
        if (n & 1) result *= base;
    return result;
}

__device__ double parse(const u8* s, const u8* end) {
    const double none = (double)__uint_as_float(0x7f800000u);
    bool negative = s < end && *s == '-';
    if (negative) s++;
    u64 mantissa = 0;
    int count = 0, exponent = 0;
    while (s < end && is_digit(*s)) {
        mantissa = mantissa * 10 + (*s++ - '0');
        count++;
    }
    if (s < end && *s == '.') {
        s++;
        while (s < end && is_digit(*s)) {
            mantissa = mantissa * 10 + (*s++ - '0');
            count++;
            exponent--;
        }
    }
    if (count == 0) return none;
    if (s < end && (*s == 'e' || *s == 'E')) {
        s++;
        int sign = 1, power = 0;
        if (s < end && *s == '-') {
            sign = -1;
            s++;
        }
        while (s < end && is_digit(*s)) power = power * 10 + (*s++ - '0');
        exponent += sign * power;
    }
    if (s < end) return none;
    double scale = power_of_ten(abs(exponent));
    double value = exponent < 0 ? (double)mantissa / scale : (double)mantissa * scale;
    return negative ? -value : value;
}

extern "C" __global__ void parse_decimals(const u8* text, const unsigned* offsets, double* values, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] = parse(text + offsets[i], text + offsets[i + 1]);
}

#define CHUNK 256u

__device__ unsigned word_at(const u8* data, unsigned at) {
    return data[at] | (unsigned)data[at + 1] << 8 | (unsigned)data[at + 2] << 16 | (unsigned)data[at + 3] << 24;
}

extern "C" __global__ void lz_matches(const u8* data, unsigned* matches, unsigned* counts, unsigned chunks) {
    unsigned chunk = blockIdx.x * blockDim.x + threadIdx.x;
    if (chunk >= chunks) return;
    unsigned start = chunk * CHUNK, end = start + CHUNK;
    unsigned short table[64];
    for (int k = 0; k < 64; k++) table[k] = 0;
    unsigned count = 0, pos = start;
    while (pos + 4 <= end) {
        unsigned hash = word_at(data, pos) * 2654435761u >> 26;
        unsigned candidate = table[hash];
        table[hash] = pos - start + 1;
        unsigned len = 0;
        if (candidate > 0) {
            unsigned from = start + candidate - 1;
            while (pos + len < end && data[from + len] == data[pos + len]) len++;
        }
        if (len >= 4) {
            unsigned distance = pos - (start + candidate - 1);
            matches[chunk * (CHUNK / 4) + count++] = (pos - start) << 20 | distance << 10 | len;
            pos += len;
        } else {
            pos++;
        }
    }
    counts[chunk] = count;
}

extern "C" __global__ void unpack_bits(const unsigned* data, const unsigned* starts, unsigned* out) {
    unsigned frame = blockIdx.x;
    unsigned t = threadIdx.x;
    unsigned start = starts[frame];
    unsigned reference = data[start];
    unsigned width = data[start + 1];
    unsigned bit = width * t;
    unsigned word = start + 2 + bit / 32;
    u64 pair = (u64)data[word + 1] << 32 | data[word];
    u64 mask = (1ull << width) - 1;
    out[frame * 128 + t] = reference + (unsigned)(pair >> bit % 32 & mask);
}
