import { rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { Commands } from '@coxswain/linux';
import type { ByteSink } from '../tar/index.ts';
import { makePipes, pipeToProgram, writeToPipe } from './named-pipe.ts';

/** A layer may be large and the disk slow. */
const timeoutMs = 6 * 3_600_000;

export interface ExtractionOptions {
  /** Where the entries go: an empty directory. */
  readonly target: string;
  /** A directory for the pipe, which nobody else can write. */
  readonly scratch: string;
}

/** Names are of our own making; those of the archive are checked by `LayerTranslation`. */
const tarCommand = (pipe: string, target: string): string[] => [
  'tar',
  '--extract',
  `--file=${pipe}`,
  `--directory=${target}`,
  // These are the defaults of root, on which nothing here depends.
  '--same-owner',
  '--same-permissions',
  '--numeric-owner',
  '--delay-directory-restore',
  '--xattrs',
  '--xattrs-include=*',
  // Symbolic links come last, so tar need not guard against them itself.
  '--absolute-names',
  // A pipe gives parts of blocks, which tar takes for damage otherwise.
  '--read-full-records',
  '--blocking-factor=128',
  '--warning=no-timestamp',
  '--force-local',
  '--quoting-style=escape',
];

/**
 * Unpacks an archive with GNU's tar as it is written. Tar is started by a helper shell and reads from a named pipe, because starting a
 * program from here blocks the event loop for as long as copying the page tables takes (docs/decisions/0031-mounts-by-helper-shells.md).
 */
export class Extraction implements ByteSink {
  readonly #socket: Socket;
  /** Why tar failed. */
  readonly #ended: Promise<Error | undefined>;
  readonly #stop: AbortController;
  #failure: Error | undefined;

  private constructor(socket: Socket, ended: Promise<Error | undefined>, stop: AbortController) {
    this.#socket = socket;
    this.#ended = ended;
    this.#stop = stop;
    socket.on('error', (error) => {
      this.#failure ??= error;
    });
  }

  static async start(commands: Commands, { target, scratch }: ExtractionOptions): Promise<Extraction> {
    const pipe = join(scratch, 'archive');
    // One of an extraction before.
    await rm(pipe, { force: true });
    await makePipes(commands, [pipe]);
    const stop = new AbortController();
    const ended = commands.run(tarCommand(pipe, target), { signal: stop.signal, timeoutMs }).then(
      ({ status, output }) =>
        status === 0 ? undefined : new Error(`tar: exit status ${status}: ${firstLines(output)}`),
      (error: Error) => error,
    );
    return new Extraction(await pipeToProgram(pipe, ended), ended, stop);
  }

  async write(bytes: Buffer): Promise<void> {
    if (!this.#failure) await writeToPipe(this.#socket, bytes);
    // The words of tar say more than that the pipe is broken.
    if (this.#failure) throw (await this.#ended) ?? this.#failure;
  }

  /** Waits until everything is unpacked. Rejects with the words of tar if it failed. */
  async finish(): Promise<void> {
    this.#socket.end();
    const failure = (await this.#ended) ?? this.#failure;
    this.#socket.destroy();
    if (failure) throw failure;
  }

  /** Ends tar, which may have unpacked something. */
  async cancel(): Promise<void> {
    this.#stop.abort(new Error('unpacking was cancelled'));
    this.#socket.destroy();
    await this.#ended;
  }
}

/** The first is mostly the reason; the last says that tar gave up. */
function firstLines(output: string): string {
  return output.trim().split('\n').slice(0, 3).join('; ').slice(0, 1000);
}
