import { access, chmod, copyFile, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Commands } from '@coxswain/linux';
import { identifyProcess, type ProcessIdentity, type Sandbox } from '../model/index.ts';
import { cgroupsPath, type OciSpec } from '../oci/index.ts';
import type { RuntimeContext } from './runtime-context.ts';

/** Where the init program's own root file system is. It is made once, and all sandboxes share it. */
const rootOf = (state: string): string => join(state, 'init');

/**
 * A PID namespace lives only with its first process, which also has to take the processes whose parents have ended. catatonit does both; where
 * it is missing, `sleep` does: a process that ignores SIGCHLD has its children taken by the kernel. Only the program and its libraries are
 * in its root file system, so that containers find nothing of the node through /proc/1/root.
 */
async function initRoot(context: RuntimeContext): Promise<readonly string[]> {
  const { paths, commands } = context;
  const root = rootOf(paths.state);
  const catatonit = '/usr/bin/catatonit';
  const argv = (await exists(catatonit))
    ? ['/catatonit', '-P']
    : ['/env', '--ignore-signal=CHLD', '/sleep', 'infinity'];
  if (await exists(root)) return argv;
  const programs = argv[0] === '/catatonit' ? [catatonit] : ['/usr/bin/env', '/usr/bin/sleep'];
  const making = `${root}.new`;
  await rm(making, { recursive: true, force: true });
  await mkdir(join(making, 'proc'), { recursive: true, mode: 0o755 });
  await mkdir(join(making, 'dev'));
  for (const program of programs) {
    await copyInto(making, program, `/${basename(program)}`);
    for (const library of await librariesOf(program, commands)) await copyInto(making, library, library);
  }
  // Another sandbox may have made it meanwhile.
  await rename(making, root).catch(() => rm(making, { recursive: true, force: true }));
  return argv;
}

async function copyInto(root: string, from: string, to: string): Promise<void> {
  await mkdir(dirname(join(root, to)), { recursive: true, mode: 0o755 });
  await copyFile(from, join(root, to));
  await chmod(join(root, to), 0o755);
}

/** Paths of the libraries that a program is linked with, as the loader looks for them; none for a static one. */
async function librariesOf(program: string, commands: Commands): Promise<string[]> {
  const { output } = await commands.run(['ldd', program]);
  return [...output.matchAll(/(?:=> |^\s*)(\/[^\s]+) \(0x/gm)].map((match) => match[1] ?? '');
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Starts the process that holds a sandbox's PID namespace, without any privilege. */
export async function startSandboxInit(
  context: RuntimeContext,
  sandbox: Sandbox,
  namespaces: OciSpec['linux']['namespaces'],
): Promise<ProcessIdentity> {
  const { runtime, monitor, cgroups, paths } = context;
  const args = await context.turns.run('init', () => initRoot(context));
  const bundle = await monitor.makeBundle(sandbox.id);
  const nobody = 65535;
  const spec: OciSpec = {
    ociVersion: '1.0.2',
    process: {
      terminal: false,
      user: { uid: nobody, gid: nobody, additionalGids: [] },
      args,
      env: ['PATH=/'],
      cwd: '/',
      capabilities: { bounding: [], effective: [], permitted: [] },
      noNewPrivileges: true,
    },
    root: { path: rootOf(paths.state), readonly: true },
    mounts: [{ destination: '/proc', type: 'proc', source: 'proc', options: ['nosuid', 'noexec', 'nodev', 'ro'] }],
    linux: {
      namespaces: [{ type: 'mount' }, { type: 'pid' }, ...namespaces],
      cgroupsPath: cgroupsPath(sandbox.cgroupParent, sandbox.id, cgroups.driver),
      resources: { cpu: { shares: 2 }, devices: [{ allow: false, access: 'rwm' }] },
      devices: [],
      maskedPaths: ['/proc/kcore', '/proc/keys', '/proc/timer_list'],
      readonlyPaths: [],
    },
  };
  await writeFile(join(bundle, 'config.json'), JSON.stringify(spec), { mode: 0o600 });
  const pid = await runtime.runUnmonitored(sandbox.id, bundle);
  const identity = await identifyProcess(pid);
  if (!identity) throw new Error('the init process of the sandbox has ended at once');
  return identity;
}

/** Ends it, and with it all processes of the namespace. */
export async function stopSandboxInit({ runtime, monitor }: RuntimeContext, sandboxId: string): Promise<void> {
  await runtime.delete(sandboxId);
  await monitor.removeBundle(sandboxId);
}
