/** The response of `/version`: the fields of upstream's `version.Info`, which clients parse. */
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

/** Node's names of architectures that Go names differently. */
const architectures: ReadonlyMap<string, string> = new Map([
  ['x64', 'amd64'],
  ['ia32', '386'],
  ['ppc64', 'ppc64le'],
]);

/**
 * The version of the API that is served. It is plain `v1.36.4`, because kubectl compares it with its own version and Helm charts match
 * `kubeVersion` ranges against it. Some of them take a suffix after a plus or a dash for a pre-release or a vendor's build. The platform is
 * reported in `goVersion` and `compiler`, which clients do not evaluate.
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

/** Returns the User-Agent of a component's requests to servers. */
export const userAgentOf = (component: string): string =>
  `${component}/${versionInfo.gitVersion} (${versionInfo.platform}) coxswain`;
