import { type CheckPod, checks, type PodLike, type Violation } from './checks/index.ts';
import type { Level, LevelVersion, Version } from './policy.ts';

/** No check changes after this version, so later ones are equivalent. */
const lastChange = Math.max(...checks.flatMap(({ versions }) => versions.map(({ since }) => since)));

/** The checks of a level as of a version. */
function checksOf(level: Level, version: Version): CheckPod[] {
  if (level === 'privileged') return [];
  const asked = checks.flatMap((check) => {
    if (level === 'baseline' && check.level === 'restricted') return [];
    const inForce = check.versions.findLast(({ since }) => since <= version);
    return inForce ? [{ ...check, check: inForce.check }] : [];
  });
  const replaced = new Set(asked.map(({ replaces }) => replaces));
  return asked.flatMap(({ id, check }) => (replaced.has(id) ? [] : [check]));
}

/** By level and version: at most two entries for each version up to `lastChange`. */
const known = new Map<string, CheckPod[]>();

/** Returns all violations of a level by a pod, as of a version. */
export function evaluatePod({ level, version }: LevelVersion, pod: PodLike): Violation[] {
  const effective = Math.min(version, lastChange);
  const key = `${level}:${effective}`;
  let asked = known.get(key);
  if (!asked) {
    asked = checksOf(level, effective);
    known.set(key, asked);
  }
  return asked.flatMap((check) => check(pod) ?? []);
}

/** `hostPort, privileged` */
export const reasonsOf = (violations: readonly Violation[]): string =>
  violations.map(({ reason }) => reason).join(', ');

/** `host namespaces (hostPID=true), privileged (container "a" must not …)` */
export const detailsOf = (violations: readonly Violation[]): string =>
  violations.map(({ reason, detail }) => (detail ? `${reason} (${detail})` : reason)).join(', ');
