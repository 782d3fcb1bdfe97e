import { dirname } from 'node:path';
import { makeDirectory } from '@coxswain/client/files';
import { formatAdminKubeconfig, writeAdminKubeconfig } from '../certificates/index.ts';
import { ApiServer } from '../server/api-server.ts';
import type { ApiServerOptions } from './api-server-flags.ts';
import { completeOptions, type ServerAuthority, type ServerEnvironment } from './complete-options.ts';

/** A server that runs. */
export interface RunningApiServer {
  readonly server: ApiServer;
  /** For those who look after the cluster in the same process. Secret. */
  readonly authority: ServerAuthority;
  /** `https://127.0.0.1:6443`; absent without a port. */
  readonly url?: string;
  /** The text of a kubeconfig with all rights; absent without a port, or where `--client-ca-file` knows other clients. */
  readonly kubeconfig?: string;
  /** The file it was written to. */
  readonly kubeconfigPath?: string;
  /** The way to it without a socket, through the whole handler chain, as the given user; without one: by credentials. */
  readonly transport: ApiServer['transport'];
  stop(): Promise<void>;
}

/**
 * Starts a server and waits until it is ready. Throws what `completeOptions` throws, or what the operating system says
 * against the port; nothing is left running then.
 *
 * @example
 * const { transport, stop } = await startApiServer({ memory: true });
 */
export async function startApiServer(
  options: ApiServerOptions,
  environment: ServerEnvironment = {},
): Promise<RunningApiServer> {
  const { config, authority, url, adminKubeconfig, kubeconfigPath } = await completeOptions(options, environment);
  const server = new ApiServer(config);
  try {
    await server.start();
    const ways = {
      transport: (user) => server.transport(user),
      stop: () => server.stop(),
    } satisfies Partial<RunningApiServer>;
    if (!server.address) return { server, authority, ...ways };
    const { port } = server.address;
    const admin = adminKubeconfig?.(port);
    if (admin && kubeconfigPath) {
      await makeDirectory(dirname(kubeconfigPath), 0o700);
      await writeAdminKubeconfig(kubeconfigPath, admin);
    }
    return {
      server,
      authority,
      url: url(port),
      ...(admin && { kubeconfig: await formatAdminKubeconfig(admin) }),
      ...(kubeconfigPath && { kubeconfigPath }),
      ...ways,
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}
