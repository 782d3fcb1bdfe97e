import { access, constants } from 'node:fs/promises';
import { messageOf } from '@coxswain/apimachinery/errors';
import { findPrograms } from './programs.ts';

/** Returns why this machine can run no containers, and what to do about it; undefined if it seems that it can. It is quick. */
export async function containersProblem(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'containers need Linux';
  if (process.getuid?.() !== 0) return 'containers need root (sudo)';
  try {
    await findPrograms();
  } catch (error) {
    return messageOf(error);
  }
  const isWritable = await access('/sys/fs/cgroup', constants.W_OK).then(
    () => true,
    () => false,
  );
  return isWritable ? undefined : 'no cgroups can be made: /sys/fs/cgroup is not writable';
}
