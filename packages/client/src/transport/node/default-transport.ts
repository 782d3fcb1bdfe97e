import { basename } from 'node:path';
import type { RestConfig } from '../../config/rest-config.ts';
import type { Transport } from '../transport.ts';
import { NodeTransport } from './node-transport.ts';
import type { openInProcessWebSocket as openType } from './web-socket/in-process-web-socket.ts';

/** Opens a WebSocket to a server in the same process. The library is loaded at the first call. */
export const openInProcessWebSocket: typeof openType = async (request, call) =>
  (await import('./web-socket/in-process-web-socket.ts')).openInProcessWebSocket(request, call);

/** The transport for Node. */
export const newPlatformTransport = (config: RestConfig): Transport => new NodeTransport(config);

const operatingSystems: Readonly<Record<string, string>> = { win32: 'windows', sunos: 'solaris' };
const architectures: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386', ppc64: 'ppc64le' };

/** The default user agent, in client-go's form: `program/version (os/arch) library`. */
export function platformUserAgent(): string {
  const program = basename(process.argv[1] ?? process.title).replace(/[^\x21-\x7e]|[()/]/g, '_') || 'unknown';
  const { platform, arch } = process;
  return `${program}/unknown (${operatingSystems[platform] ?? platform}/${architectures[arch] ?? arch}) coxswain`;
}
