import { readFileSync } from 'node:fs';

/**
 * What a test needs from the cluster: `api` no running pods, `hollow` pods whose status changes without running
 * containers, `containers` real containers.
 */
const tierNames = ['api', 'hollow', 'containers'] as const;

export type TierName = (typeof tierNames)[number];

export interface ConformanceTest {
  /** The full text, ginkgo's name of the test. */
  readonly name: string;
  readonly tier: TierName;
  /** The feature of a real container that it needs; only in the tier `containers`. */
  readonly reason?: string;
}

/** The data file: names by tier, those of `containers` by reason. */
interface TierFile {
  readonly api: readonly string[];
  readonly hollow: readonly string[];
  readonly containers: Readonly<Record<string, readonly string[]>>;
}

export function isTierName(text: string): text is TierName {
  return tierNames.some((name) => name === text);
}

/** Returns all conformance tests of the release, sorted by name. */
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

/** Returns the SIG of a test's name, such as `sig-node` for `[sig-node] Pods should …`. */
export function sigOf(name: string): string {
  return /^\[([^\]]+)\]/.exec(name)?.[1] ?? 'none';
}

/** Returns whether the test must run alone. */
export function isSerial(name: string): boolean {
  return name.includes('[Serial]');
}
