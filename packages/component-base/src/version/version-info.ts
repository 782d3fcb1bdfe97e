/** What `/version` says. Field by field the form of upstream's `version.Info`, which clients parse. */
export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  readonly emulationMajor: string;
  readonly emulationMinor: string;
  readonly minCompatibilityMajor: string;
  readonly minCompatibilityMinor: string;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  readonly goVersion: string;
  readonly compiler: string;
  readonly platform: string;
}

/** Node's names for what Go calls otherwise. */
const architectures: ReadonlyMap<string, string> = new Map([
  ['x64', 'amd64'],
  ['ia32', '386'],
  ['ppc64', 'ppc64le'],
]);

/**
 * The version of the API that is served: plain `v1.36.4`, because kubectl compares it with its own, helm charts match
 * `kubeVersion` ranges against it, and anything after a plus or a dash makes some of them think of a pre-release or of a
 * vendor's build. What it runs on is said where nobody decides by it: `goVersion` and `compiler`.
 */
export const versionInfo: VersionInfo = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: 'v1.36.4',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: `node${process.versions.node}`,
  compiler: 'node',
  platform: `${process.platform}/${architectures.get(process.arch) ?? process.arch}`,
};

/** How a component names itself to servers that it asks. */
export const userAgentOf = (component: string): string =>
  `${component}/${versionInfo.gitVersion} (${versionInfo.platform}) coxswain`;
