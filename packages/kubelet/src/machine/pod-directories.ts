import type { Pod } from '@coxswain/api/core/v1';

/** Where a node keeps things. The layout is upstream's, so either kubelet can take over a node from the other. */
export class PodDirectories {
  readonly #root: string;
  readonly #logs: string;

  /** `root`: the kubelet's directory; `logs`: where the runtime writes the logs of all pods. */
  constructor(root: string, logs: string) {
    this.#root = root;
    this.#logs = logs;
  }

  /** Parent of the directories of all pods. */
  get pods(): string {
    return `${this.#root}/pods`;
  }

  /** Parent of the log directories of all pods. */
  get podLogs(): string {
    return this.#logs;
  }

  pod(uid: string): string {
    return `${this.pods}/${checked(uid)}`;
  }

  hostsFile(uid: string): string {
    return `${this.pod(uid)}/etc-hosts`;
  }

  /** Holds the termination logs of a container's runs. */
  container(uid: string, name: string): string {
    return `${this.pod(uid)}/containers/${checked(name)}`;
  }

  logs({ metadata: { namespace = '', name = '', uid = '' } }: Pod): string {
    return `${this.#logs}/${checked(namespace)}_${checked(name)}_${checked(uid)}`;
  }
}

/** Names come from the API server, which has validated them. Static pods may have any uid. */
function checked(name: string): string {
  if (name !== '' && name !== '.' && name !== '..' && !name.includes('/') && !name.includes('\0')) return name;
  throw new Error(`${JSON.stringify(name)} cannot be the name of a directory`);
}
