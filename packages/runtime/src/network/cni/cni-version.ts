/** The versions of the CNI specification that are spoken, the newest last. */
export const cniVersions = ['0.1.0', '0.2.0', '0.3.0', '0.3.1', '0.4.0', '1.0.0', '1.1.0'] as const;

/** Negative if the first version is lower. Throws if one is not a version. */
function compareVersions(a: string, b: string): number {
  const left = partsOf(a);
  const right = partsOf(b);
  for (let i = 0; i < 3; i++) if (left[i] !== right[i]) return left[i]! - right[i]!;
  return 0;
}

export const isAtLeast = (version: string, least: string): boolean => compareVersions(version, least) >= 0;

/** The highest of several versions that is spoken here. Undefined if none is. */
export function highestSpoken(versions: readonly string[]): string | undefined {
  const newest = cniVersions[cniVersions.length - 1]!;
  return versions
    .filter((version) => compareVersions(version, newest) <= 0)
    .sort(compareVersions)
    .pop();
}

function partsOf(version: string): readonly number[] {
  if (version === '') throw new Error(`invalid version ${JSON.stringify(version)}: the version is empty`);
  const parts = version.split('.');
  if (parts.length > 3) throw new Error(`invalid version ${JSON.stringify(version)}: too many parts`);
  return Array.from({ length: 3 }, (_, i) => {
    const part = parts[i] ?? '0';
    if (!/^\d+$/.test(part)) throw new Error(`failed to convert version part ${JSON.stringify(part)}`);
    return Number(part);
  });
}
