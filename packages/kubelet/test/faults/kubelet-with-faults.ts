import { join } from 'node:path';
import { consoleLogger } from '@coxswain/client';
import { type ContainerRuntime, connectRuntime } from '@coxswain/cri';
import { LinuxNode, runKubelet } from '../../src/program/index.ts';

/*
 * A kubelet in a process of its own. Its parent names a step, such as `after runPodSandbox`, and when the kubelet gets there, it kills
 * itself with SIGKILL. Steps are calls of the container runtime and of the machine: before and after a call, and during one.
 */

const [directory = ''] = process.argv.slice(2);
/** A call that is made takes longer than this to be completed, if it does anything. */
const duringMs = 10;
let step = '';

process.on('message', (message) => {
  step = String(message);
  process.send?.('armed');
});
process.on('disconnect', () => process.exit());

const die = (): void => void process.kill(process.pid, 'SIGKILL');

function withSteps<T extends object>(target: T): T {
  return new Proxy(target, {
    get(_, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      const name = String(key);
      return (...args: unknown[]): unknown => {
        if (step === `before ${name}`) die();
        const result: unknown = Reflect.apply(value, target, args);
        if (step === `during ${name}`) setTimeout(die, duringMs);
        if (!(result instanceof Promise)) return result;
        return result.then((done: unknown) => {
          if (step === `after ${name}`) die();
          return done;
        });
      };
    },
  });
}

async function connect(endpoint: string): Promise<ContainerRuntime> {
  const runtime = await connectRuntime(endpoint);
  return { ...runtime, runtime: withSteps(runtime.runtime), images: withSteps(runtime.images) };
}

const stop = new AbortController();
await runKubelet(
  {
    config: join(directory, 'kubelet.json'),
    kubeconfig: join(directory, 'kubeconfig'),
    rootDir: join(directory, 'kubelet'),
    certDir: join(directory, 'certificates'),
    hostnameOverride: 'real',
  },
  {
    logger: consoleLogger,
    connect,
    newMachine: async (options) => {
      const node = await LinuxNode.start({
        ...options,
        containerLogsDirectory: join(directory, 'container-logs'),
      });
      return {
        machine: withSteps(node.machine),
        settings: node.settings,
        services: node.services,
        attach: (kubelet) => node.attach(kubelet),
        run: (signal) => node.run(signal),
        close: () => node.close(),
      };
    },
    onStarted: () => void process.send?.('started'),
  },
  stop.signal,
);
