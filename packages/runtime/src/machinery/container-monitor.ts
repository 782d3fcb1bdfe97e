import { constants } from 'node:fs';
import { access, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Commands } from '@coxswain/linux';
import type { OciRuntime } from './oci-runtime.ts';

export interface ContainerMonitorOptions {
  /** Path of `conmon`. */
  readonly program: string;
  /** A directory for each container, with its OCI configuration. Paths in it must be short enough for Unix sockets. */
  readonly bundles: string;
  /** Where monitors write the exit code of a container when it has ended: a file named after it. */
  readonly exits: string;
  readonly runtime: OciRuntime;
  readonly commands: Commands;
}

export interface MonitorRequest {
  readonly id: string;
  /** The container's log; none if empty. */
  readonly logPath: string;
  readonly tty: boolean;
  readonly stdin: boolean;
  /** The container's input ends with the first client that attaches. */
  readonly stdinOnce: boolean;
}

/**
 * Starts the monitor, which calls the runtime to create the container and reports its process in a line of JSON, then starts the container.
 * The monitor goes on by itself. Arguments: file for errors, runtime with its arguments joined by newlines, id, then the monitor's words.
 */
const launch = `
errors=$1 id=$3; runtime=$2; shift 3
answer=$({ { _OCI_SYNCPIPE=3 "$@" 3>&1 >/dev/null 2>"$errors" </dev/null || echo "$(cat "$errors")"; } | { IFS= read -r line; printf %s "$line"; }; })
case $answer in
'{"data": '[1-9]*) ;;
*) printf '%s\\n' "$answer"; exit 125;;
esac
IFS='
'
exec $runtime start "$id"
`;

const failedToCreate = 125;

/**
 * conmon: a small process for each container that outlives this one. It writes the container's log, holds its terminal and input, lets
 * clients attach, and writes down how it has ended.
 */
export class ContainerMonitor {
  readonly #options: ContainerMonitorOptions;

  constructor(options: ContainerMonitorOptions) {
    this.#options = options;
  }

  bundleOf(id: string): string {
    return join(this.#options.bundles, id);
  }

  async makeBundle(id: string): Promise<string> {
    const bundle = this.bundleOf(id);
    await mkdir(bundle, { recursive: true, mode: 0o700 });
    return bundle;
  }

  async removeBundle(id: string): Promise<void> {
    await rm(this.bundleOf(id), { recursive: true, force: true });
    await rm(this.exitFileOf(id), { force: true });
  }

  exitFileOf(id: string): string {
    return join(this.#options.exits, id);
  }

  /** Creates and starts a container. Resolves with the number of its first process. Rejects with the runtime's reason. */
  async start(request: MonitorRequest): Promise<number> {
    const { runtime, commands } = this.#options;
    const { id } = request;
    const bundle = this.bundleOf(id);
    const words = [runtime.program, ...runtime.globalArguments].join('\n');
    const argv = ['sh', '-c', launch, 'sh', join(bundle, 'errors'), words, id, ...this.#words(request)];
    const { status, output } = await commands.run(argv);
    if (status === failedToCreate) throw new Error(`OCI runtime create failed: ${reasonOf(output)}`);
    if (status !== 0) throw new Error(`OCI runtime start failed: ${reasonOf(output)}`);
    return Number(await readFile(join(bundle, 'pid'), 'utf8'));
  }

  /** Lets the monitor close the container's log and open it again by its name. Rejects if the monitor has ended. */
  async reopenLog(id: string): Promise<void> {
    await this.#control(this.bundleOf(id), '2 0 0\n');
  }

  /** Sets the size of a container's terminal. */
  async resize(id: string, size: { readonly width: number; readonly height: number }): Promise<void> {
    await this.#control(this.bundleOf(id), `1 ${size.height} ${size.width}\n`);
  }

  /**
   * The same for a command in a container, whose files are elsewhere. The size is also in a file, for a monitor that is not there yet. Does
   * nothing when the command has ended.
   */
  async resizeIn(
    bundle: string,
    { width, height }: { readonly width: number; readonly height: number },
  ): Promise<void> {
    const message = `1 ${height} ${width}\n`;
    await writeFile(join(bundle, 'size'), message).catch(() => {});
    await this.#control(bundle, message).catch(() => {});
  }

  /** Whether the monitor of a container runs. */
  async isAlive(id: string): Promise<boolean> {
    const pid = await readFile(join(this.bundleOf(id), 'conmon.pid'), 'utf8').catch(() => '');
    const words = pid === '' ? '' : await readFile(`/proc/${pid.trim()}/cmdline`, 'utf8').catch(() => '');
    return words.includes(id);
  }

  /** Whether the monitor saw the kernel kill a process of the container for want of memory. */
  async sawOutOfMemory(id: string): Promise<boolean> {
    return await access(join(this.bundleOf(id), 'oom')).then(
      () => true,
      () => false,
    );
  }

  /** The words that start a monitor for a command in a container with a terminal. `cgroup` is the runtime's option of that name. */
  execWords(id: string, bundle: string, processFile: string, cgroup: string | undefined): string[] {
    const { program, runtime } = this.#options;
    const files = ['-b', bundle, '-p', join(bundle, 'pid'), '--exec-process-spec', processFile];
    return [
      ...[program, '-c', id, '-u', `${id}-exec`, '-r', runtime.program, ...this.#common(), ...files],
      ...['-e', '--exec-attach', '-i', '-t', '-l', 'off'],
      ...(cgroup === undefined ? [] : ['--runtime-opt', '--cgroup', '--runtime-opt', cgroup]),
    ];
  }

  #words({ id, logPath, tty, stdin, stdinOnce }: MonitorRequest): string[] {
    const { program, runtime, exits } = this.#options;
    const bundle = this.bundleOf(id);
    return [
      ...[program, '-c', id, '-u', id, '-n', id, '-r', runtime.program, ...this.#common()],
      ...['-b', bundle, '-p', join(bundle, 'pid'), '-P', join(bundle, 'conmon.pid'), '--exit-dir', exits],
      ...['-l', logPath === '' ? 'off' : `k8s-file:${logPath}`],
      ...(tty ? ['-t'] : []),
      ...(stdin ? ['-i'] : []),
      ...(stdin && !stdinOnce ? ['--leave-stdin-open'] : []),
    ];
  }

  #common(): string[] {
    const { runtime } = this.#options;
    const globals = ['--root', runtime.root].flatMap((word) => ['--runtime-arg', word]);
    return [
      ...['--api-version', '1', '--full-attach', '--no-sync-log', '--log-level', 'error', ...globals],
      ...(runtime.usesSystemd ? ['-s'] : []),
    ];
  }

  async #control(bundle: string, message: string): Promise<void> {
    // Without a reader, the monitor has ended: that must not block.
    const file = await open(join(bundle, 'ctl'), constants.O_WRONLY | constants.O_NONBLOCK);
    try {
      await file.write(message);
    } finally {
      await file.close();
    }
  }
}

/** The message of the runtime, without the dress of its log. */
function reasonOf(output: string): string {
  let text = output.trim();
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null && 'message' in parsed) text = String(parsed.message).trim();
  } catch {
    // It is plain text.
  }
  const logged = [...text.matchAll(/msg=("(?:[^"\\]|\\.)*")/g)].at(-1)?.[1];
  try {
    return logged === undefined ? text || 'no reason was given' : String(JSON.parse(logged));
  } catch {
    return text;
  }
}
