import type { NamespacePaths } from '../namespaces/pinned-namespaces.ts';
import type { LinuxNamespace } from '../oci/index.ts';

const types = [
  ['net', 'network'],
  ['ipc', 'ipc'],
  ['uts', 'uts'],
] as const;

/** Pinned namespaces in the words of an OCI configuration. */
export function namespacesAt(paths: NamespacePaths): LinuxNamespace[] {
  return types.flatMap(([name, type]) => {
    const path = paths[name];
    return path === undefined ? [] : [{ type, path }];
  });
}
