import { versionInfo } from '../version/index.ts';
import { type Collectable, GaugeFamily } from './family.ts';

/** The metric `kubernetes_build_info`, for components of Kubernetes only. */
export function kubernetesBuildInfo(): Collectable {
  const { major, minor, gitVersion, gitCommit, gitTreeState, buildDate, goVersion, compiler, platform } = versionInfo;
  const build = new GaugeFamily({
    name: 'kubernetes_build_info',
    help: 'Which Kubernetes this is; always 1.',
    labels: buildInfoLabels,
  });
  build.with(major, minor, gitVersion, gitCommit, gitTreeState, buildDate, goVersion, compiler, platform).set(1);
  return build;
}

const buildInfoLabels = [
  'major',
  'minor',
  'git_version',
  'git_commit',
  'git_tree_state',
  'build_date',
  'go_version',
  'compiler',
  'platform',
];
