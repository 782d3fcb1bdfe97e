import type { CorefileSource } from './corefile-source.ts';
import { machineFiles } from './file-source.ts';
import { noFiles } from '../corefile/index.ts';

/** A Corefile that does not change. */
export const textSource = (corefile: string): CorefileSource => ({
  files: machineFiles,
  read: async () => ({ corefile, origin: 'Corefile', imports: noFiles, fingerprint: corefile }),
});
