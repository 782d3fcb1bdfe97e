import type { ServerProcess } from './server-process.ts';

/** A process without environment, to which nothing happens. */
export const quietProcess: ServerProcess = {
  env: {},
  pid: process.pid,
  onSignal: () => () => {},
  tidyAtRest: () => () => {},
  background: () => {
    throw new Error('nothing was to be started');
  },
  exit: () => {},
  confirm: async () => false,
};
