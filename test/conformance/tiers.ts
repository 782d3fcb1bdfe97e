import { readFileSync } from 'node:fs';

/**
 * What a test needs of the cluster:
 * `api` no running pod, `hollow` pods whose status moves though nothing runs, `containers` the real thing.
 */
const tierNames = ['api', 'hollow', 'containers'] as const;

export type TierName = (typeof tierNames)[number];

export interface ConformanceTest {
  /** The full text by which ginkgo knows it. */
  readonly name: string;
  readonly tier: TierName;
  /** What of a real container it needs; only in the tier `containers`. */
  readonly reason?: string;
}

/** The data file: names by tier, those of `containers` by the reason. */
interface TierFile {
  readonly api: readonly string[];
  readonly hollow: readonly string[];
  readonly containers: Readonly<Record<string, readonly string[]>>;
}

export function isTierName(text: string): text is TierName {
  return tierNames.some((name) => name === text);
}

/** Every conformance test of the release, in the order of their names. */
export function readTiers(): readonly ConformanceTest[] {
  const file: TierFile = JSON.parse(readFileSync(new URL('tiers.json', import.meta.url), 'utf8'));
  return [
    ...file.api.map((name): ConformanceTest => ({ name, tier: 'api' })),
    ...file.hollow.map((name): ConformanceTest => ({ name, tier: 'hollow' })),
    ...Object.entries(file.containers).flatMap(([reason, names]) =>
      names.map((name): ConformanceTest => ({ name, tier: 'containers', reason })),
    ),
  ].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** `sig-node` of `[sig-node] Pods should …`. */
export function sigOf(name: string): string {
  return /^\[([^\]]+)\]/.exec(name)?.[1] ?? 'none';
}

/** Whether it wants the cluster for itself. */
export function isSerial(name: string): boolean {
  return name.includes('[Serial]');
}
