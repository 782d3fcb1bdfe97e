import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import type { RealNode } from '../real-node.ts';

/** Kubelets of a node that run in processes of their own, one at a time. */
export class KubeletProcesses {
  readonly #node: RealNode;
  readonly #program: string;
  #child: ChildProcess | undefined;
  #exited: Promise<unknown> = Promise.resolve();
  /** What the current kubelet has logged; the end of it. */
  log = '';

  private constructor(node: RealNode, program: string) {
    this.#node = node;
    this.#program = program;
  }

  /** Bundles the program, and writes the configuration of the node's kubelet. */
  static async prepare(node: RealNode): Promise<KubeletProcesses> {
    const { directory, containerd, cgroups, cgroupRoot, resolvConf } = node;
    const configuration = {
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      containerRuntimeEndpoint: containerd.endpoint,
      podLogsDir: join(directory, 'logs'),
      cgroupDriver: 'cgroupfs',
      cgroupRoot: cgroups.path(cgroupRoot),
      resolvConf,
      clusterDNS: ['10.96.0.10'],
      clusterDomain: 'cluster.local',
      failSwapOn: false,
      failCgroupV1: false,
      enableServer: false,
      oomScoreAdj: 0,
    };
    await writeFile(join(directory, 'kubelet.json'), JSON.stringify(configuration));
    await writeFile(join(directory, 'kubeconfig'), node.kubeconfig, { mode: 0o600 });
    return new KubeletProcesses(node, await bundle(directory));
  }

  /** Starts a kubelet. Resolves when it works. */
  async start(): Promise<void> {
    this.log = '';
    const child = spawn(process.execPath, [this.#program, this.#node.directory], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#child = child;
    this.#exited = once(child, 'exit');
    for (const output of [child.stdout, child.stderr]) {
      output?.setEncoding('utf8').on('data', (text: string) => {
        this.log = (this.log + text).slice(-20_000);
      });
    }
    await Promise.race([
      once(child, 'message'),
      this.#exited.then(() => Promise.reject(new Error(`the kubelet ended: ${this.log}`))),
    ]);
  }

  /** Makes the kubelet kill itself at a step. The promise that is returned in an object resolves when it is dead. */
  async killAt(step: string): Promise<{ readonly dead: Promise<void> }> {
    const child = this.#child!;
    const armed = once(child, 'message');
    child.send(step);
    await armed;
    return { dead: this.#exited.then(() => {}) };
  }

  /** Kills the kubelet. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.#exited;
  }
}

/** Bundles the kubelet into one file: a process that must transpile it first takes ten times as long to start. */
async function bundle(directory: string): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: { external: ['ws'], noExternal: true, resolve: { conditions: ['coxswain-source'] } },
    resolve: { conditions: ['coxswain-source'] },
    build: {
      ssr: fileURLToPath(new URL('./kubelet-with-faults.ts', import.meta.url)),
      outDir: directory,
      emptyOutDir: false,
      rollupOptions: { output: { entryFileNames: 'kubelet.mjs' } },
    },
  });
  await symlink(fileURLToPath(new URL('../../../../node_modules', import.meta.url)), join(directory, 'node_modules'));
  return join(directory, 'kubelet.mjs');
}
