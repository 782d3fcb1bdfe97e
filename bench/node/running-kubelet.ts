import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { RESTClient, type RestConfig } from '@coxswain/client';
import { ScratchNode } from '@coxswain/kubelet/testing';
import { type TreeUsage, usageOf } from '../process-tree.ts';

export interface KubeletSide {
  /** `ours`, or that of the peer; also the name of the node. */
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}

export interface RunningKubeletOptions extends KubeletSide {
  /** For its files; not used before. */
  readonly directory: string;
  readonly runtimeEndpoint: string;
  /** Of an administrator, for the kubelet and for requests to it. */
  readonly kubeconfig: string;
  readonly admin: RestConfig;
  /** The authorities of clients, in PEM. */
  readonly clientCA: string;
}

/** How long calls of the runtime have taken. */
export interface RuntimeTimes {
  /** Those that make a pod, which a kubelet makes one after the other. */
  readonly makingMs: number;
  /** All, some of which may have been at the same time. */
  readonly allMs: number;
}

const startOperations = ['pull_image', 'image_status', 'run_podsandbox', 'create_container', 'start_container'];

/** A kubelet in its own process. */
export class RunningKubelet {
  readonly #child: ChildProcess;
  readonly #node: ScratchNode;
  readonly #rest: RESTClient;
  readonly #log: string;

  private constructor(child: ChildProcess, node: ScratchNode, rest: RESTClient, log: string) {
    this.#child = child;
    this.#node = node;
    this.#rest = rest;
    this.#log = log;
  }

  static async start(options: RunningKubeletOptions): Promise<RunningKubelet> {
    const { name, command, directory, runtimeEndpoint, kubeconfig, admin, clientCA } = options;
    const port = await freePort();
    const node = await ScratchNode.create({
      ...{ name, directory, runtimeEndpoint, kubeconfig, clientCA, port },
      // One log of the bench is large.
      configuration: { address: '127.0.0.1', maxPods: 200, containerLogMaxSize: '1Gi' },
    });
    const log = join(directory, 'kubelet.log');
    const output = openSync(log, 'a');
    const [program, ...args] = command;
    const child = spawn(program, [...args, ...node.flags], { stdio: ['ignore', output, output], detached: true });
    closeSync(output);
    // `usage` reports that it does not run.
    child.once('error', () => {});
    const rest = RESTClient.forConfig({
      ...admin,
      server: `https://127.0.0.1:${port}`,
      // Its certificate is its own.
      tls: { insecureSkipTlsVerify: true },
      qps: 0,
    });
    return new RunningKubelet(child, node, rest, log);
  }

  /** Throws, with the end of its log, when it has ended. */
  usage(): TreeUsage {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) {
      throw new Error(`the kubelet has ended: ${readFileSync(this.#log, 'utf8').slice(-2000)}`);
    }
    return usageOf(pid);
  }

  /** Returns how long all calls of the runtime have taken so far. */
  async runtimeMs(): Promise<RuntimeTimes> {
    const { bytes } = await this.#rest.raw({ method: 'GET', path: '/metrics', headers: { accept: 'text/plain' } });
    let [makingMs, allMs] = [0, 0];
    for (const line of new TextDecoder().decode(bytes).split('\n')) {
      if (!line.startsWith('kubelet_runtime_operations_duration_seconds_sum{')) continue;
      const operation = /operation_type="([^"]*)"/.exec(line)?.[1] ?? '';
      const ms = Number(line.slice(line.lastIndexOf(' ') + 1)) * 1000;
      allMs += ms;
      if (startOperations.includes(operation)) makingMs += ms;
    }
    return { makingMs, allMs };
  }

  /** Runs a command that writes nothing in a container of the default namespace, until its end is known. */
  async exec(pod: string, container: string, command: string, signal: AbortSignal): Promise<void> {
    const connection = await this.#rest.openWebSocket({
      path: `/exec/default/${pod}/${container}`,
      query: { command, output: '1', error: '1' },
      protocols: ['v5.channel.k8s.io', 'v4.channel.k8s.io'],
      signal,
    });
    try {
      // The channel of the status is the third.
      for await (const message of connection.messages()) if (message[0] === 3 && message.length > 1) return;
      throw new Error('exec ended without a status');
    } finally {
      connection.close();
    }
  }

  /** Reads the whole log of a container of the default namespace. Returns its size. */
  async readLog(pod: string, container: string, signal: AbortSignal): Promise<number> {
    const path = `/containerLogs/default/${pod}/${container}`;
    const body = await this.#rest.stream({ method: 'GET', path, headers: { accept: '*/*' }, signal });
    let bytes = 0;
    for await (const chunk of body.chunks({ borrowed: true })) bytes += chunk.length;
    return bytes;
  }

  /** Ends the kubelet. Its containers keep running. */
  async stop(): Promise<void> {
    await this.#rest.close();
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGTERM');
    const insist = setTimeout(() => this.#child.kill('SIGKILL'), 10_000);
    await gone;
    clearTimeout(insist);
  }

  /** Takes back what it has changed on the machine, after `stop`. */
  remove(): Promise<void> {
    return this.#node.remove();
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || !address) throw new Error('no port is free');
  return address.port;
}
