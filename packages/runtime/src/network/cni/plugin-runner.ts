import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type Clock, sleep } from '@coxswain/apimachinery/clock';
import type { Commands } from '@coxswain/linux';
import { isObject, type JSONObject } from '../records/index.ts';

export type CNICommand = 'ADD' | 'DEL' | 'CHECK' | 'GC' | 'STATUS' | 'VERSION';

export interface PluginCall {
  readonly command: CNICommand;
  /** The type of the plug-in: the name of its program. */
  readonly type: string;
  readonly configuration: JSONObject;
  readonly containerID?: string;
  readonly netns?: string;
  readonly ifName?: string;
  /** CNI_ARGS. */
  readonly args?: string;
}

/** A plug-in reported an error. The message is what libcni says of it. */
class PluginError extends Error {
  /** A code of the CNI specification; 0 if the plug-in gave none. */
  readonly code: number;

  constructor(message: string, code = 0) {
    super(message);
    this.code = code;
  }
}

export interface PluginRunnerOptions {
  readonly commands: Commands;
  readonly clock: Clock;
  /** Directories of plug-ins. The first that has one wins. */
  readonly path: readonly string[];
  /** For the input of running plug-ins. Belongs to this class alone. */
  readonly directory: string;
  /** A plug-in that takes longer is killed. */
  readonly timeoutMs: number;
}

/** The directories and the limits of an answer. */
const maxStderr = 4096;
const maxBusyTries = 5;

/**
 * Runs the programs of CNI plug-ins. Environment and input are what the specification says; a program that is aborted or too slow is
 * killed with what it started. An answer may have 64 KiB.
 */
export class PluginRunner {
  readonly #options: PluginRunnerOptions;
  #calls = 0;
  /** The directory is emptied once, before the first call: of what earlier processes have left. */
  #made: Promise<unknown> | undefined;

  constructor(options: PluginRunnerOptions) {
    this.#options = options;
  }

  /** The program of a plug-in. Throws if there is none. */
  async find(type: string): Promise<string> {
    const { path } = this.#options;
    if (type === '') throw new Error('no plugin name provided');
    if (type.includes('/')) throw new Error(`invalid plugin name: ${type}`);
    for (const directory of path) {
      const program = join(directory, type);
      const isFile = await stat(program)
        .then((facts) => facts.isFile())
        .catch(() => false);
      if (isFile) return program;
    }
    throw new Error(`failed to find plugin ${JSON.stringify(type)} in path [${path.join(' ')}]`);
  }

  /** Runs a plug-in and returns what it printed: JSON, or nothing. Throws a `PluginError` with its words if it fails. */
  async run(call: PluginCall, signal?: AbortSignal): Promise<JSONObject | undefined> {
    const program = await this.find(call.type);
    const { directory } = this.#options;
    this.#made ??= rm(directory, { recursive: true, force: true }).then(() =>
      mkdir(directory, { recursive: true, mode: 0o700 }),
    );
    await this.#made;
    const file = join(directory, String(this.#calls++));
    try {
      await writeFile(file, JSON.stringify(call.configuration), { mode: 0o600 });
      return await this.#runProgram(program, file, call, signal);
    } finally {
      await Promise.all([rm(file, { force: true }), rm(`${file}.stderr`, { force: true })]);
    }
  }

  async #runProgram(
    program: string,
    file: string,
    call: PluginCall,
    signal: AbortSignal | undefined,
  ): Promise<JSONObject | undefined> {
    const { commands, clock } = this.#options;
    const argv = ['sh', '-c', script, 'sh', file, `${file}.stderr`, program, ...this.#environment(call)];
    for (let tries = 0; ; tries++) {
      const { status, output } = await this.#limited((limit) => commands.run(argv, { signal: limit }), signal);
      const stderr = await readFile(`${file}.stderr`, 'utf8').catch(() => '');
      // The program is being replaced by a new version.
      if (status === 126 && /text file busy/i.test(output + stderr) && tries < maxBusyTries) {
        await sleep(clock, 1000, signal ?? {});
        continue;
      }
      if (status !== 0) throw pluginError(status, output, stderr.slice(0, maxStderr));
      return answerOf(output);
    }
  }

  /** Aborts a call that takes too long. */
  async #limited<T>(call: (signal: AbortSignal) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const { clock, timeoutMs } = this.#options;
    const limit = new AbortController();
    const timer = clock.setTimeout(
      () => limit.abort(new PluginError(`netplugin did not end within ${timeoutMs / 1000} s`)),
      timeoutMs,
    );
    try {
      return await call(signal ? AbortSignal.any([signal, limit.signal]) : limit.signal);
    } finally {
      timer.cancel();
    }
  }

  #environment({ command, containerID = '', netns = '', ifName = '', args = '' }: PluginCall): readonly string[] {
    return [
      `CNI_COMMAND=${command}`,
      `CNI_CONTAINERID=${containerID}`,
      `CNI_NETNS=${netns}`,
      `CNI_IFNAME=${ifName}`,
      `CNI_ARGS=${args}`,
      `CNI_PATH=${this.#options.path.join(delimiter)}`,
    ];
  }
}

/** Becomes the plug-in. Arguments: file of its input, file of its errors, program, and its environment. */
const script = 'in=$1 err=$2 program=$3; shift 3; export "$@"; exec "$program" <"$in" 2>"$err"';

function answerOf(output: string): JSONObject | undefined {
  if (output.trim() === '') return undefined;
  let answer: unknown;
  try {
    answer = JSON.parse(output);
  } catch (error) {
    throw new PluginError(`failed to unmarshal raw result: ${error instanceof Error ? error.message : String(error)}`);
  }
  // Some plug-ins print `null` for nothing.
  return isObject(answer) ? answer : undefined;
}

/** The error of a failed plug-in: what it printed as JSON, else its messages. */
function pluginError(status: number, stdout: string, stderr: string): PluginError {
  const ending = status > 128 ? `signal: ${status - 128}` : `exit status ${status}`;
  if (stdout === '') {
    return new PluginError(
      stderr === ''
        ? `netplugin failed with no error message: ${ending}`
        : `netplugin failed: ${JSON.stringify(stderr)}`,
    );
  }
  try {
    const answer: unknown = JSON.parse(stdout);
    if (!isObject(answer)) throw new Error('not an object');
    const { msg = '', details = '', code = 0 } = answer;
    return new PluginError(details === '' ? String(msg) : `${msg}; ${details}`, Number(code) || 0);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return new PluginError(
      `netplugin failed but error parsing its diagnostic message ${JSON.stringify(stdout)}: ${reason}`,
    );
  }
}
