import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Commands, RunOptions } from '@coxswain/linux';
import type { LinuxResources } from '../oci/oci-spec.ts';
import { runChecked } from './run-checked.ts';

export interface OciRuntimeOptions {
  /** Path of `runc`, `crun`, or another program with the same arguments. */
  readonly program: string;
  /** Where it keeps its state. On a file system that is empty after a reboot. */
  readonly root: string;
  readonly usesSystemd: boolean;
  readonly commands: Commands;
}

/** A container as the OCI runtime knows it. */
export interface RuntimeContainer {
  readonly id: string;
  readonly pid: number;
  readonly status: string;
}

/** What an OCI runtime can do, as its command `features` tells. */
export interface OciFeatures {
  readonly mountOptions: ReadonlySet<string>;
}

/** The OCI runtime as a program: the only one that makes containers. */
export class OciRuntime {
  readonly program: string;
  readonly root: string;
  readonly usesSystemd: boolean;
  readonly #commands: Commands;

  constructor({ program, root, usesSystemd, commands }: OciRuntimeOptions) {
    this.program = program;
    this.root = root;
    this.usesSystemd = usesSystemd;
    this.#commands = commands;
  }

  /** Arguments before the command. */
  get globalArguments(): string[] {
    return ['--root', this.root, ...(this.usesSystemd ? ['--systemd-cgroup'] : [])];
  }

  /** Makes and starts a container that needs no monitor: its output is dropped. Returns the number of its process. */
  async runUnmonitored(id: string, bundle: string): Promise<number> {
    const pidFile = join(bundle, 'pid');
    const script = '"$@" </dev/null >/dev/null 2>"$0" || { cat "$0"; exit 1; }';
    const run = [...this.#words(), 'run', '--detach', '--bundle', bundle, '--pid-file', pidFile, id];
    await runChecked(this.#commands, ['sh', '-c', script, join(bundle, 'errors'), ...run]);
    return Number(await readFile(pidFile, 'utf8'));
  }

  /** Sends SIGKILL to all processes of a container. */
  async killAll(id: string): Promise<void> {
    const { status, output } = await this.#run(['kill', '--all', id, 'KILL']);
    if (status !== 0 && !hasEnded(output)) throw new Error(`failed to kill container ${id}: ${output.trim()}`);
  }

  /** Kills what still runs of a container, removes its cgroups and forgets it. Succeeds if it is not known. */
  async delete(id: string): Promise<void> {
    const { status, output } = await this.#run(['delete', '--force', id]);
    if (status !== 0 && !hasEnded(output)) throw new Error(`failed to delete container ${id}: ${output.trim()}`);
  }

  async update(id: string, resources: LinuxResources, scratch: string): Promise<void> {
    const file = join(scratch, 'resources.json');
    await writeFile(file, JSON.stringify(resources), { mode: 0o600 });
    try {
      await runChecked(this.#commands, [...this.#words(), 'update', '--resources', file, id]);
    } finally {
      await rm(file, { force: true });
    }
  }

  /** All containers that it knows. */
  async list(scratch: string): Promise<readonly RuntimeContainer[]> {
    // Through a file: the list may be longer than the output of a command that is kept.
    const file = join(scratch, 'containers.json');
    await runChecked(this.#commands, [
      'sh',
      '-c',
      'out=$1; shift; "$@" >"$out"',
      'sh',
      file,
      ...this.#words(),
      'list',
      '--format',
      'json',
    ]);
    try {
      const parsed: unknown = JSON.parse(await readFile(file, 'utf8'));
      return Array.isArray(parsed) ? parsed.filter(isContainer) : [];
    } finally {
      await rm(file, { force: true });
    }
  }

  /** The version, as the program prints it in its first line. */
  async version(): Promise<string> {
    return (
      (await runChecked(this.#commands, [this.program, '--version'])).split('\n', 1)[0]?.replace(/^.*version /, '') ??
      ''
    );
  }

  async features(): Promise<OciFeatures> {
    const { status, output } = await this.#commands.run([this.program, 'features']);
    const parsed: unknown = status === 0 ? JSON.parse(output) : {};
    const options =
      typeof parsed === 'object' && parsed !== null && 'mountOptions' in parsed ? parsed.mountOptions : [];
    return { mountOptions: new Set(Array.isArray(options) ? options.map(String) : []) };
  }

  #words(): string[] {
    return [this.program, ...this.globalArguments];
  }

  #run(words: readonly string[], options?: RunOptions) {
    return this.#commands.run([...this.#words(), ...words], options);
  }
}

const hasEnded = (output: string): boolean =>
  /does not exist|process already finished|container not running|no such process|not found/i.test(output);

const isContainer = (value: unknown): value is RuntimeContainer =>
  typeof value === 'object' && value !== null && 'id' in value && 'pid' in value && 'status' in value;
