/** Seconds: of requests, and of calls to the store. */
export const durationBuckets = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];

/** The same without what no objective is so strict to ask for. */
export const objectiveBuckets = durationBuckets.slice(2);

/** Seconds that a read waits for the watch cache, which gives up after three. */
export const waitBuckets = durationBuckets.slice(0, 13);

/** Bytes, from a thousand to a thousand million. */
export const responseSizeBuckets = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

/** Bytes, in steps of a hundred thousand up to what a request may have. */
export const bodySizeBuckets = Array.from({ length: 31 }, (_, step) => 50_000 + step * 100_000);

/** Bytes, doubling. */
export const eventSizeBuckets = Array.from({ length: 8 }, (_, step) => 1024 * 2 ** step);
