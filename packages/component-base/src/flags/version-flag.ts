import { quote } from '@coxswain/apimachinery';
import { versionInfo } from '../version/version-info.ts';
import { type FlagType, readBoolean } from './flag-types.ts';

/** The value of `--version`: print the version, print all its fields, neither, or report this version instead. */
export type VersionWish = 'print' | 'raw' | 'none' | `v${string}`;

const numbersOf = (version: string): string => /^v\d+\.\d+\.\d+/.exec(version)?.[0] ?? '';

/** A vendor may append to the reported version, but major, minor and patch must be ours. */
export const versionFlag: FlagType<VersionWish> = {
  name: 'version',
  alone: 'true',
  read(text) {
    if (text === 'raw') return text;
    if (!text.startsWith('v')) return readBoolean(text) ? 'print' : 'none';
    const { gitVersion } = versionInfo;
    if (numbersOf(text) !== gitVersion)
      throw new Error(`version ${quote(text)} must match major/minor/patch of default version ${quote(gitVersion)}`);
    return `v${text.slice(1)}`;
  },
};

/** Returns the text that `--version` or `--version=raw` prints. */
export function printedVersion(wish: 'print' | 'raw'): string {
  if (wish === 'print') return `Kubernetes ${versionInfo.gitVersion}\n`;
  const fields = Object.entries(versionInfo).map(
    ([name, value]) => `${name[0]?.toUpperCase()}${name.slice(1)}:${quote(value)}`,
  );
  return `version.Info{${fields.join(', ')}}\n`;
}
