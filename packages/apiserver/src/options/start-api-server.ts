import { dirname } from 'node:path';
import { makeDirectory } from '@coxswain/client/files';
import { formatAdminKubeconfig, writeAdminKubeconfig } from '../certificates/index.ts';
import { ApiServer } from '../server/api-server.ts';
import type { ApiServerOptions } from './api-server-flags.ts';
import { completeOptions, type ServerAuthority, type ServerEnvironment } from './complete-options.ts';

/** A running server. */
export interface RunningApiServer {
  readonly server: ApiServer;
  /** The signing keys, for components in the same process. Secret. */
  readonly authority: ServerAuthority;
  /** Such as `https://127.0.0.1:6443`. Undefined without a port. */
  readonly url?: string;
  /** An admin kubeconfig. Undefined without a port, or when `--client-ca-file` does not contain the administrator's CA. */
  readonly kubeconfig?: string;
  /** The file with the admin kubeconfig. */
  readonly kubeconfigPath?: string;
  /** Returns an in-process transport through the whole handler chain, as the given user, or authenticated by credentials. */
  readonly transport: ApiServer['transport'];
  stop(): Promise<void>;
}

/**
 * Starts a server and waits until it is ready. Throws what `completeOptions` throws, or the operating system's error for the port;
 * nothing is left running then.
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
