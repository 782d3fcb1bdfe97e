import { type ErrorList, invalid, Path } from '@coxswain/apimachinery';

/** From the most to the least permissive. */
const levels = ['privileged', 'baseline', 'restricted'] as const;
export type Level = (typeof levels)[number];

/** A minor version of Kubernetes 1; `Infinity` is the latest. */
export type Version = number;
export const latest: Version = Number.POSITIVE_INFINITY;

/** A level of the Pod Security Standards, as of a version of Kubernetes. */
export interface LevelVersion {
  readonly level: Level;
  readonly version: Version;
}

/** What happens to violating pods: they are rejected, audited, or cause warnings. */
export const modes = ['enforce', 'audit', 'warn'] as const;
export type Mode = (typeof modes)[number];
export type Policy = Readonly<Record<Mode, LevelVersion>>;

export const labelPrefix = 'pod-security.kubernetes.io/';
const labelsPath = Path.of('metadata', 'labels');

/** `baseline:v1.24` */
export const describe = ({ level, version }: LevelVersion): string =>
  `${level}:${version === latest ? 'latest' : `v1.${version}`}`;

/** A part of a level and version: its parser, which returns undefined for invalid text, and the message for that. */
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

/** Positive when `a` is stricter than `b`. */
export const compareLevels = (a: Level, b: Level): number => levels.indexOf(a) - levels.indexOf(b);

/** Whether the policy has no checks. */
export const isFullyPrivileged = (policy: Policy): boolean =>
  modes.every((mode) => policy[mode].level === 'privileged');

/** Whether the policies have the same checks. */
export const isEquivalent = (a: Policy, b: Policy): boolean =>
  modes.every(
    (mode) => (a[mode].level === 'privileged' && b[mode].level === 'privileged') || sameLevelVersion(a[mode], b[mode]),
  );

type Labels = Readonly<Record<string, string>>;

/** The namespace labels of a mode's level and version. */
export const levelLabel = (mode: Mode): string => `${labelPrefix}${mode}`;
export const versionLabel = (mode: Mode): string => `${labelPrefix}${mode}-version`;

/** The policy in labels, and the errors of invalid ones. */
export interface ParsedPolicy {
  readonly policy: Policy;
  readonly errors: ErrorList;
}

/**
 * Returns the policy in the labels of a namespace. Missing labels are taken from the defaults. With invalid labels, the
 * policy enforces `restricted:latest`, and does not audit or warn.
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

/** When enforce is set and warn is not, warnings are for the enforced level. */
function withDefaultWarning(policy: Policy, labels: Labels): Policy {
  const { enforce, warn } = policy;
  const asked = Object.hasOwn(labels, levelLabel('enforce')) ? labels[levelLabel('enforce')] : undefined;
  if (asked !== enforce.level || Object.hasOwn(labels, levelLabel('warn'))) return policy;
  if (compareLevels(enforce.level, warn.level) <= 0) return policy;
  const version = Object.hasOwn(labels, versionLabel('warn')) ? warn.version : enforce.version;
  return { ...policy, warn: { level: enforce.level, version } };
}
