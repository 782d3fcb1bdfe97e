import { createServer } from 'node:net';

/** Of clusters that nobody told a port; that of kube-apiserver. */
export const usualPort = 6443;

/** The port of a cluster for which nobody asked for one: the usual one; 0, which is any that is free, where somebody else listens there. */
export const choosePort = async (usual: number, host: string): Promise<number> =>
  (await isFree(usual, host)) ? usual : 0;

const isFree = (port: number, host: string): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    // What is wrong besides is said when the cluster listens.
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'EADDRINUSE'));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
