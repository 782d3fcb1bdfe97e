import { constants } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Random } from '@coxswain/apimachinery/random';
import type { Commands } from '@coxswain/linux';
import { openDescriptor } from './open-descriptor.ts';
import { PipeReader } from './pipe-reader.ts';
import { PipeWriter } from './pipe-writer.ts';

export interface LaunchRequest {
  /** Makes the command, and files for it in a directory of its own. */
  prepare(directory: string): Promise<readonly string[]>;
  /** Called when the program has ended, while its directory is still there. */
  atEnd?(directory: string): Promise<void>;
  readonly stdin: boolean;
}

/** A program with pipes of its own. Whoever has launched it reads its output to the end, or closes it. */
export interface LaunchedProcess {
  /** Is there until `exited` resolves. */
  readonly directory: string;
  readonly stdin: PipeWriter | undefined;
  readonly stdout: PipeReader;
  readonly stderr: PipeReader;
  /** Resolves with the exit code, after the outputs have been finished; above 128 for a signal. */
  readonly exited: Promise<number>;
}

/**
 * Makes the pipes, and starts the program in a session of its own, in the background. The pipes are real ones: programs can open /dev/stdout.
 * The writing ends are open before this ends, so that output which comes first is kept. It says when it has opened the input, which must not be
 * closed before: what was written would be lost. Writing the exit code waits until it is read.
 */
const launch = `
d=$1 in=$2; shift 2
mkfifo -m 600 "$d/in" "$d/out" "$d/err" "$d/exit" || exit 1
exec 8<>"$d/out" 9<>"$d/err"
setsid sh -c '
d=$1 in=$2; shift 2
if [ "$in" = 1 ]; then exec <"$d/in"; else exec </dev/null; fi
exec 7>"$d/exit"; echo started >&7
"$@" >&8 2>&9 7>&- 8>&- 9>&-
echo $? >&7
' sh "$d" "$in" "$@" </dev/null >/dev/null 2>&1 &
`;

export interface ProcessLauncherOptions {
  /** For the pipes. Belongs to this class alone. */
  readonly directory: string;
  readonly commands: Commands;
  readonly random: Random;
}

/** Starts programs with pipes, through helper shells: that costs the same however large this process is. */
export class ProcessLauncher {
  readonly #options: ProcessLauncherOptions;

  constructor(options: ProcessLauncherOptions) {
    this.#options = options;
  }

  /** Starts a program. Rejects, and leaves nothing, if that is not possible. */
  async launch({ prepare, atEnd, stdin }: LaunchRequest): Promise<LaunchedProcess> {
    const { commands, random } = this.#options;
    const directory = join(this.#options.directory, Buffer.from(random.bytes(6)).toString('hex'));
    await mkdir(directory, { recursive: true, mode: 0o700 });
    try {
      const argv = await prepare(directory);
      const { status, output } = await commands.run(['sh', '-c', launch, 'sh', directory, stdin ? '1' : '0', ...argv]);
      if (status !== 0) throw new Error(`cannot start ${argv[0]}: ${output.trim()}`);
    } catch (error) {
      await rm(directory, { recursive: true, force: true });
      throw error;
    }
    const stdout = new PipeReader(await openToRead(join(directory, 'out')));
    const stderr = new PipeReader(await openToRead(join(directory, 'err')));
    // For reading and writing, because without the program's end a pipe cannot be opened for writing only.
    let hasStarted: () => void = () => {};
    const started = new Promise<void>((resolve) => {
      hasStarted = resolve;
    });
    const input = stdin ? new PipeWriter(await openPipe(join(directory, 'in'), constants.O_RDWR), started) : undefined;
    const exited = this.#exitCode(directory, [stdout, stderr], hasStarted).then(async (code) => {
      hasStarted();
      input?.close();
      stdout.finish();
      stderr.finish();
      await atEnd?.(directory);
      await rm(directory, { recursive: true, force: true });
      return code;
    });
    // Whoever is interested in the end waits for it; a failure must not be unhandled meanwhile.
    exited.catch(() => {});
    return { directory, stdin: input, stdout, stderr, exited };
  }

  /** Releases what a process that was killed has left: programs that wait to write their exit code. Returns the directories. */
  async left(): Promise<readonly string[]> {
    await mkdir(this.#options.directory, { recursive: true, mode: 0o700 });
    const names = await readdir(this.#options.directory);
    return names.map((name) => join(this.#options.directory, name));
  }

  /** Takes away the pipes of a program that an earlier process has launched. */
  async discard(directory: string): Promise<void> {
    const exit = await openPipe(join(directory, 'exit'), constants.O_RDWR).catch(() => undefined);
    await rm(directory, { recursive: true, force: true });
    if (exit !== undefined) new Socket({ fd: exit, readable: true, writable: false }).destroy();
  }

  async #exitCode(directory: string, outputs: readonly PipeReader[], onStarted: () => void): Promise<number> {
    const exit = new PipeReader(await openToRead(join(directory, 'exit'), true));
    // The shell writes the code before it closes the outputs: without a code it was killed.
    void Promise.all(outputs.map(({ closed }) => closed)).then(() => exit.finish());
    let text = '';
    for await (const chunk of exit) {
      text += chunk.toString();
      if (text.startsWith('started\n')) onStarted();
      if (/\n\d+\n/.test(text)) break;
    }
    exit.close();
    return Number(/\n(\d+)\n/.exec(text)?.[1] ?? 137);
  }
}

/** The number of the process that a runtime wrote down; undefined if it was not started. */
export async function readPidFile(path: string): Promise<number | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return /^\d+$/.test(text.trim()) ? Number(text) : undefined;
}

/** A pipe that nobody has opened for writing yet is at its end, so a pipe which must wait for its writer is opened for both. */
const openToRead = (path: string, waits = false): Promise<number> =>
  openPipe(path, waits ? constants.O_RDWR : constants.O_RDONLY);

const openPipe = (path: string, flags: number): Promise<number> => openDescriptor(path, flags | constants.O_NONBLOCK);
