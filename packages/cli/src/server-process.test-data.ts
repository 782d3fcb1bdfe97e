import type { ServerProcess } from './server-process.ts';

/** A process without environment and signals. */
export const quietProcess: ServerProcess = {
  env: {},
  pid: process.pid,
  onSignal: () => () => {},
  tidyAtRest: () => () => {},
  background: () => {
    throw new Error('no background process was expected');
  },
  exit: () => {},
  confirm: async () => false,
};
