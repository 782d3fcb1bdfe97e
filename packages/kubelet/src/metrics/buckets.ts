/** Buckets of durations in seconds; upstream's. */
export const defaultBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
export const runtimeOperationBuckets = Array.from({ length: 14 }, (_, power) => 0.005 * 2.5 ** power);
export const statusSyncBuckets = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 20, 30, 45, 60];
const minutes = [60, 120, 180, 240, 300, 360, 480, 600, 900, 1200, 1800, 2700, 3600];
export const podStartBuckets = [0.5, 1, 2, 3, 4, 5, 6, 8, 10, 20, 30, 45, ...minutes];
export const imagePullBuckets = [1, 5, 10, 20, 30, ...minutes];

const mebibyte = 2 ** 20;
const gibibyte = 2 ** 30;

/** By the size above which each is used, the largest first. */
const imageSizes: readonly (readonly [above: number, label: string])[] = [
  [100 * gibibyte, 'GT100GB'],
  [60 * gibibyte, '60GB-100GB'],
  [40 * gibibyte, '40GB-60GB'],
  [30 * gibibyte, '30GB-40GB'],
  [20 * gibibyte, '20GB-30GB'],
  [10 * gibibyte, '10GB-20GB'],
  [5 * gibibyte, '5GB-10GB'],
  [gibibyte, '1GB-5GB'],
  [500 * mebibyte, '500MB-1GB'],
  [100 * mebibyte, '100MB-500MB'],
  [10 * mebibyte, '10MB-100MB'],
  [0, '0-10MB'],
];

/** The label for an image of that size; `N/A` for an unknown one. */
export const imageSizeLabel = (bytes: number): string => imageSizes.find(([above]) => bytes > above)?.[1] ?? 'N/A';
