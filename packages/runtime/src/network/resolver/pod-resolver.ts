import { readFile } from 'node:fs/promises';
import { parseIPSloppy } from '@coxswain/apimachinery/validation';

/** The file of systemd-resolved with the name servers of the network. */
const resolvedFile = '/run/systemd/resolve/resolv.conf';

export interface PodResolver {
  /** The file for pods with the DNS policy `Default`, and for the DNS server of the cluster. */
  readonly path: string;
  /** What is wrong with the name servers of that file, for people. */
  readonly problem?: string | undefined;
}

/**
 * Chooses the file whose name servers pods can use. systemd-resolved and others write a server on the node's loopback into
 * /etc/resolv.conf, which a pod cannot reach: there 127.0.0.53 is the pod itself.
 */
export async function choosePodResolver(file = '/etc/resolv.conf', otherFile = resolvedFile): Promise<PodResolver> {
  const own = await nameServersOf(file);
  if (own !== undefined && hasUsable(own)) return { path: file };
  const other = await nameServersOf(otherFile);
  if (other !== undefined && hasUsable(other)) return { path: otherFile };
  if (own === undefined)
    return { path: file, problem: `${file} cannot be read: pods resolve no names outside of the cluster` };
  const servers = own.length === 0 ? 'no name servers' : `only name servers on the node's loopback (${own.join(', ')})`;
  return {
    path: file,
    problem: `${file} has ${servers}, which pods cannot reach. Give the kubelet a file with others (resolvConf)`,
  };
}

async function nameServersOf(file: string): Promise<readonly string[] | undefined> {
  try {
    return nameServers(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** The addresses of a resolv.conf. */
const nameServers = (text: string): readonly string[] =>
  text.split('\n').flatMap((line) => /^\s*nameserver\s+(\S+)/.exec(line)?.[1] ?? []);

const hasUsable = (servers: readonly string[]): boolean => servers.some((server) => !isLoopback(server));

function isLoopback(server: string): boolean {
  // An address may have a zone: fe80::1%eth0.
  const bytes = parseIPSloppy(server.replace(/%.*$/, ''))?.bytes;
  if (!bytes) return true;
  const isMappedV4 = bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  return isMappedV4 ? bytes[12] === 127 : bytes.subarray(0, 15).every((byte) => byte === 0) && bytes[15] === 1;
}
