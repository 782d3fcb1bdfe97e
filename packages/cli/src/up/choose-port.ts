import { createServer } from 'node:net';

/** The default port of clusters; that of kube-apiserver. */
export const usualPort = 6443;

/** Returns the port of a cluster without `--port`: the usual one, or 0 (any free port) when another program listens there. */
export const choosePort = async (usual: number, host: string): Promise<number> =>
  (await isFree(usual, host)) ? usual : 0;

const isFree = (port: number, host: string): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    // Other errors are reported when the cluster listens.
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'EADDRINUSE'));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
