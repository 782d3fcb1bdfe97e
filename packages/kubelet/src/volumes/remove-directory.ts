import * as nodeFiles from 'node:fs/promises';
import { removeTree } from './files/remove-tree.ts';

/** Removes a directory that was the volume of pods, which may have put anything into it. It follows no symbolic links and enters no mounts. */
export const removeDirectory = (path: string): Promise<void> => removeTree(path, nodeFiles);
