import { flag, string } from '@coxswain/component-base';
import type { CommandBody } from '@coxswain/component-base/cli';
import { componentLogging } from '@coxswain/component-base/logs';
import type { CoxContext } from '../context.ts';
import { runUntilStopped } from '../server-process.ts';
import { verbosityOf } from '../verbosity.ts';
import { coxswainVersion } from '../version.ts';

const flags = {
  listen: flag(string, 'Unix socket to serve CRI on', 'unix:///run/coxswain/runtime.sock'),
  root: flag(string, 'Directory for images and records', '/var/lib/coxswain/runtime'),
  state: flag(
    string,
    'Directory for sockets and mounts, on a file system that is empty after a reboot',
    '/run/coxswain/runtime',
  ),
  'cgroup-driver': { ...flag(string, 'cgroupfs or systemd', 'cgroupfs'), values: ['cgroupfs', 'systemd'] },
  'cni-conf-dir': flag(string, 'Directory with the configuration of the network', '/etc/cni/net.d'),
  'pod-cidr': flag(string, 'Addresses of pods, until a kubelet tells those of its node'),
  'registry-config-dir': flag(string, "Directory with the hosts of registries, in containerd's format (certs.d)"),
};

export const runtimeCommand: CommandBody<CoxContext> = {
  long: `Run the container runtime on a Unix socket (CRI v1), for any kubelet or other client of CRI. It needs root, runc and conmon.
Containers keep running when it stops, and the next one finds them.`,
  examples: `cox runtime --listen unix:///run/coxswain/runtime.sock
cox kubelet --container-runtime-endpoint unix:///run/coxswain/runtime.sock --kubeconfig kubelet.kubeconfig`,
  flags,
  async run(invocation) {
    const { terminal, process } = invocation.context;
    const given = invocation.flags(flags);
    const { containersProblem, openRuntime } = await import('@coxswain/runtime');
    const problem = await containersProblem();
    if (problem !== undefined) throw new Error(`no containers can run here: ${problem}`);
    const { logger } = componentLogging({
      name: 'runtime',
      given: { v: verbosityOf(invocation) },
      write: (line) => terminal.err(line),
      now: () => new Date(),
      processId: process.pid,
    });
    await runUntilStopped(process, logger, async (signal) => {
      const runtime = await openRuntime({
        ...{ root: given.root, state: given.state, version: coxswainVersion, logger },
        cgroupDriver: given.cgroupDriver === 'systemd' ? 'systemd' : 'cgroupfs',
        ...(given.registryConfigDir !== undefined && { images: { directories: [given.registryConfigDir] } }),
        network: { configurationDirectory: given.cniConfDir, podCIDR: given.podCidr },
      });
      try {
        const server = await runtime.listen(given.listen);
        terminal.out(`the container runtime is ready at ${given.listen}\n`);
        await new Promise<void>((resolve) => {
          if (signal.aborted) resolve();
          else signal.addEventListener('abort', () => resolve(), { once: true });
        });
        await server.close();
      } finally {
        await runtime.close();
      }
    });
    return 0;
  },
};
