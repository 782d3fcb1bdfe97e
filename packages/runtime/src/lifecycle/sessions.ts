import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Container, Sandbox } from '../model/index.ts';
import type { OciProcess } from '../oci/index.ts';
import {
  attachCommand,
  execDetachedCommand,
  execWithTerminalCommand,
  forwardCommand,
  type PipeReader,
  type PipeWriter,
  readPidFile,
} from '../processes/index.ts';
import { type ExecCgroup, makeExecCgroup } from './exec-cgroup.ts';
import type { RuntimeContext } from './runtime-context.ts';
import { containerStateOf } from './statuses.ts';

/** A program whose streams a client has. */
export interface Session {
  readonly stdin: PipeWriter | undefined;
  readonly stdout: PipeReader;
  readonly stderr: PipeReader;
  /** Resolves with the exit code, after all output. Rejects with the reason if the program could not be started. */
  readonly exited: Promise<number>;
  /** Sets the size of the terminal. Does nothing without one. */
  resize(size: { readonly width: number; readonly height: number }): Promise<void>;
  /** Ends the program with all that it has started; of an attached client, only the connection. */
  kill(): Promise<void>;
}

export interface ExecRequest {
  readonly cmd: readonly string[];
  readonly tty: boolean;
  readonly stdin: boolean;
}

/** Runs a command in a container that runs. */
export async function exec(
  context: RuntimeContext,
  container: Container,
  { cmd, tty, stdin }: ExecRequest,
): Promise<Session> {
  if (!container.isRunning) throw new Error(`container is in ${containerStateOf(container)} state`);
  const { id, description } = container;
  const { launcher, monitor, runtime } = context;
  const cgroupParent = context.sandboxes.find(description.sandboxId)?.cgroupParent ?? '';
  let cgroup: ExecCgroup | undefined;
  let failure: string | undefined;
  let pid: number | undefined;
  const launched = await launcher.launch({
    stdin,
    async prepare(directory) {
      const spec = join(directory, 'process.json');
      await writeFile(spec, JSON.stringify(await processOf(monitor.bundleOf(id), cmd, tty)), { mode: 0o600 });
      cgroup = await makeExecCgroup(context, { id, cgroupParent }, basename(directory));
      if (tty) return execWithTerminalCommand(directory, monitor.execWords(id, directory, spec, cgroup?.option));
      const log = ['--log', join(directory, 'log'), '--log-format', 'json'];
      const pidFile = join(directory, 'pid');
      const options = [
        '--detach',
        '--process',
        spec,
        '--pid-file',
        pidFile,
        ...(cgroup ? ['--cgroup', cgroup.option] : []),
      ];
      const words = [runtime.program, ...runtime.globalArguments, ...log, 'exec', ...options, id];
      return execDetachedCommand(pidFile, words, context.node.architecture);
    },
    async atEnd(directory) {
      pid = await readPidFile(join(directory, 'pid'));
      if (pid === undefined) failure = await failureIn(directory);
      await cgroup?.remove();
    },
  });
  return {
    ...launched,
    exited: launched.exited.then((code) => {
      if (failure !== undefined) throw new Error(`OCI runtime exec failed: ${failure}`);
      return code;
    }),
    resize: async (size) => {
      if (tty) await monitor.resizeIn(launched.directory, size);
    },
    async kill() {
      // Without a hierarchy for it, the command ends with its container.
      await cgroup?.kill();
    },
  };
}

async function processOf(bundle: string, cmd: readonly string[], tty: boolean): Promise<OciProcess> {
  const { process } = JSON.parse(await readFile(join(bundle, 'config.json'), 'utf8')) as { process: OciProcess };
  const env =
    tty && !process.env.some((entry) => entry.startsWith('TERM=')) ? [...process.env, 'TERM=xterm'] : process.env;
  return { ...process, args: cmd, terminal: tty, env };
}

/** Why a runtime has not started a command, from its log, or the answer of its monitor. */
async function failureIn(directory: string): Promise<string> {
  const log = await readFile(join(directory, 'log'), 'utf8').catch(() => '');
  const answer = await readFile(join(directory, 'failure'), 'utf8').catch(() => '');
  const message = [...`${log}\n${answer}`.matchAll(/"(?:msg|message)": ?("(?:[^"\\]|\\.)*")/g)].at(-1)?.[1];
  const text = message === undefined ? '' : String(JSON.parse(message)).trim();
  return /msg="((?:[^"\\]|\\.)*)"/.exec(text)?.[1]?.replaceAll('\\"', '"') ?? (text || 'the command was not started');
}

/** Connects to the streams of a container's first process. */
export async function attach(context: RuntimeContext, container: Container, stdin: boolean): Promise<Session> {
  if (!container.isRunning) throw new Error(`container is in ${containerStateOf(container)} state`);
  const { monitor } = context;
  const session = await simpleSession(context, attachCommand(monitor.bundleOf(container.id)), stdin);
  return { ...session, resize: (size) => monitor.resize(container.id, size).catch(() => {}) };
}

/** Connects to a port of a pod on loopback. */
export async function forwardPort(context: RuntimeContext, sandbox: Sandbox, port: number): Promise<Session> {
  const { net } = sandbox.namespaces.network === 'POD' ? await context.namespaces.find(sandbox.id) : { net: undefined };
  if (sandbox.namespaces.network === 'POD' && net === undefined)
    throw new Error(`sandbox ${sandbox.id} has no network namespace`);
  return await simpleSession(context, forwardCommand(net, port), true);
}

async function simpleSession({ launcher }: RuntimeContext, argv: readonly string[], stdin: boolean): Promise<Session> {
  const launched = await launcher.launch({ stdin, prepare: async () => argv });
  return {
    ...launched,
    resize: async () => {},
    // Its outputs are closed, and so is its input: then the helper ends.
    async kill() {
      launched.stdin?.close();
      launched.stdout.close();
      launched.stderr.close();
    },
  };
}
