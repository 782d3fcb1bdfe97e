import { stat } from 'node:fs/promises';
import * as local from 'node:path';
import { posix } from 'node:path';
import { makeDirectory } from '../../files/make-directory.ts';
import { BytePipe } from '../byte-pipe.ts';
import { withContainer } from '../container.ts';
import { exec } from '../exec.ts';
import type { PodTarget, RemoteClient } from '../pod-target.ts';
import { readText } from '../read-text.ts';
import { readTar } from '../tar/read-tar.ts';
import { writeTar } from '../tar/write-tar.ts';
import { extractMembers } from './extract-members.ts';
import { filesOf } from './files-of.ts';

export interface CopyOptions extends PodTarget {
  /** A file or a directory of this machine. */
  readonly localPath: string;
  /** One in the container. */
  readonly remotePath: string;
  /** Told of what is left out, and why: devices, pipes and, on the way out of a pod, symbolic links. */
  readonly onSkip?: (path: string, reason: string) => void;
}

/** The `tar` in the container failed. */
export class CopyError extends Error {
  override readonly name = 'CopyError';
  readonly exitCode: number;

  constructor(exitCode: number, complaint: string) {
    super(complaint || `tar ended with exit code ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/**
 * Copies a file or directory into a container, in which there must be `tar`: into `remotePath` where that is a directory,
 * else as it. Modes are kept; the owner is who extracts. Rejects as `exec`, with a CopyError when `tar` fails there, and
 * with the system's errors.
 */
export async function copyToPod(
  client: RemoteClient,
  options: CopyOptions & {
    /** Do not keep modes. */
    readonly noPreserve?: boolean;
  },
): Promise<void> {
  const { localPath, remotePath, onSkip, noPreserve } = options;
  await stat(localPath);
  const target = await withContainer(client, options);
  const { exitCode } = await exec(client, { ...targetOf(target), command: ['test', '-d', remotePath] });
  const path = exitCode === 0 ? posix.join(remotePath, local.basename(local.resolve(localPath))) : remotePath;
  const { dir, base } = splitRemote(path);
  await runTar(client, target, {
    command: ['tar', ...(noPreserve ? ['--no-same-permissions', '--no-same-owner'] : []), '-xmf', '-', '-C', dir],
    stdin: writeTar(filesOf(localPath, base, onSkip)),
  });
}

/**
 * Copies a file or directory out of a container, in which there must be `tar`. A directory becomes `localPath`, or is added
 * to it; a file goes into `localPath` where that is a directory, else becomes it. Symbolic links are left out, and names that
 * lead out of `localPath` refused. Rejects as `exec`, with a CopyError when `tar` fails there, a TarError when what it sends
 * is no archive, and with the system's errors.
 */
export async function copyFromPod(client: RemoteClient, options: CopyOptions): Promise<void> {
  const { localPath, remotePath, onSkip, signal } = options;
  const { dir, base } = splitRemote(remotePath);
  const pipe = new BytePipe();
  const failed = new AbortController();
  let failure: { readonly error: unknown } | undefined;
  await makeDirectory(local.dirname(local.resolve(localPath)));
  const extracting = extractMembers(readTar(pipe), { base, localPath, ...(onSkip && { onSkip }) }).catch((error) => {
    failure = { error };
    // A broken archive may be all that a failing `tar` could give: its own word counts then.
    if (!pipe.isEnded) failed.abort(error);
    pipe.end();
  });
  try {
    await runTar(
      client,
      { ...options, signal: signal ? AbortSignal.any([signal, failed.signal]) : failed.signal },
      {
        command: ['tar', 'cf', '-', '-C', dir, base === '.' ? '.' : `./${base}`],
        stdout: (chunk) => pipe.write(chunk),
      },
    );
  } finally {
    pipe.end();
    await extracting;
  }
  if (failure) throw failure.error;
}

async function runTar(
  client: RemoteClient,
  target: PodTarget,
  streams: Pick<Parameters<typeof exec>[1], 'command' | 'stdin' | 'stdout'>,
): Promise<void> {
  const complaints = new BytePipe();
  const complaint = readText(complaints);
  try {
    const { exitCode } = await exec(client, {
      ...targetOf(target),
      ...streams,
      stderr: (chunk) => complaints.write(chunk),
    });
    complaints.end();
    if (exitCode !== 0) throw new CopyError(exitCode, await complaint);
  } finally {
    complaints.end();
  }
}

const targetOf = ({ namespace, pod, container, signal }: PodTarget): PodTarget => ({
  namespace,
  pod,
  ...(container && { container }),
  ...(signal && { signal }),
});

/** Where to go, and what is meant there. */
function splitRemote(path: string): { dir: string; base: string } {
  if (path === '') throw new RangeError('filepath can not be empty');
  const clean = posix.normalize(path).replace(/(?<=.)\/$/, '');
  const base = posix.basename(clean);
  return base === '' || base === '.' || base === '..' ? { dir: clean, base: '.' } : { dir: posix.dirname(clean), base };
}
