/** Seconds. For requests and calls to the store. */
export const durationBuckets = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];

/** `durationBuckets` without those below any service level objective. */
export const objectiveBuckets = durationBuckets.slice(2);

/** Seconds, up to the three after which a read stops waiting for the watch cache. */
export const waitBuckets = durationBuckets.slice(0, 13);

/** Bytes, from a kilobyte to a gigabyte. */
export const responseSizeBuckets = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

/** Bytes, in steps of 100 kB up to the limit of request bodies. */
export const bodySizeBuckets = Array.from({ length: 31 }, (_, step) => 50_000 + step * 100_000);

/** Bytes, doubling. */
export const eventSizeBuckets = Array.from({ length: 8 }, (_, step) => 1024 * 2 ** step);
