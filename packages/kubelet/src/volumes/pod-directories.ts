import { join } from 'node:path';

/**
 * Paths of the directories and files that a kubelet keeps for pods. The layout is upstream's, so that either kubelet can take over a node
 * from the other.
 */
export class PodDirectories {
  readonly pods: string;

  /** The root is the kubelet's directory, such as `/var/lib/kubelet`. */
  constructor(root: string) {
    this.pods = join(root, 'pods');
  }

  /** Throws if the uid cannot be the name of a directory. */
  pod(podUid: string): string {
    return join(this.pods, segment(podUid));
  }

  /** The file that containers of the pod have as `/etc/hosts`. */
  hostsFile(podUid: string): string {
    return join(this.pod(podUid), 'etc-hosts');
  }

  /** The directory of the files to which the runs of a container write their termination messages. */
  container(podUid: string, name: string): string {
    return join(this.pod(podUid), 'containers', segment(name));
  }

  volumes(podUid: string): string {
    return join(this.pod(podUid), 'volumes');
  }

  /** The directory of a volume. Throws if the name is no name of a directory. */
  volume(podUid: string, plugin: string, name: string): string {
    return join(this.volumes(podUid), escapePluginName(plugin), segment(name));
  }

  plugins(podUid: string): string {
    return join(this.pod(podUid), 'plugins');
  }

  /** Where a plug-in notes what it knows of a volume. */
  plugin(podUid: string, plugin: string, name: string): string {
    return join(this.plugins(podUid), escapePluginName(plugin), segment(name));
  }

  subPaths(podUid: string): string {
    return join(this.pod(podUid), 'volume-subpaths');
  }

  /** The place of a part of a volume that a container mounts, by the index of the mount in the container. */
  subPath(podUid: string, volume: string, container: string, index: number): string {
    return join(this.subPaths(podUid), segment(volume), segment(container), String(index));
  }
}

/** Turns the name of a plug-in, such as `kubernetes.io/empty-dir`, into that of a directory. */
export const escapePluginName = (name: string): string => segment(name.replaceAll('/', '~'));

export const unescapePluginName = (name: string): string => name.replaceAll('~', '/');

function segment(name: string): string {
  if (name === '' || name === '.' || name === '..' || name.includes('/') || name.includes('\0')) {
    throw new Error(`"${name}" cannot be the name of a directory`);
  }
  return name;
}
