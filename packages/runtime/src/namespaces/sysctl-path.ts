/** Namespaced sysctls by the namespace that they belong to. */
const ipcNames = /^(?:kernel\/(?:shm[a-z_]*|msg[a-z_]*|sem)|fs\/mqueue\/[a-z_]+)$/;
const utsNames = /^kernel\/(?:hostname|domainname)$/;

/** The namespace that a sysctl belongs to, as runc judges it. */
function namespaceOf(path: string): 'net' | 'ipc' | 'uts' | undefined {
  if (path.startsWith('net/')) return 'net';
  if (ipcNames.test(path)) return 'ipc';
  return utsNames.test(path) ? 'uts' : undefined;
}

/**
 * The file of a sysctl below /proc/sys. A name whose first separator is a slash has the slashes of the file; else dots and slashes change
 * places, so that `net.ipv4.conf.eth0/1.mtu` is a setting of the interface `eth0.1`.
 *
 * Throws if it is not a setting of one of the namespaces: it would change the node.
 */
export function sysctlPath(name: string, namespaces: readonly string[] = ['net', 'ipc', 'uts']): string {
  const swaps = /[./]/.exec(name)?.[0] === '.';
  const path = swaps ? name.replace(/[./]/g, (separator) => (separator === '.' ? '/' : '.')) : name;
  const isSafe = path.split('/').every((part) => part !== '' && part !== '.' && part !== '..') && !path.includes('\0');
  if (!isSafe) throw new Error(`invalid sysctl name ${JSON.stringify(name)}`);
  const namespace = namespaceOf(path);
  if (namespace === undefined) throw new Error(`sysctl ${JSON.stringify(name)} is not in a separate kernel namespace`);
  if (!namespaces.includes(namespace)) {
    throw new Error(`sysctl ${JSON.stringify(name)} is not allowed without a ${namespace} namespace of the pod`);
  }
  return path;
}
