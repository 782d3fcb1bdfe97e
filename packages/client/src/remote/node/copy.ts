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
  /** A local file or directory. */
  readonly localPath: string;
  /** A file or directory in the container. */
  readonly remotePath: string;
  /** Called for each skipped path with the reason: devices, pipes and, when copying from a pod, symbolic links. */
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
 * Copies a file or directory into a container, which must have `tar`: into `remotePath` if that is a directory,
 * otherwise to that path. Modes are kept; the owner is the user that runs `tar`. Rejects like `exec`, with a CopyError
 * when `tar` fails, and with system errors.
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
 * Copies a file or directory from a container, which must have `tar`. A directory becomes `localPath`, or is merged
 * into it; a file goes into `localPath` if that is a directory, otherwise to that path. Symbolic links are skipped, and
 * names that lead out of `localPath` are rejected. Rejects like `exec`, with a CopyError when `tar` fails, a TarError
 * when its output is not an archive, and with system errors.
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
    // A failing `tar` may have sent a broken archive. Then its own error is reported.
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

/** The directory for `tar -C`, and the name in it. */
function splitRemote(path: string): { dir: string; base: string } {
  if (path === '') throw new RangeError('filepath can not be empty');
  const clean = posix.normalize(path).replace(/(?<=.)\/$/, '');
  const base = posix.basename(clean);
  return base === '' || base === '.' || base === '..' ? { dir: clean, base: '.' } : { dir: posix.dirname(clean), base };
}
