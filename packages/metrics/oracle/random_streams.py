"""xoshiro128** seeded through splitmix64, from the published definitions. Writes golden/random.json."""
from golden import write

M32, M64 = 2**32 - 1, 2**64 - 1
GAMMA = 0x9E3779B97F4A7C15


def mix(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & M64
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & M64
    return z ^ (z >> 31)


def splitmix64(x):
    while True:
        x = (x + GAMMA) & M64
        yield mix(x)


def rotl(x, k):
    return ((x << k) | (x >> (32 - k))) & M32


def xoshiro128starstar(s):
    s = list(s)
    while True:
        yield (rotl((s[1] * 5) & M32, 7) * 9) & M32
        t = (s[1] << 9) & M32
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotl(s[3], 11)


def take(n, it):
    return [next(it) for _ in range(n)]


# Vectors that other implementations publish: splitmix64 from 1234567, xoshiro128** from (1, 2, 3, 4).
assert take(3, splitmix64(1234567)) == [6457827717110365317, 3203168211198807973, 9817491932198370423]
assert take(5, xoshiro128starstar([1, 2, 3, 4])) == [11520, 0, 5927040, 70819200, 2031721883]


def state(seed, *stream):
    key = mix((len(stream) + GAMMA) & M64)
    for part in (seed, *stream):
        key = mix(((key ^ part) + GAMMA) & M64)
    first, second = take(2, splitmix64(key))
    return [first & M32, first >> 32, second & M32, second >> 32]


vectors = [{"state": [1, 2, 3, 4], "words": take(12, xoshiro128starstar([1, 2, 3, 4]))}]
for name in [(0,), (1,), (1, 0), (1, 0, 0), (0, 1), (42, 7), (2**53 - 1, 2**32), (12345, 3, 1, 4, 1, 5)]:
    words = take(12, xoshiro128starstar(state(*name)))
    units = [((a >> 5) * 2**26 + (b >> 6)) / 2**53 for a, b in zip(words[::2], words[1::2])]
    vectors.append({"name": list(name), "state": state(*name), "words": words, "units": units})
write("random", "splitmix64 and xoshiro128** in Python integers", __file__, vectors)
