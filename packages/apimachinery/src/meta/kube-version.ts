const stability = { alpha: 0, beta: 1, stable: 2 } as const;

interface KubeVersion {
  readonly major: number;
  readonly stability: number;
  readonly minor: number;
}

/**
 * Compares version names by preference: positive when `a` is preferred, negative when `b` is. Stable versions are preferred to beta, beta
 * to alpha, then higher numbers to lower ones: v2, v1, v1beta2, v1beta1, v1alpha1. Names that do not follow the pattern come last, in
 * alphabetical order. To sort the most preferred first: `(a, b) => compareKubeVersions(b, a)`.
 */
export function compareKubeVersions(a: string, b: string): number {
  if (a === b) return 0;
  const left = parseKubeVersion(a);
  const right = parseKubeVersion(b);
  if (!left || !right) return left ? 1 : right ? -1 : a < b ? 1 : -1;
  return left.stability - right.stability || left.major - right.major || left.minor - right.minor;
}

function parseKubeVersion(version: string): KubeVersion | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (!match) return undefined;
  const parsed = {
    major: Number(match[1]),
    stability: stability[match[2] === 'alpha' || match[2] === 'beta' ? match[2] : 'stable'],
    minor: Number(match[3] ?? 0),
  };
  // As upstream: a name with a number beyond int64 does not follow the pattern.
  return parsed.major <= maxInt64 && parsed.minor <= maxInt64 ? parsed : undefined;
}

const maxInt64 = 2 ** 63;
