import { type ErrorList, invalid, Path } from '@coxswain/apimachinery';

/** From the most to the least permissive. */
const levels = ['privileged', 'baseline', 'restricted'] as const;
export type Level = (typeof levels)[number];

/** A minor version of Kubernetes 1; `Infinity` is the latest. */
export type Version = number;
export const latest: Version = Number.POSITIVE_INFINITY;

/** How a namespace wants pods to be, as of a version of Kubernetes. */
export interface LevelVersion {
  readonly level: Level;
  readonly version: Version;
}

/** What is done about pods that are not: refused, recorded, told of. */
export const modes = ['enforce', 'audit', 'warn'] as const;
export type Mode = (typeof modes)[number];
export type Policy = Readonly<Record<Mode, LevelVersion>>;

export const labelPrefix = 'pod-security.kubernetes.io/';
const labelsPath = Path.of('metadata', 'labels');

/** `baseline:v1.24` */
export const describe = ({ level, version }: LevelVersion): string =>
  `${level}:${version === latest ? 'latest' : `v1.${version}`}`;

/** How one part of a level and version is read: undefined for what it cannot be, and what it must be. */
export interface Part<T> {
  readonly parse: (text: string) => T | undefined;
  readonly rule: string;
}

export const levelPart: Part<Level> = {
  parse: (text) => levels.find((level) => level === text),
  rule: `must be one of ${levels.join(', ')}`,
};

export const versionPart: Part<Version> = {
  parse(text) {
    if (text === 'latest') return latest;
    const minor = Number(/^v1\.(0|[1-9][0-9]{0,14})$/.exec(text)?.[1]);
    return Number.isNaN(minor) ? undefined : minor;
  },
  rule: 'must be "latest" or "v1.x"',
};

export const sameLevelVersion = (a: LevelVersion, b: LevelVersion): boolean =>
  a.level === b.level && a.version === b.version;

/** Positive when the one is stricter than the other. */
export const compareLevels = (a: Level, b: Level): number => levels.indexOf(a) - levels.indexOf(b);

/** Whether nothing is asked of pods at all. */
export const isFullyPrivileged = (policy: Policy): boolean =>
  modes.every((mode) => policy[mode].level === 'privileged');

/** Whether the two ask the same of every pod. */
export const isEquivalent = (a: Policy, b: Policy): boolean =>
  modes.every(
    (mode) => (a[mode].level === 'privileged' && b[mode].level === 'privileged') || sameLevelVersion(a[mode], b[mode]),
  );

type Labels = Readonly<Record<string, string>>;

/** The labels of a namespace that have a mode's level and version. */
export const levelLabel = (mode: Mode): string => `${labelPrefix}${mode}`;
export const versionLabel = (mode: Mode): string => `${labelPrefix}${mode}-version`;

/** What labels ask for, and what is wrong with them. */
export interface ParsedPolicy {
  readonly policy: Policy;
  readonly errors: ErrorList;
}

/**
 * What a namespace's labels ask for; what they do not say is as the defaults have it. There is always a policy: for
 * labels that make no sense, pods are refused as if they said `restricted:latest`, and nothing is told or recorded.
 */
export function policyOf(labels: Labels | undefined, defaults: Policy): ParsedPolicy {
  const errors: ErrorList = [];
  if (!labels) return { policy: defaults, errors };
  const read = <T>(key: string, { parse, rule }: Part<T>, { absent, wrong }: { absent: T; wrong: T }): T => {
    if (!Object.hasOwn(labels, key)) return absent;
    const text = labels[key] ?? '';
    const value = parse(text);
    if (value === undefined) errors.push(invalid(labelsPath.key(key), text, rule));
    return value ?? wrong;
  };
  const policy = { ...defaults };
  for (const mode of modes) {
    const { level, version } = defaults[mode];
    const wrongLevel = mode === 'enforce' ? 'restricted' : 'privileged';
    policy[mode] = {
      level: read(levelLabel(mode), levelPart, { absent: level, wrong: wrongLevel }),
      version: read(versionLabel(mode), versionPart, { absent: version, wrong: latest }),
    };
  }
  return { policy: withDefaultWarning(policy, labels), errors };
}

/** Who asks for a level to be enforced, and says nothing of warnings, gets warnings of the same. */
function withDefaultWarning(policy: Policy, labels: Labels): Policy {
  const { enforce, warn } = policy;
  const asked = Object.hasOwn(labels, levelLabel('enforce')) ? labels[levelLabel('enforce')] : undefined;
  if (asked !== enforce.level || Object.hasOwn(labels, levelLabel('warn'))) return policy;
  if (compareLevels(enforce.level, warn.level) <= 0) return policy;
  const version = Object.hasOwn(labels, versionLabel('warn')) ? warn.version : enforce.version;
  return { ...policy, warn: { level: enforce.level, version } };
}
